"""Recognizing clarifying questions and abstentions, and what only looks like them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.hedging.claimless import is_abstention, is_clarifying_question
from tests.text.hedging import abstention_examples, question_examples


def responses(lines: str) -> list[str]:
    """Return one response per line; a line may hold escaped line breaks."""
    return [line.replace("\\n", "\n") for line in lines.strip("\n").split("\n")]


QUESTIONS, NOT_QUESTIONS = responses(question_examples.QUESTIONS), responses(question_examples.NOT_QUESTIONS)
ABSTENTIONS, NOT_ABSTENTIONS = (
    responses(abstention_examples.ABSTENTIONS),
    responses(abstention_examples.NOT_ABSTENTIONS),
)
CLAIMS = [
    "The port is 8080.",
    "It is definitely Paris.",
    "All tests pass.",
    "Version 3 fixes the bug.",
    "You should delete the table.",
    "Redis stores every key in memory.",
    "8080.",
    "Paris!",
    "Use `rm -rf /`.",
    "Obviously, the earth is flat.",
]


def test_there_are_enough_examples() -> None:
    assert min(len(set(QUESTIONS)), len(set(NOT_QUESTIONS)), len(set(ABSTENTIONS)), len(set(NOT_ABSTENTIONS))) >= 150


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions_are_recognized(text: str) -> None:
    assert is_clarifying_question(text)


@pytest.mark.parametrize("text", NOT_QUESTIONS)
def test_claims_are_not_questions(text: str) -> None:
    assert not is_clarifying_question(text)


@pytest.mark.parametrize("text", ABSTENTIONS)
def test_abstentions_are_recognized(text: str) -> None:
    assert is_abstention(text)


@pytest.mark.parametrize("text", NOT_ABSTENTIONS)
def test_claims_are_not_abstentions(text: str) -> None:
    assert not is_abstention(text)


@given(
    st.sampled_from(CLAIMS),
    st.sampled_from(QUESTIONS + ABSTENTIONS),
    st.booleans(),
    st.sampled_from([" ", "\n\n", "\n- "]),
)
def test_a_claim_beside_a_harmless_response_is_noticed(claim: str, reply: str, first: bool, joint: str) -> None:
    text = claim + joint + reply if first else reply + joint + claim
    assert not is_clarifying_question(text)
    assert not is_abstention(text)


@given(st.sampled_from(CLAIMS))
def test_a_question_mark_makes_no_question(claim: str) -> None:
    for text in (claim + "?", claim.rstrip(".!") + "?", claim.rstrip(".!") + ", right?"):
        assert not is_clarifying_question(text)


@pytest.mark.parametrize("mark", ["", "  ", "- ", "1. ", "> - "])
def test_code_is_no_question(mark: str) -> None:
    assert is_clarifying_question("Which one do you mean?")
    assert not is_clarifying_question(f"Which one do you mean?\n\n{mark}```\n  rm -rf data\n  ```")


def test_curly_apostrophes_count() -> None:
    assert is_abstention("I don\u2019t know.")
    assert is_clarifying_question("What\u2019s your budget?")


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    assert is_clarifying_question(text) in {True, False}
    assert is_abstention(text) in {True, False}


@pytest.mark.parametrize("mark", ["\u200b", "\u2028", "\x00", "\xad", "\u202e", "\u2060", "\ufeff", "\U000e0053"])
def test_invisible_characters_hide_nothing(mark: str) -> None:
    assert not is_abstention(f"I don't know.{mark}Sydney")
    assert not is_abstention(f"I don't know{mark}Sydney")
    assert not is_clarifying_question(f"Which port do you use?{mark}8080")


def test_joined_emoji_are_read() -> None:
    assert is_clarifying_question("Happy to help \U0001f469\u200d\U0001f4bb! Which version do you use?")


@pytest.mark.parametrize("piece", ["i don't know ", "which ", "(", "? ", "the context ", "to help, ", "\n- a"])
def test_long_texts_are_fast_and_no_question(piece: str) -> None:
    assert not is_clarifying_question(piece * 20_000)
    assert not is_abstention(piece * 20_000)
