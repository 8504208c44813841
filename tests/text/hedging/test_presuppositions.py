"""Questions and abstentions that carry a claim, beside those that do not."""

from pathlib import Path

import pytest

import howsure
from howsure.text.hedging.claimless import is_abstention, is_clarifying_question

CLAIMS = """
Did you know the server crashed?
Are you aware the CEO resigned?
Did you know the earth orbits the moon?
Do you realize the backups failed?
Did you know vaccines cause autism?
Did you hear the bank collapsed?
Have you heard the CEO left?
Did you know it broke?
Did you know people eat cats?
Did you know your password leaked?
Did you know we lost the data?
Do you happen to know the server crashed?
How do you know the server crashed?
Were you told the backup failed?
Are you aware of the CEO resigning?
I don't know the capital Canberra.
I don't know the answer Sydney.
I'm not sure about the capital Canberra.
"""
QUESTIONS = """
Do you know which version you use?
Did you know the answer already?
Are you aware of the limit?
Do you know the name of your cluster?
Do you know your cluster's version?
Do you know the version you use?
Do you know if the server crashed?
Do you remember the last change you made?
Have you noticed any errors in your logs?
Do you see it in the logs?
What changes do you see your team making?
Do you see the login page after signing in?
Have you heard of the new tool?
Are you aware of any recent changes to your network?
"""
ABSTENTIONS = """
I don't know the capital of Australia.
I don't know the server.
I don't know the version of Python you use.
I don't know who the CEO of Apple is.
I'm not sure about the population of Paris.
"""


@pytest.mark.parametrize("text", CLAIMS.strip().splitlines())
def test_what_is_taken_for_true_is_a_claim(text: str) -> None:
    assert not is_clarifying_question(text)
    assert not is_abstention(text)


@pytest.mark.parametrize("text", QUESTIONS.strip().splitlines())
def test_a_question_about_a_thing_claims_nothing(text: str) -> None:
    assert is_clarifying_question(text)


@pytest.mark.parametrize("text", ABSTENTIONS.strip().splitlines())
def test_what_is_not_known_is_no_answer(text: str) -> None:
    assert is_abstention(text)


def test_the_gate_does_not_pass_a_presupposed_claim(tmp_path: Path) -> None:
    with howsure.open(str(tmp_path / "decisions.db")) as sure:
        assert sure.responses.check("Did you know the server crashed?", agent="z").decision != "pass"
        assert sure.responses.check("Do you know which version you use?", agent="z").decision == "pass"
