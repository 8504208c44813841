"""The catalog: what each model reads, computes and can be tuned by, in words and as JSON Schema."""

import inspect
from dataclasses import MISSING, asdict, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from howsure.errors import InputError, UnknownNameError, shown
from howsure.formulas import MODELS
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.meaning import meanings, tables
from howsure.formulas.model import Model
from howsure.shapes import Within

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
    """Return the model of that name; the default formula for claims."""
    if not isinstance(name, str):
        raise InputError(f"{shown(name)} is not the name of a model", field="model")
    try:
        return MODELS.find(DEFAULT_FORMULA if name == CLAIMS else name)
    except UnknownNameError:
        raise UnknownNameError("model", name, {CLAIMS, *MODELS}) from None


def describe(name: str) -> dict[str, Any]:
    """Return all there is to know about a model, as JSON-ready data."""
    model = find(name)
    about = inspect.getdoc(model) or ""
    row, steps = tables(model)
    return {
        "name": model.name,
        "version": model.version,
        "reads": CLAIMS if issubclass(model, ClaimFormula) else model.name,
        "summary": about.partition("\n")[0],
        "about": about,
        "parameters": {
            field["name"]: {key: field[key] for key in ("default", "meaning", "schema")} for field in _fields(model)
        },
        "input": schema(model.case),
        "row": {field: meanings(row).get(field, "") for field in row._fields},
        "steps": {field: meanings(steps).get(field, "") for field in steps._fields},
    }


def _fields(shape: Any) -> list[dict[str, Any]]:
    hints = get_type_hints(shape, include_extras=True)
    return [
        {
            "name": field.name,
            "default": _default(field),
            "required": field.default is MISSING and field.default_factory is MISSING,
            "meaning": meanings(shape).get(field.name, ""),
            "schema": schema(hints[field.name]),
        }
        for field in fields(shape)
    ]


def _default(field: Any) -> Any:
    value = field.default_factory() if field.default_factory is not MISSING else field.default
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return None if value is MISSING else list(value) if isinstance(value, tuple) else value


def schema(shape: Any) -> dict[str, Any]:
    """Return a shape as JSON Schema."""
    origin, parts = get_origin(shape), get_args(shape)
    if origin is Annotated:
        limits = next(part for part in parts if isinstance(part, Within))
        kind = "integer" if parts[0] is int else "number"
        return {"type": kind, "minimum": limits.low, "maximum": limits.high}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [schema(part) for part in parts]}
    if origin is tuple and parts[-1] is Ellipsis:
        return {"type": "array", "items": schema(parts[0])}
    if origin is tuple:
        return {
            "type": "array",
            "prefixItems": [schema(p) for p in parts],
            "minItems": len(parts),
            "maxItems": len(parts),
        }
    if origin is dict:
        return {"type": "object", "additionalProperties": schema(parts[1])}
    if is_dataclass(shape):
        return _object_schema(shape)
    return {"type": {bool: "boolean", str: "string", NoneType: "null"}[shape]}


def _object_schema(shape: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    for field in _fields(shape):
        found["properties"][field["name"]] = field["schema"] | {"description": field["meaning"]}
        if field["required"]:
            found.setdefault("required", []).append(field["name"])
        else:
            found["properties"][field["name"]]["default"] = field["default"]
    return found
