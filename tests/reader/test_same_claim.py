"""How likely two statements are the same claim."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from howsure.reader import PairProbabilities, RulesReader, TextPair
from howsure.reader.same_claim import FEW, PROPOSED, judge_same, proposed_from

UNIT = st.floats(0, 1)


class _Reader:
    """Answers what it is told, for both orders."""

    name, version = "fixed", "1"

    def __init__(self, *results: tuple[float, float]) -> None:
        self.results = results

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        return [
            PairProbabilities(against, follows, 1 - against - follows, self.name, self.version)
            for _, (follows, against) in zip(pairs, self.results, strict=True)
        ]


@given(st.floats(-1, 1), UNIT, UNIT, UNIT, UNIT)
def test_it_is_a_probability_that_a_contradiction_bounds(
    cosine: float, there: float, back: float, against: float, against_back: float
) -> None:
    reader = _Reader((there * (1 - against), against), (back * (1 - against_back), against_back))
    (judged,) = judge_same(reader, [("a", "b")], [cosine])
    assert 0 <= judged.same <= 1 - max(against, against_back) + 1e-4


@given(st.floats(-1, 1), st.floats(-1, 1), UNIT, UNIT)
def test_nearer_and_surer_statements_are_rather_the_same(one: float, other: float, low: float, high: float) -> None:
    low, high = sorted((low, high))
    near = [judge_same(_Reader((low, 0), (high, 0)), [("a", "b")], [cosine])[0].same for cosine in sorted((one, other))]
    assert near[0] <= near[1]
    sure = [judge_same(_Reader((value, 0), (high, 0)), [("a", "b")], [one])[0].same for value in (low, high)]
    assert sure[0] <= sure[1]


def test_a_statement_and_its_denial_are_not_one_claim() -> None:
    pairs = [
        ("Version 3 supports Windows", "Version 3 does not support Windows"),
        ("The client is thread-safe", "The clients are thread-safe"),
    ]
    denial, same = judge_same(RulesReader(), pairs, [0.95, 1.0])
    assert denial.same < 0.1
    assert same.same >= PROPOSED


def test_among_many_near_claims_a_neighbour_is_rarely_the_same() -> None:
    reader = _Reader((0.4, 0), (0.4, 0), (0.4, 0), (0.4, 0))
    few, many = judge_same(reader, [("a", "b"), ("c", "d")], [0.4, 0.4], [FEW, FEW + 1])
    assert few.same >= proposed_from(FEW) > many.same
    assert proposed_from(FEW + 1) > proposed_from(FEW)
