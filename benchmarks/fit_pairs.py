"""Learn the trees of `howsure.text.contradictions.pairs`: `python -m benchmarks.fit_pairs FOLDER [--check]`.

The folder holds `nli_snli_devtest`, `nli_conj` and `fc_fever_dev_binary`. The trees are learned on the first half of
SNLI dev (CC BY-SA 4.0) and FEVER dev (CC BY-SA 3.0), the training part of ConjNLI (MIT), the technical pairs of the
tests and of `technical_training.jsonl`, and pairs by template; never on `technical_pairs.jsonl`, SICK or Climate-FEVER.
They are written to `src/howsure/text/contradictions/pair_trees.json`; with --check nothing is written.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.pair_templates import LabelledPair, make_pairs, make_states
from benchmarks.plain_denials import make_denials
from howsure.files import atomic_write
from howsure.text.contradictions.pair_features import PairFeatures, compare_pair
from howsure.text.contradictions.pairs import TREES, nearest_part
from tests.text.pairs_field import field

DATA = Path(__file__).parent / "data"
TARGET = Path(__file__).parents[1] / "src" / "howsure" / "text" / "contradictions" / TREES
CLASSES = ("entailment", "neutral", "contradiction")
LABELS = {"supports": "entailment", "refutes": "contradiction"}
ROUNDS, LEAVES, RATE, SHRINK = 60, 8, 0.12, 5.0
"""Chosen by cross-validation over the technical training pairs: more rounds or leaves gained less than 0.002 AUROC."""


def read_jsonl(path: Path, every: int = 1, *, half: int | None = None) -> list[LabelledPair]:
    """Return the labelled pairs of a file: every so many lines, of the first (0) or second (1) half or of the whole."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if half is not None:
        lines = lines[: len(lines) // 2] if half == 0 else lines[len(lines) // 2 :]
    pairs = [_labelled(line) for line in lines[::every]]
    return [pair for pair in pairs if pair.label in CLASSES]


def _labelled(line: dict[str, Any]) -> LabelledPair:
    first = line.get("first") or line.get("premise") or line["evidence"]
    second = line.get("second") or line.get("hypothesis") or line["claim"]
    label = line["label"].casefold()
    return LabelledPair(first, second, LABELS.get(label, label))


def training_sets(folder: Path) -> dict[str, tuple[list[LabelledPair], float]]:
    """Return the sets with the weight of each pair."""
    field_pairs = [pair for split in ("develop", "held out") for pair in field(split)]
    return {
        "technical": (read_jsonl(DATA / "technical_training.jsonl"), 3.0),
        "field": (
            [LabelledPair(p.first, p.second, "contradiction" if p.clash else "compatible") for p in field_pairs],
            2.0,
        ),
        "templates": (list(make_pairs(1500, seed=5)), 0.4),
        "states": (list(make_states(1200, seed=3)), 0.4),
        "denials": ([LabelledPair(*pair, "contradiction") for pair in make_denials(300, seed=7)], 0.3),
        "SNLI": (read_jsonl(folder / "nli_snli_devtest" / "dev.jsonl", every=2, half=0), 0.35),
        "FEVER": (read_jsonl(folder / "fc_fever_dev_binary" / "dev.jsonl", every=4, half=0), 0.3),
        "ConjNLI": (read_jsonl(folder / "nli_conj" / "train_auto.jsonl", every=8), 0.4),
    }


def features_of(pairs: Sequence[LabelledPair]) -> Any:
    """Return the matrix of the features of pairs."""
    read = [compare_pair(nearest_part(pair.first, pair.second), pair.second)[0] for pair in pairs]
    return np.array(read, dtype=float)


def fit(folder: Path) -> dict[str, Any]:
    """Return the trees as data for JSON."""
    rows, labels, weights = [], [], []
    for pairs, weight in training_sets(folder).values():
        for row, pair in zip(features_of(pairs), pairs, strict=True):
            # "compatible" pairs follow or are neutral: both, with half of the weight.
            for label in ("entailment", "neutral") if pair.label == "compatible" else (pair.label,):
                rows.append(row)
                labels.append(CLASSES.index(label))
                weights.append(weight / 2 if pair.label == "compatible" else weight)
    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, l2_regularization=SHRINK, random_state=1
    )
    model.fit(np.array(rows), np.array(labels), sample_weight=np.array(weights))
    trees = [[_nodes(predictor.nodes) for predictor in turn] for turn in model._predictors]  # noqa: SLF001
    base = [round(float(value), 5) for value in np.ravel(model._baseline_prediction)]  # noqa: SLF001
    return {"features": list(PairFeatures._fields), "base": base, "trees": trees}


def _nodes(nodes: Any) -> list[list[float]]:
    """Return the nodes of a tree: [feature, threshold, left, right], or [value] for a leaf."""
    return [
        [round(float(node["value"]), 5)]
        if node["is_leaf"]
        else [int(node["feature_idx"]), round(float(node["num_threshold"]), 6), int(node["left"]), int(node["right"])]
        for node in nodes
    ]


def main(*arguments: str) -> None:
    """Learn the trees and write them."""
    folder = Path(next((argument for argument in arguments if not argument.startswith("-")), "."))
    data = fit(folder)
    if "--check" not in arguments:
        with atomic_write(TARGET) as path:
            path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{sum(len(turn) for turn in data['trees'])} trees")


if __name__ == "__main__":
    main(*sys.argv[1:])
