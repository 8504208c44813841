"""The life cycle of a document: its state after each event, and what leads to the next milestone."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from howsure.formulas.automaton import MILESTONES, SYMBOLS, Automaton
from howsure.formulas.automaton import Case as LifeCase

NEXT_EVENT = dict(zip(MILESTONES, SYMBOLS, strict=True))
"""For each state, the event that leads to the next one."""


class Stage(NamedTuple):
    """An event, and the document's state after it."""

    at: float
    symbol: str
    strength: float
    by: str
    note: str
    state: str
    milestone: str
    moved: bool
    """Whether the event changed the state."""


def timeline(events: Iterable[Mapping[str, Any]]) -> list[Stage]:
    """Return the stages of a document's life from its events, which come in order.

    >>> event = {"at": 0.0, "strength": 1.0, "actor": "ann", "note": ""}
    >>> [(one.state, one.moved) for one in timeline([event | {"symbol": "visit"}, event | {"symbol": "merge"}])]
    [('OBSERVE', True), ('OBSERVE', False)]
    """
    model = Automaton()
    observed: list[tuple[str, float]] = []
    stages: list[Stage] = []
    previous = "INIT"
    for event in events:
        observed.append((event["symbol"], event["strength"]))
        state = str(model.score(LifeCase(tuple(observed)))["state"])
        about = (event["at"], event["symbol"], event["strength"], event["actor"], event["note"])
        stages.append(Stage(*about, state, MILESTONES[state], state != previous))
        previous = state
    return stages


def next_milestone(state: str) -> str:
    """Return which events lead to the next milestone, in words.

    >>> next_milestone("OBSERVE")
    'M2 after confirm'
    """
    states = list(MILESTONES)
    events = []
    for index in range(states.index(state), len(states) - 1):
        events.append(NEXT_EVENT[states[index]])
        following = MILESTONES[states[index + 1]]
        if following != MILESTONES[state]:
            return f"{following} after {', then '.join(events)}"
    return "M4 is the last one"
