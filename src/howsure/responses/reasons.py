"""Reasons: why an answer that the ledger keeps was let through or not, from what was written down of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure.errors import HowsureError
from howsure.formulas.ops import FLOATS
from howsure.formulas.response import FACTORS, Response, Row
from howsure.formulas.score import Score
from howsure.formulas.scoring import build
from howsure.ledger.decision import Record
from howsure.responses.gate import Factor, Lift, lifts, marker_words
from howsure.store.decisions import Said, outcomes_of

if TYPE_CHECKING:
    from howsure.ledger.api import Ledger

_LEFT_OUT = {
    "knowledge_base": "nothing was retrieved or looked up: left out",
    "code_validation": "no code was checked: left out",
    "certainty": "there was no text yet: left out",
}
_COUNTED = {
    "knowledge_base": "by what was retrieved or looked up",
    "code_validation": "by what was checked of the code",
    "history": "how the agent had done before",
}
_STATES = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Explained:
    """An assessment, why it was decided so, and what was said about it since."""

    record: Record
    factors: tuple[Factor, ...]
    """What an answer was judged by; nothing, where something else was judged."""
    lifts: tuple[Lift, ...]
    """What would have lifted an answer over its threshold, the smallest change first."""
    outcomes: tuple[Said, ...]
    """All that was said of its outcome, in order; the last counts."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "record": dict(vars(self.record)),
            "factors": [one._asdict() for one in self.factors],
            "lifts": [one._asdict() for one in self.lifts],
            "outcomes": [one._asdict() for one in self.outcomes],
        }


def explain(ledger: "Ledger", id_: str) -> Explained:
    """Return an assessment with its reasons."""
    record = ledger.get(id_)
    with ledger.session.database.read() as transaction:
        said = outcomes_of(transaction, record.id)
    return Explained(record, tuple(factors_of(vars(record))), tuple(_lifts(record)), tuple(said))


def factors_of(record: Mapping[str, Any]) -> list[Factor]:
    """Return each factor of a kept answer with its score, its weight and why; nothing for what is no answer.

    >>> kept = {"row": {"history": 0.5}, "answer": {"history": 0.5}}
    >>> record = {"model": "response", "detail": kept, "spec": {"parameters": {"weight_history": 0.2}}}
    >>> [(one.name, one.score, one.weight) for one in factors_of(record)][2:]
    [('certainty', None, 0.0), ('history', 0.5, 1.0)]
    """
    if record["model"] != Response.name:
        return []
    answer, parameters = record["detail"].get("answer", {}), record["spec"].get("parameters", {})
    weights = {name: float(parameters.get(f"weight_{name}", 0.0)) for name in FACTORS if answer.get(name) is not None}
    whole = max(sum(weights.values()), 1e-100)
    return [Factor(name, answer.get(name), weights.get(name, 0.0) / whole, _why(name, answer)) for name in FACTORS]


def _why(name: str, answer: Mapping[str, Any]) -> str:
    if answer.get(name) is None:
        return _LEFT_OUT.get(name, "left out")
    if name == "certainty":
        return marker_words({"certain": [], "uncertain": []} | answer.get("markers", {}))
    checks = answer.get("code_checks") if name == "code_validation" else None
    if checks:
        return ", ".join(f"{check.replace('_', ' ')}: {_STATES.get(found, found)}" for check, found in checks.items())
    return _COUNTED[name]


def _lifts(record: Record) -> list[Lift]:
    """Return what would have lifted an answer, by the model that judged it; nothing, where that is gone."""
    if record.model != Response.name or record.decision == "pass":
        return []
    try:
        model = build(record.model, record.spec["parameters"])
        row: Row[float] = Row(**record.detail["row"])
        answer = record.detail["answer"]
        return lifts(model, Score(model.spec, row, model.formula(row, FLOATS), answer))  # type: ignore[arg-type]
    except (HowsureError, KeyError, TypeError):  # written by another version, with other parameters
        return []
