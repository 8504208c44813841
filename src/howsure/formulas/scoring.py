"""Score one case by one model, or a claim by several formulas at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from howsure.errors import InputError, UnknownNameError, nearest
from howsure.formulas import catalog
from howsure.formulas.claim import ClaimCase, ClaimFormula
from howsure.formulas.model import Model
from howsure.formulas.score import Score
from howsure.shapes import decode
from howsure.shapes.encode import encode

M = TypeVar("M", bound=Model[Any])


def build(name: str, parameters: Mapping[str, Any] | None = None) -> Model[Any]:
    """Return a model by name, with the given parameters, and defaults for the others."""
    return decode(catalog.find(name), dict(parameters or {}))


def score(model: str, data: Mapping[str, Any], **parameters: Any) -> Score:
    """Score one case by the name of a model.

    >>> score("overall", {"results": [{"confidence": 0.9, "content": "yes"}]})["level"]
    'HIGH'
    """
    return build(model, parameters).score(data)


class Scorer:
    """Scores many cases in the same way.

    >>> scorer = Scorer("claims", formulas=["noisy_or", "beta"], now=0.0)
    >>> answer = scorer({"sources": [{"source_type": "user", "source_id": "ann", "contribution": 0.6}]})
    >>> answer["noisy_or"], answer["sources"]
    ([0.39999999999999997, 0.6], 1)
    """

    def __init__(
        self,
        model: str,
        formulas: Sequence[str] = (),
        parameters: Mapping[str, Any] | None = None,
        now: float | None = None,
        configure: Callable[[type[Model[Any]]], Model[Any]] = lambda model: model(),
    ) -> None:
        """Score with a model.

        Args:
            model: Its name.
            formulas: Formulas, if the model is "claims".
            parameters: Parameters to change.
            now: The moment for cases without one.
            configure: Returns a model with the parameters that are not given; default: its own defaults.
        """
        self.now = now
        self.one: bool = model != catalog.CLAIMS
        if formulas and self.one:
            raise InputError(f"{model} takes no formula", field="formula", hint="only claims have formulas")
        chosen = _chosen(formulas)
        self.models: list[Model[Any]] = _build_all([model] if self.one else chosen, parameters or {}, configure)
        self.by_time: bool = isinstance(self.models[0], ClaimFormula)

    def scores(self, data: Any) -> list[Score]:
        """Return one score per model."""
        if self.by_time and self.now is not None and isinstance(data, Mapping) and data.get("now") is None:
            data = {**data, "now": self.now}
        case = decode(ClaimCase, data) if self.by_time else data
        return [model.score(case) for model in self.models]

    def __call__(self, data: Any) -> dict[str, Any]:
        """Return the scores as JSON-ready data."""
        scores = self.scores(data)
        if self.one:
            return dict(encode(scores[0]))
        intervals = {score.spec.name: [score["lower"], score["upper"]] for score in scores}
        details = {score.spec.name: encode(score) for score in scores}
        return intervals | {"sources": scores[0]["sources"], "scores": details}


def _chosen(formulas: Sequence[str]) -> list[str]:
    """Return the requested formulas, each once."""
    known = catalog.formulas() if set(formulas) - {catalog.DEFAULT_FORMULA} else [catalog.DEFAULT_FORMULA]
    for name in formulas:
        if name not in known and name != "all":
            raise UnknownNameError("claim formula", name, known)
    return known if "all" in formulas else list(dict.fromkeys(formulas)) or [catalog.DEFAULT_FORMULA]


def _build_all(
    names: Sequence[str], parameters: Mapping[str, Any], configure: Callable[[type[Model[Any]]], Model[Any]]
) -> list[Model[Any]]:
    """Build each model with those parameters that it has; each parameter must belong to at least one of them."""
    classes = [catalog.find(name) for name in names]
    known = [{field.name for field in fields(model)} for model in classes]  # type: ignore[arg-type]
    for name in parameters:
        if not any(name in own for own in known):
            raise InputError(f"unknown parameter {name!r}", field="set", hint=nearest(name, set().union(*known)))
    return [
        with_parameters(configure(model), {key: value for key, value in parameters.items() if key in own})
        for model, own in zip(classes, known, strict=True)
    ]


def with_parameters(model: M, parameters: Mapping[str, Any]) -> M:
    """Return a model with some parameters changed; "group.name" or a mapping changes parts of a group.

    Raises:
        InputError: if there is no such parameter, or a value is out of range.

    >>> from howsure.formulas.noisy_or import NoisyOr
    >>> with_parameters(NoisyOr(), {"half_life.task": 60.0}).half_life.task
    60.0
    """
    if not parameters:
        return model
    changed: dict[str, Any] = dict(model.spec.parameters)
    for name, value in parameters.items():
        group, dot, inner = name.partition(".")
        if dot and isinstance(changed.get(group), Mapping):
            changed[group] = {**changed[group], inner: value}
        elif isinstance(changed.get(group), Mapping) and isinstance(value, Mapping):
            changed[group] = {**changed[group], **value}
        else:
            changed[name] = value
    return decode(type(model), changed)
