"""How often responses of each type of agent, and of all agents, turned out right lately."""

import time
from typing import NamedTuple

from howsure.formulas.response_case import agent_kind
from howsure.responses.policy import MODEL
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables.history_window import count_outcomes_by_type
from howsure.store.session import Session

MAX_AGE = 60.0
"""Seconds for which the rates of other agents are kept: reading them takes as long as a decision if many agents have
outcomes, and they move slowly. The agent's own outcomes are always counted."""


class TypeRates(NamedTuple):
    """Right responses and known outcomes."""

    by_type: dict[str, tuple[int, int]]
    """By type of agent."""
    all: tuple[int, int]

    def of(self, agent_type: str) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the numbers of a type and of all agents."""
        return self.by_type.get(agent_kind(agent_type), (0, 0)), self.all


class OutcomeRates:
    """Reads the rates, at most once a minute unless this session reports an outcome."""

    def __init__(self, session: Session) -> None:
        """Start without any."""
        self._session = session
        self._rates = TypeRates({}, (0, 0))
        self._state: tuple[int, float] = (-1, 0.0)

    def read(self, transaction: Transaction, since: float) -> TypeRates:
        """Return the rates since the hour of a moment."""
        reported, until = self._state
        if reported != self._session.outcomes_reported or time.monotonic() >= until:
            self._state = (self._session.outcomes_reported, time.monotonic() + MAX_AGE)
            self._rates = _read(transaction, since)
        return self._rates


def _read(transaction: Transaction, since: float) -> TypeRates:
    by_type: dict[str, tuple[int, int]] = {}
    for agent_type, rights, outcomes in count_outcomes_by_type(transaction, MODEL, since):
        kind = agent_kind(agent_type)
        before = by_type.get(kind, (0, 0))
        by_type[kind] = (before[0] + rights, before[1] + outcomes)
    numbers = by_type.values()
    return TypeRates(by_type, (sum(rights for rights, _ in numbers), sum(outcomes for _, outcomes in numbers)))
