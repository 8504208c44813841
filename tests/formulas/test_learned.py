"""The learned model: its golden cases, an independent oracle, and every kind of number."""

import json
import random
from collections.abc import Iterator
from decimal import Decimal as D  # noqa: N817 - it is everywhere in the oracle
from decimal import localcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.formulas.learned import CalibrationKnot, GroupOffset, LearnedModel, LearnedTerm, Line, Row, interpolate
from howsure.formulas.ops import FLOATS
from howsure.graph.arrays import COLUMNS, score_rows
from howsure.shapes import decode
from howsure.sql.expression import SYMBOLS, Expression
from howsure.sql.statement import steps as steps_query
from howsure.sql.statement import write
from tests import engines

GOLDEN = json.loads((Path(__file__).parent / "learned_fits.json").read_text())


def _line(score: D, points: list[tuple[D, D]]) -> D:
    """Interpolate as one would by hand: find the two points around the score."""
    if score <= points[0][0]:
        return points[0][1]
    for (start, before), (end, after) in pairwise(points):
        if score <= end:
            return before + (after - before) * (score - start) / (end - start)
    return points[-1][1]


def oracle(parameters: dict[str, Any], case: dict[str, Any]) -> dict[str, float]:
    """Compute the model by its description, in 60-digit decimals and log-odds."""
    with localcontext() as context:
        context.prec = 60
        evidence = D(parameters.get("intercept", 0.5))
        for term in parameters.get("terms", [{"name": "score", "weight": 1.0, "centre": 0.5}]):
            value = case.get("values", {}).get(term["name"])
            if value is not None:
                points = [(D(at), D(height)) for at, height in term.get("points", ())]
                scaled = _line(D(value), points) if points else D(value) - D(term.get("centre", 0.0))
                evidence += D(term["weight"]) * scaled
        score = evidence
        if parameters.get("link") == "logistic":
            score = 1 / (1 + (-max(min(evidence, D(30)), D(-30))).exp())
        knots = parameters.get("knots", [{"score": 0.0, "probability": 0.0}, {"score": 1.0, "probability": 1.0}])
        chance = _line(score, [(D(knot["score"]), D(knot["probability"])) for knot in knots])
        error = _line(score, [(D(knot["score"]), D(knot.get("error", 0.3))) for knot in knots])
        path = case.get("group", [])
        default = D(parameters.get("group_error", 0.5))
        offset, offset_error = D(0), default if path else D(0)
        for length in range(1, len(path) + 1):
            for group in parameters.get("groups", ()):
                if group["path"] == path[:length]:
                    offset, offset_error = D(group["offset"]), D(group["error"])
                    if length < len(path):
                        offset_error = max(offset_error, default)
        half = D(parameters.get("z", 1.645)) * (error**2 + offset_error**2).sqrt()
        if chance in (0, 1):
            return dict.fromkeys(("probability", "lower", "upper"), float(chance))
        logit = (chance / (1 - chance)).ln() + offset
        chances = {"probability": logit, "lower": logit - min(half, D(30)), "upper": logit + min(half, D(30))}
        return {name: float(1 / (1 + (-value).exp())) for name, value in chances.items()}


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_a_golden_fit_gives_its_numbers(case: dict[str, Any]) -> None:
    score = decode(LearnedModel, case["parameters"]).score(case["case"])
    for name, expected in case["expect"].items():
        assert score[name] == pytest.approx(expected, abs=1e-12)
    assert oracle(case["parameters"], case["case"]) == pytest.approx(case["expect"], abs=1e-12)


def _random_fits(count: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    dice = random.Random(7)
    for _ in range(count):
        size = dice.choice((1, 2, 5, 40))
        scores = sorted({round(dice.uniform(-2, 2), 6) for _ in range(size)})
        chances = sorted(round(dice.uniform(0.001, 0.999), 6) for _ in scores)
        terms: list[dict[str, Any]] = [
            {"name": "a", "weight": dice.uniform(-3, 3), "centre": dice.uniform(-1, 1)},
            {"name": "b", "weight": dice.uniform(-3, 3), "points": [[0.0, -1.0], [0.5, 0.7], [2.0, 1.5]]},
        ]
        yield (
            {
                "terms": terms,
                "intercept": dice.uniform(-1, 1),
                "link": dice.choice(("none", "logistic")),
                "knots": [
                    {"score": score, "probability": chance, "error": dice.uniform(0.0, 2.0)}
                    for score, chance in zip(scores, chances, strict=True)
                ],
                "groups": [
                    {"path": ["x"], "offset": dice.uniform(-2, 2), "error": 0.2},
                    {"path": ["x", "y"], "offset": dice.uniform(-2, 2), "error": 0.1},
                ],
            },
            {
                "values": {name: dice.uniform(-3, 3) for name in dice.choice((["a"], ["a", "b"], []))},
                "group": dice.choice(([], ["x"], ["x", "y"], ["x", "z"], ["unknown"])),
            },
        )


def test_random_fits_agree_with_the_oracle() -> None:
    for parameters, case in _random_fits(300):
        score = decode(LearnedModel, parameters).score(case)
        expected = oracle(parameters, case)
        assert {name: score[name] for name in expected} == pytest.approx(expected, abs=1e-9), (parameters, case)


def test_every_database_and_numpy_give_the_same_steps(engine: engines.Engine) -> None:
    for parameters, _ in _random_fits(6):
        model = decode(LearnedModel, parameters)
        rows = [Row(e / 4.0 - 3.0, o / 2.0 - 1.0, 0.1 * o) for e in range(25) for o in range(5)]
        rows += [Row(-1e6, 30.0, 100.0), Row(1e6, -30.0, 0.0)]
        numbered = [(place, *row) for place, row in enumerate(rows)]
        engine.table("cases", {"id": "number"} | dict.fromkeys(Row._fields, "number"), numbered)
        found = sorted(engine.query(steps_query(model, Row, "cases", engine.dialect, keep=["id"])))
        arrays = score_rows(model, Row(*zip(*rows, strict=True)))
        for row, values, columns in zip(rows, found, zip(*arrays, strict=True), strict=True):
            expected = model.formula(row, FLOATS)
            assert list(values[1:]) == pytest.approx(list(expected), abs=1e-9)
            assert list(columns) == pytest.approx(list(expected), abs=1e-9)


def test_the_evidence_is_written_as_sql_and_computed_on_columns() -> None:
    parameters, _ = next(_random_fits(1))
    model = decode(LearnedModel, parameters)
    values = {"a": np.linspace(-2, 2, 9), "b": np.linspace(-1, 3, 9)}
    expected = [model.evidence({"a": a, "b": b}) for a, b in zip(values["a"], values["b"], strict=True)]
    assert model.evidence(values, COLUMNS) == pytest.approx(expected)
    with engines.sqlite() as engine:
        engine.table(
            "cases", {"a": "number", "b": "number"}, [*zip(*(v.tolist() for v in values.values()), strict=True)]
        )
        sql = write(model.evidence({name: Expression.column(name) for name in values}, SYMBOLS), engine.dialect)
        assert [row[0] for row in engine.query(f"SELECT {sql} FROM cases")] == pytest.approx(expected)


@given(st.floats(-1e15, 1e15), st.floats(-1e15, 1e15))
def test_a_higher_score_is_never_less_probable(one: float, other: float) -> None:
    model = LearnedModel(
        knots=(
            CalibrationKnot(-3.0, 0.1),
            CalibrationKnot(0.1, 0.1),
            CalibrationKnot(0.2, 0.35),
            CalibrationKnot(7.0, 0.9),
            CalibrationKnot(7.1, 0.97),
        )
    )
    low, high = sorted((one, other))
    steps = [model.formula(Row(score, 0.3, 0.1), FLOATS) for score in (low, high)]
    assert steps[0].probability <= steps[1].probability
    assert all(step.lower <= step.probability <= step.upper for step in steps)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"knots": []}, "knots: there is no knot"),
        ({"knots": [{"score": 1, "probability": 0.5}, {"score": 1, "probability": 0.6}]}, r"knots\[1\]\.score"),
        ({"knots": [{"score": 0, "probability": 0.5}, {"score": 1, "probability": 0.4}]}, "never worse"),
        ({"terms": [{"name": "a", "weight": 1.0, "points": [[1.0, 0.0], [0.5, 1.0]]}]}, "points are not sorted"),
    ],
)
def test_a_wrong_map_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode(LearnedModel, parameters)


def test_a_term_that_is_missing_counts_as_its_centre() -> None:
    model = LearnedModel(terms=(LearnedTerm("a", 1.0, 0.7), LearnedTerm("b", 2.0, 0.1)), intercept=0.4)
    assert model.score({"values": {"a": 0.7}}).row == model.score({"values": {}}).row


def test_an_unknown_group_is_less_sure() -> None:
    model = LearnedModel(groups=(GroupOffset(("x",), 0.0, 0.1),), group_error=0.5)
    known = model.score({"values": {"score": 0.6}, "group": ["x"]})
    unknown = model.score({"values": {"score": 0.6}, "group": ["z"]})
    assert unknown["probability"] == known["probability"]
    assert unknown["lower"] < known["lower"]


@given(
    st.lists(st.integers(-5000, 5000).map(lambda place: place / 999), min_size=1, max_size=12, unique=True),
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.7, 1.0]), min_size=12, max_size=12),
    st.floats(-6, 6),
)
def test_a_line_on_floats_is_the_sum_of_its_ramps_to_the_last_digit(
    places: list[float], heights: list[float], score: float
) -> None:
    points = list(zip(sorted(places), heights, strict=False))
    for at in (score, *places):
        assert Line(points)(at, FLOATS) == interpolate(at, points, FLOATS)
