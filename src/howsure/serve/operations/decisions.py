"""One decision: why it was made, and what was said about it since."""

from typing import TYPE_CHECKING, Any, TypedDict

from howsure.ledger.decision import Record
from howsure.serve.operations.ledger import ID, DecisionId
from howsure.serve.operations.operation import FEW, operation
from howsure.serve.operations.responses import Factor, Lift
from howsure.store.decisions import Outcome

if TYPE_CHECKING:
    from howsure.sure import Sure


class Said(TypedDict):
    """What somebody said became of it."""

    at: float
    outcome: Outcome
    by: str
    note: str


class Explained(TypedDict):
    """A decision, why it was made, and what was said about it since."""

    record: Record
    factors: list[Factor]
    """What an answer was judged by; empty, where something else was judged."""
    lifts: list[Lift]
    """What would have lifted an answer over its threshold, the smallest change first."""
    outcomes: list[Said]
    """All that was said of its outcome, in order; the last counts."""


@operation(
    "ledger.explain", "GET /v1/ledger/{id}/explain", scope="read", answer=Explained, example={"id": ID}, tool=FEW
)
def explain(sure: "Sure", given: DecisionId) -> Any:
    """Return one decision with why it was made, what would have lifted it, and every word on its outcome."""
    return sure.ledger.explain(given.id).as_dict()
