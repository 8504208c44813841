"""Parsing statements into clauses that can be compared."""

import pytest

from howsure.text.contradictions.parser import parse_statement, strip_openers


@pytest.mark.parametrize(
    ("text", "hedges"),
    [
        ("Perhaps it works.", ("perhaps",)),
        ("I believe that it works.", ("i believe that",)),
        ("It might work.", ("might",)),
        ("It may be slow.", ("may",)),
        ("Admins may sign.", ()),
        ("It works.", ()),
    ],
)
def test_hedges_are_found(text: str, hedges: tuple[str, ...]) -> None:
    assert parse_statement(text)[0].hedges == hedges


def test_words_have_the_expected_roles() -> None:
    (clause,) = parse_statement("The old parser is written in Rust on Linux.")
    assert clause.subject == {"old", "parser"}
    assert (clause.words["rust"].link, clause.words["rust"].head) == ("in", "writ")
    assert clause.words["linux"].link == "on"


def test_singular_and_plural_are_distinguished() -> None:
    (one,), (other,) = parse_statement("It has a single replica."), parse_statement("It has several large replicas.")
    assert [(figure.measure.low, figure.of) for figure in one.figures] == [(1.0, "replica")]
    assert "replica" in other.plural
    assert (
        parse_statement("It is multithreaded.")[0].plural
        == parse_statement("It has multiple threads.")[0].plural
        == {"thread"}
    )
    assert not parse_statement("Every single test passes.")[0].figures
    assert "singl" in parse_statement("The user is single.")[0].words


def test_one_of_many_is_marked() -> None:
    (clause,) = parse_statement("Peru is a large producer of copper.")
    assert [stem for stem, word in clause.words.items() if word.indefinite] == ["big", "producer"]


def test_a_value_is_not_what_is_done() -> None:
    assert parse_statement("The lamp could be purple.")[0].verb == ""
    assert parse_statement("The lamp is red.")[0].verb == ""
    assert parse_statement("There are no tests for it.")[0].passive is False
    assert parse_statement("It was fixed last week.")[0].verb == "fix"
    assert parse_statement("It has not released an album.")[0].verb == "releas"
    assert parse_statement("It has limited support.")[0].verb == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cache is on, as run 12 says.", "The cache is on."),
        ("The cache is on, according to the log.", "The cache is on."),
        ("The cache is as fast as the docs say.", "The cache is as fast as the docs say."),
        ("According to the log, it is on.", "it is on."),
    ],
)
def test_attributions_are_left_out(text: str, expected: str) -> None:
    assert strip_openers(text).text == expected


def test_empty_text_has_no_clauses() -> None:
    assert parse_statement("") == parse_statement("...") == parse_statement("the of and") == ()


def test_a_long_statement_is_read_in_part() -> None:
    assert len(parse_statement("The cache is full. " * 1000)) <= 8
    assert len(parse_statement(" ".join(f"word{number}" for number in range(1000)))[0].words) <= 120
