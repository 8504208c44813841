"""Render the Jinja templates of the pages. Everything is escaped, and a missing value is an error."""

import math
import secrets
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from howsure.charts import theme
from howsure.documents.labels import score_band
from howsure.errors import MissingExtraError
from howsure.serve.pages.assets import asset_url
from howsure.store.backends.deadline import yield_with_breaks
from howsure.version import __version__
from howsure.wording import escape_invisible, pluralize, shorten, single_line

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy: a page only loads our own files and sends forms to us."""
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin", "Vary": "HX-Request"}
"""Headers of every page. Without a referrer, browsers would not send the Origin of our own forms."""
MESSAGES = {
    "challenged": "The claim is challenged. Both sides stand until somebody resolves it.",
    "claim-added": "The claim was added, or its source was if it already existed.",
    "claim-added-contradicted": "The claim was added, or its source was. A claim contradicts it: see below.",
    "claim-added-similar": "The claim was added, or its source was. A claim says nearly the same: see below.",
    "corroborated": "The source was added.",
    "corroborated-contradicted": "The source was added. A claim contradicts this one: see below.",
    "corroborated-similar": "The source was added. A claim says nearly the same: see below.",
    "demoted": "The claim was moved to a lower tier.",
    "deprecated": "The claim is deprecated.",
    "event-recorded": "The event was recorded.",
    "fit-applied": "The fit is active: decisions use it from now on.",
    "fit-learned": "A candidate was learned. Below it is compared with what is in use.",
    "fit-rolled-back": "The fit is retired. The one before it is in use again, if there was one.",
    "forgotten": "The claim is forgotten. Its history is kept.",
    "invalidated": "The source no longer counts, here and for all other claims.",
    "logged-out": "You are logged out.",
    "marked-corrected": "The response is marked as corrected.",
    "marked-right": "The response is marked as right.",
    "marked-wrong": "The response is marked as wrong.",
    "promoted": "The claim was moved to a higher tier.",
    "promotion-deferred": "Not yet: the history below says what is missing.",
    "promotion-rejected": "The claim cannot move to a higher tier: the history below says why.",
    "purged": "The claim is deleted.",
    "related": "The relation was added.",
    "restored": "The source counts again.",
    "superseded": "The claim is superseded by another.",
    "upheld": "The claim is upheld and no longer challenged.",
    "verified": "The claim is verified and fresh again.",
    "refuted": "The claim is refuted, and counts against its sources.",
    "sources-fitted": "Whom to believe was learned from all claims.",
}
"""Messages after an action. The address holds only the code, so that nobody can put words on a page by a link."""
_TIME_UNITS = (
    (60.0, "second"),
    (60.0, "minute"),
    (24.0, "hour"),
    (30.4375, "day"),
    (12.0, "month"),
    (math.inf, "year"),
)
"""How many of each unit make one of the next."""


@lru_cache(maxsize=1)
def environment() -> "Environment":
    """Return the Jinja environment, created once.

    Raises:
        MissingExtraError: if Jinja is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError("web", "the dashboard") from None
    jinja = jinja2.Environment(
        loader=jinja2.PackageLoader("howsure.serve.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.policies["json.dumps_kwargs"] = {"sort_keys": False, "allow_nan": False}
    jinja.filters |= FILTERS
    jinja.globals |= {
        "asset": asset_url,
        "new_key": lambda: secrets.token_hex(12),
        "themes": {"light": theme(dark=False), "dark": theme(dark=True)},
        "version": __version__,
    }
    return jinja


def render(template: str, **values: Any) -> str:
    """Return a template filled with values; about every millisecond, the thread gives way to more urgent ones."""
    return "".join(yield_with_breaks(environment().get_template(template).generate(values)))


def format_time(at: float) -> str:
    """Return a moment for people, in UTC.

    >>> format_time(1_800_000_000.0)
    '15 Jan 2027, 08:00'
    """
    moment = _datetime(at)
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def iso_time(at: float) -> str:
    """Return a moment in ISO 8601.

    >>> iso_time(1_800_000_000.0)
    '2027-01-15T08:00:00Z'
    """
    return f"{_datetime(at):%Y-%m-%dT%H:%M:%SZ}"


def _datetime(at: float) -> datetime:
    """Return a moment as a datetime, limited to the years 1 to 9999."""
    return datetime.fromtimestamp(min(max(at, -62_135_596_800.0), 253_402_300_799.0), UTC)


def relative_time(at: float, now: float) -> str:
    """Return how long ago a moment was, or how soon it will be.

    >>> relative_time(0.0, 7200.0), relative_time(90_000.0, 0.0), relative_time(5.0, 5.0)
    ('2 hours ago', 'in 1 day', 'now')
    """
    duration = spell_duration(abs(now - at))
    if not duration:
        return "now"
    return f"{duration} ago" if now > at else f"in {duration}"


def spell_duration(seconds: float) -> str:
    """Return a duration in its largest unit; empty for less than a second.

    >>> spell_duration(59.0), spell_duration(3.1e7), spell_duration(0.2)
    ('59 seconds', '11 months', '')
    """
    left = seconds
    for size, unit in _TIME_UNITS:
        if left < size * 0.995 or size == math.inf:  # 59.8 seconds are a minute
            return pluralize(int(left + 0.005), unit) if left >= 0.995 else ""  # noqa: PLR2004
        left /= size
    return ""


def digits(value: float | None, places: int = 2) -> str:
    """Return a number with so many decimal places.

    >>> digits(0.4567), digits(None)
    ('0.46', 'unknown')
    """
    return "unknown" if value is None else f"{value:.{places}f}"


def percent(part: float, whole: float) -> str:
    """Return a share in percent; never 0 % or 100 % by rounding.

    >>> percent(1, 3), percent(1, 0), percent(999, 1000)
    ('33 %', '0 %', '>99 %')
    """
    share = part / whole if whole else 0.0
    if 0.995 <= share < 1.0:  # noqa: PLR2004
        return ">99 %"
    return "<1 %" if 0.0 < share < 0.005 else f"{share:.0%}".replace("%", " %")  # noqa: PLR2004


def sentence(text: str) -> str:
    """Return a text with a capital first letter; Jinja's `capitalize` would write all others small.

    >>> sentence("look at what CI says")
    'Look at what CI says'
    """
    return text[:1].upper() + text[1:]


def line(text: str, max_length: int = 300) -> str:
    r"""Return a text as one line of limited length, with invisible characters escaped.

    >>> line("a\nb  c"), line("x" * 20, 5)
    ('a b c', 'xx…xx')
    """
    return single_line(shorten(text, max_length))


def lines(text: str) -> str:
    r"""Return a text with its line breaks and all other invisible characters escaped.

    >>> lines("a  b\n\u202ec")
    'a  b\n\\u202ec'
    """
    return "\n".join(escape_invisible(one) for one in text.splitlines())


FILTERS = {
    "band": score_band,
    "counted": pluralize,
    "digits": digits,
    "duration": spell_duration,
    "iso": iso_time,
    "line": line,
    "lines": lines,
    "percent": percent,
    "relative": relative_time,
    "sentence": sentence,
    "time": format_time,
}
"""Filters of the templates."""
