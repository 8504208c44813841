"""Learn from decisions about responses whose outcome is known.

The log-odds of being right are a weighted sum: the log-odds of the composite, and each factor and signal. Learning
draws the weight of the composite to 1 and the others to 0, so without outcomes the fit is the policy with its own
weights, and every outcome moves it a little. What is missing moves nothing. A calibration map and offsets of agents and
their types come on top.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson

from howsure.errors import InputError
from howsure.formulas.evidence import Evidence
from howsure.formulas.learned import LearnedTerm
from howsure.learn.fit import Fit
from howsure.progress import Progress, silent
from howsure.responses.fitted import COMPOSITE, answer_values, group_path
from howsure.responses.policy import MODEL
from howsure.store.ledger_tables.decisions import DecisionFilter
from howsure.store.ledger_tables.outcomes import KnownDecision, stream_known
from howsure.store.session import Session

if TYPE_CHECKING:
    from howsure.learn.matrix import FactorMatrix

CENTRE = 0.5
"""The value of a factor or signal that moves nothing, like one that is missing."""
UNIT = 4.0
"""Factors are stretched by this, so that their spread is about that of the log-odds of the composite."""
PRECISION = 10.0
"""How strongly weights are drawn to the prior."""
MOST_SIGNALS = 50
"""Signals of which a weight is learned, the most frequent ones."""
_EVERY = 10_000


def logit_points() -> tuple[tuple[float, float], ...]:
    """Return points of the log-odds of a number, through which the model `learned` draws straight lines."""
    import math

    tail = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
    places = (*tail, *(step / 20 for step in range(2, 19)), *(1.0 - place for place in reversed(tail)))
    return tuple((place, math.log(place / (1.0 - place))) for place in places)


@dataclass
class KnownResponses:
    """Decisions of the policy `evidence` that the threshold decided about, with their outcomes."""

    cases: list[dict[str, float]] = field(default_factory=list)
    """Composite, factors and signals by name."""
    outcomes: list[float] = field(default_factory=list)
    """1 right, 0 wrong or corrected."""
    paths: list[tuple[str, ...]] = field(default_factory=list)
    since: float | None = None
    """When the first outcome became known."""
    until: float | None = None
    """When the last outcome became known."""
    left_out: int = 0
    """Decisions of other policies, and of responses that nothing supports or that answer nothing."""

    def add(self, decision: KnownDecision) -> None:
        """Add a decision, or count it as left out."""
        values = read_values(orjson.loads(decision.detail))
        if values is None:
            self.left_out += 1
            return
        self.cases.append(values)
        self.outcomes.append(1.0 if decision.outcome == "right" else 0.0)
        self.paths.append(group_path(decision.agent_type, decision.agent))
        at = decision.outcome_at
        self.since = at if self.since is None else min(self.since, at)
        self.until = at if self.until is None else max(self.until, at)


def read_values(detail: Mapping[str, Any]) -> dict[str, float] | None:
    """Return composite, factors and signals of a decision by name; None if the threshold did not decide about it."""
    answer, row = detail.get("answer"), detail.get("row")
    if not isinstance(answer, dict) or not isinstance(row, dict) or answer.get("policy") != Evidence.name:
        return None
    supported = any(row.get(f"{name}_counts") for name in ("knowledge_base", "code_validation", "grounding", "judge"))
    if not supported or not row.get("sendable") or row.get("deferral"):
        return None
    return answer_values(answer)


class ResponseLearner:
    """Learns which probability the gate's scores stand for."""

    model = MODEL

    def learn(
        self, session: Session, *, since: float | None = None, active: Fit | None = None, progress: Progress = silent
    ) -> Fit:
        """Learn from the decisions of a store.

        Args:
            session: The store.
            since: Only decisions made at this moment or later.
            active: The fit in use, to compare with; default: the composite.
            progress: Called with how far it has come.

        Raises:
            InputError: if there is nothing to learn from.
            MissingExtraError: if numpy is not installed.
        """
        known = KnownResponses()
        with session.database.read(separate=True) as transaction:
            for number, decision in enumerate(stream_known(transaction, DecisionFilter(model=MODEL, since=since))):
                if number % _EVERY == 0:
                    progress("reading outcomes", number, 0)
                known.add(decision)
        return learn_responses(known, active, progress)


def learn_responses(known: KnownResponses, active: Fit | None = None, progress: Progress = silent) -> Fit:
    """Learn from decisions that were read.

    Raises:
        InputError: if there are none.
        MissingExtraError: if numpy is not installed.
    """
    if not known.cases:
        hint = "report outcomes: howsure outcome ID right"
        if known.left_out:
            hint = f"{known.left_out:,} are of another policy, or of responses that nothing supports"
        raise InputError("no outcome to learn from", field="kind", hint=hint)
    from howsure.arrays import np
    from howsure.learn.matrix import learn_matrix

    old = [case[COMPOSITE] for case in known.cases]
    if active is not None:
        old = [one.probability for one in active.estimates(known.cases, known.paths)]
    fit = learn_matrix(build_matrix(known), name=COMPOSITE, old=np.array(old), precision=PRECISION, progress=progress)
    return replace(fit, since=known.since, until=known.until)


def build_matrix(known: KnownResponses) -> "FactorMatrix":
    """Return the columns that are weighted: log-odds of the composite, and each factor and signal."""
    from howsure.arrays import np
    from howsure.learn.matrix import FactorMatrix

    points = logit_points()
    composites = np.array([case[COMPOSITE] for case in known.cases])
    columns = [np.interp(composites, [place for place, _ in points], [logit for _, logit in points])]
    terms = [LearnedTerm(COMPOSITE, 1.0, points=points)]
    for name in frequent_names(known.cases):
        cells = np.array([case.get(name, CENTRE) for case in known.cases])
        columns.append(UNIT * (cells - CENTRE))
        terms.append(LearnedTerm(name, UNIT, CENTRE))
    prior = (1.0, *(0.0 for _ in terms[1:]))
    return FactorMatrix(tuple(terms), prior, np.stack(columns, axis=1), np.array(known.outcomes), known.paths)


def frequent_names(cases: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the names of factors and signals, the most frequent ones if there are many, in alphabetical order."""
    counts: dict[str, int] = {}
    for case in cases:
        for name in case:
            counts[name] = counts.get(name, 0) + 1
    counts.pop(COMPOSITE, None)
    return sorted(sorted(counts, key=lambda name: (-counts[name], name))[:MOST_SIGNALS])
