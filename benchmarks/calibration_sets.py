"""Sets of scores with outcomes, from folders of data that are not part of this project."""

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class ScoredSet(NamedTuple):
    """Scores with outcomes."""

    name: str
    kind: str
    """`stated`: what a language model says of its answer; `token`: probability of its token; `forecast`: of a game."""
    scores: Any
    outcomes: Any


def read_sets(folder: Path) -> list[ScoredSet]:
    """Return every set of a folder: one for each model and set of questions, and one for each sport."""
    return [*_stated(folder), *_games(folder / "forecasts_538")]


def read_stated(folder: Path) -> Iterator[dict[str, str]]:
    """Yield answers of language models with the confidence that they state."""
    return _rows(folder / "llm_stated_confidence" / "confidence.csv.gz")


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _stated(folder: Path) -> Iterator[ScoredSet]:
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in read_stated(folder):
        groups.setdefault((row["llm"], row["qset"]), []).append(row)
    for kind, column in (("stated", "stated_confidence"), ("token", "chosen_token_confidence")):
        for (llm, questions), rows in sorted(groups.items()):
            known = [row for row in rows if row[column]]
            if known:
                right = np.array([row["correct"] in ("True", "1") for row in known], dtype=float)
                yield ScoredSet(f"{llm} {questions}", kind, np.array([float(row[column]) for row in known]), right)


def _games(folder: Path) -> Iterator[ScoredSet]:
    groups: dict[str, list[dict[str, str]]] = {}
    for row in _rows(folder / "games.csv.gz"):
        groups.setdefault(row["domain"], []).append(row)
    for domain, rows in sorted(groups.items()):
        chances = np.array([float(row["prob"]) for row in rows])
        yield ScoredSet(domain, "forecast", chances, np.array([float(row["outcome"]) for row in rows]))


def splits(one: ScoredSet, size: int, count: int) -> Iterator[tuple[Any, Any]]:
    """Yield random splits into `size` outcomes to learn from and the rest, the same for every method."""
    dice = np.random.default_rng(20_240_501)
    for _ in range(count):
        order = dice.permutation(len(one.scores))
        yield order[:size], order[size:]
