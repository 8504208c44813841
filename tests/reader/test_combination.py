"""Combinations of readers: learned weights, files and falling back."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.reader import (
    CombinationFit,
    CombinedReader,
    CrossEncoderReader,
    LabelledPair,
    PairProbabilities,
    ReaderError,
    RulesReader,
    TextPair,
    learn_combination,
    load_fit,
    read_pairs,
)


class NoisyReader:
    """Knows the label, which stands at the end of the second text, most of the time."""

    version = "1"

    def __init__(self, name: str, right: float) -> None:
        self.name, self._right = name, right

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: TextPair) -> PairProbabilities:
        dice = random.Random(f"{self.name}{pair}")
        kind = pair.second.split()[-1]
        if dice.random() > self._right:
            kind = dice.choice(["contradiction", "entailment", "neutral"])
        one, two, three = (0.8 if name == kind else 0.1 for name in ("contradiction", "entailment", "neutral"))
        return PairProbabilities(one, two, three, self.name, "1")


def _labelled(count: int, seed: int = 1) -> list[LabelledPair]:
    dice = random.Random(seed)
    kinds = [dice.choice(["contradiction", "entailment", "neutral"]) for _ in range(count)]
    return [LabelledPair(f"text {number}", f"text {number} {kind}", kind) for number, kind in enumerate(kinds)]  # type: ignore[arg-type]


READERS = [NoisyReader("one", 0.7), NoisyReader("two", 0.6)]


def _right(results: list[PairProbabilities], pairs: list[LabelledPair]) -> float:
    best = [max(("contradiction", "entailment", "neutral"), key=lambda name: getattr(one, name)) for one in results]
    return sum(kind == pair.label for kind, pair in zip(best, pairs, strict=True)) / len(pairs)


def test_the_combination_is_better_than_each_reader_and_calibrated() -> None:
    fit = learn_combination(READERS, _labelled(1500))
    fresh = _labelled(1500, seed=2)
    texts = [TextPair(pair.first, pair.second) for pair in fresh]
    results = read_pairs(CombinedReader(READERS, fit), texts)
    alone = [_right(read_pairs(reader, texts), fresh) for reader in READERS]
    assert _right(results, fresh) >= max(alone)
    for name in ("contradiction", "entailment"):
        share = sum(pair.label == name for pair in fresh) / len(fresh)
        assert sum(getattr(one, name) for one in results) / len(fresh) == pytest.approx(share, abs=0.04)
    assert results[0].reader == "one+two"
    assert results[0].version == "own"


def test_weights_agree_with_an_independent_solver() -> None:
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    from howsure.reader.combination_fit import features_of
    from howsure.reader.lexical import FEATURES

    pairs = _labelled(400)
    texts = [TextPair(pair.first, pair.second) for pair in pairs]
    columns = [read_pairs(reader, texts) for reader in READERS]
    rows = [features_of(text, ("one", "two"), results) for text, *results in zip(texts, *columns, strict=True)]
    fit = learn_combination(READERS, pairs)
    names = [name for name in rows[0] if name and name not in FEATURES]
    # A ridge 100 times as strong is the same as a feature a tenth as large.
    scale = np.array([0.1 if name.endswith(" covered") else 1.0 for name in names])
    matrix = np.array([[row[name] for name in names] for row in rows]) * scale
    oracle = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)
    oracle.fit(matrix, [pair.label == "contradiction" for pair in pairs])
    assert [fit.contradiction[name] for name in names] == pytest.approx((oracle.coef_[0] * scale).tolist(), abs=1e-3)
    assert fit.contradiction[""] == pytest.approx(float(oracle.intercept_[0]), abs=1e-3)


def test_a_fit_is_saved_and_loaded(tmp_path: Path) -> None:
    fit = learn_combination(READERS, _labelled(200), version="7")
    fit.save(tmp_path / "fit.json")
    loaded = load_fit(tmp_path / "fit.json")
    assert (loaded.readers, loaded.version, loaded.pairs) == (("one", "two"), "7", 200)
    assert loaded.contradiction == pytest.approx(dict(fit.contradiction), abs=1e-6)


def test_pairs_that_are_only_compatible_teach_about_contradictions_alone() -> None:
    pairs = [pair._replace(label="compatible") if pair.label != "contradiction" else pair for pair in _labelled(300)]
    fit = learn_combination(READERS, pairs)
    assert fit.contradiction["one.contradiction"] > 0
    assert fit.entailment == {"": 0.0}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"readers": ["a"]}',
        '{"readers": ["a"], "version": 1, "pairs": 1, "contradiction": {"x": 1}, "entailment": {}}',
    ],
)
def test_a_damaged_fit_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "fit.json").write_text(content)
    with pytest.raises(ReaderError, match="fit.json does not hold the fit of a combination"):
        load_fit(tmp_path / "fit.json")


def test_a_missing_fit_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match="there is no file .*none.json"):
        load_fit(tmp_path / "none.json")


def test_too_few_pairs_and_unknown_labels_are_errors() -> None:
    with pytest.raises(InputError, match="too few to learn from"):
        learn_combination(READERS, _labelled(20))
    with pytest.raises(InputError, match="unknown label 'perhaps'"):
        learn_combination(READERS, [LabelledPair("a", "b", "perhaps")])  # type: ignore[arg-type]


def test_a_fit_for_other_readers_is_an_error() -> None:
    fit = CombinationFit(("rules", "mine"), {"": 0.0}, {"": 0.0}, "1")
    with pytest.raises(InputError, match="learned for rules, mine, not for one, two"):
        CombinedReader(READERS, fit)


def test_if_a_reader_fails_the_first_one_answers_and_says_why(tmp_path: Path) -> None:
    rules, broken = RulesReader(), CrossEncoderReader(tmp_path / "gone.onnx", name="small")
    fit = CombinationFit(("rules", "small"), {"": 0.0}, {"": 0.0}, "1")
    pair = TextPair("The cache is enabled by default.", "The cache is disabled by default.")
    result = read_pairs(CombinedReader([rules, broken], fit), [pair])[0]
    alone = read_pairs(rules, [pair])[0]
    assert (result.contradiction, result.reader) == (alone.contradiction, "rules")
    assert alone.reason in result.reason
    assert "without small: there is no file" in result.reason


def test_what_the_first_reader_cannot_judge_is_not_judged() -> None:
    class UnsureReader(NoisyReader):
        def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
            return [PairProbabilities.unknown(self.name, "1", "only English can be compared") for _ in pairs]

    fit = CombinationFit(("one", "two"), {"": 9.0}, {"": 0.0}, "1")
    result = read_pairs(CombinedReader([UnsureReader("one", 1.0), READERS[1]], fit), [TextPair("a", "a neutral")])[0]
    assert (result.neutral, result.reason) == (1.0, "only English can be compared")
