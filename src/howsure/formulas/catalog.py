"""What each model reads, computes and can be tuned by, in words and as JSON Schema."""

import inspect
from typing import Any

from howsure.errors import InputError, UnknownNameError, shown
from howsure.formulas import MODELS
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.model import Model, row_and_steps
from howsure.shapes.encode import encode
from howsure.shapes.node import Object, node
from howsure.shapes.schema import field_docs, schema

CLAIMS = "claims"
"""The name under which all claim formulas are reached at once."""
DEFAULT_FORMULA = "noisy_or"


def names() -> list[str]:
    """Return what can be scored: claims, by any formula, and every other model."""
    return [CLAIMS, *(name for name in MODELS if not issubclass(MODELS.find(name), ClaimFormula))]


def formulas() -> list[str]:
    """Return the names of the claim formulas."""
    return [name for name in MODELS if issubclass(MODELS.find(name), ClaimFormula)]


def find(name: str) -> type[Model[Any]]:
    """Return the model of that name; for "claims" the default formula.

    Raises:
        UnknownNameError: if there is no such model.
    """
    if not isinstance(name, str):
        raise InputError(f"{shown(name)} is not the name of a model", field="model")
    try:
        return MODELS.find(DEFAULT_FORMULA if name == CLAIMS else name)
    except UnknownNameError:
        raise UnknownNameError("model", name, {CLAIMS, *MODELS}) from None


def describe(name: str) -> dict[str, Any]:
    """Return the description of a model as JSON-ready data: parameters, input, row and steps."""
    model = find(name)
    about = inspect.getdoc(model) or ""
    row, steps = row_and_steps(model)
    return {
        "name": model.name,
        "version": model.version,
        "reads": CLAIMS if issubclass(model, ClaimFormula) else model.name,
        "summary": about.partition("\n")[0],
        "about": about,
        "parameters": _parameters(model),
        "input": schema(model.case, closed=True),
        "row": {field: field_docs(row).get(field, "") for field in row._fields},
        "steps": {field: field_docs(steps).get(field, "") for field in steps._fields},
    }


def _parameters(model: type[Model[Any]]) -> dict[str, dict[str, Any]]:
    shape = node(model)
    assert isinstance(shape, Object)  # noqa: S101 - every model is a dataclass
    docs = field_docs(model)
    return {
        name: {
            "default": encode(field.default),
            "meaning": docs.get(name, ""),
            "schema": schema(field.annotation, closed=True),
        }
        for name, field in shape.fields.items()
    }
