"""Evaluate investigation scores on labelled runs: `python -m benchmarks.evaluate_investigations FOLDER [SVG]`.

FOLDER holds the data sets, which are not part of this project. The output is three Markdown tables: bands of the
score; how well score, number of steps and chance of success separate successes from failures; and how well the chance
is calibrated. The chart is written to SVG if that is given.
"""

import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measures import bootstrap, print_heads, show, show_difference, show_measure
from howsure.agents.tool_calls import build_model
from howsure.agents.traces import Trace, parse_traces
from howsure.formulas.chance import Case, Chance
from howsure.investigations.learning import HeldOut, LabelledRun, fit_chance, judge
from howsure.investigations.replay import replay
from howsure.learn.evaluation import Evaluation, evaluate_columns
from howsure.learn.metrics import Interval, Scores
from howsure.sure import open as open_store

AIRLINE = {
    "get_reservation_details": "read",
    "get_user_details": "read",
    "search_direct_flight": "search.grep",
    "search_onestop_flight": "search.find",
    "list_all_airports": "search.references",
}
"""Categories of a booking agent's tools, as a user would set them in howsure.toml."""
BANDS = ("strong", "adequate", "weak", "failed")
SHUFFLES = 5
"""Ways to divide the tasks into folds, averaged."""


class Run(NamedTuple):
    """One run: its score and band, whether recovery was advised, whether it succeeded, and its features."""

    score: float
    band: str
    recover: bool
    good: bool
    task: str
    features: Case


def _lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt") as lines:
        for line in lines:
            yield json.loads(line)


def read_sets(folder: Path) -> Iterator[tuple[str, list[tuple[Trace, str, bool]], dict[str, str]]]:
    """Yield each set: its name, its traces with their task and success, and the categories of its tools."""
    for name in ("agent_acr_gpt4/runs", "agent_sweagent_gpt4/trajs"):
        records = list(_lines(folder / f"{name}.jsonl.gz"))
        traces = parse_traces(json.dumps(records).encode(), name)
        labelled = [(t, r["instance_id"], bool(r["resolved"])) for t, r in zip(traces, records, strict=True)]
        yield name.partition("/")[0], labelled, {}
    airline = folder / "agent_tau_airline_gpt4o"
    labels = {record["id"]: record["reward"] >= 1 for record in _lines(airline / "labels.jsonl.gz")}
    records = list(_lines(airline / "trajs.jsonl.gz"))
    traces = parse_traces(json.dumps(records).encode(), "airline")
    tasks = [str(record["task_id"]) for record in records]
    yield airline.name, [(t, task, labels[t.id]) for t, task in zip(traces, tasks, strict=True)], AIRLINE


def score_runs(labelled: list[tuple[Trace, str, bool]], tools: dict[str, str]) -> list[Run]:
    """Replay and score every trace."""
    model = build_model(tools)
    runs = []
    with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/s.db") as sure:
        for trace, task, good in labelled:
            inquiry = sure.investigations.start(trace.question, model=model)
            score = replay(trace, inquiry).score
            row = (score["score"], score["band"], score["recover"])
            runs.append(Run(*row, good, task, inquiry.course.features))
    return runs


def main() -> None:
    """Print the tables and write the chart."""
    print_heads("set", "runs", "tasks", "succeeded", *BANDS, "recovery fires")
    sets = {}
    for name, labelled, tools in read_sets(Path(sys.argv[1])):
        runs = score_runs(labelled, tools)
        bands = Counter(run.band for run in runs)
        counts = [len(runs), len({run.task for run in runs})]
        of_all = [sum(run.good for run in runs), *(bands[band] for band in BANDS), sum(run.recover for run in runs)]
        cells = [*map(str, counts), *(f"{count / len(runs):.0%}" for count in of_all)]
        print(f"| {name} | {' | '.join(cells)} |")
        sets[name] = runs
    evaluate_chance(sets)
    if len(sys.argv) > 2:  # noqa: PLR2004
        Path(sys.argv[2]).write_text(chart(sets))


def evaluate_chance(sets: dict[str, list[Run]]) -> None:
    """Print how well score and chance separate successes from failures, and how well the chance is calibrated."""
    measured = {name: measure_runs(sets, name) for name in sets}
    print()
    print_heads(
        "AUROC", "score", "fewer steps", "chance, prior weights", "learned on the other sets", "learned on own outcomes"
    )
    for name, (given, _, own) in measured.items():
        print(
            f"| {name} | {' | '.join([*(show_measure(one, 'auroc') for one in (given, *given.others)), show(own)])} |"
        )
    print()
    print_heads(
        "set", "chance", "Brier", "Brier less that of the success rate", "ECE", "log loss", "AURC", "AUROC across folds"
    )
    for name, (_, learned, _) in measured.items():
        for one in (learned, *learned.others):
            cells = [show_measure(one, "brier"), show_difference(learned, one.score, "brier")]
            cells += [show_measure(one, measure) for measure in ("ece", "log_loss", "aurc", "auroc")]
            print(f"| {name} | {one.score} | {' | '.join(cells)} |")


def measure_runs(sets: dict[str, list[Run]], name: str) -> tuple[Evaluation, Evaluation, Interval]:
    """Return measures of what needs no outcomes of a set, of what is learned from them, and its area within folds."""
    runs = sets[name]
    others = average([fit_chance(label_runs(other)).model for key, other in sets.items() if key != name])
    columns = {
        "score": [run.score for run in runs],
        "fewer steps": [-float(run.features.steps or 0) for run in runs],
        "prior weights": [judge(Chance(), run.features) for run in runs],
        "other sets": [judge(others, run.features) for run in runs],
    }
    given = evaluate_columns(columns, [run.good for run in runs], [run.task for run in runs])
    fits = [fit_chance(label_runs(runs, shuffle)) for shuffle in range(SHUFFLES)]
    held = [one for fit in fits for one in fit.held_out]
    columns = {
        "success rate": hold_out_rates(held),
        "prior weights": [one.before for one in held],
        "own outcomes": [one.learned for one in held],
    }
    learned = evaluate_columns(columns, [one.good for one in held], [one.task.partition(":")[2] for one in held])
    return given, learned, within_folds([fit.held_out for fit in fits])


def label_runs(runs: list[Run], shuffle: int = 0) -> list[LabelledRun]:
    """Return runs to learn from; each shuffle divides the tasks into other folds."""
    return [LabelledRun(run.features, run.good, f"{shuffle}:{run.task}") for run in runs]


def average(models: list[Chance]) -> Chance:
    """Return a model with the mean weights of several, so that each set counts the same."""
    names = models[0].weights
    weights = {name: sum(model.weights[name] for model in models) / len(models) for name in names}
    return Chance(weights=weights)


def hold_out_rates(held: list[HeldOut]) -> list[float]:
    """Return for each run the success rate among the runs of other folds: what one would say without its features."""
    right: Counter[tuple[str, int]] = Counter()
    total: Counter[tuple[str, int]] = Counter()
    for one in held:
        key = (one.task.partition(":")[0], one.fold)
        total[key] += 1
        right[key] += one.good
    by_shuffle = {shuffle: [key for key in total if key[0] == shuffle] for shuffle, _ in total}
    rates = []
    for one in held:
        shuffle = one.task.partition(":")[0]
        rest = [key for key in by_shuffle[shuffle] if key[1] != one.fold]
        rates.append(sum(right[key] for key in rest) / sum(total[key] for key in rest))
    return rates


def within_folds(shuffles: Sequence[Sequence[HeldOut]]) -> Interval:
    """Return the AUROC over pairs of one fold, with a 95 % interval from bootstrap samples of the tasks.

    Runs of different folds are judged by different weights; above all, the intercept is lower if more successes
    were held out, which would count against every pair across folds.
    """
    held = [(place, one) for place, shuffle in enumerate(shuffles) for one in shuffle]
    folds: dict[tuple[int, int], list[int]] = {}
    for row, (place, one) in enumerate(held):
        folds.setdefault((place, one.fold), []).append(row)
    good = np.array([one.good for _, one in held], dtype=float)
    learned = np.array([one.learned for _, one in held])
    prepared = [(np.array(rows), Scores(learned[rows], good[rows])) for rows in folds.values()]

    def mean_area(weights: Any) -> float | None:
        total = pairs = 0.0
        for rows, scores in prepared:
            own = weights[rows]
            right = float(own @ good[rows])
            count = right * (own.sum() - right)
            if count:
                total += count * (scores.cumulate(own).auroc() or 0.0)
                pairs += count
        return total / pairs if pairs else None

    return bootstrap(mean_area, [one.task.partition(":")[2] for _, one in held])


def chart(sets: dict[str, list[Run]], width: int = 640, height: int = 130) -> str:
    """Return an SVG with a histogram of the scores of successes and of failures for each set."""
    rows = []
    for index, (name, runs) in enumerate(sets.items()):
        top = index * height + 24
        rows.append(f'<text x="8" y="{top}" font-weight="bold">{name}</text>')
        for line, (label, wanted, colour) in enumerate((("succeeded", True, "#2a7"), ("failed", False, "#c53"))):
            scores = sorted(run.score for run in runs if run.good is wanted)
            base = top + 44 * (line + 1)
            rows.append(f'<text x="8" y="{base - 8}" fill="{colour}">{label} ({len(scores)})</text>')
            counts = Counter(min(int(score * 50), 49) for score in scores)
            most = max(counts.values(), default=1)
            for bin_, count in counts.items():
                tall = 32 * count / most
                x = 130 + bin_ * (width - 150) / 50
                rows.append(
                    f'<rect x="{x:.1f}" y="{base - tall:.1f}" width="{(width - 150) / 50 - 1:.1f}" height="{tall:.1f}" '
                    f'fill="{colour}"/>'
                )
            rows.append(f'<line x1="130" y1="{base}" x2="{width - 20}" y2="{base}" stroke="#999"/>')
    bottom = len(sets) * height + 30
    rows += [
        f'<text x="{130 + tick / 10 * (width - 150):.0f}" y="{bottom}" fill="#777">{tick / 10:.1f}</text>'
        for tick in range(0, 11, 2)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 10}" font-family="sans-serif" '
        f'font-size="12" role="img" aria-label="Scores of runs that succeeded and of runs that failed">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(rows)}</svg>\n'
    )


if __name__ == "__main__":
    main()
