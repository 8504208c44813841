"""Read a pair of texts by rules and words: does the second follow from the first, contradict it, or neither?

`pair_features` compares the texts; decision trees, learned on labelled pairs, turn the differences into probabilities.
`python -m benchmarks.fit_pairs` learns them again, and decision 0032 says what they were learned on.
"""

import json
import math
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from howsure.text.contradictions.clause import ConflictKind
from howsure.text.contradictions.compare import speaks_of_others
from howsure.text.contradictions.compatible import may_both_hold
from howsure.text.contradictions.pair_features import (
    PairFeatures,
    Side,
    compare_pair,
    find_opposed,
    is_change_of,
    read_side,
)
from howsure.text.language import is_english

TREES = "pair_trees.json"
VERSION = "5"
"""Version of the rules and trees: the same version gives the same probabilities."""
_LONG = 600
"""Characters from which only the part of the first text is compared that is nearest to the second."""
_CHANGED = 0.3
"""Probability of contradiction at most if one text says that it was so and the other that it is not any more, or both
say the same in other words."""
_UNKNOWN = "only English can be compared"


class PairReading(NamedTuple):
    """What the words of two texts say about each other: three probabilities with a sum of 1."""

    entailment: float
    """Probability that the second text follows from the first."""
    neutral: float
    contradiction: float
    """Probability that both texts cannot be true."""
    kind: ConflictKind | None
    """The kind of clash that the rules found, or None."""
    reason: str
    """The words that clash, or why the pair cannot be judged; "" if no words do."""


class _Trees(NamedTuple):
    """Decision trees for three classes: each tree adds a number to the logit of its class."""

    base: tuple[float, float, float]
    trees: list[list[list[list[float]]]]
    """For each round and class the nodes: [feature, threshold, left, right], or [value] for a leaf."""


def read_pair(first: str, second: str) -> PairReading:
    """Return how likely the second text follows from the first, contradicts it, or neither.

    English only: for other languages and for texts without words the result is neutral, with the reason.

    >>> read_pair("The primary accepts writes.", "The primary is read-only.").contradiction > 0.5
    True
    >>> read_pair("Der Server ist nicht erreichbar.", "Der Server ist erreichbar.").reason
    'only English can be compared'
    """
    if not (first.strip() and second.strip()):
        return PairReading(0.0, 1.0, 0.0, None, "a text is empty")
    if not (is_english(first) and is_english(second)):
        return PairReading(0.0, 1.0, 0.0, None, _UNKNOWN)
    first = nearest_part(first, second)
    if " ".join(first.split()).casefold() == " ".join(second.split()).casefold():
        return PairReading(1.0, 0.0, 0.0, None, "")
    features, clash = compare_pair(first, second)
    entailment, neutral, contradiction = predict(features)
    if contradiction > _CHANGED and _may_both_hold(read_side(first), read_side(second), features):
        contradiction, neutral = _CHANGED, neutral + contradiction - _CHANGED
    if clash is not None:
        return PairReading(entailment, neutral, contradiction, clash.kind, clash.reason)
    opposed = find_opposed(read_side(first), read_side(second)) if contradiction > max(entailment, neutral) else None
    reason = f'"{opposed[0]}" against "{opposed[1]}"' if opposed else ""
    return PairReading(entailment, neutral, contradiction, None, reason)


def _may_both_hold(one: Side, other: Side, features: PairFeatures) -> bool:
    """Return True if words look opposite only because of a change, another wording, or "all but"."""
    if features.agreed or speaks_of_others(one.text.lower()) != speaks_of_others(other.text.lower()):
        return True
    if len(one.clauses) == len(other.clauses) == 1 and may_both_hold(one.clauses[0], other.clauses[0]):
        return True
    return is_change_of(one, other)


def nearest_part(first: str, second: str) -> str:
    """Return the passages of a long text that are nearest to another text; a short text as it is."""
    if len(first) <= _LONG:
        return first
    from howsure.text.context import Context
    from howsure.text.passages import read_passage

    context = Context([first])
    place = context.find_best(read_passage(second[:_LONG], 0, len(second[:_LONG])))
    return first[place.start : place.end] if place else first[:_LONG]


def predict(features: PairFeatures) -> tuple[float, float, float]:
    """Return the probabilities of entailment, neutral and contradiction."""
    model = _load()
    logits = list(model.base)
    for turn in model.trees:
        for place, nodes in enumerate(turn):
            node = nodes[0]
            while len(node) > 1:
                feature, threshold, left, right = node
                node = nodes[int(left if features[int(feature)] <= threshold else right)]
            logits[place] += node[0]
    highest = max(logits)
    powers = [math.exp(logit - highest) for logit in logits]
    entailment, neutral, contradiction = (power / sum(powers) for power in powers)
    return entailment, neutral, contradiction


@cache
def _load() -> _Trees:
    data = json.loads(files("howsure.text.contradictions").joinpath(TREES).read_text(encoding="utf-8"))
    if data["features"] != list(PairFeatures._fields):
        raise RuntimeError(f"{TREES} was learned with other features: run python -m benchmarks.fit_pairs")
    return _Trees(tuple(data["base"]), data["trees"])
