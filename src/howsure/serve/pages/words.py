"""Words: how moments, numbers and what was done are put on a page."""

import math
from datetime import UTC, datetime

from howsure.documents.labels import score_band
from howsure.wording import escape_invisible, pluralize, shorten, single_line

DONE = {
    "challenged": "The claim is challenged. Both sides stand until somebody resolves it.",
    "corroborated": "The source is taken, and the claim corroborated.",
    "demoted": "The claim moved down.",
    "forgotten": "The claim is forgotten. Its history stays.",
    "given-up": "The claim is given up.",
    "invalidated": "The source counts for nothing any more, here and wherever else it speaks.",
    "left": "You are logged out.",
    "happened": "It is written down what happened to the document.",
    "marked-corrected": "The answer is marked as one that had to be corrected.",
    "marked-right": "The answer is marked as right.",
    "marked-wrong": "The answer is marked as wrong.",
    "promoted": "The claim moved up.",
    "promotion-deferred": "Not yet: the history, below, says what is missing.",
    "promotion-rejected": "No: the history, below, says why the claim cannot move up.",
    "purged": "The claim is gone for good.",
    "related": "The relation is kept.",
    "restored": "The source counts again.",
    "superseded": "Another claim has taken its place.",
    "upheld": "The challenge is over, and the claim upheld.",
}
"""What is said after something was done. The address holds the code, never the words."""

_STEPS = ((60.0, "second"), (60.0, "minute"), (24.0, "hour"), (30.4375, "day"), (12.0, "month"), (math.inf, "year"))


def moment(at: float) -> str:
    """Return a moment as people write it, in UTC.

    >>> moment(1_800_000_000.0)
    '15 Jan 2027, 08:00'
    """
    when = _when(at)
    return f"{when.day} {when:%b %Y, %H:%M}"


def machine(at: float) -> str:
    """Return a moment as programs write it.

    >>> machine(1_800_000_000.0)
    '2027-01-15T08:00:00Z'
    """
    return f"{_when(at):%Y-%m-%dT%H:%M:%SZ}"


def _when(at: float) -> datetime:
    """Return a moment as a date; one that no calendar has is held to what it has."""
    return datetime.fromtimestamp(min(max(at, -62_135_596_800.0), 253_402_300_799.0), UTC)


def since(at: float, now: float) -> str:
    """Return how long ago something was, or how soon it will be.

    >>> since(0.0, 7200.0), since(90_000.0, 0.0), since(5.0, 5.0)
    ('2 hours ago', 'in 1 day', 'now')
    """
    words = lasting(abs(now - at))
    if not words:
        return "now"
    return f"{words} ago" if now > at else f"in {words}"


def lasting(seconds: float) -> str:
    """Return a span of time in its largest unit; nothing for less than a second.

    >>> lasting(59.0), lasting(3.1e7), lasting(0.2)
    ('59 seconds', '11 months', '')
    """
    left = seconds
    for size, unit in _STEPS:
        if left < size * 0.995 or size == math.inf:
            return pluralize(int(left + 0.005), unit) if left >= 0.995 else ""  # noqa: PLR2004 - nearly one is one
        left /= size
    return ""


def digits(value: float | None, places: int = 2) -> str:
    """Return a number in so many places.

    >>> digits(0.4567), digits(None)
    ('0.46', 'unknown')
    """
    return "unknown" if value is None else f"{value:.{places}f}"


def percent(part: float, whole: float) -> str:
    """Return a share.

    >>> percent(1, 3), percent(1, 0), percent(999, 1000)
    ('33 %', '0 %', '>99 %')
    """
    share = part / whole if whole else 0.0
    if 0.995 <= share < 1.0:  # noqa: PLR2004 - it would be rounded to what it is not
        return ">99 %"
    return "<1 %" if 0.0 < share < 0.005 else f"{share:.0%}".replace("%", " %")  # noqa: PLR2004


def line(text: str, most: int = 300) -> str:
    r"""Return a text as one line of so many characters, with nothing in it that cannot be seen.

    >>> line("a\nb  c"), line("x" * 20, 5)
    ('a b c', 'xx…xx')
    """
    return single_line(shorten(text, most))


def lines(text: str) -> str:
    r"""Return a text with its lines, and with nothing else in it that cannot be seen.

    >>> lines("a  b\n\u202ec")
    'a  b\n\\u202ec'
    """
    return "\n".join(escape_invisible(one) for one in text.splitlines())


FILTERS = {
    "band": score_band,
    "counted": pluralize,
    "digits": digits,
    "lasting": lasting,
    "line": line,
    "lines": lines,
    "machine": machine,
    "moment": moment,
    "percent": percent,
    "since": since,
}
"""What templates can do with values."""
