"""Evaluate calibration on sets of scores: `python -m benchmarks.evaluate_calibration FOLDER [SPLITS]`.

FOLDER holds the data sets, which are not part of this project. For each number of outcomes and each set, a map is
learned on random splits and measured on the rest. Other libraries are measured on the same splits if they are
installed. The output is a Markdown table.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.calibration_sets import ScoredSet, read_sets, splits
from benchmarks.measures import print_heads
from howsure.learn.calibration import calibrate
from howsure.learn.metrics import Scores

SIZES = (20, 50, 100, 300)
FEWEST_LEFT = 100
"""Outcomes that must be left to measure on."""

Calibrator = Callable[[Any, Any], Callable[[Any], Any]]
"""Learns from scores and outcomes; returns what turns scores into probabilities."""


def methods() -> dict[str, Calibrator]:
    """Return the methods that are installed, by name."""
    found: dict[str, Calibrator] = {"raw": lambda _scores, _outcomes: lambda scores: scores, "howsure": calibrate}
    for name, load in {
        "uqlm Platt": _uqlm("platt"),
        "uqlm isotonic": _uqlm("isotonic"),
        "netcal histogram": _netcal,
    }.items():
        try:
            found[name] = load()
        except ImportError as error:
            print(f"{name} is not measured: {error}", file=sys.stderr)
    return found


def _uqlm(method: str) -> Callable[[], Calibrator]:
    def load() -> Calibrator:
        from uqlm.calibration import ScoreCalibrator  # type: ignore[import-not-found]

        def learn(scores: Any, outcomes: Any) -> Callable[[Any], Any]:
            made = ScoreCalibrator(method=method)
            made.fit(SimpleNamespace(data={"score": scores}), outcomes.astype(int))

            def transform(wanted: Any) -> Any:
                result = SimpleNamespace(data={"score": wanted})
                made.transform(result)
                return np.asarray(result.data["calibrated_score"], dtype=float)

            return transform

        return learn

    return load


def _netcal() -> Calibrator:
    from netcal.binning import HistogramBinning  # type: ignore[import-not-found]

    def learn(scores: Any, outcomes: Any) -> Callable[[Any], Any]:
        made = HistogramBinning(bins=10)
        made.fit(scores, outcomes.astype(int))
        return lambda wanted: np.asarray(made.transform(wanted), dtype=float)

    return learn


def measure(one: ScoredSet, learn: Calibrator, size: int, count: int) -> Any:
    """Return the mean calibration error and Brier score on outcomes that were not learned from; NaN if it fails."""
    found = []
    for known, rest in splits(one, size, count):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                chances = np.clip(learn(one.scores[known], one.outcomes[known])(one.scores[rest]), 0.0, 1.0)
        except ValueError:  # some libraries cannot learn from outcomes that are all alike: the score stays as it is
            chances = one.scores[rest]
        scores = Scores(chances, one.outcomes[rest])
        found.append((scores.ece(), scores.brier()))
    return np.mean(found, axis=0)


def bound_difference(one: ScoredSet, size: int, count: int) -> tuple[float, float]:
    """Return a 95 % interval of howsure's Brier score less that of the raw score, by drawing rows of the set."""
    total, times = np.zeros(len(one.scores)), np.zeros(len(one.scores))
    for known, rest in splits(one, size, count):
        chances = calibrate(one.scores[known], one.outcomes[known])(one.scores[rest])
        total[rest] += (chances - one.outcomes[rest]) ** 2 - (one.scores[rest] - one.outcomes[rest]) ** 2
        times[rest] += 1
    mean = total[times > 0] / times[times > 0]
    dice = np.random.default_rng(1)
    low, high = np.quantile([dice.choice(mean, len(mean)).mean() for _ in range(1000)], [0.025, 0.975])
    return float(low), float(high)


def main(folder: Path, count: int) -> None:
    """Print the table: mean ECE / mean Brier / sets with a better Brier than raw."""
    sets, available = read_sets(folder), methods()
    print_heads("scores", "outcomes", *available)
    for kind in ("stated", "token", "forecast"):
        own = [one for one in sets if one.kind == kind]
        for size in SIZES:
            large = [one for one in own if len(one.scores) >= size + FEWEST_LEFT]
            found = {
                name: np.array([measure(one, learn, size, count) for one in large]) for name, learn in available.items()
            }
            cells = []
            for name, values in found.items():
                better = "" if name == "raw" else f" / {int((values[:, 1] < found['raw'][:, 1]).sum())} of {len(large)}"
                cells.append(f"{values[:, 0].mean():.3f} / {values[:, 1].mean():.4f}{better}")
            print(f"| {kind} | {size} | {' | '.join(cells)} |", flush=True)
            worse = [
                f"{one.name} ({after - before:+.4f}, 95 % interval {low:+.4f} to {high:+.4f})"
                for one, before, after in zip(large, found["raw"][:, 1], found["howsure"][:, 1], strict=True)
                if after >= before
                for low, high in [bound_difference(one, size, count)]
            ]
            if worse:
                print(f"howsure is not better than raw on: {', '.join(worse)}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10)  # noqa: PLR2004
