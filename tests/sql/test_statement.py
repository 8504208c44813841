"""One formula, every reading: the same steps on floats, numpy columns, SQLite, DuckDB and PostgreSQL."""

import math
import random
from functools import cache
from typing import Any

import pytest

from howsure.checks import samples
from howsure.formulas import MODELS
from howsure.formulas.claim import ClaimCase, ClaimFormula, Neighbour, Source
from howsure.formulas.folds import Fold
from howsure.formulas.model import row_and_steps
from howsure.formulas.ops import FLOATS
from howsure.graph.arrays import score_rows
from howsure.sql.expression import Expression
from howsure.sql.statement import fold, steps
from tests.engines import Engine

FORMULAS = ["noisy_or", "subjective_logic", "dempster_shafer", "beta"]


def _hard_cases() -> list[ClaimCase]:
    """Return evidence at the edges of what may happen."""
    dice = random.Random(7)

    def sources(*contributions: float | None) -> tuple[Source, ...]:
        return tuple(Source(f"type {i % 4}", str(i), c) for i, c in enumerate(contributions))

    def many(count: int, *choices: float) -> tuple[Neighbour, ...]:
        return tuple(Neighbour(dice.choice(choices), dice.choice(choices)) for _ in range(count))

    ages = [None, -1.0, -3.0 * 86400, -1000.0 * 3 * 86400]
    provenances = [
        sources(),
        sources(None, 0.0),
        sources(0.0, 1.0),
        sources(1.0, 1.0),
        sources(1e-12, 1 - 1e-12),
        sources(0.5),
        sources(*[0.999] * 300),
        sources(*[dice.random() for _ in range(40)]),
    ]
    neighbours = [(), many(3, 0.3, 0.7), many(2, 0.0, 1.0), many(400, 0.9, 1.0), many(300, 0.01, 0.2)]
    return [
        ClaimCase(0.0, provenance, "task", age, support, contradiction, trust)
        for provenance in provenances
        for age in ages
        for support in neighbours
        for contradiction in neighbours
        for trust in (1.0, 0.35)
    ]


HARD = _hard_cases()


@cache
def _hard_rows(name: str) -> list[Any]:
    return [MODELS.find(name)().features(case) for case in HARD]


@cache
def _random_rows(name: str) -> list[Any]:
    return [MODELS.find(name)().features(case) for case in samples(MODELS.find(name), 400, seed=3)]


def _compare(engine: Engine, name: str, rows: list[Any]) -> None:
    model = MODELS.find(name)()
    row_type = row_and_steps(type(model))[0]
    engine.table("cases", {"id": "number"} | dict.fromkeys(row_type._fields, "number"), list(enumerate_rows(rows)))
    found = {row[0]: row[1:] for row in engine.query(steps(model, row_type, "cases", engine.dialect, keep=["id"]))}
    assert len(found) == len(rows)
    for index, row in enumerate(rows):
        expected = model.formula(row, FLOATS)
        for step, want, got in zip(expected._fields, expected, found[float(index)], strict=True):
            assert math.isclose(want, got, rel_tol=1e-9, abs_tol=1e-9), (step, want, got, row)


def enumerate_rows(rows: list[Any]) -> list[tuple[float, ...]]:
    return [(float(index), *row) for index, row in enumerate(rows)]


@pytest.mark.parametrize("name", FORMULAS)
def test_hard_evidence_gives_the_same_steps_in_every_database(engine: Engine, name: str) -> None:
    _compare(engine, name, _hard_rows(name))


@pytest.mark.parametrize("name", list(MODELS))
def test_random_cases_give_the_same_steps_in_every_database(engine: Engine, name: str) -> None:
    _compare(engine, name, _random_rows(name))


@pytest.mark.parametrize("name", list(MODELS))
def test_random_cases_give_the_same_steps_on_numpy_columns(name: str) -> None:
    model = MODELS.find(name)()
    rows = _random_rows(name) + (_hard_rows(name) if isinstance(model, ClaimFormula) else [])
    columns = score_rows(model, type(rows[0])(*zip(*rows, strict=True)))
    for index, row in enumerate(rows):
        for want, column in zip(model.formula(row, FLOATS), columns, strict=True):
            assert math.isclose(want, column[index], rel_tol=1e-9, abs_tol=1e-9), row


FOLDS = [
    (f"{name}.{field}", found)
    for name in FORMULAS
    for field, found in MODELS.find(name)().folds()._asdict().items()  # type: ignore[attr-defined]
    if isinstance(found, Fold)
]
FOLDS += [
    ("how many", Fold("sources", "sum", lambda _, __: 1.0)),
    ("a constant", Fold("sources", "product", lambda _, ops: ops.power(0.5, 2.0))),
    ("a choice", Fold("sources", "largest", lambda x, ops: ops.where(x < 0.5, 0.1, x))),
    ("a bound", Fold("sources", "sum", lambda x, ops: x * ops.maximum(x, 0.5) + ops.minimum(x, 0.2))),
]
NUMBERS: list[list[float]] = [
    [],
    [0.0],
    [1.0],
    [0.0, 1.0],
    [0.5, 0.5, 0.25],
    [1 - 1e-9] * 3,
    [0.999] * 500,
    [1.0, *[0.3] * 20],
    [1e-15, 0.2],
]


@pytest.mark.parametrize(("name", "folding"), FOLDS, ids=[name for name, _ in FOLDS])
def test_a_fold_gives_the_same_number_in_every_database(engine: Engine, name: str, folding: Fold) -> None:
    engine.table("groups", {"g": "number"}, [[float(g)] for g in range(len(NUMBERS))])
    rows = [[float(g), x] for g, numbers in enumerate(NUMBERS) for x in numbers]
    engine.table("numbers", {"g": "number", "x": "number"}, rows)
    aggregate = fold(folding, "x", engine.dialect)
    query = f"SELECT a.g, {aggregate} FROM groups a LEFT JOIN numbers b ON a.g = b.g GROUP BY a.g"
    found = dict(engine.query(query))
    for g, numbers in enumerate(NUMBERS):
        assert math.isclose(folding(numbers), found[float(g)], rel_tol=1e-9, abs_tol=0.0), (name, numbers)


def test_an_expression_is_not_a_truth_value() -> None:
    with pytest.raises(TypeError, match="ops.where"):
        bool(Expression.column("a") > 0.5)


def test_expressions_keep_their_parentheses(engine: Engine) -> None:
    a = Expression.column("a")

    class _Model:
        @staticmethod
        def formula(row: Any, _ops: Any) -> Any:
            (x,) = row
            return _Steps(1 - (1 - x), 8 / (4 / (2 * x)), -1.5 + x, (x - 0.25) / (x + 1) * 3)

    from collections import namedtuple

    _Row = namedtuple("_Row", ["a"])  # noqa: PYI024
    _Steps = namedtuple("_Steps", ["p", "q", "r", "s"])  # noqa: PYI024
    engine.table("t", {"a": "number"}, [[0.5]])
    found = engine.query(steps(_Model(), _Row, "t", engine.dialect))  # type: ignore[arg-type]
    assert found[0] == pytest.approx((0.5, 2.0, -1.0, 0.5))
    assert repr(1 - (1 - a)) == "(1 - (1 - a))"
