"""Measure the detector of conflicts on labelled pairs: `python -m benchmarks.evaluate_conflicts FOLDER`.

The folder holds one folder for each set: `nli_*` with lines of premise, hypothesis and label, `fc_*` with lines of
claim, evidence and label; where claims stand in a file of their own, evidence names them by `claim_id`. Files are
JSON Lines, packed with gzip or not. Printed is a Markdown table: how well conflicts at or above the usual threshold
tell contradictions and refutations from the rest, and how well severity orders them.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from howsure.text.contradictions import find_conflicts

THRESHOLD = 0.5
"""The severity from which a conflict is reported by default."""
AGAINST = {"contradiction", "refutes"}


class Pair(NamedTuple):
    """Two texts, and whether people say that they contradict each other."""

    one: str
    other: str
    against: bool


class Result(NamedTuple):
    """How well one set went."""

    name: str
    pairs: int
    precision: float
    recall: float
    f1: float
    auroc: float


def pairs(folder: Path) -> Iterator[tuple[str, list[Pair]]]:
    """Give each set of a folder by its name."""
    for place in sorted([*folder.glob("nli_*"), *folder.glob("fc_*")]):
        files = sorted([*place.glob("*.jsonl"), *place.glob("*.jsonl.gz")])
        claims = {line["claim_id"]: line["claim"] for file in files for line in _lines(file) if "claim_label" in line}
        for file in files:
            found = [pair for line in _lines(file) if (pair := _pair(line, claims)) is not None]
            if found:
                yield f"{place.name}/{file.name.partition('.')[0]}", found


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _pair(line: dict[str, Any], claims: dict[str, str]) -> Pair | None:
    """Read a pair; lines with neither two texts nor a label are passed over."""
    one = line.get("premise", line.get("evidence"))
    other = line.get("hypothesis", line.get("claim", claims.get(line.get("claim_id", ""))))
    label = line.get("label")
    return Pair(one, other, label.casefold() in AGAINST) if one and other and label else None


def auroc(scores: list[float], against: list[bool]) -> float:
    """Return the chance that a pair that clashes scores above one that does not; equal scores count half.

    >>> auroc([0.9, 0.5, 0.5, 0.0], [True, True, False, False])
    0.875
    """
    order = sorted(range(len(scores)), key=lambda index: scores[index])
    ranks, start = [0.0] * len(scores), 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        for index in order[start:end]:
            ranks[index] = (start + end + 1) / 2
        start = end
    positive = sum(against)
    negative = len(against) - positive
    if not positive or not negative:
        return float("nan")
    total = sum(rank for rank, clashes in zip(ranks, against, strict=True) if clashes)
    return (total - positive * (positive + 1) / 2) / (positive * negative)


def measure(name: str, found: list[Pair]) -> Result:
    """Run the detector on each pair of a set by itself."""
    scores = [max((one.severity for one in find_conflicts([pair.one, pair.other])), default=0.0) for pair in found]
    against = [pair.against for pair in found]
    told = [score >= THRESHOLD for score in scores]
    right = sum(one and two for one, two in zip(told, against, strict=True))
    precision = right / sum(told) if any(told) else 0.0
    recall = right / sum(against) if any(against) else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Result(name, len(found), precision, recall, f1, auroc(scores, against))


def main(folder: str) -> None:
    """Print the table, the worst set once more at its end."""
    results = [measure(name, found) for name, found in pairs(Path(folder))]
    if not results:
        sys.exit(f"there are no sets nli_* or fc_* in {folder}")
    worst = min(results, key=lambda result: result.f1)
    print("| set | pairs | precision | recall | F1 | AUROC |")
    print("|---|---:|---:|---:|---:|---:|")
    for result in [*results, worst._replace(name=f"worst: {worst.name}")]:
        numbers = " | ".join(f"{number:.3f}" for number in result[2:])
        print(f"| {result.name} | {result.pairs:,} | {numbers} |")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["."])
