"""Charts of evaluations."""

import xml.etree.ElementTree as ET

import pytest

from howsure.charts.evaluation import evaluation_chart, evaluation_page, risk_coverage_chart, risk_coverage_layers
from howsure.learn.evaluation import Evaluation, evaluate

FRAME = {"s": [0.2, 0.4, 0.6, 0.8] * 10, "t": [0.1, 0.9] * 20, "y": [0, 0, 1, 1, 0, 1, 1, 1] * 5}


@pytest.fixture
def found() -> Evaluation:
    return evaluate(FRAME, score="s", outcome="y", compare=["t"], draws=20)


def test_the_curve_has_a_line_for_each_column(found: Evaluation) -> None:
    chart = risk_coverage_chart(found)
    assert {row["score"] for row in chart.rows} == {"s", "t"}
    assert [row["coverage"] for row in chart.rows if row["score"] == "s"] == [0.25, 0.5, 0.75, 1.0]
    assert "40 outcomes" in chart.about
    ET.fromstring(chart.svg())  # noqa: S314 - drawn here


def test_the_reliability_diagram_has_the_bins(found: Evaluation) -> None:
    chart = evaluation_chart(found, "reliability")
    assert [row["outcomes"] for row in chart.rows] == [10, 10, 10, 10]
    assert evaluation_chart(found, "risk-coverage") == risk_coverage_chart(found)


def test_scores_that_are_no_probabilities_have_no_reliability_diagram() -> None:
    found = evaluate({"s": [5.0, -1.0], "y": [1, 0]}, score="s", outcome="y")
    assert "Calibrate it first" in evaluation_chart(found, "reliability").about
    assert "not defined" in evaluation_page(found)


def test_lines_of_risk_against_coverage_are_told_apart() -> None:
    rows = [{"score": name, "coverage": 1.0, "risk": 0.1, "threshold": 0.5} for name in ("a", "b", "c", "d", "e")]
    scale = risk_coverage_layers(rows)[0]["encoding"]["strokeDash"]["scale"]
    assert scale["domain"] == ["a", "b", "c", "d", "e"]
    assert len({tuple(dash) for dash in scale["range"][:4]}) == 4
