"""The evaluation of readers: thresholds, and that no text is in two parts of a set."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.evaluate_reader import PRECISIONS, PairSet, choose_threshold, evaluate
from howsure.reader import LabelledPair, PairProbabilities

scored = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=30)


@given(scored, st.sampled_from(PRECISIONS))
def test_the_threshold_is_the_lowest_one_with_enough_precision(pairs: list[tuple[float, bool]], wanted: float) -> None:
    def precision(threshold: float) -> float:
        chosen = [against for score, against in pairs if score >= threshold]
        return sum(chosen) / len(chosen)

    scores, truth = [score for score, _ in pairs], [against for _, against in pairs]
    good = [score for score in scores if precision(score) >= wanted]
    assert choose_threshold(scores, truth, wanted) == min(good, default=2.0)


def test_pairs_that_share_a_text_are_in_the_same_part() -> None:
    pairs = [LabelledPair(f"text {n}", f"text {n + 1}" if n % 5 else "alone", "neutral") for n in range(40)]
    part = dict(zip(pairs, PairSet("x", pairs).folds(), strict=True))
    assert all(part[a] == part[b] for a in pairs for b in pairs if set(a[:2]) & set(b[:2]))
    assert len(set(part.values())) > 1


def test_a_perfect_reader_finds_everything() -> None:
    pairs = [LabelledPair("a", str(n), "contradiction" if n % 3 == 0 else "entailment") for n in range(60)]
    results = [
        PairProbabilities(0.9, 0.05, 0.05, "x", "1") if n % 3 == 0 else PairProbabilities(0.1, 0.8, 0.1, "x", "1")
        for n in range(60)
    ]
    assert evaluate(results, PairSet("x", pairs, support=True)) == (1.0, [(1.0, 1.0), (1.0, 1.0)], 1.0)
