"""The fit of a combination is tested with the reader that uses it, in test_combination; here its arithmetic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.reader import CombinationFit, PairProbabilities, TextPair
from howsure.reader.combination_fit import feature_names

READERS = ("rules", "small")
weights = st.fixed_dictionaries({name: st.floats(-20, 20) for name in ["", *feature_names(READERS)]})
shares = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(
    lambda both: PairProbabilities(both[0], (1 - both[0]) * both[1], (1 - both[0]) * (1 - both[1]), "x", "1")
)


@given(weights, weights, shares, shares, st.text(max_size=40), st.text(max_size=40))
def test_any_weights_give_probabilities(
    contradiction: dict[str, float],
    entailment: dict[str, float],
    one: PairProbabilities,
    other: PairProbabilities,
    first: str,
    second: str,
) -> None:
    fit = CombinationFit(READERS, contradiction, entailment, "1")
    values = fit.combine(TextPair(first, second), [one, other])
    assert all(0 <= value <= 1 for value in values)
    assert sum(values) == pytest.approx(1)
