"""Evaluate `howsure.fuse` on labelled votes: `python -m benchmarks.evaluate_fuse FOLDER [PYTHON]`.

FOLDER holds the data sets, which are not part of this project: crowd_truth_inference, fusion_book_authors,
fusion_population and llm_votes_gsm. PYTHON is an interpreter that has crowd-kit, for its methods as baselines;
without it, they are left out. The output is Markdown.
"""

import csv
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import howsure
from howsure.fusion import intervals
from howsure.fusion.api import Fusion
from howsure.learn.metrics import Scores

Row = tuple[str, str, str]
Chances = dict[str, dict[str, float]]
"""The probability of each value of each item."""

CROWDS = ("bluebird", "face", "product", "rte", "sent_polarity", "weather_sent_cf", "web", "zencrowd_us")
VERIFIED_DRAWS = 5
SMALL, SMALL_DRAWS = (30, 60, 120), 10
FEWEST = 10
"""Claims of a bin of which the coverage is counted."""
WIDEST = 0.25
"""Mean width of intervals that is wanted at most."""
CROWD_KIT = """
import sys, time
import pandas as pd
from crowdkit import aggregation
votes = pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
votes.columns = ["task", "worker", "label"]
votes = votes.drop_duplicates(["task", "worker"])
for name in sys.argv[3].split(","):
    start, busy = time.perf_counter(), time.process_time()
    chances = getattr(aggregation, name)().fit_predict_proba(votes)
    print("took", name, time.perf_counter() - start, time.process_time() - busy, file=sys.stderr)
    if sys.argv[2]:
        long = chances.rename_axis(index="item", columns="value").stack().rename("probability").reset_index()
        long[long.probability > 1e-6].to_csv(sys.argv[2] + name, index=False)
"""
CROWD_KIT_METHODS = ("MajorityVote", "Wawa", "ZeroBasedSkill", "OneCoinDawidSkene", "DawidSkene", "GLAD", "MACE")


Intervals = NDArray[np.float64]
"""Probability, lower and upper bound of claims, whether they are right, and the variance of their log odds."""


class VoteSet(NamedTuple):
    """Votes with the truth of some items."""

    name: str
    rows: list[Row]
    truth: dict[str, str]


class Measured(NamedTuple):
    """How good probabilities are."""

    accuracy: float
    """Share of items whose likeliest value is right."""
    ece: float
    """Calibration error of the likeliest values, over 10 bins."""
    brier: float
    """Sum over all values of the squared difference between probability and truth, averaged over items."""


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def crowd_sets(folder: Path) -> Iterable[VoteSet]:
    for name in CROWDS:
        place = folder / "crowd_truth_inference" / name
        rows = [(row["item"], row["worker"], row["label"]) for row in read(place / "label.csv")]
        yield VoteSet(name, rows, {row["item"]: row["truth"] for row in read(place / "truth.csv")})


def open_sets(folder: Path) -> Iterable[VoteSet]:
    from pyarrow import parquet

    place = folder / "fusion_book_authors"
    rows = [(row["object"], row["source"], row["norm"]) for row in read(place / "claims.csv") if row["norm"]]
    yield VoteSet("book_authors", rows, {row["object"]: row["norm"] for row in read(place / "truth.csv")})
    place = folder / "fusion_population"
    rows = [(f"{row['object']}|{row['attribute']}", row["source"], row["value"]) for row in read(place / "claims.csv")]
    truth = {f"{row['object']}|{row['attribute']}": row["value"] for row in read(place / "truth.csv")}
    yield VoteSet("population", rows, truth)
    place = folder / "llm_votes_gsm"
    table = parquet.read_table(place / "votes.parquet").to_pylist()
    rows = [(row["question_id"], row["model"], row["value"]) for row in table if row["value"] is not None]
    yield VoteSet("gsm", rows, {row["question_id"]: row["answer"] for row in read(place / "truth.csv")})


def measure(chances: Chances, truth: dict[str, str]) -> Measured:
    items = [item for item in chances if item in truth]
    best = [max(chances[item].items(), key=lambda pair: pair[1]) for item in items]  # ties: the first
    right = np.array([value == truth[item] for item, (value, _) in zip(items, best, strict=True)], dtype=np.float64)
    tops = np.clip(np.array([chance for _, chance in best]), 0.0, 1.0)
    squares = [
        sum((chance - (value == truth[item])) ** 2 for value, chance in chances[item].items())
        + (truth[item] not in chances[item])
        for item in items
    ]
    return Measured(float(right.mean()), Scores(tops, right).ece(), float(np.mean(squares)))


def majority(rows: list[Row]) -> Chances:
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for item, _, value in sorted(set(rows)):
        votes[item][value] += 1
    return {item: {value: n / counts.total() for value, n in counts.items()} for item, counts in votes.items()}


def dawid_skene(rows: list[Row], rounds: int = 100) -> Chances:
    """Learn plain Dawid-Skene: a confusion matrix for each source, with 0.01 before the first answer."""
    items, sources, values = (
        {name: place for place, name in enumerate(sorted(set(column)))} for column in zip(*rows, strict=True)
    )
    coded = np.array([(items[i], sources[s], values[v]) for i, s, v in sorted(set(rows))])
    size = len(values)
    q = np.zeros((len(items), size))
    np.add.at(q, (coded[:, 0], coded[:, 2]), 1.0)
    q /= q.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        counts = np.full((len(sources), size, size), 0.01)
        np.add.at(counts.transpose(0, 2, 1), (coded[:, 1], coded[:, 2]), q[coded[:, 0]])
        logs = np.log(counts / counts.sum(axis=2, keepdims=True))
        total = np.tile(np.log(q.mean(axis=0) + 1e-12), (len(items), 1))
        np.add.at(total, coded[:, 0], logs.transpose(0, 2, 1)[coded[:, 1], coded[:, 2]])
        new = np.exp(total - total.max(axis=1, keepdims=True))
        new /= new.sum(axis=1, keepdims=True)
        change, q = np.abs(new - q).max(), new
        if change < 1e-4:  # noqa: PLR2004
            break
    names = list(values)
    return {item: dict(zip(names, q[place].tolist(), strict=True)) for item, place in items.items()}


class CrowdKit(NamedTuple):
    """What a method of crowd-kit found, and how long it took."""

    chances: Chances
    seconds: float
    cpu: float


def crowd_kit(rows: list[Row], python: str, methods: Iterable[str], *, wanted: bool = True) -> dict[str, CrowdKit]:
    """Run methods of crowd-kit, each with its defaults, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        votes, out = Path(folder) / "votes.csv", Path(folder) / "out-"
        with votes.open("w", newline="") as file:
            csv.writer(file).writerows([("item", "source", "value"), *rows])
        command = [python, "-W", "ignore", "-c", CROWD_KIT, str(votes), str(out) if wanted else "", ",".join(methods)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = {}
        for line in done.stderr.splitlines():
            if line.startswith("took "):
                _, name, seconds, cpu = line.split()
                chances: Chances = defaultdict(dict)
                for row in read(Path(f"{out}{name}")) if wanted else []:
                    chances[row["item"]][row["value"]] = float(row["probability"])
                found[name] = CrowdKit(chances, float(seconds), float(cpu))
        return found


def as_chances(fusion: Fusion) -> Chances:
    chances: Chances = defaultdict(dict)
    for row in fusion.values:
        chances[row.item][row.value] = row.probability
    return chances


def verify(votes: VoteSet, share: float, seed: int) -> dict[str, str]:
    """Draw items whose truth is known beforehand."""
    dice = np.random.default_rng(seed)
    known = sorted(set(votes.truth) & {item for item, _, _ in votes.rows})
    return {item: votes.truth[item] for item in known if dice.random() < share}


def judge_intervals(fusion: Fusion, truth: dict[str, str]) -> Intervals:
    """Return the interval of each claim about an item whose truth is known, and whether the claim is right."""
    fit = fusion.fit
    names, values = fusion._items, fusion._values  # noqa: SLF001 - rows of `values` have no variance
    rows = [place for place, item in enumerate(fit.items.tolist()) if names[item] in truth]
    right = [truth[names[fit.items[place]]] == values[fit.values[place]] for place in rows]
    return np.stack([fit.probability[rows], fit.lower[rows], fit.upper[rows], right, fit.spread[rows]], axis=1)


def tenths(claims: Intervals) -> list[Intervals]:
    """Divide claims by the first digit of their probability; bins of few claims are left out."""
    digits = np.minimum((claims[:, 0] * 10).astype(int), 9)
    return [claims[digits == digit] for digit in range(10) if (digits == digit).sum() >= FEWEST]


def equal_counts(claims: Intervals) -> list[Intervals]:
    """Divide claims, sorted by probability, into ten bins of the same size."""
    return np.array_split(claims[np.argsort(claims[:, 0], kind="stable")], 10)


def covers(claims: Intervals, *, noise: bool) -> bool:
    """Return whether the mean interval of a bin covers the share that is right.

    Args:
        claims: The claims of the bin.
        noise: Whether it is enough that it meets Wilson's 95 % interval of that share.
    """
    _, lower, upper, rate, _ = claims.mean(axis=0)
    if not noise:
        return bool(lower <= rate <= upper)
    z, size = 1.96, len(claims)
    centre = (rate + z**2 / 2 / size) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(rate * (1 - rate) / size + z**2 / 4 / size**2)
    return bool(lower <= centre + half and centre - half <= upper)


def width(bins: list[Intervals]) -> float:
    """Return how wide the intervals of bins are, on average."""
    return float(np.mean([(claims[:, 2] - claims[:, 1]).mean() for claims in bins]))


def show_cover(bins: list[Intervals]) -> str:
    """Say how many bins are covered, how many within the noise of their share, and how wide they are."""
    strictly, within = (sum(covers(claims, noise=noise) for claims in bins) for noise in (False, True))
    shares = f"{strictly} of {len(bins)} ({strictly / len(bins):.0%}), within noise {within / len(bins):.0%}"
    return f"{shares}, width {width(bins):.2f}"


def bound_again(claims: Intervals, setting: tuple[float, float, float, float]) -> Intervals:
    """Return claims with the intervals that other numbers give."""
    names = ("TOO_STRONG", "TOO_WEAK", "Z_SOURCES", "SHARED_MISTAKES")
    before = [getattr(intervals, name) for name in names]
    for name, number in zip(names, setting, strict=True):
        setattr(intervals, name, number)
    lower, upper = intervals.bound_probabilities(claims[:, 0], claims[:, 4], np.zeros(len(claims), dtype=np.bool_))
    for name, number in zip(names, before, strict=True):
        setattr(intervals, name, number)
    return np.stack([claims[:, 0], lower, upper, claims[:, 3], claims[:, 4]], axis=1)


def leave_one_out(sets: list[Intervals]) -> list[Intervals]:
    """Return each set with intervals by the numbers that are best on all the others.

    Best is: most bins covered, tenths and equal counts, at a mean width of tenths of at most .25.
    """
    settings = list(itertools.product((0.2, 0.3, 0.4, 0.5), (0.35, 0.6, 0.9), (1.0, 1.2, 1.645), (0.0, 0.015, 0.025)))
    counts = np.zeros((len(settings), len(sets), 4))
    for place, setting in enumerate(settings):
        for number, claims in enumerate(sets):
            bounded = bound_again(claims, setting)
            bins, others = tenths(bounded), equal_counts(bounded)
            covered = sum(covers(one, noise=False) for one in bins), sum(covers(one, noise=False) for one in others)
            counts[place, number] = (covered[0], covered[1], len(bins) * width(bins), len(bins))
    found = []
    for number, claims in enumerate(sets):
        total = counts.sum(axis=1) - counts[:, number]
        share = total[:, 0] / total[:, 3] + total[:, 1] / (10 * (len(sets) - 1))
        best = int(np.argmax(np.where(total[:, 2] / total[:, 3] <= WIDEST, share, -1.0)))
        print(f"set {number}: {settings[best]}", file=sys.stderr)
        found.append(bound_again(claims, settings[best]))
    return found


def plant_ring(
    votes: VoteSet, leader: str, *, size: int = 5, rate: float = 0.95, seed: int = 0
) -> tuple[list[Row], list[str]]:
    """Add copies of a source: each of its answers is copied, or with chance 1 - rate drawn from the item's answers."""
    dice = np.random.default_rng(seed)
    answers: dict[str, list[str]] = defaultdict(list)
    for item, _, value in votes.rows:
        answers[item].append(value)
    own = {item: value for item, source, value in votes.rows if source == leader}
    names = [leader, *(f"copy {number}" for number in range(1, size))]
    added = [
        (item, name, value if dice.random() < rate else answers[item][dice.integers(len(answers[item]))])
        for name in names[1:]
        for item, value in own.items()
    ]
    return votes.rows + added, names


def print_table(heads: list[str], rows: Iterable[Iterable[Any]]) -> None:
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    for row in rows:
        print("| " + " | ".join(cell if isinstance(cell, str) else f"{cell:.3f}" for cell in row) + " |")
    print()


def show(measured: Measured) -> str:
    return " / ".join(f"{number:.3f}" for number in measured)


def evaluate_crowds(sets: list[VoteSet], python: str | None) -> list[Intervals]:
    all_bins, joined = [], 0
    methods: dict[str, list[Measured]] = defaultdict(list)
    for votes in sets:
        found: dict[str, Measured] = {"majority": measure(majority(votes.rows), votes.truth)}
        found["Dawid-Skene"] = measure(dawid_skene(votes.rows), votes.truth)
        if python:
            for name, other in crowd_kit(votes.rows, python, CROWD_KIT_METHODS).items():
                found[f"crowd-kit {name}"] = measure(other.chances, votes.truth)
        fusion = howsure.fuse(votes.rows)
        joined += sum(source.group is not None for source in fusion.sources)
        all_bins.append(judge_intervals(fusion, votes.truth))
        found["fuse"] = measure(as_chances(fusion), votes.truth)
        drawn = []
        for seed in range(VERIFIED_DRAWS):
            known = verify(votes, 0.05, seed)
            rest = {item: value for item, value in votes.truth.items() if item not in known}
            drawn.append(measure(as_chances(howsure.fuse(votes.rows, verified=known)), rest))
        found["fuse, 5 % verified"] = Measured(*np.mean(drawn, axis=0))
        for name, one in found.items():
            methods[name].append(one)
    print("## Closed values: accuracy / ECE / Brier\n")
    means = {name: Measured(*np.mean(each, axis=0)) for name, each in methods.items()}
    print_table(
        ["method", *(votes.name for votes in sets), "**mean**"],
        ([name, *map(show, each), show(means[name])] for name, each in methods.items()),
    )
    print(f"Sources joined on all crowd sets: {joined}\n")
    return all_bins


def evaluate_intervals(crowds: list[Intervals], others: list[Intervals]) -> None:
    """Print how many bins of claims have an interval that covers the share that is right."""
    sets = crowds + others
    rows = []
    for name, some in (("", sets), (", numbers chosen without the set", leave_one_out(sets))):
        parts = {"crowd sets": some[: len(crowds)], "open sets": some[len(crowds) :], "all": some}
        for bins, divide in (("tenths", tenths), ("equal counts", equal_counts)):
            each = [[one for claims in part for one in divide(claims)] for part in parts.values()]
            rows.append([f"each set, {bins}{name}", *map(show_cover, each)])
            together = [divide(np.concatenate(part)) for part in parts.values()]
            rows.append([f"all sets together, {bins}{name}", *map(show_cover, together)])
    print("## Intervals: bins of claims whose interval covers the share that is right\n")
    print_table(["bins", "crowd sets", "open sets", "all"], rows)


def evaluate_open(sets: list[VoteSet]) -> list[Intervals]:
    rows, bins = [], []
    for votes in sets:
        fusion, plain = howsure.fuse(votes.rows), howsure.fuse(votes.rows, copies=False)
        bins.append(judge_intervals(fusion, votes.truth))
        groups = Counter(source.group for source in fusion.sources if source.group)
        cells = [measure(majority(votes.rows), votes.truth), measure(as_chances(plain), votes.truth)]
        cells.append(measure(as_chances(fusion), votes.truth))
        rows.append([votes.name, fusion.kind, *map(show, cells), f"{groups.total()} in {len(groups)}"])
    print("## Open values: accuracy / ECE / Brier\n")
    print_table(["set", "kind", "vote", "fuse without copies", "fuse", "joined"], rows)
    return bins


def draw_items(votes: VoteSet, count: int, seed: int) -> VoteSet:
    """Return some items of a set, with all of their votes."""
    given = sorted({item for item, _, _ in votes.rows} & set(votes.truth))
    dice = np.random.default_rng([count, seed])
    drawn = {given[place] for place in dice.choice(len(given), count, replace=False)}
    rows = [row for row in sorted(set(votes.rows)) if row[0] in drawn]
    return VoteSet(votes.name, rows, {item: votes.truth[item] for item in drawn})


def evaluate_small(sets: list[VoteSet]) -> None:
    """Print how good small tables are: a few items of each set, drawn again and again."""
    rows = []
    for count in SMALL:
        methods: dict[str, list[Measured]] = defaultdict(list)
        for votes in sets:
            if len(votes.truth) < count * 3 // 2:
                continue
            some = [draw_items(votes, count, seed) for seed in range(SMALL_DRAWS)]
            for name, learn in (
                ("majority", majority),
                ("Dawid-Skene", dawid_skene),
                ("fuse", lambda rows: as_chances(howsure.fuse(rows, kind="closed"))),
            ):
                mean = np.mean([measure(learn(one.rows), one.truth) for one in some], axis=0)
                methods[name].append(Measured(*mean))
        rows.append([str(count), *(show(Measured(*np.mean(each, axis=0))) for each in methods.values())])
    print("## Small tables: accuracy / ECE / Brier, mean of the crowd sets\n")
    print_table(["items", "majority", "Dawid-Skene", "fuse"], rows)


def evaluate_rings(sets: list[VoteSet], most: int, step: int) -> None:
    rows = []
    for votes in sets:
        counts = Counter(source for _, source, _ in sorted(set(votes.rows)))
        leaders = [source for source, _ in counts.most_common(most)][::step]
        for number, leader in enumerate(leaders):
            table, ring = plant_ring(votes, leader, seed=number)
            fusion = howsure.fuse(table)
            group = {source.source: source.group for source in fusion.sources}
            whole = group[leader] is not None and len({group[name] for name in ring}) == 1
            size = sum(one == group[leader] for one in group.values()) if whole else 0
            rows.append([votes.name, leader, f"{counts[leader]:,}", "yes" if whole else "no", f"{size or ''}"])
    print("## Rings of 5 at copy rate .95\n")
    print_table(["set", "copied source", "answers", "found whole", "size of its group"], rows)


def simulate(items: int, each: int, sources: int, values: int) -> dict[str, Any]:
    dice = np.random.default_rng(0)
    item, source = np.repeat(np.arange(items), each), dice.integers(0, sources, items * each)
    truth, reliability = dice.integers(0, values, items), dice.beta(6, 2, sources)
    said = np.where(dice.random(len(item)) < reliability[source], truth[item], dice.integers(0, values, len(item)))
    return {"item": item.astype(str), "source": source.astype(str), "value": said.astype(str)}


def evaluate_speed(python: str | None) -> None:
    import pyarrow as pa

    rows = []
    for kind, values in (("open", 1000), ("closed", 4)):
        columns = simulate(100_000, 10, 5_000, values)
        table = pa.table(columns)
        start, busy = time.perf_counter(), time.process_time()
        howsure.fuse(table, kind=kind)  # type: ignore[arg-type]
        seconds, cpu = time.perf_counter() - start, time.process_time() - busy
        rows.append([f"{kind}, {values} values", "howsure.fuse", f"{seconds:.2f} s", f"{cpu:.2f} s"])
        if python and kind == "closed":
            votes = list(zip(*(column.tolist() for column in columns.values()), strict=True))
            for name, one in crowd_kit(votes, python, CROWD_KIT_METHODS[:5], wanted=False).items():
                rows.append(
                    [f"{kind}, {values} values", f"crowd-kit {name}", f"{one.seconds:.2f} s", f"{one.cpu:.2f} s"]
                )
    print("## Speed\n")
    print_table(["1M answers", "method", "wall", "CPU"], rows)


def main() -> None:
    folder = Path(sys.argv[1])
    python = sys.argv[2] if len(sys.argv) > 2 else None  # noqa: PLR2004
    crowds = list(crowd_sets(folder))
    closed = evaluate_crowds(crowds, python)
    evaluate_small(crowds)
    others = list(open_sets(folder))
    evaluate_intervals(closed, evaluate_open(others))
    evaluate_rings([votes for votes in others if votes.name != "population"], 40, 4)
    evaluate_rings(crowds, 12, 4)
    evaluate_speed(python)
    print(json.dumps({"numpy": np.__version__, "howsure": howsure.__version__}))


if __name__ == "__main__":
    main()
