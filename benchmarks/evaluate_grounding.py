"""Evaluate grounding: `python -m benchmarks.evaluate_grounding FOLDER [--fit | --reader]`.

Are changes found? Of grounded answers, one number, name or negation is changed; the table tells which share has less
support than 95 % of the unchanged answers. Is a claim supported by a text? The table has AUROC, Brier score and
calibration error of the support. With --reader, the reader that is installed judges too, and only pairs are used on
which it was not trained.

The folder holds `fc_fever_dev_binary` (lines of evidence, claim, label) and `halu_factcheck_bench` (lines of evidence,
claim, stance). The technical pairs are those of the tests. `--fit` learns the constants of `howsure.text.grounding`
again, from the first half of FEVER and the developing half of the technical pairs, and prints them.
"""

import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.evaluate_reader import read_sets
from benchmarks.grounding_edits import EditKind, edit
from benchmarks.measures import print_heads, show_measure
from howsure.learn.evaluation import evaluate_columns
from howsure.responses.reading import read_grounding
from howsure.text.context import Context
from howsure.text.grounding.ground import Features, compare, ground
from howsure.text.passages import read_passage, split_passages

PAIRS = Path(__file__).parents[1] / "tests" / "text" / "grounding" / "grounding_pairs.txt"
KINDS: tuple[EditKind, ...] = ("number", "name", "negation")
FALSE_ALARMS = 0.05
SIZE = 1000
"""Pairs that are read of each large set."""


class Example(NamedTuple):
    """A context, an answer, and whether the first supports the second."""

    context: str
    answer: str
    supported: bool


def read_technical(half: int) -> list[Example]:
    """Return every second technical pair: 0 to develop, 1 is held out."""
    lines = PAIRS.read_text(encoding="utf-8").splitlines()[half::2]
    pairs = [line.split(" => ") for line in lines]
    return [Example(context, answer, supported=True) for context, answer in pairs]


def read_fever(folder: Path, half: int) -> list[Example]:
    """Return pairs of FEVER: 0 the first ones, which are used to fit, 1 those from the second half."""
    lines = _lines(folder / "fc_fever_dev_binary" / "dev.jsonl")
    start = half * len(lines) // 2
    part = lines[start : start + SIZE]
    return [Example(line["evidence"], line["claim"], line["label"] == "SUPPORTS") for line in part]


def read_stances(folder: Path) -> list[tuple[Example, str]]:
    """Return pairs of factcheck-bench with their stance: every third, since they are sorted by claim."""
    lines = _lines(folder / "halu_factcheck_bench" / "claim_evidence_stance.jsonl")[::3]
    return [
        (Example(line["evidence"], line["claim"], line["stance"].endswith("support")), line["stance"]) for line in lines
    ]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def features_of(example: Example) -> list[Features]:
    """Return the differences of each sentence of an answer."""
    context = Context([example.context])
    sentences = [read_passage(example.answer, *span) for span in split_passages(example.answer)]
    return [compare(one, context.find_best(one), context) for one in sentences]


def is_grounded(example: Example) -> bool:
    """Return True if every name and number of a supported answer is in its context.

    The evidence of FEVER often lacks the title of its page, to which the claim refers: nobody could tell by the text
    alone that such a name was changed.
    """
    return example.supported and not any(
        one.missing_names or one.missing_subject or one.missing_numbers for one in features_of(example)
    )


def changes_of(examples: Sequence[Example], seed: int = 1) -> Iterator[tuple[EditKind, Example]]:
    """Yield each answer with one number, name and negation changed, if it has one."""
    dice = random.Random(seed)
    for example in examples:
        for kind in KINDS:
            changed = edit(kind, example.answer, example.context, dice)
            if changed is not None:
                yield kind, Example(example.context, changed, supported=False)


def strangers_of(examples: Sequence[Example]) -> list[Example]:
    """Return each answer with the context of the next example, which says nothing about it."""
    following = [*examples[1:], *examples[:1]]
    return [Example(other.context, one.answer, supported=False) for one, other in zip(examples, following, strict=True)]


def support(example: Example) -> float:
    """Return the support of an answer by words; 0.5 if it cannot be judged."""
    found = ground(example.answer, example.context).support
    return 0.5 if found is None else found


def read_support(example: Example) -> float:
    """Return the support of an answer by words and by the reader that is installed; 0.5 if it cannot be judged."""
    found = read_grounding(ground(example.answer, example.context), example.context).support
    return 0.5 if found is None else found


def read_unseen(folder: Path) -> dict[str, list[Example]]:
    """Return the pairs that the small reader was not trained on; its combination may have learned its weights there."""
    return {
        one.name: [Example(pair.first, pair.second, pair.label == "entailment") for pair in one.evaluation]
        for one in read_sets(folder, SIZE)
        if one.support
    }


Support = Callable[[Example], float]


def evaluate_changes(name: str, examples: Sequence[Example], support: Support = support) -> str:
    """Return a row: which share of changes has less support than all but 5 % of the unchanged answers."""
    unchanged = sorted(map(support, examples))
    threshold = unchanged[int(FALSE_ALARMS * len(unchanged))]
    found: dict[str, list[bool]] = {"all": []}
    for kind, changed in changes_of(examples):
        is_found = support(changed) < threshold
        found.setdefault(kind, []).append(is_found)
        found["all"].append(is_found)
    shares = " | ".join(f"{sum(found[kind]) / len(found[kind]):.3f} ({len(found[kind])})" for kind in (*KINDS, "all"))
    return f"| {name} | {len(examples):,} | {shares} | {threshold:.2f} |"


def evaluate_support(name: str, examples: Sequence[Example], support: Support = support) -> str:
    """Return a row: AUROC, Brier score, calibration error, and mean support of supported and other pairs."""
    supports = np.array([support(example) for example in examples])
    labels = np.array([example.supported for example in examples])
    # Pairs of one claim are drawn together.
    found = evaluate_columns({"support": supports}, labels, [example.answer for example in examples])
    measured = " | ".join(show_measure(found, name) for name in ("auroc", "brier", "ece"))
    means = [supports[labels == wanted].mean() for wanted in (True, False)]
    return f"| {name} | {len(examples):,} | {measured} | {means[0]:.2f} | {means[1]:.2f} |"


def fit(folder: Path) -> None:
    """Learn the constants by logistic regression, and print them."""
    rows: list[Features] = []
    labels: list[float] = []
    weights: list[float] = []

    def add(examples: Sequence[Example], weight: float) -> None:
        for example in examples:
            for features in features_of(example):
                # A title that the evidence of FEVER lacks, or a number that people inferred, says little about
                # responses whose names and numbers come from the context.
                is_inferred = example.supported and (features.missing_names > 0 or features.missing_numbers > 0)
                rows.append(features)
                labels.append(float(example.supported))
                weights.append(weight * (0.1 if is_inferred else 1.0))

    fever, technical = read_fever(folder, 0), read_technical(0)
    grounded = [example for example in fever if is_grounded(example)]
    add(fever, 1.0)
    add([changed for _, changed in changes_of(grounded)], 1.0)
    add(strangers_of(fever), 1.0)
    add(strangers_of(technical), 4.0)
    add(technical, 10.0)
    add([changed for _, changed in changes_of(technical)], 4.0)
    matrix, truth, weight = np.c_[np.array(rows), np.ones(len(rows))], np.array(labels), np.array(weights)
    for label in (0.0, 1.0):  # as if half of all sentences were supported
        weight[truth == label] *= len(truth) / 2 / weight[truth == label].sum()
    fitted = np.zeros(matrix.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-matrix @ fitted))
        slope = matrix.T @ (weight * (truth - chance)) - np.r_[fitted[:-1], 0.0]
        curve = (matrix * (weight * chance * (1.0 - chance))[:, None]).T @ matrix + np.eye(len(fitted))
        fitted += np.linalg.solve(curve, slope)
    for field, value in zip((*Features._fields, "intercept"), fitted, strict=True):
        print(f"{field:18} {value:6.2f}")


def main(*arguments: str) -> None:
    """Print the tables for the sets in a folder, or learn the constants."""
    folder = Path(next((argument for argument in arguments if not argument.startswith("-")), "."))
    if "--fit" in arguments:
        fit(folder)
        return
    if "--reader" in arguments:
        print_heads("changed answers", "answers", *KINDS, "all", "threshold")
        print(evaluate_changes("technical, held out", read_technical(1), read_support))
        print()
        print_heads("supported or not", "pairs", "AUROC", "Brier", "ECE", "mean if supported", "if not")
        for name, examples in read_unseen(folder).items():
            print(evaluate_support(f"{name}, not learned from", examples, read_support), flush=True)
        return
    fever, stances = read_fever(folder, 1), read_stances(folder)
    print_heads("changed answers", "answers", *KINDS, "all", "threshold")
    print(evaluate_changes("technical, developed on", read_technical(0)))
    print(evaluate_changes("technical, held out", read_technical(1)))
    if fever:
        print(evaluate_changes("FEVER, names and numbers in the evidence", [one for one in fever if is_grounded(one)]))
    if stances:
        backed = [example for example, stance in stances if stance == "completely-support" and is_grounded(example)]
        print(evaluate_changes("factcheck-bench, the same", backed))
    print()
    print_heads("supported or not", "pairs", "AUROC", "Brier", "ECE", "mean if supported", "if not")
    if fever:
        print(evaluate_support("FEVER, second half", fever))
    if stances:
        print(evaluate_support("factcheck-bench, any support", [example for example, _ in stances]))
        clear = [example for example, stance in stances if stance != "partially-support"]
        print(evaluate_support("factcheck-bench, complete support", clear))


if __name__ == "__main__":
    main(*sys.argv[1:])
