"""A statement is read into clauses that can be compared."""

import pytest

from howsure.text.contradictions.parser import parse_statement, strip_openers
from howsure.text.contradictions.stems import root_of, stem
from howsure.text.contradictions.syntax import split_clauses
from howsure.text.contradictions.tokens import tokenize


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
        "lazy lazily",
        "automatic automatically",
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
    assert " ".join(token.word for token in tokenize(text)) == words.removesuffix(" .")


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


def test_a_denial_says_what_it_denies() -> None:
    for text in (
        "It does not scale.",
        "It never scales.",
        "It fails to scale.",
        "It can't scale.",
        "It is unable to scale.",
    ):
        (clause,) = parse_statement(text)
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
    assert parse_statement(text)[0].share == pytest.approx(share)


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


def test_a_denial_of_the_whole_counts() -> None:
    assert len(parse_statement("It is not true that the cache is not full.")[0].negations) == 2


def test_words_know_their_place() -> None:
    (clause,) = parse_statement("The old parser is written in Rust on Linux.")
    assert clause.subject == {"old", "parser"}
    assert (clause.words["rust"].link, clause.words["rust"].head) == ("in", "writ")
    assert clause.words["linux"].link == "on"


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
def test_other_numbers_count_or_are_values(text: str, numbers: list[str]) -> None:
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


def test_one_and_several_are_told_apart() -> None:
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


def test_what_may_be_one_of_many_is_marked() -> None:
    (clause,) = parse_statement("Peru is a large producer of copper.")
    assert [stem for stem, word in clause.words.items() if word.indefinite] == ["big", "producer"]


def test_a_value_is_not_what_is_done() -> None:
    assert parse_statement("The lamp could be purple.")[0].verb == ""
    assert parse_statement("The lamp is red.")[0].verb == ""
    assert parse_statement("There are no tests for it.")[0].passive is False
    assert parse_statement("It was fixed last week.")[0].verb == "fix"
    assert parse_statement("It has not released an album.")[0].verb == "releas"
    assert parse_statement("It has limited support.")[0].verb == ""


def test_without_denies_what_follows_it_only() -> None:
    assert not parse_statement("Without it the server is slow.")[0].negations
    assert [negation.target for negation in parse_statement("It runs without root.")[0].negations] == ["root"]


def test_acronyms_are_not_plurals_and_calls_are_names() -> None:
    assert [token.stem for token in tokenize("HTTP HTTPS https")] == ["http", "https", "https"]
    assert [token.name for token in tokenize("call parse(x) now")] == [False, True, False, False, False, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cache is on, as run 12 says.", "The cache is on."),
        ("The cache is on, according to the log.", "The cache is on."),
        ("The cache is as fast as the docs say.", "The cache is as fast as the docs say."),
        ("According to the log, it is on.", "it is on."),
    ],
)
def test_who_says_so_is_left_out(text: str, expected: str) -> None:
    assert strip_openers(text).text == expected


@pytest.mark.parametrize(
    "forms",
    [
        "encrypted encryption",
        "validates validation",
        "depends dependencies",
        "compresses compression",
        "deploy deployment",
    ],
)
def test_a_verb_and_its_noun_have_one_root(forms: str) -> None:
    assert len({root_of(word) for word in forms.split()}) == 1


def test_nothing_is_read_from_nothing() -> None:
    assert parse_statement("") == parse_statement("...") == parse_statement("the of and") == ()


def test_a_long_statement_is_read_in_part() -> None:
    assert len(parse_statement("The cache is full. " * 1000)) <= 8
    assert len(parse_statement(" ".join(f"word{number}" for number in range(1000)))[0].words) <= 120
