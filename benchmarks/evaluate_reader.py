"""Evaluate readers of pairs of texts: `python -m benchmarks.evaluate_reader FOLDER [--limit N] [--learn]`.

The folder holds `nli_snli_devtest`, `nli_conj`, `nli_sick`, `fc_fever_dev_binary`, `fc_climate_fever` and
`halu_factcheck_bench`; the technical pairs are in `benchmarks/data`. Of SNLI dev, FEVER and factcheck-bench only pairs
are used on which neither the rules nor the small reader were trained. The output is a Markdown table with the AUROC of
contradiction and of support and the recall at a precision of 0.90, whose threshold is chosen on the other half of each
set. --learn learns the weights of the combination on pairs that are not evaluated, and writes them.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measures import auroc, print_heads
from howsure.reader import (
    LabelledPair,
    PairProbabilities,
    Reader,
    RulesReader,
    TextPair,
    learn_combination,
    load_fit,
    read_pairs,
    small_reader,
)
from howsure.reader.combination_fit import SHIPPED

LABELS = {
    "supports": "entailment",
    "completely-support": "entailment",
    "partially-support": "entailment",
    "refutes": "contradiction",
    "refute": "contradiction",
    "not_enough_info": "neutral",
    "irrelevant": "neutral",
}
PRECISION = 0.90
DATA = Path(__file__).parent / "data"
FIT = Path(__file__).parents[1] / "src" / "howsure" / "reader" / SHIPPED
WEIGHTS = {"technical": 390.0, "SNLI dev": 300.0, "FEVER": 300.0, "CONJ dev": 390.0, "factcheck-bench": 120.0}
"""Weight of each whole set in learning; SICK and Climate-FEVER are evaluated only."""


class PairSet(NamedTuple):
    """Labelled pairs to learn from and to evaluate on; no text is in both."""

    name: str
    learning: list[LabelledPair]
    evaluation: list[LabelledPair]
    support: bool = False
    """Whether support is evaluated too."""


def read_sets(folder: Path, limit: int) -> Iterator[PairSet]:
    """Yield the sets, at most so many pairs of each."""
    dice = random.Random(31)

    def some(pairs: Sequence[LabelledPair]) -> list[LabelledPair]:
        return dice.sample(pairs, min(limit, len(pairs)))

    technical = _lines(DATA / "technical_pairs.jsonl")
    held_out = [_pair(line) for line in technical if line["half"] == "held_out"]
    yield PairSet("technical", _without([_pair(line) for line in technical], held_out), held_out)
    snli = [_pair(line) for line in _lines(folder / "nli_snli_devtest" / "dev.jsonl")]
    later = snli[len(snli) // 2 :]  # the rules were learned on the first half
    evaluation = later[len(later) // 3 :]
    yield PairSet("SNLI dev", some(_without(later[: len(later) // 3], evaluation)), some(evaluation))
    fever = [_pair(line) for line in _lines(folder / "fc_fever_dev_binary" / "dev.jsonl")]
    second_half = set(fever[len(fever) // 2 :])
    held_out = [pair for pair in _unseen(fever, FEVER_SHARE) if pair in second_half]
    learning, evaluation = _split(held_out)
    yield PairSet("FEVER", some(learning), some(evaluation), support=True)
    sick = [_pair(line) for line in _lines(folder / "nli_sick" / "trial.jsonl")]
    yield PairSet("SICK trial", [], some(sick))
    conj = [_pair(line) for line in _lines(folder / "nli_conj" / "dev.jsonl")]
    yield PairSet("CONJ dev", *_split(conj))
    claims = {line["claim_id"]: line["claim"] for line in _lines(folder / "fc_climate_fever" / "claims.jsonl")}
    climate = _lines(folder / "fc_climate_fever" / "evidence.jsonl")
    yield PairSet("Climate-FEVER", [], some([_pair(line | {"claim": claims[line["claim_id"]]}) for line in climate]))
    stances = [_pair(line) for line in _lines(folder / "halu_factcheck_bench" / "claim_evidence_stance.jsonl")]
    learning, evaluation = _split(_unseen(stances, STANCE_SHARE))
    yield PairSet("factcheck-bench", some(learning), some(evaluation), support=True)


FEVER_SHARE, STANCE_SHARE = 0.75, 0.5
"""Shares of the groups of pairs that the small reader was trained on: reader/training/prepare.py."""


def _unseen(pairs: list[LabelledPair], share: float) -> list[LabelledPair]:
    """Return the pairs that share no text with those the small reader was trained on."""
    groups = _groups(pairs)
    dice = random.Random(17)
    trained = {number for number in sorted(set(groups)) if dice.random() < share}
    return [pair for pair, group in zip(pairs, groups, strict=True) if group not in trained]


def _split(pairs: list[LabelledPair]) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Return a third of the pairs to learn from and the rest to evaluate on, with no text in both."""
    groups = _groups(pairs)
    learning = [pair for pair, group in zip(pairs, groups, strict=True) if group % 3 == 0]
    return learning, [pair for pair, group in zip(pairs, groups, strict=True) if group % 3]


def _without(pairs: list[LabelledPair], others: list[LabelledPair]) -> list[LabelledPair]:
    """Return the pairs that share no text with the others."""
    known = {_plain(text) for pair in others for text in pair[:2]}
    return [pair for pair in pairs if not known & {_plain(text) for text in pair[:2]}]


def _groups(pairs: list[LabelledPair]) -> list[int]:
    """Return a group number for each pair, so that pairs which share a text share a group."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = key = parent[parent[key]]
        return key

    for pair in pairs:
        parent[root(pair.second)] = root(pair.first)
    numbers: dict[str, int] = {}
    return [numbers.setdefault(root(pair.first), len(numbers)) for pair in pairs]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _pair(line: dict[str, Any]) -> LabelledPair:
    first = line.get("first") or line.get("premise") or line["evidence"]
    second = line.get("second") or line.get("hypothesis") or line["claim"]
    label = str(line.get("label") or line["stance"]).casefold()
    return LabelledPair(first, second, LABELS.get(label, label))  # type: ignore[arg-type]


class Quality(NamedTuple):
    """How good a reader is on one set."""

    auroc: float
    recall: float
    precision: float
    support: float | None


def evaluate(results: Sequence[PairProbabilities], pairs: PairSet) -> Quality:
    """Return the AUROC of contradiction, recall and precision at the threshold for 0.90, and the AUROC of support.

    The threshold is chosen on one half of the pairs and used on the other, both ways.
    """
    scores = [result.contradiction for result in results]
    truth = [pair.label == "contradiction" for pair in pairs.evaluation]
    hits = reported = 0
    for half in (0, 1):
        threshold = choose_threshold(scores[half::2], truth[half::2])
        chosen = [
            against
            for score, against in zip(scores[1 - half :: 2], truth[1 - half :: 2], strict=True)
            if score >= threshold
        ]
        hits += sum(chosen)
        reported += len(chosen)
    support = None
    if pairs.support:
        support = auroc(
            [result.entailment for result in results], [pair.label == "entailment" for pair in pairs.evaluation]
        )
    return Quality(auroc(scores, truth), hits / sum(truth), hits / reported if reported else 1.0, support)


def choose_threshold(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """Return the lowest threshold at which precision is at least 0.90; above 1 if there is none."""
    best, hits = 2.0, 0
    ranked = sorted(zip(scores, truth, strict=True), key=lambda one: -one[0])
    for count, (score, against) in enumerate(ranked, start=1):
        hits += against
        last = count == len(ranked) or ranked[count][0] < score
        if last and hits / count >= PRECISION:
            best = score
    return best


def main() -> None:
    """Print the table, and learn the combination if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--learn", action="store_true")
    asked = parser.parse_args()
    sets = list(read_sets(asked.folder, asked.limit))
    rules, small = RulesReader(), small_reader()
    if small is not None and asked.learn:
        learning = [
            pair._replace(weight=WEIGHTS[one.name] / len(one.learning)) for one in sets for pair in one.learning
        ]
        # Not from technical_training.jsonl: both readers were trained on it, so they are surer there than elsewhere.
        learn_combination([rules, small], learning, version="2").save(FIT)
    print_heads("set", "reader", "pairs", "AUROC", "recall at .90", "precision", "support AUROC", "pairs/s")
    for one in sets:
        texts = [TextPair(pair.first, pair.second) for pair in one.evaluation]
        results = [_timed(rules, texts)]
        if small is not None:
            results.append(_timed(small, texts))
            results.append(Run("both", combine(texts, results[0].results, results[1].results), 0.0))
        for run in results:
            quality = evaluate(run.results, one)
            support = "" if quality.support is None else f"{quality.support:.3f}"
            speed = f"{len(texts) / run.seconds:.0f}" if run.seconds else ""
            cells = [f"{quality.auroc:.3f}", f"{quality.recall:.2f}", f"{quality.precision:.2f}", support, speed]
            print(f"| {one.name} | {run.reader} | {len(texts)} | {' | '.join(cells)} |", flush=True)


class Run(NamedTuple):
    """What a reader returned, and how long it took."""

    reader: str
    results: Sequence[PairProbabilities]
    seconds: float


def _timed(reader: Reader, texts: Sequence[TextPair]) -> Run:
    begun = time.perf_counter()
    return Run(reader.name, read_pairs(reader, texts), time.perf_counter() - begun)


def combine(texts: Sequence[TextPair], *columns: Sequence[PairProbabilities]) -> list[PairProbabilities]:
    """Return the combination of results that were computed before, by the weights that howsure comes with."""
    fit = load_fit()
    return [
        PairProbabilities(*fit.combine(text, results), "both", fit.version)
        for text, *results in zip(texts, *columns, strict=True)
    ]


if __name__ == "__main__":
    main()
