"""Evaluate readers of pairs of texts: `python -m benchmarks.evaluate_reader FOLDER [--limit N] [--learn]`.

The folder holds `nli_snli_devtest`, `nli_conj`, `nli_sick`, `fc_fever_dev_binary`, `fc_climate_fever` and
`halu_factcheck_bench`; the technical pairs are in `benchmarks/data`. Of SNLI dev, FEVER and factcheck-bench only pairs
are used on which neither the rules nor the small reader were trained. The output is a Markdown table with the AUROC of
contradiction and of support and the recall at precisions of 0.90 and 0.95, whose thresholds are chosen on the other
half of each set. --learn learns the weights of the combination on all pairs that may be learned from, and writes them.

The combination ("both") is never evaluated on pairs that it was learned on: sets that it learns from are split into
three parts, and each part is evaluated with weights that were learned on the others. The AUROC of such a set is the
mean of its parts, because probabilities by different weights are not comparable.
"""

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measures import auroc, print_heads
from howsure.reader import (
    LabelledPair,
    PairProbabilities,
    Reader,
    RulesReader,
    TextPair,
    read_pairs,
    small_reader,
)
from howsure.reader.combination_fit import SHIPPED, CombinationFit, features_of, fit_rows
from howsure.reader.lexical import FEATURES

LABELS = {
    "supports": "entailment",
    "completely-support": "entailment",
    "partially-support": "entailment",
    "refutes": "contradiction",
    "refute": "contradiction",
    "not_enough_info": "neutral",
    "irrelevant": "neutral",
}
PRECISIONS = (0.90, 0.95)
FOLDS = 3
DATA = Path(__file__).parent / "data"
FIT = Path(__file__).parents[1] / "src" / "howsure" / "reader" / SHIPPED
WEIGHTS = {"technical": 390.0, "SNLI dev": 300.0, "FEVER": 300.0, "CONJ dev": 390.0, "factcheck-bench": 120.0}
"""Weight of each whole set in learning; SICK and Climate-FEVER are evaluated only."""

NONE = 1e9
RIDGES = {"rules.contradiction": NONE, "rules.entailment": NONE, "small.entailment": NONE}
"""Ridges of the shipped weights of contradictions. What the rules guess without having found something, and how sure
readers are of entailment, adds nothing: with ridges of 1, AUROC on ConjNLI falls from .81 to .79."""
ENTAILMENT_RIDGES = dict.fromkeys(("rules.entailment", *FEATURES), NONE)
"""Those of entailment. With ridges of 1 for the common words, AUROC of support on factcheck-bench falls from .748 to
.744 and on FEVER from .954 to .952."""


class PairSet(NamedTuple):
    """Labelled pairs to evaluate readers on."""

    name: str
    evaluation: list[LabelledPair]
    support: bool = False
    """Whether support is evaluated too."""
    learning: list[LabelledPair] | None = None
    """Pairs to learn the combination from, which share no text with the others; None if these are learned from, too."""

    def folds(self) -> list[int]:
        """Return for each pair the part that it is in: pairs that share a text are in the same one."""
        return [group % FOLDS for group in _groups(self.evaluation)]


def read_sets(folder: Path, limit: int) -> Iterator[PairSet]:
    """Yield the sets, at most so many pairs of each."""
    dice = random.Random(31)

    def some(pairs: Sequence[LabelledPair]) -> list[LabelledPair]:
        return dice.sample(pairs, min(limit, len(pairs)))

    technical = _lines(DATA / "technical_pairs.jsonl")
    held_out = [_pair(line) for line in technical if line["half"] == "held_out"]
    yield PairSet("technical", held_out, learning=_without([_pair(line) for line in technical], held_out))
    snli = [_pair(line) for line in _lines(folder / "nli_snli_devtest" / "dev.jsonl")]
    yield PairSet("SNLI dev", some(snli[len(snli) // 2 :]))  # the rules were learned on the first half
    fever = [_pair(line) for line in _lines(folder / "fc_fever_dev_binary" / "dev.jsonl")]
    second_half = set(fever[len(fever) // 2 :])
    held_out = [pair for pair in _unseen(fever, FEVER_SHARE) if pair in second_half]
    yield PairSet("FEVER", some(held_out), support=True)
    sick = [_pair(line) for line in _lines(folder / "nli_sick" / "trial.jsonl")]
    yield PairSet("SICK trial", some(sick), learning=[])
    conj = [_pair(line) for line in _lines(folder / "nli_conj" / "dev.jsonl")]
    yield PairSet("CONJ dev", some(conj))
    claims = {line["claim_id"]: line["claim"] for line in _lines(folder / "fc_climate_fever" / "claims.jsonl")}
    climate = _lines(folder / "fc_climate_fever" / "evidence.jsonl")
    pairs = some([_pair(line | {"claim": claims[line["claim_id"]]}) for line in climate])
    yield PairSet("Climate-FEVER", pairs, learning=[])
    stances = [_pair(line) for line in _lines(folder / "halu_factcheck_bench" / "claim_evidence_stance.jsonl")]
    yield PairSet("factcheck-bench", some(_unseen(stances, STANCE_SHARE)), support=True)


FEVER_SHARE, STANCE_SHARE = 0.75, 0.5
"""Shares of the groups of pairs that the small reader was trained on: reader/training/prepare.py."""


def _unseen(pairs: list[LabelledPair], share: float) -> list[LabelledPair]:
    """Return the pairs that share no text with those the small reader was trained on."""
    groups = _groups(pairs)
    dice = random.Random(17)
    trained = {number for number in sorted(set(groups)) if dice.random() < share}
    return [pair for pair, group in zip(pairs, groups, strict=True) if group not in trained]


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


class Report(NamedTuple):
    """What a reader reports at a threshold."""

    recall: float
    precision: float


class Quality(NamedTuple):
    """How good a reader is on one set."""

    auroc: float
    reports: list[Report]
    """One for each of `PRECISIONS`."""
    support: float | None


def evaluate(results: Sequence[PairProbabilities], pairs: PairSet) -> Quality:
    """Return the AUROC of contradiction, what is reported at each precision, and the AUROC of support."""
    scores = [result.contradiction for result in results]
    truth = [pair.label == "contradiction" for pair in pairs.evaluation]
    parts = pairs.folds() if pairs.learning is None else [0] * len(truth)
    support = None
    if pairs.support:
        entailed = [pair.label == "entailment" for pair in pairs.evaluation]
        support = mean_auroc([result.entailment for result in results], entailed, parts)
    reports = [report_at(precision, scores, truth) for precision in PRECISIONS]
    return Quality(mean_auroc(scores, truth, parts), reports, support)


def mean_auroc(scores: Sequence[float], truth: Sequence[bool], parts: Sequence[int]) -> float:
    """Return the mean of the AUROCs of the parts, weighted by their sizes."""
    total = 0.0
    for part in set(parts):
        places = [place for place, one in enumerate(parts) if one == part]
        total += len(places) * auroc([scores[place] for place in places], [truth[place] for place in places])
    return total / len(parts)


def report_at(precision: float, scores: Sequence[float], truth: Sequence[bool]) -> Report:
    """Return what is reported: the threshold is chosen on one half of the pairs and used on the other, both ways."""
    hits = reported = 0
    for half in (0, 1):
        threshold = choose_threshold(scores[half::2], truth[half::2], precision)
        chosen = [
            against
            for score, against in zip(scores[1 - half :: 2], truth[1 - half :: 2], strict=True)
            if score >= threshold
        ]
        hits += sum(chosen)
        reported += len(chosen)
    return Report(hits / sum(truth), hits / reported if reported else 1.0)


def choose_threshold(scores: Sequence[float], truth: Sequence[bool], precision: float) -> float:
    """Return the lowest threshold at which precision is at least this; above 1 if there is none."""
    best, hits = 2.0, 0
    ranked = sorted(zip(scores, truth, strict=True), key=lambda one: -one[0])
    for count, (score, against) in enumerate(ranked, start=1):
        hits += against
        last = count == len(ranked) or ranked[count][0] < score
        if last and hits / count >= precision:
            best = score
    return best


Features = Mapping[str, float]


class Combination:
    """Learns the weights of the combination from what the readers said, on all pairs or without one of the parts."""

    def __init__(self, readers: Sequence[Reader], sets: Sequence[PairSet]) -> None:
        self.names = [reader.name for reader in readers]
        self._labelled: list[tuple[LabelledPair, int, Features]] = []
        """Pairs to learn from, each with the part that it is in and its features; part -1 is never evaluated."""
        for one in sets:
            pairs = one.evaluation if one.learning is None else one.learning
            folds = one.folds() if one.learning is None else [-1] * len(pairs)
            texts = [TextPair(pair.first, pair.second) for pair in pairs]
            for pair, fold, text, *results in zip(
                pairs, folds, texts, *(read_pairs(reader, texts) for reader in readers), strict=True
            ):
                weighted = pair._replace(weight=WEIGHTS[one.name] / len(pairs))
                self._labelled.append((weighted, fold, features_of(text, self.names, results)))

    def learn(self, without: int | None = None) -> CombinationFit:
        """Learn from all pairs, or from those that are not in this part."""
        # Not from technical_training.jsonl: both readers were trained on it, so they are surer there than elsewhere.
        pairs = [one for one in self._labelled if one[1] != without]
        labels, weights = [pair.label for pair, _, _ in pairs], [pair.weight for pair, _, _ in pairs]
        return fit_rows(
            self.names,
            [row for _, _, row in pairs],
            labels,
            weights,
            version="8",
            ridges=RIDGES,
            entailment_ridges=ENTAILMENT_RIDGES,
        )


def combine(
    fits: Sequence[CombinationFit], texts: Sequence[TextPair], *columns: Sequence[PairProbabilities]
) -> list[PairProbabilities]:
    """Return the combination of results that were computed before, each by its own fit."""
    return [
        PairProbabilities(*fit.combine(text, results), "both", fit.version)
        for fit, text, results in zip(fits, texts, zip(*columns, strict=True), strict=True)
    ]


def main() -> None:
    """Print the table, and learn the combination if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--learn", action="store_true")
    asked = parser.parse_args()
    sets = list(read_sets(asked.folder, asked.limit))
    small = small_reader()
    readers: list[Reader] = [_Remembering(RulesReader())]
    if small is not None:
        readers.append(_Remembering(small))
        combination = Combination(readers, sets)
        whole, parts = combination.learn(), [combination.learn(without=fold) for fold in range(FOLDS)]
        if asked.learn:
            whole.save(FIT)
    print_heads("set", "reader", "pairs", "AUROC", *(f"recall at {one}" for one in PRECISIONS), "support AUROC")
    for one in sets:
        texts = [TextPair(pair.first, pair.second) for pair in one.evaluation]
        columns = {reader.name: read_pairs(reader, texts) for reader in readers}
        if small is not None:
            fits = [parts[fold] for fold in one.folds()] if one.learning is None else [whole] * len(texts)
            columns["both"] = combine(fits, texts, *columns.values())
        for name, results in columns.items():
            quality = evaluate(results, one)
            support = "" if quality.support is None else f"{quality.support:.3f}"
            reports = [f"{report.recall:.2f} (precision {report.precision:.2f})" for report in quality.reports]
            cells = [f"{quality.auroc:.3f}", *reports, support]
            print(f"| {one.name} | {name} | {len(texts)} | {' | '.join(cells)} |", flush=True)


class _Remembering:
    """A reader that reads each pair once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.name = reader.name
        self._known: dict[TextPair, PairProbabilities] = {}

    @property
    def version(self) -> str:
        return self._reader.version

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._known |= dict(zip(new, read_pairs(self._reader, new), strict=True))
        return [self._known[pair] for pair in pairs]


if __name__ == "__main__":
    main()
