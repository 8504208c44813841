"""A statement is read into clauses that can be compared."""

import pytest

from howsure.text.parts import parts
from howsure.text.statement import statement
from howsure.text.stems import stem
from howsure.text.tokens import tokens


@pytest.mark.parametrize(
    "forms",
    [
        "use uses used using",
        "close closes closed closing",
        "pass passes passed passing",
        "add adds added adding",
        "control controls controlled controlling",
        "try tries tried trying",
        "run runs ran running",
        "write writes wrote written writing",
        "agree agrees agreed agreeing",
        "exceed exceeds exceeded exceeding",
        "synchronous synchronously",
        "child children",
        "size sizes",
        "box boxes",
    ],
)
def test_all_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


def test_words_that_differ_keep_different_stems() -> None:
    words = "string ring need speed state status use us class close bus gas species thing"
    assert len({stem(word) for word in words.split()}) == len(words.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It isn't on.", "it is not on ."),
        ("We can't; they won't.", "we can not ; they will not"),
        ("The parser's tests", "the parser tests"),
        ("It\u2019s read-only.", "it is readonly"),
        ("a non-blocking, thread-safe call", "a nonblocking , thread safe call"),
        ("C++ and utf-8 in a_b.py", "c++ and utf-8 in a_b.py"),
        ("at least 5 MB", "at least 5 mb"),
    ],
)
def test_a_sentence_is_taken_apart_into_words(text: str, words: str) -> None:
    assert " ".join(token.word for token in tokens(text)) == words.removesuffix(" .")


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
    assert [" ".join(token.word for token in part) for part in parts(text)] == expected


def test_a_denial_says_what_it_denies() -> None:
    for text in (
        "It does not scale.",
        "It never scales.",
        "It fails to scale.",
        "It can't scale.",
        "It is unable to scale.",
    ):
        (clause,) = statement(text)
        assert [negation.target for negation in clause.negations] == ["scal"], text
        assert clause.share == (0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("All tests pass.", (1.0, 1.0)),
        ("Not all tests pass.", (0.0, 0.99)),
        ("Some tests pass.", (0.01, 1.0)),
        ("Some tests do not pass.", (0.0, 0.99)),
        ("Most tests pass.", (0.51, 1.0)),
        ("Few tests pass.", (0.01, 0.3)),
        ("No test passes.", (0.0, 0.0)),
        ("None of the tests pass.", (0.0, 0.0)),
        ("The test passes.", (1.0, 1.0)),
        ("Tests pass.", (0.51, 1.0)),
        ("The test always passes.", (1.0, 1.0)),
        ("The test sometimes passes.", (0.01, 1.0)),
        ("The test can pass.", (0.01, 1.0)),
        ("The test cannot pass.", (0.0, 0.0)),
    ],
)
def test_a_quantifier_says_in_how_many_cases_it_holds(text: str, share: tuple[float, float]) -> None:
    assert statement(text)[0].share == pytest.approx(share)


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
    assert statement(text)[0].hedges == hedges


def test_a_denial_of_the_whole_counts() -> None:
    assert len(statement("It is not true that the cache is not full.")[0].negations) == 2


def test_words_know_their_place() -> None:
    (clause,) = statement("The old parser is written in Rust on Linux.")
    assert clause.subject == {"old", "parser"}
    assert (clause.words["rust"].link, clause.words["rust"].head) == ("in", "writ")
    assert clause.words["linux"].link == "on"


def test_nothing_is_read_from_nothing() -> None:
    assert statement("") == statement("...") == statement("the of and") == ()


def test_a_long_statement_is_read_in_part() -> None:
    assert len(statement("The cache is full. " * 1000)) <= 8
    assert len(statement(" ".join(f"word{number}" for number in range(1000)))[0].words) <= 120
