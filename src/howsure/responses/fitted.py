"""Apply the active fit to a response: a probability instead of a composite, and a promise instead of a threshold.

A gate that starts for one decision loads this, so it needs neither numpy nor the parts that learn.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.errors import StoreError
from howsure.formulas.ops import FLOATS, at_least
from howsure.formulas.response_case import FACTORS, agent_kind
from howsure.formulas.score import Score
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables import fits as table

if TYPE_CHECKING:
    from howsure.formulas.evidence import Evidence
    from howsure.formulas.learned import LearnedModel
    from howsure.formulas.learned import Steps as LearnedSteps
    from howsure.learn.promise import Promise

COMPOSITE = "composite"
KIND: table.FitKind = "response"
_NAMES = (COMPOSITE, *FACTORS)
_VERSION = 1


def group_path(agent_type: str, agent: str) -> tuple[str, ...]:
    """Return the group of an agent: its type and its name. Agents without a type are a type of their own.

    >>> group_path("Code-Writer", "ann"), group_path("", "")
    (('code_writer', 'ann'), ('',))
    """
    kind = agent_kind(agent_type)
    return (kind, agent) if agent else (kind,)


def answer_values(answer: Mapping[str, Any]) -> dict[str, float]:
    """Return composite, factors and signals of an answer of the model `evidence`, by the names that a fit knows."""
    values = dict(answer.get("signals") or ())
    for name in _NAMES:
        if (value := answer.get(name)) is not None:
            values[name] = value
    return values


class AppliedFit:
    """A fit as decisions use it."""

    def __init__(self, id_: str, content: str) -> None:
        """Read the parameters. They were validated when the fit was stored, so that is not done for each process.

        Raises:
            StoreError: if the content is not that of a fit.
        """
        self.id = id_
        try:
            data = _loads(content)
            self.outcomes: int = data["outcomes"]
            """How many outcomes it was learned from."""
            self.model: LearnedModel = _build(data["parameters"])
            self._levels: list[dict[str, Any]] = data["levels"]
        except (ValueError, KeyError, TypeError) as error:
            hint = "howsure store check says more; howsure fits rollback returns to the one before"
            raise StoreError(f"the fit {id_} cannot be read: {error}", hint=hint) from None
        self._promises: dict[float, Promise] = {}
        from howsure.formulas.learned import Row  # late, since a gate without a fit does not need it

        self._row = Row

    def estimate(self, values: Mapping[str, float], path: tuple[str, ...]) -> "LearnedSteps[float]":
        """Return the probability with its interval, and the steps to it."""
        row = self._row(float(self.model.evidence(values)), *self.model.group_offset(path))
        return self.model.formula(row, FLOATS)

    def promise(self, risk: float) -> "Promise":
        """Return what its outcomes can promise; computed once for each risk."""
        promise = self._promises.get(risk)
        if promise is None:
            from howsure.learn.promise import ScoreLevel, make_promise

            levels = [ScoreLevel(one["score"], one["outcomes"], one["wrong"]) for one in self._levels]
            promise = self._promises[risk] = make_promise(levels, risk)
        return promise


def _loads(content: str) -> Any:
    """Read the JSON of a fit. orjson is faster, but not worth loading for one decision.

    Raises:
        ValueError: if it is not JSON, or of another version.
    """
    if "orjson" in sys.modules:
        import orjson

        data = orjson.loads(content)
    else:
        data = json.loads(content)
    if data["version"] != _VERSION:
        raise ValueError(f"its version is {data['version']}")
    return data


def _build(parameters: Mapping[str, Any]) -> "LearnedModel":
    """Return the model of parameters that were validated before."""
    from howsure.formulas.learned import CalibrationKnot, GroupOffset, LearnedModel, LearnedTerm

    model = object.__new__(LearnedModel)
    vars(model).update(
        parameters,
        terms=tuple(
            LearnedTerm.of_valid(one["name"], one["weight"], one["centre"], tuple((at, to) for at, to in one["points"]))
            for one in parameters["terms"]
        ),
        knots=tuple(
            CalibrationKnot.of_valid(one["score"], one["probability"], one["error"]) for one in parameters["knots"]
        ),
        groups=tuple(
            GroupOffset.of_valid(tuple(one["path"]), one["offset"], one["error"]) for one in parameters["groups"]
        ),
    )
    return model


class FitUse(NamedTuple):
    """The fit and the promise by which a response is decided."""

    fit: AppliedFit | None
    """The active fit, or None if nothing was learned yet."""
    withdrawn: float | None
    """The highest risk of a promise of it that was broken."""
    risk: float | None
    """The promise that is wanted: at most this share of what passes is wrong."""
    path: tuple[str, ...]
    """Type and name of the agent."""


class ActiveFits:
    """Knows the active fit. It is read once, and again when another one was activated."""

    def __init__(self) -> None:
        """Start without any."""
        self._fit: AppliedFit | None = None

    def use(self, transaction: Transaction, wanted: FitUse) -> FitUse:
        """Return what is used for a response, with the active fit. It costs one lookup in an index of at most two rows.

        Raises:
            StoreError: if the active fit cannot be read.
        """
        active = table.read_active(transaction, KIND)
        if active is None:
            return wanted
        fit = self._fit
        if fit is None or fit.id != active.id:
            fit = self._fit = load_fit(transaction, active.id)
        return FitUse(fit, active.withdrawn, wanted.risk, wanted.path)


def load_fit(transaction: Transaction, id_: str) -> AppliedFit | None:
    """Return a fit by its id; None if there is none.

    Raises:
        StoreError: if it cannot be read.
    """
    row = table.get(transaction, id_)
    return None if row is None else AppliedFit(row.id, row.content)


def apply_fit(model: "Evidence", score: Score, use: FitUse) -> Score:
    """Return a score of the policy `evidence` with its probability, and the decision that follows from it.

    The probability takes the place of the composite: it is held against the same threshold. With a promise it is held
    against the promise's threshold instead; without outcomes for one, or after it was broken, the response is for
    review. What nothing supports is for review, and what answers nothing passes, whatever the fit says.
    """
    answer, row, steps = score.answer, score.row, score.steps
    sure, note = steps.composite, "uncalibrated"
    if use.fit is not None:
        found = use.fit.estimate(answer_values(answer), use.path)
        sure, note = found.probability, f"learned from {use.fit.outcomes:,} outcomes"
        answer |= {
            "calibrated": True,
            "fit": use.fit.id,
            "probability": found.probability,
            "lower": found.lower,
            "upper": found.upper,
            "level": model.level(found.probability),
        }
    problem = ""
    if use.risk is not None:
        promise = None if use.fit is None else use.fit.promise(use.risk)
        problem = _why_not(use, promise)
        row = row._replace(needed=promise.threshold) if promise and promise.threshold is not None else row
        answer |= {
            "promise": use.risk,
            "promise_kept": not problem,
            "promise_outcomes": promise.outcomes if promise else 0,
            "promise_missing": _missing(use.risk) if promise is None else promise.missing,
            "threshold": row.needed,
        }
        note += f"; at most {use.risk:.3g} of what passes is wrong, with 0.95 confidence" if not problem else ""
    reached = float(not problem and at_least(sure, row.needed))
    passed = max(reached * steps.supported * row.sendable, row.deferral)
    open_to_block = steps.supported and row.sendable and not problem
    answer["decision"] = "pass" if passed else "block" if open_to_block else "review"
    steps = type(steps)(*steps[:-2], reached, passed)
    answer["reason"] = model.reason(answer, row, steps, sure, note)
    if problem and steps.supported and row.sendable and not row.deferral:
        answer["reason"] = f"{problem} ({note})"
    return Score(answer, row, steps, score.spec)


def _why_not(use: FitUse, promise: "Promise | None") -> str:
    """Return why a promise cannot be kept; empty if it can."""
    risk = use.risk or 0.0
    wanted = f"a promise of at most {risk:.3g} wrong cannot be made"
    if promise is None:
        return f"{wanted}: nothing was learned yet, and at least {_missing(risk):,} outcomes are needed"
    if promise.threshold is None:
        return (
            f"{wanted}: {promise.wrong:,} of the best {promise.kept:,} outcomes were wrong, and at least "
            f"{promise.missing:,} more outcomes are needed"
        )
    if use.withdrawn is None or risk > use.withdrawn:
        return ""
    lost = (
        f"of at most {use.withdrawn:.3g} wrong was withdrawn, because more were: it can be tested again with a new fit"
    )
    return f"the promise {lost}" if risk == use.withdrawn else f"{wanted}: the one {lost}"


def _missing(risk: float) -> int:
    from howsure.learn.promise import make_promise

    return make_promise([], risk).missing


def passes_with(model: "Evidence", score: Score, use: FitUse) -> Callable[[Any, str], bool]:
    """Return a function that says whether a response would pass with another row, in which one factor differs."""
    fit = use.fit
    values = answer_values(score.answer)

    def passes(row: Any, name: str) -> bool:
        steps = model.formula(row, FLOATS)
        if fit is None:
            return bool(steps.passed)
        changed = values | {COMPOSITE: steps.composite, name: getattr(row, name)}
        return bool(
            steps.supported and row.sendable and at_least(fit.estimate(changed, use.path).probability, row.needed)
        )

    return passes
