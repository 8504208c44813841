"""Scored traces: how sure an agent was after each step of a run."""

from typing import Any, NamedTuple

from howsure.agents.traces import Trace
from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.formulas.score import Score
from howsure.investigations.api import Agreement, Inquiry


class Step(NamedTuple):
    """One tool call of a run, and how sure it was afterwards."""

    number: int
    tool: str
    target: str
    evidence: bool
    """Whether the call was evidence of anything."""
    score: float
    band: str


class Scored(NamedTuple):
    """A run, step by step, and how it stood at the end."""

    trace: Trace
    steps: list[Step]
    score: Score
    recover_at: int | None
    """The first step after which recovery would have been asked for; nothing, if at none after the first few."""
    unknown: int
    """Calls of tools that nobody knows."""
    agreements: list[Agreement]
    """Every target on which independent evidence agreed at the end."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return self.score.as_dict() | {
            "id": self.trace.id,
            "calls": len(self.trace.calls),
            "evidence": sum(step.evidence for step in self.steps),
            "unknown": self.unknown,
            "agreements": [agreement._asdict() for agreement in self.agreements],
            "steps": [step._asdict() for step in self.steps],
        }


def scored(trace: Trace, inquiry: Inquiry) -> Scored:
    """Score a run after each of its steps. Each step costs the same, however many came before.

    A step that says what cannot be is refused, by its number and the field.
    """
    steps: list[Step] = []
    for number, made in enumerate(trace.calls, start=1):
        before = len(inquiry.calls)
        given = {name: value for name, value in made.fields.items() if value is not None}
        try:
            standing = inquiry.record(made.tool, made.arguments, made.output, error=made.error, **given)
        except InputError as error:
            raise error.under(f"{_plain(trace.id)}, step {number}") from None
        fresh = inquiry.calls[before:]
        target = fresh[0].target if fresh else ""
        steps.append(Step(number, made.tool, target, bool(fresh), standing["score"], standing["band"]))
    enough = inquiry.model.proceed_from
    low = next((step.number for step in steps if step.evidence and not at_least(step.score, enough)), None)
    return Scored(trace, steps, inquiry.score, low, inquiry.unknown, inquiry.agreements())


def _plain(name: str) -> str:
    return "".join(character for character in name[:60] if character.isprintable())
