"""Fits survive their file, refuse foreign and broken ones, and apply without numpy."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from howsure.errors import InputError
from howsure.formulas.learned import CalibrationKnot, GroupOffset, LearnedModel, LearnedTerm
from howsure.learn.fit import Fit, Scale, fit_from_json, fit_to_json, read_fit, to_path
from howsure.learn.promise import ScoreLevel

MODEL = LearnedModel(
    terms=(LearnedTerm("s", 1.0, 0.5),),
    knots=(CalibrationKnot(0.0, 0.2), CalibrationKnot(0.6, 0.5), CalibrationKnot(1.0, 0.8)),
    groups=(GroupOffset(("a",), 0.5, 0.2),),
)
FIT = Fit("calibration", "s", 200, 180, MODEL, levels=(ScoreLevel(0.9, 150, 1), ScoreLevel(0.1, 50, 19)))


def test_a_fit_survives_its_file(tmp_path: Path) -> None:
    assert read_fit(FIT.write(tmp_path / "fit.json")) == FIT
    assert fit_from_json(orjson.loads(orjson.dumps(fit_to_json(FIT)))).fingerprint == FIT.fingerprint


def test_many_cases_are_estimated_like_one() -> None:
    scores = [place / 5000 for place in range(5001)]
    groups = [("a",) if place % 2 else ("z",) for place in range(5001)]
    many = FIT.estimates(scores, groups)
    assert len(many) == 5001
    for place in (0, 1, 2500, 3999, 4000, 4001, 5000):
        assert many[place] == pytest.approx(FIT.estimate(scores[place], groups[place]), abs=1e-12)
    assert FIT.estimates([{"s": 0.25}])[0] == pytest.approx(FIT.estimate(0.25), abs=1e-12)
    assert FIT.estimate({"s": 0.25}).lower < FIT.estimate(0.25).probability < FIT.estimate(0.25).upper


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "a", None, True, [0.5], 10**400])
def test_what_is_not_a_finite_number_is_refused_one_by_one_and_together(value: Any) -> None:
    with pytest.raises(InputError, match="s: "):
        FIT.estimate(value)
    with pytest.raises(InputError, match=r"cases\[1\]\.s: "):
        FIT.estimates([0.5, value])
    if value is not None:  # a factor that is missing is left out
        with pytest.raises(InputError, match=r"s: .* is not a finite number"):
            FIT.estimate({"s": value})


@pytest.mark.filterwarnings("error")
def test_a_score_unlike_those_that_were_learned_from_warns_and_passes_no_promise() -> None:
    for outside in (90.0, 1.001, -0.1):
        assert FIT.is_outside(outside)
        assert not FIT.promise(0.05).passes(outside)
        with pytest.warns(UserWarning, match="1 of 1 scores are not between 0 and 1, as those were"):
            FIT.estimate(outside)
        with pytest.warns(UserWarning, match="1 of 2 scores are not"):
            FIT.estimates([outside, 0.5])
    assert FIT.promise(0.05).passes(1.0)
    assert FIT.estimate(1.0) == FIT.estimates([1.0])[0]


def test_a_score_on_any_scale_is_outside_if_it_is_far_from_all_that_were_learned_from() -> None:
    knots = (CalibrationKnot(-3.0, 0.2), CalibrationKnot(5.0, 0.9))
    fit = replace(FIT, scale=Scale("standard", 1.0, 2.0), parameters=LearnedModel(terms=MODEL.terms, knots=knots))
    assert [fit.is_outside(score) for score in (-12.0, -11.0, 1.0, 13.0, 14.0)] == [True, False, False, False, True]
    assert [fit.promise(0.05).passes(score) for score in (0.5, 6.0, 90.0)] == [False, True, False]
    with pytest.warns(UserWarning, match="far from those"):
        fit.estimate(90.0)


def test_promises_are_made_from_its_own_outcomes() -> None:
    assert FIT.promise(0.05).threshold == 0.9
    assert FIT.promise(0.001).threshold is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "pickle"}, "not a fit"),
        ({"version": 2}, "fit.version: this fit has version 2"),
        ({"outcomes": -1}, "fit.outcomes"),
        ({"unknown": 1}, "fit.*unknown"),
        ({"fingerprint": "0" * 16}, "do not match the fingerprint"),
        ({"parameters": {"knots": [{"score": 0.0, "probability": 2.0}]}}, "fit.parameters.knots"),
    ],
)
def test_a_changed_file_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit_from_json({**fit_to_json(FIT), **change})


def test_a_file_that_is_not_a_fit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "fit.json"
    for content in (b"", b"{", b"[1]", b"\x00\xff"):
        file.write_bytes(content)
        with pytest.raises(InputError, match="not a fit"):
            read_fit(file)
    with pytest.raises(InputError, match="cannot read"):
        read_fit(tmp_path / "missing.json")
    with pytest.raises(InputError, match="cannot be written"):
        FIT.write(tmp_path / "no" / "fit.json")


def test_applying_a_fit_needs_no_numpy(tmp_path: Path) -> None:
    path = FIT.write(tmp_path / "fit.json")
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        f"from howsure.learn.fit import read_fit; fit = read_fit({str(path)!r})\n"
        "print(fit.estimates([0.6], [('a',)])[0].probability, fit.promise(0.05).threshold)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    chance, threshold = map(float, done.stdout.split())
    assert chance == pytest.approx(FIT.estimate(0.6, ["a"]).probability)
    assert threshold == 0.9


def test_the_factors_are_named() -> None:
    assert FIT.factor_names == ("s",)


def test_the_path_of_a_group_ends_at_the_first_missing_name() -> None:
    assert to_path([]) == to_path([None, "x"]) == to_path(["", "x"]) == to_path([float("nan"), "x"]) == ()
    assert to_path(["coder", 7]) == ("coder", "7")
