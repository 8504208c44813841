"""Denials in other words agree with each other, and exceptions do not deny the main clause."""

import pytest

from howsure.text.grounding.ground import ground

SAME = [
    ("The fund charges a fee of 0.65 percent and no entry fee.", "The fund charges a fee of 0.65 percent."),
    ("The fee is charged weekly. It does not apply where a form is late.", "A late form adds a fee, charged weekly."),
    ("Events of the type ping are not retried if no server answers, others are retried.", "Other events are retried."),
    ("Wear parts such as tyres are excluded.", "Tyres and other wear parts aren't included."),
    ("It raises an error if the host is unreachable.", "It raises an error if the host can't be reached."),
    ("The council voted to close the old bridge to cars.", "Cars aren't allowed on the old bridge."),
    ("Both parties ruled out a coalition with the League.", "Neither party wants a coalition with the League."),
    (
        "Mentors are at least two levels above their mentees and never in the same reporting line.",
        "A mentor has to be two or more levels higher than the mentee and outside their reporting line.",
    ),
    ("Overtime is paid with time off, not with money.", "Overtime is paid with time off rather than money."),
    ("Members are banned from voting.", "Members cannot vote."),
    ("Pages contain 25 invoices by default.", "Pages contain 25 invoices unless you set a limit."),
    ("Reports are saved as PDF unless you choose CSV.", "Reports are saved as PDF by default."),
    ("Recordings are deleted unless they are marked.", "Recordings are deleted if they are not marked."),
    ("HTML is escaped unless it uses triple braces.", "HTML is escaped except with triple braces."),
    ("Without a key the old value is kept.", "The old value is kept without a key."),
    ("Logging isn't enabled.", "Logging is disabled."),
]
DENIED = [
    ("Wear parts such as tyres are excluded.", "Tyres and other wear parts aren't excluded."),
    ("It raises an error if the host is reachable.", "It raises an error if the host can't be reached."),
    ("The council voted to close the old bridge to cars.", "The old bridge isn't closed to cars."),
    ("Both parties want a coalition with the League.", "Neither party wants a coalition with the League."),
    ("Sessions are stored in Redis instead of memory.", "Sessions are not stored in Redis."),
    ("Requests that fail are rejected.", "Requests that fail are not rejected."),
    ("A password is required to open the door.", "The door can be opened without a password."),
    ("Recordings are deleted unless they are marked.", "Recordings are deleted if they are marked."),
    ("Recordings are deleted if they are marked.", "Recordings are deleted unless they are marked."),
    ("Recordings are deleted unless they are marked.", "Marked recordings are deleted."),
    ("Unless the key is set, values are kept.", "If the key is set, values are kept."),
    ("HTML is escaped unless it uses triple braces.", "HTML is escaped with triple braces."),
]


@pytest.mark.parametrize(("context", "sentence"), SAME)
def test_denials_in_other_words_agree(context: str, sentence: str) -> None:
    (found,) = ground(sentence, context).sentences
    assert found.finding == "supported", found


@pytest.mark.parametrize(("context", "sentence"), DENIED)
def test_what_one_side_denies_is_not_supported(context: str, sentence: str) -> None:
    (found,) = ground(sentence, context).sentences
    assert found.finding == "contradicted", found
