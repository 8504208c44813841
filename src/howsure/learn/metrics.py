"""Measures of how well scores match outcomes. Every measure takes optional weights, which bootstrap draws are."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.arrays import np

if TYPE_CHECKING:
    from howsure.arrays import Floats

BINS = 10
"""Bins of a reliability diagram and of the calibration error."""
_SMALLEST = float(np.finfo(np.float64).eps)
"""Probabilities are kept this far from 0 and 1 in the log loss, as scikit-learn does."""
_MASS = 1e-9


class Bin(NamedTuple):
    """Outcomes with about the same score."""

    start: float
    """Lower end of the range of scores."""
    end: float
    outcomes: int
    mean_score: float
    share_right: float


class Point(NamedTuple):
    """One point of the risk-coverage curve."""

    threshold: float
    """The lowest score that is kept."""
    coverage: float
    """Share of outcomes that are kept."""
    risk: float
    """Share of the kept ones that are wrong."""


class Scores:
    """Scores with their outcomes, prepared once so that each measure is cheap for many weights."""

    def __init__(self, scores: "Floats", outcomes: "Floats") -> None:
        """Take scores and outcomes (1 right, 0 wrong) of the same length."""
        self.scores = np.asarray(scores, dtype=np.float64)
        self.outcomes = np.asarray(outcomes, dtype=np.float64)
        self.probabilities: bool = bool(np.all((self.scores >= 0.0) & (self.scores <= 1.0)))
        """Whether every score is between 0 and 1, as Brier score, calibration error and log loss demand."""
        clipped = np.clip(self.scores, _SMALLEST, 1.0 - _SMALLEST) if self.probabilities else self.scores
        self._squares = (self.scores - self.outcomes) ** 2
        self._losses = (
            -np.log(np.where(self.outcomes > 0, clipped, 1.0 - clipped)) if self.probabilities else self._squares
        )
        self._bins = equal_width(self.scores) if self.probabilities else np.zeros(len(self.scores), dtype=np.int64)
        self._order = np.argsort(-self.scores, kind="stable")
        ordered = self.scores[self._order]
        self._wrong = 1.0 - self.outcomes[self._order]
        self._gaps = self.scores - self.outcomes
        self._ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(ordered) else np.array([0])
        self._quantiles: Floats | None = None

    def __len__(self) -> int:
        """Return how many outcomes there are."""
        return len(self.scores)

    def brier(self, weights: "Floats | None" = None) -> float:
        """Return the mean squared difference between score and outcome."""
        return float(np.average(self._squares, weights=weights))

    def log_loss(self, weights: "Floats | None" = None) -> float:
        """Return the mean negative log-likelihood of the outcomes."""
        return float(np.average(self._losses, weights=weights))

    def ece(self, weights: "Floats | None" = None) -> float:
        """Return the calibration error over 10 bins of equal width, each weighted by its outcomes."""
        return self._calibration_error(self._bins, weights)

    def ece_equal_mass(self, weights: "Floats | None" = None) -> float:
        """Return the calibration error over 10 bins with about the same number of outcomes; ties share a bin."""
        if self._quantiles is None:
            self._quantiles = equal_mass(self.scores)
        return self._calibration_error(self._quantiles, weights)

    def _calibration_error(self, bins: Any, weights: "Floats | None") -> float:
        return float(np.abs(self._bin_gaps(bins, weights)).sum())

    def _bin_gaps(self, bins: Any, weights: "Floats | None") -> "Floats":
        """Return how much too high the scores of each bin are, as a share of all outcomes."""
        gaps = self._gaps if weights is None else self._gaps * weights
        found: Floats = np.bincount(bins, gaps, BINS) / (len(self) if weights is None else weights.sum())
        return found

    def calibration_noise(self, weights: "Floats") -> dict[str, float]:
        """Return by how much a bootstrap draw moves the bins of each calibration error, whatever the direction.

        Perfect scores would have an error about as large by chance alone.
        """
        if self._quantiles is None:
            self._quantiles = equal_mass(self.scores)
        both = {"ece": self._bins, "ece_equal_mass": self._quantiles}
        moved = {name: self._bin_gaps(bins, weights) - self._bin_gaps(bins, None) for name, bins in both.items()}
        return {name: float(np.abs(gaps).sum()) for name, gaps in moved.items()}

    def cumulate(self, weights: "Floats | None" = None) -> "CumulativeSums":
        """Return the sums that ranking measures share, so that several of them cost one pass."""
        own = np.ones(len(self)) if weights is None else weights[self._order]
        mass = np.cumsum(own)
        wrong = np.cumsum(own * self._wrong)
        return CumulativeSums(own, mass, mass[self._ends], wrong[self._ends])

    def reliability(self) -> tuple[Bin, ...]:
        """Return the bins of equal width that have outcomes."""
        counts = np.bincount(self._bins, minlength=BINS)
        sums, right = np.bincount(self._bins, self.scores, BINS), np.bincount(self._bins, self.outcomes, BINS)
        return tuple(
            Bin(place / BINS, (place + 1) / BINS, int(n), float(sums[place] / n), float(right[place] / n))
            for place, n in enumerate(counts)
            if n
        )

    def curve(self, most: int = 100) -> tuple[Point, ...]:
        """Return the risk-coverage curve from the highest threshold on, thinned to about `most` points."""
        _, _, kept, wrong = self.cumulate()
        places = range(len(kept)) if len(kept) <= most else np.unique(np.linspace(0, len(kept) - 1, most).astype(int))
        thresholds = self.scores[self._order][self._ends]
        return tuple(Point(float(thresholds[i]), float(kept[i] / kept[-1]), float(wrong[i] / kept[i])) for i in places)


class CumulativeSums(NamedTuple):
    """Weights in order of falling scores, summed up: by outcome, and by distinct score."""

    weights: Any
    mass: Any
    """Weight of this outcome and of all before it."""
    kept: Any
    """Weight at or above each distinct score."""
    wrong: Any
    """Weight of wrong outcomes at or above each distinct score."""

    def auroc(self) -> float | None:
        """Return the chance that a right one scores above a wrong one; ties count half. None if all are alike."""
        right = self.kept - self.wrong
        if right[-1] <= _MASS or self.wrong[-1] <= _MASS:
            return None
        before = np.append(0.0, right[:-1])
        return float((np.diff(self.wrong, prepend=0.0) * (before + right)).sum() / (2.0 * right[-1] * self.wrong[-1]))

    def aurc(self) -> float:
        """Return the area under the risk-coverage curve: the mean risk over all coverages.

        Within a tie the order is random, so its expected risk counts. 0 is best; a useless score has the share of wrong
        outcomes.
        """
        # Place of an outcome, from 1; the mean of its places if it was drawn more than once.
        place = self.mass - self.weights / 2.0 + 0.5
        if len(self.kept) == len(self.mass):
            wrong = self.wrong - np.diff(self.wrong, prepend=0.0) * np.maximum(self.weights - 1.0, 0.0) / (
                2.0 * np.maximum(self.weights, 1.0)
            )
        else:
            wrong = np.interp(place, np.append(0.0, self.kept), np.append(0.0, self.wrong))
        return float((wrong / np.maximum(place, 0.5) * self.weights).sum() / self.mass[-1])

    def coverage_at(self, risk: float) -> float:
        """Return the largest share that a threshold keeps with at most this share of them wrong; 0 if none does."""
        good = (self.wrong <= risk * self.kept + _MASS) & (self.kept > _MASS)
        return float(self.kept[good][-1] / self.kept[-1]) if good.any() else 0.0


def equal_width(scores: "Floats") -> Any:
    """Return the bin of each score: 10 of equal width from 0 to 1, the last one including 1."""
    return np.minimum((scores * BINS).astype(np.int64), BINS - 1)


def equal_mass(scores: "Floats") -> Any:
    """Return the bin of each score: 10 bins of about the same number, equal scores in the same one."""
    ordered = np.sort(scores)
    first = np.searchsorted(ordered, scores, side="left") + np.searchsorted(ordered, scores, side="right") - 1
    return np.minimum((first * BINS) // (2 * max(len(scores), 1)), BINS - 1)


class Interval(NamedTuple):
    """A measure with its bootstrap interval."""

    value: float | None
    """None if the outcomes do not define it, such as AUROC when all are right."""
    lower: float | None = None
    upper: float | None = None


def default_draws(size: int) -> int:
    """Return how many bootstrap draws to make: 1,000, and fewer from 5,000 outcomes on, whose intervals are narrow."""
    return 1000 if size <= 5_000 else 200 if size <= 30_000 else 100  # noqa: PLR2004


def bootstrap_weights(size: int, groups: Any = None, *, draws: int, seed: int = 0) -> Any:
    """Yield for each bootstrap draw how often every outcome is drawn; with groups, whole groups are drawn."""
    dice = np.random.default_rng(seed)
    if groups is None:
        for _ in range(draws):
            yield np.bincount(dice.integers(0, size, size), minlength=size).astype(np.float64)
        return
    count = int(groups.max()) + 1
    for _ in range(draws):
        yield np.bincount(dice.integers(0, count, count), minlength=count).astype(np.float64)[groups]


def percentile_interval(value: float | None, drawn: list[float | None], level: float = 0.95) -> Interval:
    """Return a value with the percentile interval of its bootstrap draws."""
    known = [one for one in drawn if one is not None and math.isfinite(one)]
    if value is None or not known:
        return Interval(value)
    tail = (1.0 - level) / 2.0
    lower, upper = np.quantile(known, [tail, 1.0 - tail])
    return Interval(value, float(lower), float(upper))


def calibration_interval(value: float, drawn: list[float], noise: list[float], level: float = 0.95) -> Interval:
    """Return a calibration error with an interval that allows for its bias; the error is always inside.

    The error of a sample is too high by chance, since no bin's gap is exactly 0, and that of a bootstrap draw is too
    high once more. So the upper end is that of the draws, less their bias; the lower end is mirrored at the error
    (basic bootstrap), or 0 if noise alone is as large. Decision 0073 has the coverage.

    Args:
        value: The error of the sample.
        drawn: That of each bootstrap draw.
        noise: The `calibration_noise` of each draw.
        level: How often the interval should cover the error of infinitely many outcomes.
    """
    tail = (1.0 - level) / 2.0
    highest = float(np.quantile(drawn, 1.0 - tail))
    by_chance = value <= float(np.quantile(noise, level))
    lower = 0.0 if by_chance else max(2.0 * value - highest, 0.0)
    return Interval(value, min(lower, value), min(max(highest - float(np.mean(drawn)) + value, value), 1.0))
