"""Evaluate conflict detection on labelled pairs: `python -m benchmarks.evaluate_conflicts FOLDER`.

The folder holds one folder per set: `nli_*` with lines of premise, hypothesis and label, `fc_*` with lines of claim,
evidence and label. If the claims have a file of their own, evidence refers to them by `claim_id`. Files are JSON Lines,
optionally compressed with gzip. The output is a Markdown table: precision, recall and F1 of conflicts from the default
threshold as a sign of contradiction or refutation, and the AUROC of their severity.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measures import Detection, auroc, detect, print_heads
from howsure.text.contradictions import find_conflicts

THRESHOLD = 0.5
"""Severity from which conflicts are reported by default."""
CLASHING_LABELS = {"contradiction", "refutes"}


class Pair(NamedTuple):
    """Two texts, and whether people labelled them as contradicting each other."""

    one: str
    other: str
    against: bool


class Result(NamedTuple):
    """The quality of detection on one set."""

    name: str
    pairs: int
    detection: Detection
    auroc: float


def read_sets(folder: Path) -> Iterator[tuple[str, list[Pair]]]:
    """Yield the name and the pairs of each set in a folder."""
    for place in sorted([*folder.glob("nli_*"), *folder.glob("fc_*")]):
        files = sorted([*place.glob("*.jsonl"), *place.glob("*.jsonl.gz")])
        claims = {line["claim_id"]: line["claim"] for file in files for line in _lines(file) if "claim_label" in line}
        for file in files:
            pairs = [pair for line in _lines(file) if (pair := _pair(line, claims)) is not None]
            if pairs:
                yield f"{place.name}/{file.name.partition('.')[0]}", pairs


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _pair(line: dict[str, Any], claims: dict[str, str]) -> Pair | None:
    """Return the pair of a line, or None without two texts and a label."""
    one = line.get("premise", line.get("evidence"))
    other = line.get("hypothesis", line.get("claim", claims.get(line.get("claim_id", ""))))
    label = line.get("label")
    return Pair(one, other, label.casefold() in CLASHING_LABELS) if one and other and label else None


def measure(name: str, pairs: list[Pair]) -> Result:
    """Return how well conflicts are detected in a set; each pair is compared alone."""
    scores = [max((one.severity for one in find_conflicts([pair.one, pair.other])), default=0.0) for pair in pairs]
    against = [pair.against for pair in pairs]
    detection = detect([score >= THRESHOLD for score in scores], against)
    return Result(name, len(pairs), detection, auroc(scores, against))


def main(folder: str) -> None:
    """Print the table, with the worst set repeated at the end."""
    results = [measure(name, pairs) for name, pairs in read_sets(Path(folder))]
    if not results:
        sys.exit(f"no sets nli_* or fc_* in {folder}")
    worst = min(results, key=lambda result: result.detection.f1)
    print_heads("set", "pairs", "precision", "recall", "F1", "AUROC")
    for result in [*results, worst._replace(name=f"worst: {worst.name}")]:
        numbers = " | ".join(f"{number:.3f}" for number in (*result.detection, result.auroc))
        print(f"| {result.name} | {result.pairs:,} | {numbers} |")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["."])
