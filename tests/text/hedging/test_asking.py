"""Messages that end with a question to the user: what may stand before it, and what is still a claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.hedging.asking import admits_failure, claims_result, ends_with_question, is_report_with_question
from howsure.text.hedging.claimless import is_clarifying_question

REPORTS = [
    "I've updated the config. Should I restart the server?",
    "I\u2019ve updated the config. Should I restart the server?",
    "I read config.yaml and server.py. Which of the two should win?",
    "I could not find the port. Where is it set?",
    "There are two ways to do it: a flag or a file. Which one do you prefer?",
    "The tests still fail. Do you want me to look at them?",
    "3 of the tests fail. Should I skip them?",
    "I found two definitions of the port.\n\nWhich one should I change?",
    "I've added the option. I'll run the tests next. Which Python versions should I use?",
    "I haven't run the tests. Should I run them?",
    "I searched the docs. Which format do you want?\n\n- JSON\n- YAML",
]
CLAIMS = [
    "I fixed the bug. Do you want me to commit?",
    "Fixed. Should I also update the docs?",
    "All tests pass now. Shall I commit?",
    "The port is 8080. Do you want me to change it?",
    "I've updated the config, which fixes the bug. Should I restart the server?",
    "I changed the cache and it works. Should I push it?",
    "I ran the tests: all green. Should I push it?",
    "I checked it and the port is 8080. Should I change it?",
    "I could not find a bug because the code is correct. Should I stop?",
    "I updated the config. It is correct. Should I go on?",
    "I read the file. Does that help?",
    "I've updated the config.",
    "Should I restart the server? I've updated the config.",
    "There are two ways to do it: a flag is faster. Which one do you prefer?",
    "I added the table.\n```\nport = 8080\n```\nShould I go on?",
    "",
]


@pytest.mark.parametrize("text", REPORTS)
def test_a_report_before_a_question_is_recognized(text: str) -> None:
    assert is_report_with_question(text)
    assert ends_with_question(text)
    assert not is_clarifying_question(text)


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim_before_a_question_is_not_overlooked(text: str) -> None:
    assert not is_report_with_question(text)


def test_a_mere_question_is_not_a_report() -> None:
    assert ends_with_question("Which port should I use?")
    assert not is_report_with_question("Which port should I use?")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("The port is 8080. Do you want me to change it?", True),
        ("The port is 8080.\n\n```\nport = 8080\n```\n\nShould I change it?", True),
        ("Which of these do you want?\n\n1. JSON\n2. YAML", True),
        ("Which of these do you want?\n1. JSON\n2. YAML", True),
        ("The port is 8080. Does that help?", False),
        ("The port is 8080, right?", False),
        ("Should I change the port? It is 8080.", False),
        ("Isn't that great?", False),
        ("", False),
    ],
)
def test_the_last_sentence_decides_whether_a_message_asks(text: str, asks: bool) -> None:
    assert ends_with_question(text) is asks


@pytest.mark.parametrize(
    ("text", "claims", "admits"),
    [
        ("All tests pass.", True, False),
        ("It is FIXED.", True, False),
        ("Two tests fail.", False, True),
        ("The tests do not pass.", False, True),
        ("The tests don't pass yet.", False, True),
        ("No tests fail.", False, False),
        ("None of them failed.", False, False),
        ("It doesn't fail any more.", False, False),
        ("One test failed, the others pass.", True, True),
        ("The port is 8080.", False, False),
    ],
)
def test_results_and_failures_are_told_apart(text: str, claims: bool, admits: bool) -> None:
    assert (claims_result(text), admits_failure(text)) == (claims, admits)


@given(st.sampled_from(REPORTS), st.sampled_from(["The port is 8080.", "It works.", "All tests pass.", "Done."]))
def test_a_claim_anywhere_is_found(report: str, claim: str) -> None:
    assert not is_report_with_question(f"{claim} {report}")
    assert not is_report_with_question(f"{report} {claim}")


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert not (is_report_with_question(text) and not ends_with_question(text))
