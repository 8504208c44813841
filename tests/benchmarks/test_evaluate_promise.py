"""Evaluation of promises on sets that were made up."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibration_sets import ScoredSet
from benchmarks.evaluate_promise import howsure, main, measure, naive
from tests.benchmarks.test_evaluate_calibration import write_sets


def test_the_table_has_every_size_that_leaves_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_sets(tmp_path, 1300)
    main(tmp_path, 3)
    heads, _, *rows = capsys.readouterr().out.splitlines()
    assert heads.startswith("| outcomes | sets | howsure | naive |")
    assert [row.split(" | ")[0] for row in rows] == ["| 100", "| 300", "| 1000"]
    assert all(row.split(" | ")[1] == "3" for row in rows)


def test_the_naive_threshold_breaks_what_the_promise_keeps() -> None:
    """Ten equal scores, each wrong in 6 %: some sample looks better than 5 %, and none is."""
    dice = np.random.default_rng(6)
    hard = ScoredSet("hard", "stated", dice.integers(1, 11, 3000) / 10, (dice.random(3000) > 0.06).astype(float))
    assert measure(hard, naive, 300, 40)[0] > 0.3
    assert measure(hard, howsure, 300, 40)[0] <= 0.1


def test_an_easy_set_passes_mostly() -> None:
    scores = np.tile([0.2, 0.9], 1000)
    easy = ScoredSet("easy", "stated", scores, (scores > 0.5).astype(float))
    broken, kept = measure(easy, howsure, 300, 10)
    assert broken == 0.0
    assert kept == pytest.approx(0.5, abs=0.02)
