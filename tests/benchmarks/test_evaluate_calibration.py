"""Evaluation of calibration on sets that were made up."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibration_sets import ScoredSet, read_sets
from benchmarks.evaluate_calibration import bound_difference, main


def write_sets(folder: Path, size: int = 400) -> None:
    """Write an overconfident language model with token probabilities, and forecasts that are right."""
    dice = np.random.default_rng(4)
    stated = dice.choice([0.7, 0.8, 0.9, 0.95, 1.0], size)
    chances = dice.uniform(0.2, 0.9, size)
    names = ["llm", "qset", "question_id", "stated_confidence", "chosen_token_confidence", "correct"]
    rows = [
        ["m", "q", place, one, one, bool(right)]
        for place, (one, right) in enumerate(zip(stated, dice.random(size) < stated - 0.3, strict=True))
    ]
    games = [["nba", one, int(right)] for one, right in zip(chances, dice.random(size) < chances, strict=True)]
    for path, heads, lines in (
        (folder / "llm_stated_confidence" / "confidence.csv.gz", names, rows),
        (folder / "forecasts_538" / "games.csv.gz", ["domain", "prob", "outcome"], games),
    ):
        path.parent.mkdir(exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([heads, *lines])


def test_the_table_has_every_kind_and_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_sets(tmp_path)
    assert [(one.name, one.kind) for one in read_sets(tmp_path)] == [
        ("m q", "stated"),
        ("m q", "token"),
        ("nba", "forecast"),
    ]
    main(tmp_path, 2)
    heads, _, *rows = capsys.readouterr().out.splitlines()
    assert heads.startswith("| scores | outcomes | raw | howsure |")
    assert [tuple(row.split(" | ")[:2]) for row in rows] == [
        (f"| {kind}", str(size)) for kind in ("stated", "token", "forecast") for size in (20, 50, 100, 300)
    ]
    ece, brier, better = rows[2].split(" | ")[3].split(" / ")
    raw_ece, raw_brier = rows[2].split(" | ")[2].split(" / ")
    assert float(ece) < float(raw_ece) / 2
    assert float(brier) < float(raw_brier)
    assert better.rstrip(" |") == "1 of 1"


def test_an_overconfident_score_gets_better_beyond_noise() -> None:
    dice = np.random.default_rng(5)
    scores = dice.uniform(0.6, 1.0, 500)
    wrong = ScoredSet("x", "stated", scores, (dice.random(500) < scores - 0.4).astype(float))
    low, high = bound_difference(wrong, 100, 5)
    assert low < high < 0.0
    right = ScoredSet("x", "stated", scores, (dice.random(500) < scores).astype(float))
    low, high = bound_difference(right, 100, 5)
    assert low < 0.005
    assert high > -0.005
