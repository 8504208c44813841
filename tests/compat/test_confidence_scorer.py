"""The source document's class gives the numbers of its example."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.compat.confidence_scorer import ConfidenceScorer

UNIT = st.floats(0, 1)


@given(st.lists(st.tuples(UNIT, UNIT), max_size=20), st.floats(0.5, 0.707), st.floats(0.1, 0.3), st.floats(0.05, 0.15))
def test_evidence_compounds_as_the_document_writes_it(
    evidence: list[tuple[float, float]], base: float, alpha: float, delta: float
) -> None:
    scorer = ConfidenceScorer(base)
    expected = base
    for weight, observation in evidence:
        scorer.add_evidence(weight, observation, alpha, delta)
        expected += alpha * weight * observation * (2**-0.5 - expected) - delta * (expected - 0.5)
    assert scorer.confidence == pytest.approx(expected, abs=1e-12)


def test_modifiers_add_up_and_are_held_within_0_and_1() -> None:
    scorer = ConfidenceScorer(0.707)
    found = scorer.apply_modifiers(validation=True, aho_corasick=True, vv_integration=True, code_refactor=0.003)
    assert found == pytest.approx(0.814)
    assert ConfidenceScorer(0.99).apply_modifiers(validation=True) == 1.0
    assert ConfidenceScorer(0.5).apply_modifiers(non_md_penalty=0.9) == 0.0


@pytest.mark.parametrize(
    ("state", "symbol", "expected"),
    [
        ("INIT", "visit", ("OBSERVE", 0.05)),
        ("OBSERVE", "confirm", ("VALIDATE", 0.05)),
        ("VALIDATE", "test", ("INTEGRATE", 0.004)),
        ("INTEGRATE", "merge", ("REFRESH", 0.01)),
        ("REFRESH", "decay_warning", ("INIT", 0.0)),
        ("INIT", "merge", ("INIT", 0.0)),
        ("NOWHERE", "visit", ("NOWHERE", 0.0)),
    ],
)
def test_symbols_lead_from_state_to_state(state: str, symbol: str, expected: tuple[str, float]) -> None:
    assert ConfidenceScorer().qfa_transition(state, symbol) == expected


def test_without_a_base_it_starts_at_the_least() -> None:
    assert ConfidenceScorer().confidence == ConfidenceScorer.C_MIN == 0.5
