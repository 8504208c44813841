"""Checks that every model must pass, for you to run on your own model.

    from howsure.checks import check
    check(MyFormula)

Each check raises an `AssertionError` that says what is wrong, and for which case.
"""

import json
import math
import random
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from howsure.errors import InputError
from howsure.formulas.model import Model, row_and_steps
from howsure.formulas.ops import FLOATS
from howsure.shapes import decode
from howsure.shapes.encode import encode
from howsure.shapes.samples import sample
from howsure.shapes.schema import field_docs

CLOSE = 1e-9
"""Largest difference between the results of a formula on different kinds of number."""


def check(model: type[Model[Any]], cases: int = 300, seed: int = 0) -> None:
    """Run every check on a model."""
    check_documented(model)
    check_spec(model)
    some = samples(model, cases, seed)
    check_bounds(model, some)
    check_order(model, some, seed)
    check_directions(model, some, seed)
    check_everywhere(model, some)


def samples(model: type[Model[Any]], count: int, seed: int = 0) -> list[Any]:
    """Return random valid cases of a model's input; the ends of ranges are common among them."""
    dice = random.Random(seed)  # noqa: S311 - not for secrets
    cases: list[Any] = []
    for _ in range(count * 20):
        try:
            case = sample(model.case, dice)
            model().features(case)
        except InputError:  # fields that contradict each other
            continue
        cases.append(case)
        if len(cases) == count:
            return cases
    raise AssertionError(f"{model.name}: random cases of its input are almost never valid")


def check_documented(model: type[Model[Any]]) -> None:
    """Check that the model, its parameters, its input, its row and its steps have docstrings."""
    if not (model.__doc__ or "").strip():
        raise AssertionError(f"{model.name} has no docstring")
    if ">>>" not in (model.__doc__ or ""):
        raise AssertionError(f"{model.name} has no doctest that shows a number")
    row, steps = row_and_steps(model)
    shared = set(row._fields) & set(steps._fields)
    if shared:
        raise AssertionError(f"{model.name}: {sorted(shared)} are both in its row and in its steps")
    shapes: tuple[tuple[str, Any], ...] = (("parameter", model), ("input", model.case), ("row", row), ("steps", steps))
    for part, shape in shapes:
        named = shape._fields if hasattr(shape, "_fields") else [field.name for field in fields(shape)]
        missing = [name for name in named if not field_docs(shape).get(name)]
        if missing:
            raise AssertionError(f"{model.name}: no docstring for {part} {', '.join(missing)}")


def check_spec(model: type[Model[Any]]) -> None:
    """Check that the spec survives JSON, that parameters change the fingerprint, and that NaN is rejected."""
    built = model()
    spec = json.loads(json.dumps(built.spec._asdict()))
    again = decode(model, spec["parameters"])
    if not (again.spec.fingerprint == built.spec.fingerprint):
        raise AssertionError(f"{model.name}: its spec does not survive JSON")
    for field in fields(model):  # type: ignore[arg-type]
        if isinstance(getattr(built, field.name), float):
            changed = replace(built, **{field.name: math.nextafter(getattr(built, field.name), 0.0)})  # type: ignore[type-var]
            other = f"{model.name}: {field.name} does not change the fingerprint"
            if not (changed.spec.fingerprint != built.spec.fingerprint):
                raise AssertionError(other)
        try:
            replace(built, **{field.name: math.nan})  # type: ignore[type-var]
        except InputError:
            continue
        raise AssertionError(f"{model.name}: its parameter {field.name} accepts NaN")


def check_bounds(model: type[Model[Any]], cases: Iterable[Any]) -> None:
    """Check that scores and bounds lie in [0, 1], lower is never above upper, and every step is finite."""
    for case in cases:
        score = model().score(case)
        for name, value in score.steps._asdict().items():
            if not math.isfinite(value):
                raise AssertionError(f"{model.name}: {name} is {value} for {case}")
        for name in ("lower", "upper", "score", "composite", "overall", "influence"):
            value = getattr(score.steps, name, 0.0)
            if not (0.0 <= value <= 1.0):
                raise AssertionError(f"{model.name}: {name} is {value} for {case}")
        if getattr(score.steps, "lower", 0.0) > getattr(score.steps, "upper", 1.0):
            raise AssertionError(f"{model.name}: lower is above upper for {case}")
        if not score.answer.get("reason"):
            raise AssertionError(f"{model.name}: no reason for {case}")
        json.dumps(encode(score), allow_nan=False)


def check_order(model: type[Model[Any]], cases: Iterable[Any], seed: int = 0) -> None:
    """Check that the order of the fields in `unordered` makes no difference."""
    dice = random.Random(seed)  # noqa: S311
    built = model()
    for case in cases:
        changes = {}
        for name in model.unordered:
            items = list(getattr(case, name) or ())
            dice.shuffle(items)
            changes[name] = tuple(items) if getattr(case, name) is not None else None
        shuffled = replace(case, **changes)
        before, after = built.features(case), built.features(shuffled)
        if not _close(before, after):
            raise AssertionError(f"{model.name}: the order of {model.unordered} matters for {case}")


def check_directions(model: type[Model[Any]], cases: list[Any], seed: int = 0) -> None:
    """Check that steps move in the declared direction when one number of the row changes."""
    dice = random.Random(seed)  # noqa: S311
    built = model()
    rows = [built.features(case) for case in cases]
    for (field, step), direction in model.directions.items():
        for row in rows:
            low, high = sorted((getattr(row, field), getattr(dice.choice(rows), field)))
            before = getattr(built.formula(row._replace(**{field: low}), FLOATS), step)
            after = getattr(built.formula(row._replace(**{field: high}), FLOATS), step)
            moved = f"{step} goes from {before} to {after} as {field} goes from {low} to {high}"
            if not ((after - before) * direction >= -CLOSE):
                raise AssertionError(f"{model.name}: {moved} in {row}")


def check_everywhere(model: type[Model[Any]], cases: Iterable[Any]) -> None:
    """Check that floats, SQLite and numpy (if installed) give the same steps."""
    import sqlite3

    from howsure.sql.dialect import SQLITE
    from howsure.sql.statement import steps as steps_query
    from howsure.store.backends.sqlite import prepare

    built = model()
    rows = [built.features(case) for case in cases]
    expected = [built.formula(row, FLOATS) for row in rows]
    table = row_and_steps(model)[0]
    names = table._fields
    connection = sqlite3.connect(":memory:")
    try:
        prepare(connection)
        connection.execute(f"CREATE TABLE cases ({', '.join(f'{SQLITE.quoted(name)} REAL' for name in names)})")
        connection.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(names))})", rows)  # noqa: S608
        results = connection.execute(steps_query(built, table, "cases", SQLITE)).fetchall()
    finally:
        connection.close()
    for row, steps, values in zip(rows, expected, results, strict=True):
        if not _close(steps, values):
            raise AssertionError(f"{model.name}: SQLite gives {values}, not {steps} for {row}")
    try:
        from howsure.graph.arrays import score_rows
    except ImportError:
        return
    columns = score_rows(built, table(*zip(*rows, strict=True)))
    for row, steps, values in zip(rows, expected, zip(*columns, strict=True), strict=True):
        if not _close(steps, values):
            raise AssertionError(f"{model.name}: numpy gives {values}, not {steps} for {row}")


def _close(first: Iterable[float], second: Iterable[float]) -> bool:
    return all(abs(a - b) <= CLOSE * max(1.0, abs(a)) for a, b in zip(first, second, strict=True))
