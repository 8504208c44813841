"""Learning the trees: the training pairs have labels, and the shipped trees have the features of today."""

import json

from benchmarks.fit_pairs import CLASSES, DATA, TARGET, features_of, read_jsonl
from benchmarks.pair_templates import make_pairs, make_states
from benchmarks.plain_denials import make_denials
from howsure.text.contradictions.pair_features import PairFeatures


def test_training_pairs_are_labelled_and_none_of_them_is_evaluated() -> None:
    training = read_jsonl(DATA / "technical_training.jsonl")
    evaluated = read_jsonl(DATA / "technical_pairs.jsonl")
    made = [*make_pairs(1500, seed=5), *make_states(1200, seed=3)]
    assert {pair.label for pair in (*training, *evaluated, *made)} == set(CLASSES)
    assert len(evaluated) >= 500
    known = {pair[:2] for pair in (*training, *made)} | set(make_denials(300, seed=7))
    assert not known & {pair[:2] for pair in evaluated}


def test_the_trees_were_learned_with_todays_features() -> None:
    data = json.loads(TARGET.read_text(encoding="utf-8"))
    assert data["features"] == list(PairFeatures._fields)
    assert features_of(read_jsonl(DATA / "technical_training.jsonl")[:2]).shape == (2, len(PairFeatures._fields))
