"""What says that something fails, and what denies it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.hedging.asking import claims_result
from howsure.text.hedging.failures import admits_failure, denies_failure, implies_success


@pytest.mark.parametrize(
    ("text", "claims", "admits"),
    [
        ("All tests pass.", True, False),
        ("It is FIXED.", True, False),
        ("Two tests fail.", False, True),
        ("The tests do not pass.", False, True),
        ("The tests don't pass yet.", False, True),
        ("No tests fail.", True, False),
        ("None of them failed.", True, False),
        ("It doesn't fail any more.", True, False),
        ("The tests fail no longer.", True, False),
        ("The tests have stopped failing.", True, False),
        ("None of the unit and integration tests fail.", True, False),
        ("5 passed, failed: 0.", True, False),
        ("The tests failed before.", False, False),
        ("If a test fails, I revert it.", False, False),
        ("A request does not fail if the port is taken.", False, False),
        ("I could not fix it, two tests still fail.", False, True),
        ("mypy still reports 3 errors.", False, True),
        ("One test failed, the others pass.", True, True),
        ("The port is 8080.", False, False),
    ],
)
def test_results_and_failures_are_told_apart(text: str, claims: bool, admits: bool) -> None:
    assert (claims_result(text), admits_failure(text)) == (claims, admits)


@pytest.mark.parametrize("text", ["The test fails before the first assertion.", "The tests fail once in ten runs."])
def test_a_failure_at_another_time_is_none_that_is_over(text: str) -> None:
    assert admits_failure(text)
    assert not implies_success(text)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert not (admits_failure(text) and denies_failure(text))
