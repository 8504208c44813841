"""Evaluate investigation scores on labelled runs: `python -m benchmarks.evaluate_investigations FOLDER [SVG]`.

FOLDER holds the data sets, which are not part of this project. The output is a Markdown table; the chart is written to
SVG if that is given.
"""

import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.separation import separation
from howsure.agents.tool_calls import build_model
from howsure.agents.traces import Trace, parse_traces
from howsure.investigations.replay import replay
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


class Run(NamedTuple):
    """One run: its score and band, whether recovery was advised, its number of steps and whether it succeeded."""

    score: float
    band: str
    recover: bool
    steps: int
    good: bool


def _lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt") as lines:
        for line in lines:
            yield json.loads(line)


def read_sets(folder: Path) -> Iterator[tuple[str, list[tuple[Trace, bool]], dict[str, str]]]:
    """Yield each set: its name, its traces with their success, and the categories of its tools."""
    for name in ("agent_acr_gpt4/runs", "agent_sweagent_gpt4/trajs"):
        records = list(_lines(folder / f"{name}.jsonl.gz"))
        traces = parse_traces(json.dumps(records).encode(), name)
        yield name.partition("/")[0], [(t, bool(r["resolved"])) for t, r in zip(traces, records, strict=True)], {}
    airline = folder / "agent_tau_airline_gpt4o"
    labels = {record["id"]: record["reward"] >= 1 for record in _lines(airline / "labels.jsonl.gz")}
    records = list(_lines(airline / "trajs.jsonl.gz"))
    traces = parse_traces(json.dumps(records).encode(), "airline")
    yield airline.name, [(trace, labels[trace.id]) for trace in traces], AIRLINE


def score_runs(pairs: list[tuple[Trace, bool]], tools: dict[str, str]) -> list[Run]:
    """Replay and score every trace."""
    model = build_model(tools)
    runs = []
    with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/s.db") as sure:
        for trace, good in pairs:
            score = replay(trace, sure.investigations.start(trace.question, model=model)).score
            runs.append(Run(score["score"], score["band"], score["recover"], len(trace.calls), good))
    return runs


def main() -> None:
    """Print the table and write the chart."""
    print(
        "| set | runs | succeeded | " + " | ".join(BANDS) + " | recovery fires | AUROC of the score | of fewer steps |"
    )
    print("|---|---|---|" + "---|" * (len(BANDS) + 3))
    sets = {}
    for name, pairs, tools in read_sets(Path(sys.argv[1])):
        runs = score_runs(pairs, tools)
        good = [run.good for run in runs]
        bands = Counter(run.band for run in runs)
        score = separation([run.score for run in runs], good)
        steps = separation([-run.steps for run in runs], good)
        shares = " | ".join(f"{bands[band] / len(runs):.0%}" for band in BANDS)
        recover = sum(run.recover for run in runs) / len(runs)
        print(f"| {name} | {len(runs)} | {sum(good) / len(good):.0%} | {shares} | {recover:.0%} | {score} | {steps} |")
        sets[name] = runs
    if len(sys.argv) > 2:  # noqa: PLR2004
        Path(sys.argv[2]).write_text(chart(sets))


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
