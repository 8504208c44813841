"""Extracting assertions and their evidence from text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.text.assertions import extract_assertions, is_assertion


@pytest.mark.parametrize(
    "sentence",
    [
        "The parser returns nil on error.",
        "Tests pass.",
        "It works.",
        "Port: 8080",
        "Test coverage is 81 %.",
        "Use of eval is forbidden.",
        "Check constraints are enforced.",
        "Set theory is hard.",
        "Note that the cache is off.",
        "Hi-fi audio is supported.",
        "Only the cache fails.",
        '"It works," she said.',
        "There is no index.",
        "Neither the speed nor the size of the file lay outside the limits.",
        "Thanks to a new cache, the server now answers twice as fast.",
        "Unlike the old parser, the new one keeps comments.",
        "Of the ten tests, nine failed.",
        "Beneath the cache sits a queue.",
        "Half the tests fail.",
        "Hi all, the server is down.",
        "Hello, dear Ann, the server is down.",
        "Surely the cache is full.",
        "\u8fd9\u4e2a\u51fd\u6570\u8fd4\u56de\u7a7a\u503c\u3002",
    ],
)
def test_assertions_are_recognized(sentence: str) -> None:
    assert is_assertion(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "...",
        "Is it fast?",
        "\u5b83\u5feb\u5417\uff1f",
        "Run the tests.",
        "Run tests with -x.",
        "Don't do that.",
        "Please check it.",
        "Let's see the log.",
        "See docs/cli.md for more.",
        "Eliminate the cache.",
        "Hello there!",
        "Thanks a lot for asking.",
        "Good.",
        "The reasons are:",
        "I hope this helps you.",
        "Here is what I found.",
        "Let me know if anything is unclear.",
        "I will look at the parser next.",
        "You can change it in the settings.",
        "Great question!",
        "Thanks to all of you!",
        "Sorry, I will look at it.",
        "Hi, hi, hi, hi, the server is down.",
    ],
)
def test_texts_without_assertion_are_recognized(sentence: str) -> None:
    assert not is_assertion(sentence)


def test_headings_code_tables_and_questions_are_left_out() -> None:
    text = (
        "# The cache is fast\n\nThe cache is slow. Why?\n\n```\nHere is code.\n```\n\n| The | row |\n\n- It is old.\n"
    )
    assert [found.text for found in extract_assertions(text)] == ["The cache is slow.", "It is old."]


def test_an_assertion_is_one_plain_line_with_its_position() -> None:
    text = "> The **cache**\n> is fast. It __never__\n> fails."
    first, second = extract_assertions(text)
    assert (first.text, second.text) == ("The cache is fast.", "It never fails.")
    assert text[second.start : second.end] == "It __never__\n> fails."


def test_hedges_and_certainty_are_those_of_sub_results() -> None:
    (found,) = extract_assertions("I think it might be slow, but it always works.")
    assert (found.hedges, found.certain) == (("I think", "might"), ("always",))
    assert extract_assertions("It is slow.")[0].hedges == ()


@pytest.mark.parametrize(
    ("sentence", "pieces"),
    [
        ("It is slow.", ""),
        ('The log says "out of memory" there.', ' ["out of memory"]'),
        ("It is in src/parse.py:42 now.", " [src/parse.py:42]"),
        ("It is at https://example.org/a?b=c.", " [https://example.org/a?b=c]"),
        ("It was shown before [3].", " [3]"),
        ("It was shown before (Vance et al. 2019).", " [(Vance et al. 2019)]"),
        ("It takes 3,000 ms and 12.5 % of memory.", " [3,000 ms; 12.5 %]"),
        ("It calls `parse(x)` twice.", " [`parse(x)`]"),
        ("It is 3 and 3 again.", " [3]"),
    ],
)
def test_evidence_names_what_can_be_looked_up(sentence: str, pieces: str) -> None:
    assert extract_assertions(sentence)[0].evidence == sentence + pieces


def test_evidence_stays_short() -> None:
    (found,) = extract_assertions("It is " + ", ".join(str(number) for number in range(100)) + ".")
    assert found.evidence.endswith("[0; 1; 2; 3; 4; 5; 6; 7]")


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for found in extract_assertions(text):
        assert found.evidence.startswith(found.text)
        assert 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize(
    "piece", ['"', "a.", "[1", "1,", "`a", "(A ", "a/", "http://", "\u201c", "**a", ". A b c", "> ", "a-", "Hi, "]
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    assert len(extract_assertions(piece * 20_000)) <= 20_000
