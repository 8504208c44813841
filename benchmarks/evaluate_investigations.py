"""Evaluate investigation scores on labelled runs: `python -m benchmarks.evaluate_investigations FOLDER [SVG]`.

FOLDER holds the data sets, which are not part of this project. The output is two Markdown tables: the score, and the
chance of success by prior weights and by weights learned from outcomes; the chart is written to SVG if that is given.
"""

import gzip
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.separation import Separation, auroc, separation
from howsure.agents.tool_calls import build_model
from howsure.agents.traces import Trace, parse_traces
from howsure.formulas.chance import Case, Chance
from howsure.investigations.learning import HeldOut, LabelledRun, fit_chance, judge
from howsure.investigations.replay import replay
from howsure.learn.evaluation import Evaluation, evaluate_columns
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
    """One run: its score and band, whether recovery was advised, its number of calls and whether it succeeded."""

    score: float
    band: str
    recover: bool
    calls: int
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
            row = (score["score"], score["band"], score["recover"], len(trace.calls))
            runs.append(Run(*row, good, task, inquiry.course.features))
    return runs


def main() -> None:
    """Print the table and write the chart."""
    print(
        "| set | runs | succeeded | " + " | ".join(BANDS) + " | recovery fires | AUROC of the score | of fewer steps |"
    )
    print("|---|---|---|" + "---|" * (len(BANDS) + 3))
    sets = {}
    for name, labelled, tools in read_sets(Path(sys.argv[1])):
        runs = score_runs(labelled, tools)
        good = [run.good for run in runs]
        bands = Counter(run.band for run in runs)
        score = separation([run.score for run in runs], good)
        steps = separation([-run.calls for run in runs], good)
        shares = " | ".join(f"{bands[band] / len(runs):.0%}" for band in BANDS)
        recover = sum(run.recover for run in runs) / len(runs)
        print(f"| {name} | {len(runs)} | {sum(good) / len(good):.0%} | {shares} | {recover:.0%} | {score} | {steps} |")
        sets[name] = runs
    print()
    evaluate_chance(sets)
    if len(sys.argv) > 2:  # noqa: PLR2004
        Path(sys.argv[2]).write_text(chart(sets))


def evaluate_chance(sets: dict[str, list[Run]]) -> None:
    """Print how well the chance of success separates successes from failures, and how well it is calibrated."""
    print(
        "| set | AUROC of fewer steps | prior weights | learned on the other sets | own outcomes | "
        "Brier of own outcomes | of the success rate | ECE of own outcomes |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, runs in sets.items():
        good, tasks = [run.good for run in runs], [run.task for run in runs]
        transferred = average([fit_chance(label_runs(other)).model for key, other in sets.items() if key != name])
        columns = {
            "steps": [-float(run.features.steps or 0) for run in runs],
            "prior": [judge(Chance(), run.features) for run in runs],
            "others": [judge(transferred, run.features) for run in runs],
        }
        first = evaluate_columns(columns, good, tasks)
        areas = [_in_table(one, "auroc") for one in (first, *first.others)]
        fits = [fit_chance(label_runs(runs, shuffle)) for shuffle in range(SHUFFLES)]
        own = within_folds([fit.held_out for fit in fits])
        held = [one for fit in fits for one in fit.held_out]
        rates = hold_out_rates(held)
        found = evaluate_columns(
            {"own": [one.learned for one in held], "rate": rates},
            [one.good for one in held],
            [one.task.partition(":")[2] for one in held],
        )
        cells = [
            *areas,
            str(own),
            *(_in_table(one, "brier") for one in (found, *found.others)),
            _in_table(found, "ece"),
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")


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


def within_folds(shuffles: Sequence[Sequence[HeldOut]], rounds: int = 300) -> Separation:
    """Return the AUROC over pairs of one fold, with a 95 % interval from bootstrap samples of the tasks.

    Runs of different folds are judged by different weights; above all, the intercept is lower if more successes
    were held out, which would count against every pair across folds.
    """
    dice = random.Random(5)
    tasks = sorted({one.task.partition(":")[2] for one in shuffles[0]})
    areas = []
    for _ in range(rounds):
        drawn = Counter(dice.choices(tasks, k=len(tasks)))
        area = _mean_area(shuffles, drawn)
        if area == area:  # noqa: PLR0124 - NaN if a sample holds only one kind
            areas.append(area)
    areas.sort()
    area = _mean_area(shuffles, Counter(tasks))
    return Separation(area, areas[int(len(areas) * 0.025)], areas[int(len(areas) * 0.975)])


def _mean_area(shuffles: Sequence[Sequence[HeldOut]], drawn: Counter[str]) -> float:
    total = pairs = 0.0
    for held in shuffles:
        folds: dict[int, list[HeldOut]] = {}
        for one in held:
            folds.setdefault(one.fold, []).extend([one] * drawn[one.task.partition(":")[2]])
        for fold in folds.values():
            right = sum(one.good for one in fold)
            count = right * (len(fold) - right)
            if count:
                total += count * auroc([one.learned for one in fold], [one.good for one in fold])
                pairs += count
    return total / pairs if pairs else float("nan")


def _in_table(found: Evaluation, measure: str) -> str:
    bounds = found.intervals[measure]
    return f"{getattr(found, measure):.2f} [{bounds.lower:.2f}, {bounds.upper:.2f}]"


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
