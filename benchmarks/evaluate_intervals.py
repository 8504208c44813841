"""Measure in simulated worlds how often intervals hold the truth: `python -m benchmarks.evaluate_intervals [FOLDER]`.

The intervals of the reliability of sources (`howsure.fuse`, `sure.sources`) and of calibrated scores (`howsure.learn`).
Constants were chosen on the first worlds, and checked on the others. FOLDER holds labelled votes and scores with
outcomes, which are not part of this project; with it, intervals are also compared with how often sources and scores are
right there. The output is Markdown.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import howsure
from benchmarks.calibration_sets import ScoredSet, read_sets, splits
from benchmarks.evaluate_fuse import VoteSet, crowd_sets, open_sets
from benchmarks.measures import print_heads
from howsure.learn.calibration import calibrate
from howsure.sources.counts import interval

Floats = NDArray[np.float64]
Dice = np.random.Generator
WorldKind = Literal["open", "closed", "store"]
"""Values of a table, open or closed; or open ones with the intervals of a store, which keeps two counts alone."""
KINDS: tuple[WorldKind, ...] = ("open", "closed", "store")
Z = 1.645
SPLITS = 5
FEWEST_LEFT, FEWEST_OUTCOMES = 300, 50
"""Outcomes that a set has beside those that are learned from, and outcomes of a bin."""
FEWEST = 10
"""Answers with a known truth from which on a source is compared with its interval."""


class Sources(NamedTuple):
    """A world of independent sources."""

    reliabilities: Callable[[Dice], Floats]
    shares: tuple[float, ...] = (1.0, 0.5)
    """Share of the items that each source answers."""
    sizes: tuple[int, ...] = (20, 100, 1000)
    """Numbers of items."""
    values: tuple[int, ...] = (2, 4)
    """Numbers of values."""


class Scores(NamedTuple):
    """A world of scores with outcomes."""

    draw: Callable[[Dice, int], Floats]
    truth: Callable[[Floats], Floats]
    """The chance that something with this score is right."""


class Covered(NamedTuple):
    """How often intervals hold the truth, and their mean width."""

    share: float
    width: float

    def __str__(self) -> str:
        return f"{self.share:.0%}, {self.width:.2f}"


def _same(*chances: float) -> Callable[[Dice], Floats]:
    return lambda _: np.array(chances)


CHECKED_SOURCES = {"shares": (1.0, 0.7, 0.3), "sizes": (50, 300, 2000), "values": (2, 3, 6)}
CHOSEN: dict[str, Sources] = {
    "one good, one poor of 4": Sources(_same(0.95, 0.85, 0.7, 0.5)),
    "6 from .95 to .5": Sources(_same(0.95, 0.9, 0.8, 0.7, 0.6, 0.5)),
    "5 good ones": Sources(_same(0.95, 0.95, 0.9, 0.9, 0.85)),
    "8 fair ones": Sources(_same(0.8, 0.75, 0.7, 0.7, 0.65, 0.65, 0.6, 0.55)),
    "3 that differ": Sources(_same(0.9, 0.8, 0.6)),
    "20 that differ": Sources(lambda dice: dice.uniform(0.45, 0.97, 20)),
}
CHECKED: dict[str, Sources] = {
    "10 that differ": Sources(lambda dice: dice.uniform(0.55, 0.95, 10), **CHECKED_SOURCES),  # type: ignore[arg-type]
    "2 good, 2 poor": Sources(_same(0.92, 0.9, 0.6, 0.55), **CHECKED_SOURCES),  # type: ignore[arg-type]
    "5 that differ": Sources(lambda dice: dice.uniform(0.6, 0.98, 5), **CHECKED_SOURCES),  # type: ignore[arg-type]
    "7 weak ones": Sources(lambda dice: dice.uniform(0.52, 0.75, 7), **CHECKED_SOURCES),  # type: ignore[arg-type]
}


def _even(dice: Dice, size: int) -> Floats:
    return dice.random(size)


def _sigmoid(logits: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-logits))
    return result


def _logit(scores: Floats) -> Floats:
    inside = np.clip(scores, 1e-4, 1.0 - 1e-4)
    result: Floats = np.log(inside / (1.0 - inside))
    return result


def _step(scores: Floats, at: float, below: float, above: float) -> Floats:
    return np.where(scores < at, below, above)


CHOSEN_SCORES: dict[str, Scores] = {
    "square of the score": Scores(_even, lambda s: s**2),
    "3 s - 2.02 at .7, .8, .9, 1": Scores(
        lambda dice, size: dice.choice([0.7, 0.8, 0.9, 1.0, 1.0], size), lambda s: 3.0 * s - 2.02
    ),
    ".2 below .4, .95 above": Scores(_even, lambda s: _step(s, 0.4, 0.2, 0.95)),
    ".2, .5 and .95": Scores(_even, lambda s: _step(s, 0.4, 0.2, 0.5) + _step(s, 0.6, 0.0, 0.45)),
    "logistic, slope 2": Scores(_even, lambda s: _sigmoid(2.0 * _logit(s) - 1.0)),
    "logistic, slope .6, high scores": Scores(
        lambda dice, size: np.clip(np.round(dice.beta(8.0, 1.5, size) * 20.0) / 20.0, 0.05, 1.0),
        lambda s: _sigmoid(0.6 * _logit(np.clip(s, 1e-3, 1.0 - 1e-3)) - 1.0),
    ),
    "the score itself": Scores(_even, lambda s: s),
    ".6 whatever the score": Scores(_even, lambda s: np.full_like(s, 0.6)),
}
CHECKED_SCORES: dict[str, Scores] = {
    "root of the score": Scores(_even, np.sqrt),
    "cube of the score": Scores(_even, lambda s: s**3),
    "a slope between .3 and .9": Scores(_even, lambda s: 0.3 + 0.6 * np.clip((s - 0.3) / 0.4, 0.0, 1.0)),
    "at most .6": Scores(_even, lambda s: np.minimum(s, 0.6)),
    "at least .25": Scores(_even, lambda s: np.maximum(s, 0.25)),
    ".4 below .9, .9 above": Scores(lambda dice, size: dice.beta(5.0, 1.0, size), lambda s: _step(s, 0.9, 0.4, 0.9)),
    "2 s - 1 at six scores": Scores(
        lambda dice, size: dice.choice([0.5, 0.6, 0.7, 0.8, 0.9, 0.95], size),
        lambda s: np.clip(2.0 * s - 1.0, 0.02, 0.98),
    ),
    "log-odds 1 higher": Scores(lambda dice, size: dice.beta(2.0, 2.0, size), lambda s: _sigmoid(_logit(s) + 1.0)),
    "no unit, .3 below 1, .8 above": Scores(
        lambda dice, size: dice.normal(0.0, 3.0, size), lambda s: _step(s, 1.0, 0.3, 0.8)
    ),
}


def simulate_votes(dice: Dice, reliabilities: Floats, items: int, values: int, share: float) -> dict[str, Any]:
    """Return votes of independent sources, all wrong values being equally likely, and the truth of each item."""
    sources = len(reliabilities)
    truth = dice.integers(0, values, items)
    answered = dice.random((items, sources)) < share
    answered[np.arange(items), dice.integers(0, sources, items)] = True
    right = dice.random((items, sources)) < reliabilities
    wrong = (truth[:, None] + dice.integers(1, values, (items, sources))) % values
    item, source = np.nonzero(answered)
    value = np.where(right, truth[:, None], wrong)[item, source]
    return {"item": item.tolist(), "source": source.tolist(), "value": value.tolist(), "truth": truth}


def cover_sources(world: Sources, kind: WorldKind, size: int, *, repeats: int, seed: int) -> Covered:
    """Return how often the interval of a source holds its reliability in a world."""
    held, widths = [], []
    for repeat in range(repeats):
        for values in world.values:
            for share in world.shares:
                dice = np.random.default_rng([seed, repeat, values, int(100 * share), size])
                reliabilities = world.reliabilities(dice)
                votes = simulate_votes(dice, reliabilities, size, values, share)
                table = {name: votes[name] for name in ("item", "source", "value")}
                for source, lower, upper in bound_sources(table, kind):
                    held.append(lower <= reliabilities[source] <= upper)
                    widths.append(upper - lower)
    return Covered(float(np.mean(held)), float(np.mean(widths)))


def bound_sources(votes: Any, kind: WorldKind) -> list[tuple[Any, float, float]]:
    """Return each source with the bounds of its reliability."""
    fusion = howsure.fuse(votes, kind="open" if kind == "store" else kind)
    if kind != "store":
        return [(row.source, row.lower, row.upper) for row in fusion.sources]
    bounds = map(interval, fusion.fit.right.tolist(), fusion.fit.wrong.tolist())
    return [(row.source, one.lower, one.upper) for row, one in zip(fusion.sources, bounds, strict=True)]


def cover_scores(world: Scores, size: int, *, repeats: int, seed: int) -> Covered:
    """Return how often the interval of a calibrated score holds the chance of being right in a world."""
    held, widths = [], []
    for repeat in range(repeats):
        dice = np.random.default_rng([seed, repeat, size])
        scores = world.draw(dice, size)
        right = (dice.random(size) < world.truth(scores)).astype(np.float64)
        wanted = world.draw(dice, 60)
        lower, upper = bound(scores, right, wanted)
        truth = world.truth(wanted)
        held.append(np.mean((lower <= truth) & (truth <= upper)))
        widths.append(np.mean(upper - lower))
    return Covered(float(np.mean(held)), float(np.mean(widths)))


def bound(scores: Floats, right: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Return the bounds of the probability of some scores, learned from others, as `howsure.formulas.learned` does."""
    made = calibrate(scores, right)
    errors = np.interp(wanted, [knot.score for knot in made.knots], [knot.error for knot in made.knots])
    chances = made(wanted)
    logits = np.log(chances / (1.0 - chances))
    return _sigmoid(logits - Z * errors), _sigmoid(logits + Z * errors)


def flip_coins(items: int, repeats: int) -> tuple[float, float, list[str]]:
    """Return the mean probability of the likeliest values of five coins, how many are right, and bins that fail."""
    tops, rights, lowers, uppers = [], [], [], []
    for seed in range(repeats):
        dice = np.random.default_rng([7, seed])
        votes = simulate_votes(dice, np.full(5, 0.5), items, 2, 1.0)
        fusion = howsure.fuse({name: votes[name] for name in ("item", "source", "value")}, kind="closed")
        for item, row in fusion.best.items():
            tops.append(row.probability)
            lowers.append(row.lower)
            uppers.append(row.upper)
            rights.append(votes["truth"][item] == row.value)
    chances, right = np.array(tops), np.array(rights, dtype=np.float64)
    failed = []
    for low, high in ((0.5, 0.65), (0.65, 0.8), (0.8, 0.95), (0.95, 1.01)):
        inside = (chances >= low) & (chances < high)
        if inside.sum() >= FEWEST:
            bounds = np.array(lowers)[inside].mean(), np.array(uppers)[inside].mean()
            if not bounds[0] <= right[inside].mean() <= bounds[1]:
                failed.append(
                    f"{chances[inside].mean():.2f} [{bounds[0]:.2f}, {bounds[1]:.2f}], right {right[inside].mean():.2f}"
                )
    return float(chances.mean()), float(right.mean()), failed


def cover_labelled(votes: VoteSet, kind: WorldKind) -> tuple[int, float, float, float] | None:
    """Compare the intervals of sources with their answers to items whose truth is known.

    Returns:
        How many sources have enough of them, the share whose interval holds their share of right answers, the share
        whose interval meets Wilson's 90 % interval of it, and the mean width. None if no source has enough.
    """
    right, known = Counter[str](), Counter[str]()
    for item, source, value in set(votes.rows):
        if item in votes.truth:
            known[source] += 1
            right[source] += value == votes.truth[item]
    rows = []
    for source, lower, upper in bound_sources(votes.rows, kind):
        if (size := known[source]) >= FEWEST:
            rate = right[source] / size
            centre = (rate + Z**2 / 2.0 / size) / (1.0 + Z**2 / size)
            half = Z / (1.0 + Z**2 / size) * np.sqrt(rate * (1.0 - rate) / size + Z**2 / 4.0 / size**2)
            within = lower <= centre + half and centre - half <= upper
            rows.append((lower <= rate <= upper, within, upper - lower))
    if not rows:
        return None
    strictly, within, width = np.mean(np.array(rows, dtype=np.float64), axis=0)
    return len(rows), float(strictly), float(within), float(width)


def cover_outcomes(sets: list[ScoredSet], size: int) -> Covered:
    """Return in how many bins of left-out outcomes the share that is right lies within the mean bounds.

    Bins are tenths of the probability with at least 50 outcomes.
    """
    held, widths = [], []
    for one in sets:
        if len(one.scores) < size + FEWEST_LEFT:
            continue
        for known, rest in splits(one, size, SPLITS):
            lower, upper = bound(one.scores[known], one.outcomes[known], one.scores[rest])
            tenths = np.minimum(
                (calibrate(one.scores[known], one.outcomes[known])(one.scores[rest]) * 10).astype(int), 9
            )
            for tenth in range(10):
                inside = tenths == tenth
                if inside.sum() >= FEWEST_OUTCOMES:
                    bounds = lower[inside].mean(), upper[inside].mean()
                    held.append(bounds[0] <= one.outcomes[rest][inside].mean() <= bounds[1])
                    widths.append(bounds[1] - bounds[0])
    return Covered(float(np.mean(held)), float(np.mean(widths)))


def print_sources(worlds: Mapping[str, Sources], repeats: int, seed: int) -> None:
    sizes = next(iter(worlds.values())).sizes
    print_heads("sources", *(f"{kind}, {size:,} items" for kind in KINDS for size in sizes))
    total: dict[tuple[str, int], list[Covered]] = defaultdict(list)
    for name, world in worlds.items():
        found = []
        for kind in KINDS:
            for size in sizes:
                found.append(cover_sources(world, kind, size, repeats=repeats, seed=seed))
                total[kind, size].append(found[-1])
        print(f"| {name} | {' | '.join(map(str, found))} |", flush=True)
    print(f"| **all** | {' | '.join(str(_mean(one)) for one in total.values())} |\n", flush=True)


def print_scores(worlds: Mapping[str, Scores], sizes: Iterable[int], repeats: int, seed: int) -> None:
    print_heads("chance of being right", *(f"{size} outcomes" for size in sizes))
    total: dict[int, list[Covered]] = defaultdict(list)
    for name, world in worlds.items():
        found = {size: cover_scores(world, size, repeats=repeats, seed=seed) for size in sizes}
        for size, one in found.items():
            total[size].append(one)
        print(f"| {name} | {' | '.join(map(str, found.values()))} |", flush=True)
    print(f"| **all** | {' | '.join(str(_mean(one)) for one in total.values())} |\n", flush=True)


def _mean(found: list[Covered]) -> Covered:
    return Covered(*np.mean(np.array(found), axis=0).tolist())


def main(folder: Path | None) -> None:
    """Print the tables. Each cell: the share of intervals that hold the truth, and their mean width."""
    print("## Reliability of sources: worlds that constants were chosen on, and others\n")
    print_sources(CHOSEN, 4, 1)
    print_sources(CHECKED, 3, 2)
    print("## Calibrated scores: worlds that constants were chosen on, and others\n")
    print_scores(CHOSEN_SCORES, (30, 100, 500), 40, 3)
    print_scores(CHECKED_SCORES, (30, 100, 500), 40, 4)
    print("## Five coins, two values\n")
    for items in (30, 200):
        chance, right, failed = flip_coins(items, 20)
        print(f"{items} items: mean probability {chance:.2f}, right {right:.2f}; bins that fail: {'; '.join(failed)}\n")
    if folder is None:
        return
    print("## Calibrated scores with outcomes\n")
    sets = read_sets(folder)
    print_heads("scores", *(f"{size} outcomes" for size in (20, 50, 100, 300)))
    for group in ("stated", "token", "forecast"):
        found_bins = [cover_outcomes([one for one in sets if one.kind == group], size) for size in (20, 50, 100, 300)]
        print(f"| {group} | {' | '.join(map(str, found_bins))} |", flush=True)
    print("\n## Reliability of sources with labelled answers\n")
    print_heads("set", "sources", "held", "within noise", "width")
    labelled: list[tuple[WorldKind, VoteSet]] = [("closed", votes) for votes in crowd_sets(folder)]
    labelled += [(kind, votes) for votes in open_sets(folder) for kind in ("open", "store")]
    for kind, votes in labelled:
        if found := cover_labelled(votes, kind):
            count, strictly, within, width = found
            name = f"{votes.name}, by a store" if kind == "store" else votes.name
            print(f"| {name} | {count} | {strictly:.0%} | {within:.0%} | {width:.2f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
