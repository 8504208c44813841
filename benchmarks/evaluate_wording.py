"""Evaluate hedges on labelled sentences: `python -m benchmarks.evaluate_wording FOLDER`.

The folder holds one folder per set: `hedge_conll2010_wiki` with lines of id, text and uncertain, and
`hedge_science_certainty` with lines of finding and sentence-level-certainty, and lines of finding and
aspect-level-certainty. The output is a Markdown table with the source documents' markers beside the wide list.
"""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measures import auroc, detect, pearson, print_heads
from howsure.text.hedging.hedges import measure_hedging, read_hedges
from howsure.text.markers import load_markers


def count_source_markers(text: str) -> int:
    """Return how many markers of uncertainty of the source documents' lists a text has."""
    return len(load_markers("response").find(text).uncertain)


def is_uncertain(text: str) -> bool:
    """Return True if any sentence of a text is uncertain by the wide list."""
    return any(sentence.uncertain for sentence in read_hedges(text))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def evaluate_sentences(path: Path) -> Iterable[str]:
    """Yield a row for all sentences with uncertain or not, and for each half of them."""
    lines = _lines(path)
    # Mistakes were reviewed on the ids that 4 divides; the others were not looked at.
    reviewed, unseen = ([line for line in lines if (line["id"] % 4 == 0) is half] for half in (True, False))
    for name, part in {"all": lines, "ids 0 mod 4": reviewed, "other ids": unseen}.items():
        uncertain = [line["uncertain"] for line in part]
        source = detect([count_source_markers(line["text"]) > 0 for line in part], uncertain)
        wide = detect([is_uncertain(line["text"]) for line in part], uncertain)
        yield f"| {path.parent.name}, {name} | {len(part):,} | F1 | {source.f1:.3f} | {wide.f1:.3f} |"
        yield f"| | | precision, recall | {source[0]:.2f}, {source[1]:.2f} | {wide[0]:.2f}, {wide[1]:.2f} |"


def evaluate_certainty(path: Path) -> Iterable[str]:
    """Yield a row for the correlation with judged certainty, in all findings and in each split."""
    lines = _lines(path)
    for name in ("all", "train", "val"):
        part = [line for line in lines if name in {"all", line["split"]}]
        judged = [line["sentence-level-certainty"] for line in part]
        source, wide = (
            pearson(np.array([-measure(line["finding"]) for line in part]), np.array(judged))
            for measure in (_source_hedging, measure_hedging)
        )
        yield f"| {path.parent.name}, {name} | {len(part):,} | Pearson | {source:.3f} | {wide:.3f} |"


def _source_hedging(text: str) -> float:
    return float(count_source_markers(text))


def evaluate_aspects(path: Path) -> Iterable[str]:
    """Yield a row for each aspect: how well hedging tells uncertain findings from certain ones.

    Findings to which the weights of hedges were fitted are left out.
    """
    fitted = {line["finding"] for line in _lines(path.with_name("sentence.jsonl")) if line["split"] == "train"}
    lines = [line for line in _lines(path) if line["finding"] not in fitted]
    measures: tuple[Callable[[str], float], ...] = (_source_hedging, measure_hedging)
    for aspect in lines[0]["aspect-level-certainty"]:
        part = [line for line in lines if line["aspect-level-certainty"][aspect] != "NotPresent"]
        uncertain = [line["aspect-level-certainty"][aspect] == "Uncertain" for line in part]
        source, wide = (auroc([measure(line["finding"]) for line in part], uncertain) for measure in measures)
        yield f"| {path.parent.name}, {aspect.lower()} | {len(part):,} | AUROC | {source:.3f} | {wide:.3f} |"


SETS = {
    "hedge_conll2010_wiki/all.jsonl": evaluate_sentences,
    "hedge_science_certainty/sentence.jsonl": evaluate_certainty,
    "hedge_science_certainty/aspect.jsonl": evaluate_aspects,
}


def main(folder: str) -> None:
    """Print the table for the sets that are in a folder."""
    found = [(Path(folder) / name, evaluate) for name, evaluate in SETS.items() if (Path(folder) / name).exists()]
    if not found:
        sys.exit(f"no sets hedge_* in {folder}")
    print_heads("set", "sentences", "measure", "source list", "wide list")
    for path, evaluate in found:
        for row in evaluate(path):
            print(row)


if __name__ == "__main__":
    main(*sys.argv[1:] or ["."])
