"""Messages that end with a question to the user: what may stand before it, and what is still a claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.hedging.asking import (
    ends_with_question,
    is_report_with_question,
    reports_failure,
)
from howsure.text.hedging.claimless import is_clarifying_question

REPORTS = [
    "I've updated the config. Should I restart the server?",
    "I\u2019ve updated the config. Should I restart the server?",
    "I read config.yaml and server.py. Which of the two should win?",
    "I could not find the port. Where is it set?",
    "There are two ways to do it: a flag or a file. Which one do you prefer?",
    "The tests still fail. Do you want me to look at them?",
    "3 of the tests fail. Should I skip them?",
    "One test fails. Should I look into it?",
    "1 test failed. Do you want me to go on?",
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
    "No tests fail any more. Shall I commit?",
    "No test fails. Shall I commit?",
    "The tests fail no longer. Shall I commit?",
    "0 tests fail. Shall I commit?",
    "The tests failed before. Shall I commit?",
    "One test failed; they do not any more. Shall I commit?",
    "I found no failing tests. Shall I commit?",
    "I found no errors. Shall I commit?",
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
        ("One test fails. Shall I go on?", True),
        ("The port is 8080. Do you want me to go into detail?", False),
        ("", False),
    ],
)
def test_the_last_sentence_decides_whether_a_message_asks(text: str, asks: bool) -> None:
    assert ends_with_question(text) is asks


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ("One test fails. Should I look into it?", True),
        ("The test run failed: test_x. Do you want me to fix it?", True),
        ("4 of 5 tests pass; test_x fails. Shall I go on?", True),
        ("Not all tests pass: test_x fails. Shall I go on?", True),
        ("One test fails, the others pass. Shall I go on?", True),
        ("5 of 5 tests pass; test_x fails. Shall I commit?", False),
        ("Two tests failed. Now no test fails. Shall I commit?", False),
        ("Two tests failed, and I fixed them. Shall I commit?", False),
        ("All tests pass. Do you want me to fix it?", False),
        ("The port is 8080. Shall I go on?", False),
    ],
)
def test_a_failure_is_reported_only_without_a_claim_of_success(text: str, reports: bool) -> None:
    assert reports_failure(text) is reports


@given(st.sampled_from(REPORTS), st.sampled_from(["The port is 8080.", "It works.", "All tests pass.", "Done."]))
def test_a_claim_anywhere_is_found(report: str, claim: str) -> None:
    assert not is_report_with_question(f"{claim} {report}")
    assert not is_report_with_question(f"{report} {claim}")


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert not (is_report_with_question(text) and not ends_with_question(text))
