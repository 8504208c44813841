"""Conditions, possibilities, rough numbers and other times in the context do not support plain assertions."""

import pytest

from howsure.text.grounding.ground import ground

SUPPORTED = """
Restores take about 20 minutes. | Restores take 20 minutes.
Restores take about 20 minutes. | Restores take roughly 20 minutes.
Restores take nearly 20 minutes. | Restores take less than 20 minutes.
Restores take more than 20 minutes. | Restores take over 20 minutes.
Restores take at least about 20 minutes. | Restores take at least 20 minutes.
The pool keeps exactly 5 connections. | The pool keeps at least 5 connections.
The pool keeps 5 connections. | The pool keeps exactly 5 connections.
The job may fail if the disk is full. | If the disk is full, the job may fail.
The job may fail if the disk is full. | A full disk may make the job fail.
The job may fail if the disk is full. | The job can fail when the disk is full.
The job fails if the disk is full. | The job fails.
The job may fail. Yesterday the job failed. | The job failed.
Restart the server if the memory is exhausted. The memory is exhausted. | The memory is exhausted.
The tool checks if the file exists. | The tool checks whether the file exists.
If the disk is full the job stops. | The job stops.
Stop the job if the disk is full. On node 3 the disk is full now. | The disk is full.
Users may export their data. | Users can export their data.
The service will run on port 9000 from May. | The service will run on port 9000.
The store will open next week. | The store opens next week.
The office moved to Bonn last year. | The office has moved to Bonn.
Refunds may take 5 to 7 days. | Refunds take 5 to 7 days.
You may request a refund within 30 days. | Customers have 30 days to request a refund.
Nobody except admins can delete users. | Admins can delete users.
Nothing is logged except errors. | Errors are logged.
All tables except users are public. | The users table is private.
The limit is unlimited. | There is no limit.
"""
NOT_SUPPORTED = """
Restores take about 20 minutes. | Restores take more than 20 minutes.
Restores take about 20 minutes. | Restores take less than 20 minutes.
Restores take about 20 minutes. | Restores take exactly 20 minutes.
The pool keeps at least 5 connections. | The pool keeps exactly 5 connections.
The job may fail if the disk is full. | The job fails.
The job may fail if the disk is full. | The disk is full.
The file might be deleted. | The file is deleted.
Writes stop unless a quorum is reached. | A quorum is reached.
In case the leader dies, a follower takes over. | The leader dies.
The leader was node-1 yesterday. | The leader is node-2 today.
The service will run on port 9000 from May. | The service runs on port 8080.
The project uses at least Python 3.11. | The project uses Python 3.12.
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(one, other) for line in text.strip().splitlines() for one, _, other in [line.partition(" | ")]]


@pytest.mark.parametrize(("context", "response"), _pairs(SUPPORTED))
def test_what_the_context_asserts_is_supported(context: str, response: str) -> None:
    (sentence,) = ground(response, context).sentences
    assert sentence.finding == "supported", sentence


@pytest.mark.parametrize(("context", "response"), _pairs(NOT_SUPPORTED))
def test_what_the_context_only_qualifies_is_not_found(context: str, response: str) -> None:
    (sentence,) = ground(response, context).sentences
    assert sentence.support is not None
    assert sentence.support < 0.5
    assert sentence.reasons
    assert sentence.finding == "not found"


def test_a_possibility_lowers_the_support() -> None:
    (sentence,) = ground("Uploads time out.", "Uploads may time out.").sentences
    assert sentence.support is not None
    assert 0.5 < sentence.support < 0.9
    assert sentence.reasons == ("the context says only that it may be so",)


def test_an_exception_that_is_denied_is_contradicted() -> None:
    (sentence,) = ground("Errors are not logged.", "Nothing is logged except errors.").sentences
    assert sentence.finding == "contradicted"
