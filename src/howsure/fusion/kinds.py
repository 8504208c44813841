"""Decide whether the values of a table are open or closed."""

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from howsure.arrays import np
from howsure.fusion.closed_values import MOST_CELLS
from howsure.fusion.votes import Votes
from howsure.wording import pluralize

ValueKind = Literal["open", "closed"]

MOST_VALUES = 50
"""Values that items share at most if they are closed."""
FEWEST_ITEMS = 5
"""Items for each value that there are at least if values are closed."""
_OPTION = re.compile(r"\(?[A-Ja-j][.)]?")
"""The letter of an option of a multiple-choice question."""


class VoteCounts(NamedTuple):
    """What decides whether values are open or closed."""

    items: int
    sources: int
    values: int
    labels: Sequence[Any]
    """The values; needed only if they are few."""
    shared: float
    """For how many items each value is given, on average; needed only if they are closed by themselves."""


def choose_kind(votes: Votes, wanted: Literal["auto", "open", "closed"] = "auto") -> tuple[ValueKind, str]:
    """Return whether the values of a table are open or closed, and the reason in words."""
    items, values, shared = len(votes.items.labels), len(votes.values.labels), 0.0
    if wanted == "auto" and 1 < values <= min(MOST_VALUES, items // FEWEST_ITEMS):
        pairs = np.unique(votes.items.codes * values + votes.values.codes)
        shared = float(np.bincount(pairs % values, minlength=values).mean())
    return decide_kind(VoteCounts(items, len(votes.sources.labels), values, votes.values.labels, shared), wanted)


def decide_kind(counted: VoteCounts, wanted: Literal["auto", "open", "closed"] = "auto") -> tuple[ValueKind, str]:
    """Return whether values are open or closed, and the reason in words.

    Values are closed if there are few of them and many items share each. Letters of options (A, B, C) count as open:
    A means something else in each question, so nothing can be learned about confusing A with B.
    """
    items, sources, values = counted[:3]
    count = f"{pluralize(values, 'value')} for {pluralize(items, 'item')}"
    if wanted == "closed" and sources * values**2 > MOST_CELLS:
        return "open", f"open, although closed was asked for: {count} would take too large tables"
    if wanted != "auto":
        return wanted, f"{wanted}, as asked: {count}"
    if values > MOST_VALUES or values * FEWEST_ITEMS > items:
        return "open", f"open: {count}, so items have their own candidates"
    if values == 1:
        return "open", f"open: {count}, so nothing contradicts it"
    if values > 2 and all(isinstance(one, str) and _OPTION.fullmatch(one) for one in counted.labels):  # noqa: PLR2004
        return "open", f"open: {count}, which look like the letters of options that mean something else in each item"
    return "closed", f"closed: {count}; each value is given for {counted.shared:,.0f} items on average"
