"""Claims: what counts as a source, and what is said about it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.formulas.beta import Beta
from howsure.formulas.claim import ClaimCase, Neighbour, Source, best_by_source, independent
from howsure.formulas.dempster_shafer import DempsterShafer
from howsure.formulas.interval import Interval
from howsure.formulas.noisy_or import NoisyOr
from howsure.formulas.reliability import Reliability
from howsure.formulas.subjective_logic import SubjectiveLogic
from howsure.shapes.encode import encode

FORMULAS = (NoisyOr(), SubjectiveLogic(), DempsterShafer(), Beta())
DAY = 86400.0
ANN = {"source_type": "user", "source_id": "ann", "contribution": 0.8}


def test_the_base_interval_is_that_of_the_earliest_entry_while_fresh() -> None:
    entries = (Source("user", "late", 0.9, at=20.0), Source("user", "early", 0.6, at=10.0))
    case = ClaimCase(1e9, entries, "task", stale_at=0.0, contradicted_by=(Neighbour(1.0),))
    assert NoisyOr().base(case) == NoisyOr().interval(ClaimCase(0.0, (entries[1],)))
    assert NoisyOr().base(ClaimCase(0.0)) == (0.0, 0.0)


def test_what_is_remembered_about_single_sources_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.formulas.claim._MAX_CACHED", 2)
    formula = NoisyOr()
    for contribution in (0.1, 0.2, 0.3, 0.1):
        assert formula.alone(contribution) == formula.interval(ClaimCase(0.0, (Source("user", "ann", contribution),)))


def test_no_sources_mean_unknown_except_for_noisy_or() -> None:
    assert [formula.interval(ClaimCase(0.0)) for formula in FORMULAS] == [(0, 0), (0, 1), (0, 1), (0, 1)]


def test_very_old_claims_become_unknown() -> None:
    old = ClaimCase(1e12, (Source("user", "ann", 1.0),), "ephemeral", stale_at=0.0)
    for formula in FORMULAS[1:]:
        assert formula.interval(old) == pytest.approx((0.0, 1.0))
    assert NoisyOr().interval(old) == pytest.approx((0.0, 0.0))


def test_the_numbers_that_the_source_document_gets_wrong_follow_the_formula() -> None:
    once = NoisyOr().interval(ClaimCase(0.0, (Source("user", "a", 0.8),)))
    twice = NoisyOr().interval(ClaimCase(0.0, (Source("user", "a", 0.8), Source("user", "b", 0.8))))
    assert once.width == pytest.approx(0.26666666666667)
    assert twice.width == pytest.approx(0.42666666666667)
    assert NoisyOr().score({"now": 0, "provenance": [ANN]}).steps.diversity == pytest.approx(2 / 3)


sources = st.lists(
    st.builds(Source, st.sampled_from("ab"), st.sampled_from("xyz"), st.one_of(st.none(), st.floats(0, 1))), max_size=9
)


@given(sources)
def test_repeating_what_was_said_changes_nothing(first: list[Source]) -> None:
    assert independent(tuple(first)) == independent(tuple(first + first))
    for formula in FORMULAS:
        once, twice = formula.interval(ClaimCase(0.0, tuple(first))), formula.interval(ClaimCase(0.0, tuple(first * 2)))
        assert once == pytest.approx(twice, abs=1e-12)


@given(sources, st.floats(0, 400 * DAY))
def test_age_takes_confidence_and_never_gives_any(entries: list[Source], age: float) -> None:
    for formula in FORMULAS:
        fresh = formula.interval(ClaimCase(0.0, tuple(entries), "task", stale_at=0.0))
        aged = formula.interval(ClaimCase(age, tuple(entries), "task", stale_at=0.0))
        assert aged.lower <= fresh.lower + 1e-12


@given(sources)
def test_a_fresh_claim_of_unknown_sources_has_the_interval_of_its_case(entries: list[Source]) -> None:
    best = best_by_source(tuple(entries))
    types = len({kind for kind, _ in best})
    for formula in (*FORMULAS, Reliability()):
        expected = formula.interval(ClaimCase(0.0, tuple(entries), "task", stale_at=1.0))
        for _ in range(2):  # computed, then remembered
            assert formula.fresh(tuple(best.values()), types) == expected


def test_only_intervals_of_few_sources_are_remembered() -> None:
    formula = NoisyOr()
    for count in (1, 3, 100):
        formula.fresh((0.5,) * count, 1)
    assert [len(contributions) for contributions, _ in formula._fresh] == [1, 3]


def test_the_reason_names_everything_that_counted() -> None:
    case = ClaimCase(
        3 * DAY,
        (Source("user", "ann", 0.8), Source("log", "x", 0.5)),
        "task",
        0.0,
        (Neighbour(0.5),),
        (Neighbour(0.5), Neighbour(0.1)),
        0.5,
    )
    reason = NoisyOr().score(case)["reason"]
    assert reason.startswith(
        "2 independent sources of 2 types (strongest 0.80); stale for 1 half-lives, 50.0% left; "
        "supported by 1 claim; contradicted by 2 claims; scaled by trust 0.50: ["
    )
    assert NoisyOr().score(ClaimCase(0.0))["reason"] == "no sources: [0.00, 0.00]"


def test_a_parameter_out_of_range_is_refused() -> None:
    with pytest.raises(InputError, match="penalty_factor: -1 is not between 0 and"):
        NoisyOr(penalty_factor=-1)


def test_intervals_come_with_their_projections() -> None:
    assert encode(Interval(0.25, 0.75)) == {
        "lower": 0.25,
        "upper": 0.75,
        "midpoint": 0.5,
        "conservative": 0.25,
        "optimistic": 0.75,
        "width": 0.5,
    }
