"""Learning from a matrix of factors gives what learning from a frame gives."""

import random
from typing import Any

import numpy as np
import pytest

from howsure.formulas.learned import LearnedTerm
from howsure.learn.learning import learn_factors
from howsure.learn.matrix import FactorMatrix, learn_matrix


@pytest.mark.parametrize("size", [1, 2, 7, 200])
def test_a_matrix_and_a_frame_give_the_same_fit(size: int) -> None:
    dice = random.Random(size)
    frame: list[dict[str, Any]] = [
        {"a": dice.random(), "b": dice.random(), "type": dice.choice("xy"), "agent": dice.choice("pqr")}
        for _ in range(size)
    ]
    for row in frame:
        row["y"] = int(dice.random() < row["a"])
    terms = (LearnedTerm("a", 1.0), LearnedTerm("b", 1.0))
    values = np.array([[row["a"], row["b"]] for row in frame], dtype=float)
    outcomes = np.array([float(row["y"]) for row in frame])
    paths = [(str(row["type"]), str(row["agent"])) for row in frame]
    matrix = FactorMatrix(terms, (1.0, 0.0), values, outcomes, paths)
    fit = learn_matrix(matrix, name="score", old=values[:, 0], draws=50)
    options = {"outcome": "y", "groups": ("type", "agent"), "in_use": "a", "draws": 50}
    expected = learn_factors(frame, factors={"a": 1.0, "b": 0.0}, **options)  # type: ignore[arg-type]
    assert fit.outcomes == size
    assert fit.better == expected.better
    assert (fit.quality is None) == (size == 1)
    if fit.quality is not None and expected.quality is not None:
        assert fit.quality.brier == pytest.approx(expected.quality.brier, abs=1e-9)
        assert fit.quality.auroc == pytest.approx(expected.quality.auroc, abs=1e-9)
    for row, path in zip(frame[:20], paths, strict=False):
        case = {"a": float(row["a"]), "b": float(row["b"])}
        assert fit.estimate(case, path) == pytest.approx(expected.estimate(case, path), abs=1e-9)
