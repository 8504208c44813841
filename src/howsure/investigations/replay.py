"""Replay a trace, and score the investigation after each step."""

from typing import NamedTuple

from howsure.agents.traces import Trace
from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.formulas.score import Score
from howsure.investigations.inquiry import EvidenceAgreement, Inquiry


class ReplayStep(NamedTuple):
    """One tool call of a run, and how sure it was afterwards."""

    number: int
    tool: str
    target: str
    evidence: bool
    """Whether the call counts as evidence."""
    score: float
    band: str


class Replay(NamedTuple):
    """A run step by step, and its result."""

    trace: Trace
    steps: list[ReplayStep]
    score: Score
    recover_at: int | None
    """The first step after which it should have recovered, or None."""
    unknown: int
    """Calls of unknown tools."""
    agreements: list[EvidenceAgreement]
    """Every target on which independent evidence agreed in the end."""


def replay(trace: Trace, inquiry: Inquiry) -> Replay:
    """Score a run after each of its steps. The cost of a step does not grow with the number of steps.

    Raises:
        InputError: if a step has an invalid value; the field names the trace and the step.
    """
    steps: list[ReplayStep] = []
    for number, call in enumerate(trace.calls, start=1):
        before = len(inquiry.calls)
        fields = {name: value for name, value in call.fields.items() if value is not None}
        try:
            score = inquiry.record(call.tool, call.arguments, call.output, error=call.error, **fields)
        except InputError as error:
            raise error.under(f"{_printable(trace.id)}, step {number}") from None
        added = inquiry.calls[before:]
        target = added[0].target if added else ""
        steps.append(ReplayStep(number, call.tool, target, bool(added), score["score"], score["band"]))
    inquiry.course.end(trace)
    enough = inquiry.model.proceed_from
    recover_at = next((step.number for step in steps if step.evidence and not at_least(step.score, enough)), None)
    return Replay(trace, steps, inquiry.score, recover_at, inquiry.unknown, inquiry.agreements())


def _printable(name: str) -> str:
    return "".join(character for character in name[:60] if character.isprintable())
