"""Splitting statements into clauses, finding verbs, and numbers that name a thing."""

import pytest

from howsure.text.contradictions.parser import parse_statement
from howsure.text.contradictions.syntax import split_clauses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A is fast; B is slow.", ["a is fast", "b is slow"]),
        ("The tool is fast and does not scale.", ["the tool is fast", "the tool does not scale"]),
        ("Reads and writes are fast.", ["reads and writes are fast"]),
        ("Reads are fast, while writes are slow.", ["reads are fast", "writes are slow"]),
        ("The tool works. It never fails.", ["the tool works", "the tool never fails"]),
    ],
)
def test_a_statement_is_taken_apart_where_a_new_verb_begins(text: str, expected: list[str]) -> None:
    assert [" ".join(token.word for token in part) for part in split_clauses(text)] == expected


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Port 22 is open.", "port#22"),
        ("The disk of node 3 is full.", "nod#3"),
        ("Line 12 calls parse().", "lin#12"),
        ("PR #210 adds the cache.", "pr#210"),
        ("Host 10.0.0.1 is up.", "host#10.0.0.1"),
        ("Version 1.4 has the bug.", "version#1.4"),
        ("The 3rd node is up.", "#3rd"),
        ("The crash happens in step 5.", "step#5"),
        ("Pod api-0 is up.", "api-0"),
        ("Commit 9f8e7d6 is good.", "9f8e7d6"),
    ],
)
def test_a_number_after_a_noun_says_which_thing_it_is(text: str, label: str) -> None:
    (clause,) = parse_statement(text)
    assert clause.words[label].name
    assert not clause.figures


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("The first 3 tests fail.", ["3"]),
        ("All 42 tests pass.", ["42"]),
        ("The port is 8080.", ["8080"]),
        ("The proxy listens on port 443.", ["443"]),
        ("The endpoint returns 200.", ["200"]),
        ("The host runs Debian 12.", ["12"]),
        ("The job failed since version 2.", ["version 2"]),
        ("Default port 8080", ["8080"]),
        ("3 of the 40 tests fail.", ["3"]),
        ("It has 3 of 40 rows.", ["3"]),
    ],
)
def test_other_numbers_are_counts_or_values(text: str, numbers: list[str]) -> None:
    (clause,) = parse_statement(text)
    assert [figure.measure.text for figure in clause.figures] == numbers
    assert not any("#" in stem for stem in clause.words)


def test_the_verb_after_a_number_is_found() -> None:
    for text, verb in (
        ("Step 2 pushes the image.", "push"),
        ("Build 881 failed.", "fail"),
        ("Line 7 imports os.", "import"),
    ):
        assert parse_statement(text)[0].verb == verb
    assert parse_statement("Python 3 tests fail.")[0].verb == "fail"
