"""A score: equal to another that says the same, and readable."""

from howsure.formulas.overall import Overall


def test_scores_of_the_same_case_are_equal() -> None:
    first, second = (Overall().score({"results": [{"confidence": 0.9, "content": "yes"}]}) for _ in range(2))
    other = Overall().score({"results": []})
    assert first == second
    assert first != other
    assert first != "a score"
    assert repr(other).startswith("Score(overall, {'overall': 0.0")
