"""Interim messages: plans and progress are recognized, and a claim among them is not overlooked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.hedging.interim import is_interim

INTERIM = [
    "Let me look at the tests first.",
    "I'll start by reading the config file, then run the tests.",
    "I\u2019ll start by reading the config file.",
    "I'm going to run the test suite now and report back.",
    "Running the tests now.",
    "Running the tests now\u2026",
    "Still working on it: the build is running.",
    "The build is running in the background; I will report when it finishes.",
    "The tests are still running.",
    "I've started the migration. I'll let you know when it's finished.",
    "Waiting for the CI to finish.",
    "I need the API key to continue. Please provide it.",
    "Okay, let me check the logs.",
    "Sure. I will search for the handler and get back to you.",
    "First, I'll read parser.py. Then I'll run the tests.",
    "One moment.",
]
CLAIMS = [
    "",
    "The bug is fixed and all tests pass.",
    "It is fixed. Do you want me to commit it?",
    "I'll commit it. The bug is fixed.",
    "I will fix it. The root cause is the cache in parser.py, which returns stale entries.",
    "I'll fix it, the root cause is the cache.",
    "Let me explain: the parser returns stale entries.",
    "Let me be clear, all tests pass.",
    "Running the tests now shows that it works.",
    "Running the tests confirms it.",
    "I've started the server and it works.",
    "I'll report that everything works.",
    "Now everything works.",
    "I'm done.",
    "The build passed.",
    "The migration is running because the schema was wrong.",
    "Testing is complete and the release is safe.",
    "I need the API key to continue because the old one has expired.",
    "Done so far: parser. Next I will do the lexer.",
    "Let me check the logs.\n\nThe logs show an error.",
    "Let me check.\n```\nrm -rf /\n```",
    "Please confirm: the token is valid.",
    "Let me check the logs. " * 20,
    "Which database should I use?",
]


@pytest.mark.parametrize("text", INTERIM)
def test_plans_and_progress_are_interim(text: str) -> None:
    assert is_interim(text)


@pytest.mark.parametrize("text", CLAIMS)
def test_claims_are_not_interim(text: str) -> None:
    assert not is_interim(text)


@given(st.sampled_from(INTERIM), st.sampled_from([text for text in CLAIMS if text]), st.booleans())
def test_a_claim_beside_a_plan_is_not_overlooked(plan: str, claim: str, first: bool) -> None:
    assert not is_interim(f"{claim} {plan}" if first else f"{plan} {claim}")


@given(st.text(st.characters(), max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert is_interim(text) in (True, False)
