"""Recognizing needs, limits and lifetimes in different wordings."""

import pytest

from howsure.text.contradictions import find_clash
from howsure.text.contradictions.parser import parse_statement


@pytest.mark.parametrize(
    ("text", "things", "holds"),
    [
        ("The endpoint requires a token.", {"token"}, True),
        ("The endpoint needs no token.", {"token"}, False),
        ("A token is needed for the endpoint.", {"token"}, True),
        ("No token is needed for the endpoint.", {"token"}, False),
        ("The endpoint can be called without a token.", {"token"}, False),
        ("The endpoint cannot be called without a token.", {"token"}, True),
        ("The call fails without a token.", {"token"}, True),
        ("The call does not fail without a token.", {"token"}, False),
        ("The server must be restarted.", {"restart"}, True),
        ("The script has to be run as root.", {"root"}, True),
    ],
)
def test_needs_are_recognized(text: str, things: set[str], holds: bool) -> None:
    (paraphrase,) = parse_statement(text)[0].paraphrases
    assert paraphrase.kind == "need"
    assert set(paraphrase.things) == things
    assert paraphrase.holds is holds


@pytest.mark.parametrize(
    "text",
    [
        "It was sent without errors.",
        "The endpoint uses a token.",
        "Without it the server is slow.",
        "It must not stop.",
    ],
)
def test_other_clauses_are_not_needs(text: str) -> None:
    assert not parse_statement(text)[0].paraphrases


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Uploads may be up to 10 MB.", "most"),
        ("The maximum size of uploads is 10 MB.", "most"),
        ("Uploads are limited to 10 MB.", "most"),
        ("At most 10 MB are allowed for uploads.", "most"),
        ("The job must have at least 10 MB.", "least"),
        ("The token is valid for 10 minutes.", "life"),
        ("The token expires after 10 minutes.", "life"),
    ],
)
def test_limits_and_durations_are_recognized(text: str, kind: str) -> None:
    assert [
        paraphrase.kind for paraphrase in parse_statement(text)[0].paraphrases if paraphrase.figure is not None
    ] == [kind]


@pytest.mark.parametrize(
    "text",
    ["Uploads are at most 10 MB.", "The upload has 10 MB.", "The job takes 10 minutes.", "It waits for 10 minutes."],
)
def test_measurements_are_not_limits(text: str) -> None:
    assert not parse_statement(text)[0].paraphrases


@pytest.mark.parametrize(
    ("limit", "size"),
    [
        ("The offset can be at most -5.", "The offset can be 0 or more."),
        ("The offset can be at most -5.", "The offset can be more than 0."),
        ("The maximum offset is -10.", "The offset can be -2 or more."),
        ("The offset must be at least 0.", "An offset of -5 is enough."),
    ],
)
def test_limits_below_zero_are_compared_too(limit: str, size: str) -> None:
    for first, second in ((limit, size), (size, limit)):
        clash = find_clash(first, second)
        assert clash is not None
        assert 0.65 <= clash.severity <= 0.95
