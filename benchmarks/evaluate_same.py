"""Evaluate "the same claim in other words": `python -m benchmarks.evaluate_same FOLDER [--limit N] [--speed|--store]`.

The folder holds `nli_sick`; the technical pairs are in `benchmarks/data`: for each statement a paraphrase, a statement
on the same thing and a contradiction, so a third is the same claim. SICK (evaluated only): entailment with
a relatedness of at least 4.5. The weights are learned on the open half of the technical pairs, and the thresholds are
chosen there by cross-validation. The output is a Markdown table; --speed also times embedding and searching. --store
measures instead what `claims.add` would propose in a store of 2,000 statements of several data sets: how often
is a proposal not the same claim, by threshold? It prints the proposals without a label, to be judged by people.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from benchmarks.evaluate_reader import choose_threshold
from benchmarks.measures import auroc, print_heads
from howsure.claims.meaning import MAX_NEIGHBOURS, MIN_COSINE
from howsure.reader import Reader, RulesReader, default_reader
from howsure.reader.conflicts import read_both_orders
from howsure.reader.embedder import embed_texts, require_embedder
from howsure.reader.same_claim import PROPOSED, judge_same
from howsure.text.stems import content_words, search_words

DATA = Path(__file__).parent / "data"
FOLDS = 5
PRECISION = 0.95
RELATED = 4.5
STRANGERS = 3
"""Statements of other groups, the nearest ones, that are learned from besides the pairs."""
Floats = NDArray[np.float64]


class SameSet(NamedTuple):
    """Pairs of statements, and whether they are one claim."""

    name: str
    pairs: list[tuple[str, str]]
    same: list[bool]


class Readings(NamedTuple):
    """What is known about the pairs of a set."""

    words: Floats
    """Share of content words that both have."""
    cosine: Floats
    there: Floats
    """Probability that the second follows from the first."""
    back: Floats
    against: Floats
    """Probability of contradiction, the mean of both orders."""

    def features(self) -> Floats:
        """Return what the logistic function reads: the cosine, and the sum of the log-odds of entailment."""
        return np.stack([self.cosine, _log_odds(self.there) + _log_odds(self.back)], axis=1)


def read_sets(folder: Path, limit: int) -> list[SameSet]:
    """Return the sets."""
    sets = []
    technical = _lines(DATA / "technical_pairs.jsonl")
    for half in ("open", "held_out"):
        lines = [line for line in technical if line["half"] == half]
        same = [line["label"] == "entailment" for line in lines]
        sets.append(SameSet(f"technical, {half.replace('_', ' ')}", [(x["first"], x["second"]) for x in lines], same))
    for part in ("trial", "train"):
        lines = _lines(folder / "nli_sick" / f"{part}.jsonl")[:limit]
        same = [line["label"] == "entailment" and line["relatedness"] >= RELATED for line in lines]
        sets.append(SameSet(f"SICK {part}", [(line["premise"], line["hypothesis"]) for line in lines], same))
    return sets


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _log_odds(values: Floats) -> Floats:
    cut = np.clip(values, 0.001, 0.999)
    return np.log(cut / (1 - cut))


def read(reader: Reader, pairs: Sequence[tuple[str, str]], cosine: Floats) -> Readings:
    """Read pairs in both orders."""
    results = read_both_orders(reader, pairs)
    return Readings(
        np.array([_shared(*pair) for pair in pairs]),
        cosine,
        np.array([there.entailment for there, _ in results]),
        np.array([back.entailment for _, back in results]),
        np.array([(there.contradiction + back.contradiction) / 2 for there, back in results]),
    )


def _shared(first: str, second: str) -> float:
    ours, theirs = (set(content_words(search_words(text))) for text in (first, second))
    return len(ours & theirs) / max(len(ours | theirs), 1)


def cosines(pairs: Sequence[tuple[str, str]]) -> Floats:
    """Return the cosines of pairs by the installed embedder."""
    first, second = (embed_texts(require_embedder(), [pair[side] for pair in pairs]) for side in (0, 1))
    result: Floats = np.einsum("ij,ij->i", first, second).astype(np.float64)
    return result


def cross_validate(features: Floats, same: Floats) -> Floats:
    """Return the probability of each pair by a function that was learned on the other folds.

    The pairs of a statement follow each other, so folds of neighbouring pairs share no statement.
    """
    folds = np.arange(len(same)) // 3 % FOLDS
    chances = np.empty(len(same))
    for fold in range(FOLDS):
        model = LogisticRegression().fit(features[folds != fold], same[folds != fold])
        chances[folds == fold] = model.predict_proba(features[folds == fold])[:, 1]
    return chances


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--store", action="store_true")
    asked = parser.parse_args()
    if asked.store:
        propose(asked.folder)
        return
    sets = read_sets(asked.folder, asked.limit)
    near = [cosines(one.pairs) for one in sets]
    for reader in (default_reader(), RulesReader()):
        readings = [read(reader, one.pairs, cosine) for one, cosine in zip(sets, near, strict=True)]
        same = [np.array(one.same, dtype=float) for one in sets]
        model = LogisticRegression().fit(readings[0].features(), same[0])
        threshold = choose_threshold(
            cross_validate(readings[0].features(), same[0]).tolist(), (same[0] > 0).tolist(), PRECISION
        )
        weights = [*model.coef_[0], model.intercept_[0]]
        print(
            f"\nreader {reader.name}: weights {[round(float(one), 2) for one in weights]}, threshold {threshold:.3f}\n"
        )
        many, lines = learn_among_many(reader, sets[0])
        print(f"among many: weights {[round(one, 2) for one in many]}; precision / recall from {', '.join(lines)}\n")
        scores: dict[str, Callable[[Readings], Floats]] = {
            "words": lambda one: one.words,
            "cosine": lambda one: one.cosine,
            "cosine x (1 - contradiction)": lambda one: one.cosine * (1 - one.against),
            "entailment both ways": lambda one: one.there * one.back,
            "in use": lambda one: model.predict_proba(one.features())[:, 1],  # noqa: B023 - used within the round
        }
        print_heads("set", "pairs", *scores, "precision", "recall", "precision at 0.4", "recall at 0.4")
        for one, reading, truth in zip(sets, readings, same, strict=True):
            cells = [f"{auroc(list(map(float, score(reading))), one.same):.3f}" for score in scores.values()]
            for limit in (threshold, 0.4):
                chosen = scores["in use"](reading) >= limit
                cells += [f"{truth[chosen].mean():.2f}", f"{truth[chosen].sum() / truth.sum():.2f}"]
            print(f"| {one.name} | {len(truth)} | {' | '.join(cells)} |", flush=True)
    if asked.speed:
        _time([text for one in sets for pair in one.pairs for text in pair])


def learn_among_many(reader: Reader, pairs: SameSet) -> tuple[list[float], list[str]]:
    """Learn the weights with the three nearest statements of other groups besides the pairs.

    Returns the weights, and precision and recall by threshold, cross-validated over groups of pairs.
    """
    group = {text: pair[0] for pair in pairs.pairs for text in pair}
    texts = list(group)
    vectors = embed_texts(require_embedder(), texts)
    cosine = vectors @ vectors.T
    rows = [(pair, same, pair[0]) for pair, same in zip(pairs.pairs, pairs.same, strict=True)]
    for place, text in enumerate(texts):
        others = [texts[other] for other in np.argsort(-cosine[place]) if group[texts[other]] != group[text]]
        rows += [((text, other), False, group[text]) for other in others[:STRANGERS]]
    places = {text: place for place, text in enumerate(texts)}
    near = np.array([cosine[places[one], places[other]] for (one, other), _, _ in rows], dtype=float)
    reading = read(reader, [pair for pair, _, _ in rows], near)
    same, features = np.array([same for _, same, _ in rows], dtype=float), reading.features()
    numbers = {text: number for number, text in enumerate(sorted(set(group.values())))}
    folds = np.array([numbers[one] % FOLDS for _, _, one in rows])
    chances = np.empty(len(same))
    for fold in range(FOLDS):
        model = LogisticRegression(max_iter=500).fit(features[folds != fold], same[folds != fold])
        chances[folds == fold] = model.predict_proba(features[folds == fold])[:, 1]
    chances = np.minimum(chances, 1 - reading.against)
    lines = []
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.82):
        chosen = chances >= threshold
        lines.append(f"{threshold}: {same[chosen].mean():.2f} / {same[chosen].sum() / same.sum():.2f}")
    model = LogisticRegression(max_iter=500).fit(features, same)
    return [*model.coef_[0].tolist(), float(model.intercept_[0])], lines


class Known(NamedTuple):
    """Statements of a store and new ones, with what is known about pairs of them."""

    stored: list[str]
    new: list[str]
    labels: dict[frozenset[str], bool]
    """Whether a pair is the same claim, if that is known."""


def make_store(folder: Path, size: int = 2000, asked: int = 300) -> Known:
    """Return a store of technical pairs (open half), SICK trial and single statements of other sets, and new ones."""
    sets = [one for one in read_sets(folder, 500) if one.name in {"technical, open", "SICK trial"}]
    labels = {frozenset(pair): same for one in sets for pair, same in zip(one.pairs, one.same, strict=True)}
    dice = random.Random(49)
    others = [line["claim"] for line in _lines(folder / "fc_fever_dev_binary" / "dev.jsonl")]
    others += [line["premise"] for line in _lines(folder / "nli_snli_devtest" / "dev.jsonl")]
    others += [line["claim"] for line in _lines(folder / "fc_climate_fever" / "claims.jsonl")]
    others = dice.sample(sorted(set(others)), size)
    stored = list(dict.fromkeys([pair[0] for one in sets for pair in one.pairs] + others))[:size]
    kept = set(stored)
    partners = sorted({pair[1] for one in sets for pair in one.pairs} - kept)
    rest = sorted(set(others) - kept)
    new = dice.sample(partners, asked // 2) + dice.sample(rest, asked // 2)
    return Known(stored, new, labels)


def propose(folder: Path) -> None:
    """Print how many proposals are labelled as the same claim, as another one, and not at all, by threshold."""
    known = make_store(folder)
    vectors, new = embed_texts(require_embedder(), known.stored), embed_texts(require_embedder(), known.new)
    near = new @ vectors.T
    pairs, cosines_ = [], []
    for statement, row in zip(known.new, near, strict=True):
        for place in np.argsort(-row)[:MAX_NEIGHBOURS]:
            if row[place] >= MIN_COSINE:
                pairs.append((statement, known.stored[place]))
                cosines_.append(float(row[place]))
    reader = default_reader()
    counts = Counter(pair[0] for pair in pairs)
    found = judge_same(reader, pairs, cosines_, [counts[pair[0]] for pair in pairs])
    print_heads("threshold", "proposals", "the same", "another claim", "no label", "statements with a proposal")
    for threshold in (0.4, 0.5, 0.6, 0.7, 0.82, 0.9):
        chosen = [pair for pair, one in zip(pairs, found, strict=True) if one.same >= threshold]
        truth = [known.labels.get(frozenset(pair)) for pair in chosen]
        sums = [sum(label is value for label in truth) for value in (True, False, None)]
        print(f"| {threshold} | {len(chosen)} | {' | '.join(map(str, sums))} | {len({pair[0] for pair in chosen})} |")
    for pair, one in sorted(zip(pairs, found, strict=True), key=lambda both: -both[1].same):
        if one.same >= PROPOSED and frozenset(pair) not in known.labels:
            print(f"{one.same:.2f} | {pair[0]} | {pair[1]}")


def _time(texts: Sequence[str]) -> None:
    """Print how long it takes to embed 10,000 statements, in processor time."""
    some = list(dict.fromkeys(texts))[:2000]
    begun = time.process_time()
    embed_texts(require_embedder(), some)
    spent = (time.process_time() - begun) / len(some)
    print(f"\nembedding: {1 / spent:.0f} statements per second of processor time, 10,000 take {spent * 10_000:.0f} s")


if __name__ == "__main__":
    main()
