"""Calibration: learn from outcomes which probability a score stands for.

The map is the weighted mean of four maps, each drawn to what one would believe without outcomes:

- a constant, the share of right outcomes;
- the score itself, if it is between 0 and 1;
- Platt's logistic function of the score's log-odds, drawn to the identity (offset 0, slope 1);
- isotonic regression, drawn to Platt's map by pseudo-outcomes at every distinct score.

Their weights are exp(-loss / 2), where loss is the log loss over 10 folds, summed over all outcomes; that of the score
itself is doubled, so that a score which is nearly right is changed only if outcomes say so. A score that is not between
0 and 1 is standardized by its median and spread first. The result is a rising line through knots, which
`howsure.formulas.learned` computes on any kind of number.

The standard error of the result is Platt's, which would do if his form were right, or what the outcomes at nearby
scores say without any form, whichever is larger: `2 d^2 + 1.3 v`, where d is how far their share of right ones is from
the map in log-odds, and v the variance of that share.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.arrays import np
from howsure.formulas.learned import CalibrationKnot
from howsure.learn.fit import Scale

if TYPE_CHECKING:
    from howsure.arrays import Floats

FOLDS = 10
"""Folds of the cross-validation that weighs the maps."""
OFFSET_PRECISION = 10.0
"""How strongly Platt's offset is drawn to 0. Most scores are far above one half, where offset and slope do the same: a
free slope and a firm offset gave a Brier score .0004 lower after 300 outcomes than the reverse (1 and 10)."""
SLOPE_PRECISION = 5.0
"""How strongly Platt's slope is drawn to 1."""
IDENTITY_PRIOR = 2.0
"""Weight of the score itself before any outcome, relative to the other maps. Chosen with the two precisions by leaving
out one set at a time; decision 0028 has the numbers."""
PSEUDO_OUTCOMES = 20.0
"""Outcomes at Platt's value that are added to every distinct score before isotonic regression."""
MOST_PSEUDO_OUTCOMES = 100.0
"""Such outcomes in all. Without a limit, a score with many distinct values gets Platt's map whatever its outcomes say:
on one with a step in the middle, 300 outcomes gave a calibration error of .12 instead of .06."""
SHARPNESS = 0.5
"""Factor of the log loss in the weights. 1 follows small differences too closely: log loss .3186 instead of .3179."""
SLACK = 0.3
"""Standard error in log-odds that stands for what the maps leave out."""
NEARBY = 0.7
"""The outcomes nearby are the nearest n to the power of this, of n: 11 of 30, 77 of 500; at least all of one score."""
DISTANCE_SHARE, NEARBY_SHARE = 2.0, 1.3
"""Factors of d^2 and v. Of four powers and 49 pairs of factors, these have the narrowest intervals that held the truth
in 85 % of cases in each of 8 simulated worlds, with 30, 100 and 500 outcomes (decision 0085). Platt's error alone held
it in 40 to 100 %."""
EDGE = 1e-4
"""Scores between 0 and 1 are kept this far from both ends, since their log-odds would be infinite. Probabilities of
tokens are often above 0.999: with 1e-3, their Brier score was .146 instead of .143."""
FURTHEST = 6.0
"""Standardized scores are kept within this distance of the median."""
MOST_LEVELS = 1000
"""Distinct scores that are told apart; beyond it, neighbours share a level."""
MOST_KNOTS = 40
"""Knots at distinct scores. A fixed grid of about 25 comes in addition."""
_GRID = (
    0.0005,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    *(place / 20 for place in range(2, 19)),
    0.95,
    0.98,
    0.99,
    0.995,
    0.998,
    0.9995,
)
_TINY = 1e-6
MAPS = ("constant", "identity", "platt", "isotonic")


def to_logits(scores: "Floats", scale: Scale) -> "Floats":
    """Return the log-odds of scores, or their standardized values."""
    if scale.kind == "unit":
        inside = np.clip(scores, EDGE, 1.0 - EDGE)
        return np.log(inside / (1.0 - inside))
    return np.clip((scores - scale.centre) / scale.spread, -FURTHEST, FURTHEST)


def choose_scale(scores: "Floats") -> Scale:
    """Return the scale of a column: `unit` if all of it is between 0 and 1, else `standard`."""
    if np.all((scores >= 0.0) & (scores <= 1.0)):
        return Scale("unit")
    low, centre, high = (float(place) for place in np.quantile(scores, [0.25, 0.5, 0.75]))
    spread = (high - low) / 1.349 or float(scores.std()) or 1.0
    return Scale("standard", centre, spread)


class Levels(NamedTuple):
    """Distinct scores in rising order, and the outcomes of each."""

    scores: "Floats"
    logits: "Floats"
    place: Any
    """Level of each outcome."""
    outcomes: "Floats"
    """Number of outcomes of each level."""
    right: "Floats"


def group_levels(scores: "Floats", outcomes: "Floats", scale: Scale) -> Levels:
    """Group outcomes by their score. Beyond 1,000 distinct scores, neighbours share a level."""
    distinct, place = np.unique(scores, return_inverse=True)
    if len(distinct) > MOST_LEVELS:
        counts = np.cumsum(np.bincount(place))
        bucket = (np.append(0, counts[:-1]) * MOST_LEVELS) // counts[-1]
        place = np.unique(bucket, return_inverse=True)[1][place]
    count = np.bincount(place).astype(np.float64)
    mean = np.bincount(place, scores) / count
    return Levels(
        mean, to_logits(mean, scale), place, count, np.bincount(place, outcomes, len(count)).astype(np.float64)
    )


def sigmoid(logits: "Floats") -> "Floats":
    """Return 1 / (1 + e^-x)."""
    result: Floats = 1.0 / (1.0 + np.exp(-np.clip(logits, -40.0, 40.0)))
    return result


class Line(NamedTuple):
    """Platt's map: log-odds are offset + slope * x."""

    offset: float
    slope: float
    covariance: Any
    """Of offset and slope, by Laplace's approximation."""

    def error(self, logits: "Floats") -> "Floats":
        """Return the standard error of the log-odds."""
        (own, both), (_, rise) = self.covariance
        result: Floats = np.sqrt(np.maximum(own + 2.0 * both * logits + rise * logits * logits, 0.0))
        return result


def fit_line(logits: "Floats", outcomes: "Floats", right: "Floats") -> Line:
    """Return Platt's map with the highest posterior, by Newton's method with step halving. Its slope is at least 0."""
    prior = np.array([OFFSET_PRECISION, SLOPE_PRECISION])
    target = np.array([0.0, 1.0])
    design = np.stack([np.ones_like(logits), logits], axis=1)

    def loss(at: Any) -> float:
        linear = design @ at
        fit = outcomes @ np.logaddexp(0.0, linear) - right @ linear
        return float(fit + 0.5 * prior @ (at - target) ** 2)

    at, best = target, loss(target)
    while True:
        chance = sigmoid(design @ at)
        gradient = design.T @ (outcomes * chance - right) + prior * (at - target)
        curvature = (design * (outcomes * chance * (1.0 - chance))[:, None]).T @ design + np.diag(prior)
        step, size = np.linalg.solve(curvature, gradient), 1.0
        while (now := loss(at - size * step)) > best and size > _TINY:
            size /= 2.0
        if now > best - 1e-9:
            break
        at, best = at - size * step, now
    if at[1] > 0.0:
        return Line(float(at[0]), float(at[1]), np.linalg.inv(curvature))
    # A higher score must not mean less: without a rising slope the map is a constant.
    share = (right.sum() + 1.0) / (outcomes.sum() + 2.0)
    variance = 1.0 / (OFFSET_PRECISION + outcomes.sum() * share * (1.0 - share))
    return Line(float(np.log(share / (1.0 - share))), 0.0, np.array([[variance, 0.0], [0.0, 0.0]]))


def pool_adjacent(values: "Floats", weights: "Floats") -> "Floats":
    """Return the rising values nearest to the given ones in weighted squares (pool adjacent violators)."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        own, mass, size = value, weight, 1
        while pools and pools[-1][0] >= own:
            before, heavy, count = pools.pop()
            own = (before * heavy + own * mass) / (heavy + mass)
            mass, size = heavy + mass, count + size
        pools.append((own, mass, size))
    return np.repeat([own for own, _, _ in pools], [size for _, _, size in pools])


class Maps(NamedTuple):
    """The four maps, learned from the same outcomes."""

    constant: float
    line: Line
    steps_at: "Floats"
    """Where isotonic regression has values."""
    steps: "Floats"
    unit: bool
    """Whether the score itself is one of the maps."""

    def __call__(self, logits: "Floats") -> "Floats":
        """Return one row of probabilities for each map, in the order of `MAPS`."""
        platt = sigmoid(self.line.offset + self.line.slope * logits)
        isotonic = np.interp(logits, self.steps_at, self.steps)
        identity = [sigmoid(logits)] if self.unit else []
        return np.stack([np.full_like(logits, self.constant), *identity, platt, isotonic])


def fit_maps(logits: "Floats", outcomes: "Floats", right: "Floats", *, unit: bool) -> Maps:
    """Learn the four maps."""
    constant = float((right.sum() + 1.0) / (outcomes.sum() + 2.0))
    line = fit_line(logits, outcomes, right)
    known = outcomes > 0
    platt = sigmoid(line.offset + line.slope * logits[known])
    pseudo = min(PSEUDO_OUTCOMES, MOST_PSEUDO_OUTCOMES / len(platt))
    mass = outcomes[known] + pseudo
    steps = pool_adjacent((right[known] + pseudo * platt) / mass, mass)
    return Maps(constant, line, logits[known], steps, unit)


def weigh_maps(levels: Levels, outcomes: "Floats", *, unit: bool) -> "Floats":
    """Return the weight of each map by its log loss over 10 folds.

    Folds are dealt in order of score and outcome, so that the order of the rows makes no difference.
    """
    size, count = len(outcomes), len(levels.scores)
    fold = np.empty(size, dtype=np.int64)
    fold[np.lexsort((outcomes, levels.place))] = np.arange(size) % FOLDS
    cell = fold * count + levels.place
    held = np.bincount(cell, minlength=FOLDS * count).reshape(FOLDS, count).astype(np.float64)
    held_right = np.bincount(cell, outcomes, FOLDS * count).reshape(FOLDS, count)
    losses = np.zeros(len(MAPS) if unit else len(MAPS) - 1)
    for own, own_right in zip(held, held_right, strict=True):
        if 0.0 < own.sum() < size:
            maps = fit_maps(levels.logits, levels.outcomes - own, levels.right - own_right, unit=unit)
            chances = np.clip(maps(levels.logits), _TINY, 1.0 - _TINY)
            losses -= np.log(chances) @ own_right + np.log(1.0 - chances) @ (own - own_right)
    weights = np.exp(-SHARPNESS * (losses - losses.min()))
    if unit:
        weights[MAPS.index("identity")] *= IDENTITY_PRIOR
    result: Floats = weights / weights.sum()
    return result


def nearby_variance(levels: Levels, logits: "Floats", chances: "Floats") -> "Floats":
    """Return the squared error in log-odds that the outcomes at nearby scores allow for, whatever the form of the map.

    Args:
        levels: The outcomes by score.
        logits: Where to look, as log-odds of scores.
        chances: What the map says there.
    """
    counts = np.append(0.0, np.cumsum(levels.outcomes))
    rights = np.append(0.0, np.cumsum(levels.right))
    total = counts[-1]
    centre = np.interp(logits, levels.logits, counts[1:] - levels.outcomes / 2.0)
    size = np.minimum(np.maximum(total**NEARBY, np.interp(logits, levels.logits, levels.outcomes)), total)
    start = np.clip(centre - size / 2.0, 0.0, total - size)
    right = np.interp(start + size, counts, rights) - np.interp(start, counts, rights)
    # Shares are drawn to one half for their variance, since all right is no proof, and to the map for the distance.
    share = (right + 1.0) / (size + 2.0)
    chances = np.clip(chances, _TINY, 1.0 - _TINY)
    drawn = (right + 2.0 * chances) / (size + 2.0)
    distance = np.log(drawn / (1.0 - drawn)) - np.log(chances / (1.0 - chances))
    result: Floats = DISTANCE_SHARE * distance**2 + NEARBY_SHARE / (size * share * (1.0 - share))
    return result


@dataclass(frozen=True)
class Calibration:
    """A calibration map."""

    scale: Scale
    weights: dict[str, float]
    """Weight of each of the maps."""
    knots: tuple[CalibrationKnot, ...]

    def __call__(self, scores: "Floats") -> "Floats":
        """Return the probability of each score."""
        at = [knot.score for knot in self.knots]
        return np.interp(scores, at, [knot.probability for knot in self.knots])


def calibrate(scores: Any, outcomes: Any) -> Calibration:
    """Learn which probability a score stands for, from scores and outcomes (1 right, 0 wrong).

    >>> calibrate(np.array([0.9] * 50), np.array([1.0] * 30 + [0.0] * 20))(np.array([0.9])).round(2)
    array([0.61])
    """
    scores, outcomes = np.asarray(scores, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    scale = choose_scale(scores)
    unit = scale.kind == "unit"
    levels = group_levels(scores, outcomes, scale)
    weights = weigh_maps(levels, outcomes, unit=unit)
    maps = fit_maps(levels.logits, levels.outcomes, levels.right, unit=unit)
    at = _knot_scores(levels, scale)
    logits = to_logits(at, scale)
    chances = np.maximum.accumulate(weights @ maps(logits))
    own = maps.line.error(logits) ** 2 + SLACK**2
    errors = np.sqrt(np.maximum(own, nearby_variance(levels, logits, chances)))
    knots = tuple(
        CalibrationKnot(score, chance, error)
        for score, chance, error in zip(at.tolist(), chances.tolist(), errors.tolist(), strict=True)
    )
    names = [name for name in MAPS if unit or name != "identity"]
    return Calibration(scale, dict(zip(names, weights.tolist(), strict=True)), knots)


def _knot_scores(levels: Levels, scale: Scale) -> "Floats":
    """Return where the map gets knots: at the levels, or at evenly filled ones if there are many, and on a grid."""
    own = levels.scores
    if len(own) > MOST_KNOTS:
        mass = np.cumsum(levels.outcomes)
        even = np.searchsorted(mass, np.linspace(mass[0], mass[-1], MOST_KNOTS))
        own = own[np.unique(even)]
    if scale.kind == "unit":
        grid = np.array([EDGE, *_GRID, 1.0 - EDGE])
        return np.unique(np.concatenate([grid, np.clip(own, EDGE, 1.0 - EDGE)]))
    # One spread beyond the outcomes the map becomes constant.
    steps = np.arange(-FURTHEST, FURTHEST + 0.5, 0.5) * scale.spread + scale.centre
    low, high = own[0] - scale.spread, own[-1] + scale.spread
    return np.unique(np.concatenate([np.clip(steps, low, high), own]))
