"""Are changes of other people's prose found? `python -m benchmarks.grounding_prose FOLDER [--develop]`.

The folder holds `nli_conj` (contexts and what follows from them), `halu_halueval_general` and `hedge_conll2010_wiki`
(prose, of which a shortened sentence is the answer and the text around it the context). In each answer one thing is
changed, by kind. Cells are the share of changes with less support than 95 % of the unchanged answers, by words alone.
A seeded half of each set is reported; with --develop the other half is used.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from benchmarks.evaluate_grounding import FALSE_ALARMS, Example, support
from benchmarks.grounding_edits import EditKind, edit
from benchmarks.measures import print_heads
from howsure.text.passages import split_passages

KINDS: tuple[EditKind, ...] = get_args(EditKind)
SIZE = 350
"""Answers of each set."""
_SHORTEST, _LONGEST, _PASSAGES = 30, 220, 5
_AROUND = 3
"""Sentences of Wikipedia before and after the one that is shortened."""
# What a sentence can do without: parentheses, an opening word, a relative clause, the last part, adverbs.
_DROPPED = [
    (re.compile(r"\s*\([^)]*\)"), ""),
    (re.compile(r"^(?:However|Additionally|Overall|In addition|Finally|Furthermore|For example|Moreover), "), ""),
    (re.compile(r", (?:which|who|where)\b[^,.]*(?=[,.])"), ""),
    (re.compile(r", (?:and|but|while) [^.]*(?=\.$)"), ""),
    (re.compile(r"\b(?:very|also|typically|generally|often|usually|simply|primarily|particularly) "), ""),
]


def shorten(sentence: str) -> str | None:
    """Return a sentence without some of its parts, or None if it has none to leave out or gets too short.

    >>> shorten("However, the river (the longest of all) is also navigable in summer.")
    'The river is navigable in summer.'
    """
    short = sentence.strip()
    for form, other in _DROPPED:
        short = form.sub(other, short)
    short = short[:1].upper() + short[1:]
    return short if short != sentence.strip() and _SHORTEST < len(short) < _LONGEST else None


def read_prose(folder: Path, half: int) -> Iterator[tuple[str, list[Example]]]:
    """Yield each set's name and supported answers: half 0 to develop, half 1 held out."""
    pairs = [line for line in _lines(folder / "nli_conj" / "train_auto.jsonl") if line["label"] == "entailment"]
    yield (
        "ConjNLI",
        [Example(line["premise"], line["hypothesis"], supported=True) for line in _half(pairs, half)[:SIZE]],
    )
    answers = [
        _shorten_one(line["response"]) for line in _half(_lines(folder / "halu_halueval_general" / "all.jsonl"), half)
    ]
    yield "HaluEval", [answer for answer in answers if answer is not None][:SIZE]
    texts = [line["text"] for line in _half(_lines(folder / "hedge_conll2010_wiki" / "all.jsonl"), half)]
    around = (" ".join(texts[max(0, place - _AROUND) : place + _AROUND + 1]) for place in range(len(texts)))
    pairs_ = ((context, shorten(text)) for context, text in zip(around, texts, strict=True))
    yield "Wikipedia", [Example(context, short, supported=True) for context, short in pairs_ if short][:SIZE]


def _shorten_one(response: str) -> Example | None:
    """Return a long response with one of its sentences, shortened."""
    sentences = [response[start:end] for start, end in split_passages(response)]
    if len(sentences) < _PASSAGES:
        return None
    shortened = (shorten(sentence) for sentence in sentences if sentence.strip().endswith("."))
    return next((Example(response, short, supported=True) for short in shortened if short), None)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _half(lines: list[dict[str, Any]], half: int) -> list[dict[str, Any]]:
    random.Random(5).shuffle(lines)
    return lines[half::2]


def evaluate(examples: Sequence[Example]) -> dict[str, list[bool]]:
    """Return for each kind of change whether each change is found; under "all" all of them."""
    unchanged = sorted(map(support, examples))
    threshold = unchanged[int(FALSE_ALARMS * len(unchanged))]
    dice = random.Random(1)
    found: dict[str, list[bool]] = {kind: [] for kind in (*KINDS, "all")}
    for example in examples:
        for kind in KINDS:
            changed = edit(kind, example.answer, example.context, dice)
            if changed is not None:
                is_found = support(Example(example.context, changed, supported=False)) < threshold
                found[kind].append(is_found)
                found["all"].append(is_found)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--develop", action="store_true")
    asked = parser.parse_args()
    print_heads("set", "answers", *KINDS, "all", "first three")
    for name, examples in read_prose(asked.folder, 0 if asked.develop else 1):
        found = evaluate(examples)
        cells = [f"{sum(one) / len(one):.2f} ({len(one)})" if one else "" for one in found.values()]
        first = [one for kind in KINDS[:3] for one in found[kind]]
        print(f"| {name} | {len(examples)} | {' | '.join(cells)} | {sum(first) / len(first):.3f} |", flush=True)


if __name__ == "__main__":
    main()
