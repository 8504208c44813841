"""What bulk scoring is given: the tables, and how claims are read."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from howsure.bulk.engines.base import Reading, Taken, Unknown
from howsure.bulk.inputs import taken
from howsure.errors import InputError, shown
from howsure.formulas.claim import ClaimFormula
from howsure.progress import Progress
from howsure.shapes import Moment, Unit, decode, decode_as
from howsure.store.session import claim_formula


def take(claims: Any, evidence: Any, relations: Any, as_of: float | None, unknown: str, progress: Progress) -> Taken:
    """Return the tables as they were handed in, or say what is wrong with them."""
    return Taken(
        claims=taken(claims, "claims"),
        evidence=None if evidence is None else taken(evidence, "evidence"),
        relations=None if relations is None else taken(relations, "relations"),
        as_of=None if as_of is None else decode_as(Moment, as_of, "as_of"),
        unknown=decode_as(Unknown, unknown, "unknown"),
        progress=progress,
    )


def read_by(
    formula: str | ClaimFormula,
    parameters: Mapping[str, Any] | None,
    now: float | None,
    as_of: float | None,
    trust: float,
    clock: Callable[[], float] = time.time,
) -> Reading:
    """Return how claims are read. Without a moment it is that of `as_of`, or what the clock says."""
    chosen = claim_formula(formula) if isinstance(formula, str) else formula
    if not isinstance(chosen, ClaimFormula):
        raise InputError(f"{shown(formula)} is no formula", field="formula", hint="a name, or a formula itself")
    moment = now if now is not None else as_of if as_of is not None else clock()
    return Reading(changed(chosen, parameters or {}), decode_as(Moment, moment, "now"), decode_as(Unit, trust, "trust"))


def changed(formula: ClaimFormula, parameters: Mapping[str, Any]) -> ClaimFormula:
    """Return a formula with some parameters changed; a dotted name reaches into a group, as a mapping does."""
    if not parameters:
        return formula
    found: dict[str, Any] = dict(formula.spec.parameters)
    for name, value in parameters.items():
        group, dot, inner = name.partition(".")
        if dot and isinstance(found.get(group), Mapping):
            found[group] = {**found[group], inner: value}
        elif isinstance(found.get(group), Mapping) and isinstance(value, Mapping):
            found[group] = {**found[group], **value}
        else:
            found[name] = value
    return decode(type(formula), found)
