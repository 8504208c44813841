"""Do scores of investigations tell success from failure? `python -m benchmarks.evaluate_investigations FOLDER [SVG]`.

FOLDER holds the data sets, which are not part of this project. Prints Markdown; writes the picture, if one is named.
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
"""Tools of a booking agent, as one would set them in howsure.toml."""
BANDS = ("strong", "adequate", "weak", "failed")


class Run(NamedTuple):
    """One run: its score, its band, how many steps it took, and whether it succeeded."""

    score: float
    band: str
    recover: bool
    steps: int
    good: bool


def _lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt") as lines:
        for line in lines:
            yield json.loads(line)


def data(folder: Path) -> Iterator[tuple[str, list[tuple[Trace, bool]], dict[str, str]]]:
    """Give each set: its name, traces with what became of them, and the categories of its own tools."""
    for name in ("agent_acr_gpt4/runs", "agent_sweagent_gpt4/trajs"):
        records = list(_lines(folder / f"{name}.jsonl.gz"))
        traces = parse_traces(json.dumps(records).encode(), name)
        yield name.partition("/")[0], [(t, bool(r["resolved"])) for t, r in zip(traces, records, strict=True)], {}
    airline = folder / "agent_tau_airline_gpt4o"
    labels = {record["id"]: record["reward"] >= 1 for record in _lines(airline / "labels.jsonl.gz")}
    records = list(_lines(airline / "trajs.jsonl.gz"))
    traces = parse_traces(json.dumps(records).encode(), "airline")
    yield airline.name, [(trace, labels[trace.id]) for trace in traces], AIRLINE


def runs(pairs: list[tuple[Trace, bool]], tools: dict[str, str]) -> list[Run]:
    """Score every run."""
    chosen = build_model(tools)
    found = []
    with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/s.db") as sure:
        for trace, good in pairs:
            one = replay(trace, sure.investigations.start(trace.question, model=chosen))
            answer = one.score
            found.append(Run(answer["score"], answer["band"], answer["recover"], len(trace.calls), good))
    return found


def main() -> None:
    """Measure, print, and draw."""
    print(
        "| set | runs | succeeded | " + " | ".join(BANDS) + " | recovery fires | AUROC of the score | of fewer steps |"
    )
    print("|---|---|---|" + "---|" * (len(BANDS) + 3))
    drawn = {}
    for name, pairs, tools in data(Path(sys.argv[1])):
        found = runs(pairs, tools)
        good = [run.good for run in found]
        bands = Counter(run.band for run in found)
        score = separation([run.score for run in found], good)
        steps = separation([-run.steps for run in found], good)
        shares = " | ".join(f"{bands[band] / len(found):.0%}" for band in BANDS)
        recover = sum(run.recover for run in found) / len(found)
        print(f"| {name} | {len(found)} | {sum(good) / len(good):.0%} | {shares} | {recover:.0%} | {score} | {steps} |")
        drawn[name] = found
    if len(sys.argv) > 2:  # noqa: PLR2004
        Path(sys.argv[2]).write_text(picture(drawn))


def picture(sets: dict[str, list[Run]], width: int = 640, height: int = 130) -> str:
    """Return an SVG: for each set, where the scores of successes and of failures lie."""
    rows = []
    for place, (name, found) in enumerate(sets.items()):
        top = place * height + 24
        rows.append(f'<text x="8" y="{top}" font-weight="bold">{name}</text>')
        for line, (label, wanted, colour) in enumerate((("succeeded", True, "#2a7"), ("failed", False, "#c53"))):
            scores = sorted(run.score for run in found if run.good is wanted)
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
