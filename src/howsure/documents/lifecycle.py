"""The life of a document: what has happened to it, and where it stood after each event."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from howsure.formulas.automaton import MILESTONES, Automaton
from howsure.formulas.automaton import Case as Life


class Stage(NamedTuple):
    """An event, and where the document stood after it."""

    at: float
    symbol: str
    strength: float
    by: str
    note: str
    state: str
    milestone: str
    moved: bool
    """Whether that is another state than before."""


def stages(events: Iterable[Mapping[str, Any]]) -> list[Stage]:
    """Return the stages of a life, from its events in order.

    >>> event = {"at": 0.0, "strength": 1.0, "actor": "ann", "note": ""}
    >>> [(one.state, one.moved) for one in stages([event | {"symbol": "visit"}, event | {"symbol": "merge"}])]
    [('OBSERVE', True), ('OBSERVE', False)]
    """
    model, so_far, before, found = Automaton(), [], "INIT", []
    for event in events:
        so_far.append((event["symbol"], event["strength"]))
        state = str(model.score(Life(tuple(so_far)))["state"])
        said = (event["at"], event["symbol"], event["strength"], event["actor"], event["note"])
        found.append(Stage(*said, state, MILESTONES[state], state != before))
        before = state
    return found
