"""Evaluate promises on sets of scores: `python -m benchmarks.evaluate_promise FOLDER [SPLITS]`.

FOLDER holds the data sets, which are not part of this project. A promise that at most 5 % of what passes is wrong is
made from some outcomes and checked on the rest, on 200 random splits of each set. It is broken if more than 5 % of
what passes is wrong there. Others are measured on the same splits: the threshold that looks right (naive), and the
risk control of MAPIE if it is installed. The output is a Markdown table.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration_sets import ScoredSet, read_sets, splits
from benchmarks.measures import print_heads
from howsure.learn.metrics import Scores
from howsure.learn.promise import count_levels, make_promise

RISK = 0.05
SIZES = (100, 300, 1000)
FEWEST_LEFT = 200

Method = Callable[[Any, Any], float | None]
"""Returns the lowest score that passes, or None if nothing can be promised."""


def howsure(scores: Any, outcomes: Any) -> float | None:
    """Return the threshold of howsure's promise."""
    return make_promise(count_levels(scores.tolist(), outcomes.tolist()), RISK).threshold


def naive(scores: Any, outcomes: Any) -> float | None:
    """Return the lowest threshold at which at most 5 % of the known outcomes are wrong."""
    good = [point.threshold for point in Scores(scores, outcomes).curve(10_000) if point.risk <= RISK]
    return min(good) if good else None


def mapie() -> Method:
    """Return MAPIE's risk control: precision of at least 95 %, with 95 % confidence, at the best recall."""
    from mapie.risk_control import BinaryClassificationController  # type: ignore[import-not-found]

    def threshold(scores: Any, outcomes: Any) -> float | None:
        made = BinaryClassificationController(
            predict_function=lambda rows: np.stack([1.0 - rows[:, 0], rows[:, 0]], axis=1),
            risk="precision",
            target_level=1.0 - RISK,
            confidence_level=0.95,
            best_predict_param_choice="recall",
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made.calibrate(scores[:, None], outcomes.astype(int))
        best = made.best_predict_param
        return None if best is None else float(best)

    return threshold


def measure(one: ScoredSet, method: Method, size: int, count: int) -> tuple[float, float]:
    """Return the share of splits in which the promise was broken, and the mean share that passed."""
    broken, kept = 0, 0.0
    for known, rest in splits(one, size, count):
        threshold = method(one.scores[known], one.outcomes[known])
        if threshold is not None:
            passed = one.outcomes[rest][one.scores[rest] >= threshold]
            kept += len(passed) / len(rest)
            broken += len(passed) > 0 and float(1.0 - passed.mean()) > RISK
    return broken / count, kept / count


def main(folder: Path, count: int) -> None:
    """Print the table: how often the promise was broken in the worst set, and the mean share that passes."""
    methods: dict[str, Method] = {"howsure": howsure, "naive": naive}
    try:
        methods["MAPIE"] = mapie()
    except ImportError as error:
        print(f"MAPIE is not measured: {error}", file=sys.stderr)
    sets = read_sets(folder)
    print_heads("outcomes", "sets", *methods)
    for size in SIZES:
        large = [one for one in sets if len(one.scores) >= size + FEWEST_LEFT]
        cells = []
        for name, method in methods.items():
            found = [measure(one, method, size, count if name != "MAPIE" else min(count, 50)) for one in large]
            worst = max(found)
            cells.append(f" {worst[0]:.1%} ({large[found.index(worst)].name}), {np.mean([k for _, k in found]):.3f} |")
        print(f"| {size} | {len(large)} |" + "".join(cells), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200)  # noqa: PLR2004
