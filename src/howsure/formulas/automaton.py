"""The automaton model: the state of a document between its first visit and its refresh, and the confidence earned."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.formulas.model import Model
from howsure.formulas.ops import N, Ops
from howsure.shapes import Unit

STATES = ("INIT", "OBSERVE", "VALIDATE", "INTEGRATE", "REFRESH")
MILESTONES = dict(zip(STATES, ("M1", "M1", "M2", "M3", "M4"), strict=True))
"""The milestone that a document has reached in each state."""
SYMBOLS = ("visit", "confirm", "test", "merge", "decay_warning")
"""The events that move a document: the n-th leads from the n-th state to the next, the last back to the first."""

Event = tuple[str, Unit] | str
"""A symbol, and how strongly it was observed; a symbol alone was observed fully."""


@dataclass(frozen=True)
class Case:
    """The events of a document, in order."""

    events: tuple[Event, ...]
    """[symbol, strength] of each event, or the symbol alone for full strength; only the five symbols move anything."""


class Row(NamedTuple, Generic[N]):
    """The probability of each state, and what each symbol has earned."""

    at_init: N
    """Probability of INIT."""
    at_observe: N
    """Probability of OBSERVE."""
    at_validate: N
    """Probability of VALIDATE."""
    at_integrate: N
    """Probability of INTEGRATE."""
    at_refresh: N
    """Probability of REFRESH."""
    earned_visit: N
    """Earned by visiting."""
    earned_confirm: N
    """Earned by confirming."""
    earned_test: N
    """Earned by testing."""
    earned_merge: N
    """Earned by merging."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the gain."""

    leading: N
    """Probability of the most probable state."""
    gain: N
    """Confidence earned on the way."""


@dataclass(frozen=True)
class Automaton(Model[Case]):
    """A quantum finite automaton with a measured record.

    Each symbol is an amplitude-damping channel from its source state to its target: at strength q, a share q of the
    source's probability moves on, and earns its gain. From INIT the density matrix stays diagonal, so the
    distribution says it all; at strength 1 this is the plain table of transitions.

    >>> score = Automaton().score({"events": [["visit", 1.0], ["confirm", 0.5]]})
    >>> score["state"], round(score["gain"], 4), score["distribution"]["VALIDATE"]
    ('OBSERVE', 0.075, 0.5)
    """

    name = "automaton"
    version = 1
    case = Case
    directions: ClassVar[Mapping[tuple[str, str], int]] = {("earned_confirm", "gain"): +1}

    gains: tuple[Unit, Unit, Unit, Unit, Unit] = (0.05, 0.05, 0.004, 0.01, 0.0)
    """What each symbol earns: visit, confirm, test, merge, decay_warning."""

    def features(self, case: Case) -> Row[float]:
        """Apply the events in order."""
        probability = [1.0, 0.0, 0.0, 0.0, 0.0]
        earned = [0.0] * len(SYMBOLS)
        for event in case.events:
            symbol, strength = (event, 1.0) if isinstance(event, str) else event
            if symbol in SYMBOLS:
                source = SYMBOLS.index(symbol)
                moved = strength * probability[source]
                probability[source] -= moved
                probability[(source + 1) % len(STATES)] += moved
                earned[source] += self.gains[source] * moved
        return Row(*probability, *earned[:4])

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the gain, and the probability of the most probable state."""
        leading = ops.maximum(row.at_init, ops.maximum(row.at_observe, row.at_validate))
        leading = ops.maximum(leading, ops.maximum(row.at_integrate, row.at_refresh))
        gain = row.earned_visit + row.earned_confirm + row.earned_test + row.earned_merge
        return Steps(leading, gain)

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the most probable state (the earlier one of equals), the distribution and the gain."""
        distribution = dict(zip(STATES, row[: len(STATES)], strict=True))
        state = most_probable(distribution)
        return {
            "state": state,
            "distribution": distribution,
            "gain": steps.gain,
            "milestone": MILESTONES[state],
            "reason": f"{len(case.events)} events lead to {state} ({steps.leading:.0%}) and earn {steps.gain:.3f}",
        }


def most_probable(distribution: dict[str, float]) -> str:
    """Return the most probable state; of states that are equal but for rounding, the earliest.

    >>> most_probable({"INIT": 0.5, "OBSERVE": 0.5 + 1e-17})
    'INIT'
    """
    most = max(distribution.values())
    return next(state for state, probability in distribution.items() if probability >= most - 1e-12)
