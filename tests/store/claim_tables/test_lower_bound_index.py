"""The index by lower bound never leaves out a claim that reaches the bound."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.formulas.beta import Beta
from howsure.formulas.claim import ClaimCase, ClaimFormula, Neighbour, Source
from howsure.formulas.decay import HalfLives, Tier
from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.sql import ReadOptions
from howsure.store.claim_tables.denormalized import BUCKETS, denormalized_columns, index_key
from howsure.store.claim_tables.lower_bound_index import WORTH_AN_INDEX, has_ceiling, lowest_keys, window_conditions
from tests.conftest import NOW

TIERS: list[Tier] = ["ephemeral", "task", "project", "persistent"]
SOURCES = st.builds(Source, st.sampled_from(["user", "log", "agent"]), st.sampled_from("ab"), st.floats(0, 1))


FORMULAS = st.builds(NoisyOr, boost_factor=st.floats(0, 10), penalty_factor=st.floats(0, 10))


@given(
    st.lists(SOURCES, max_size=5),
    st.sampled_from(TIERS),
    st.one_of(st.none(), st.floats(-1e6, 1e6)),
    FORMULAS,
    st.lists(st.builds(Neighbour, st.floats(0, 1)), max_size=3),
)
def test_a_claim_is_found_by_its_own_lower_bound(
    sources: list[Source], tier: Tier, since: float | None, formula: NoisyOr, others: list[Neighbour]
) -> None:
    assert has_ceiling(formula)
    stale_at = None if since is None else NOW + since
    case = ClaimCase(NOW, tuple(sources), tier, stale_at, supported_by=tuple(others), contradicted_by=tuple(others[:1]))
    lower = formula.judge(case)["lower"]
    if lower >= WORTH_AN_INDEX:
        columns = denormalized_columns(case.sources, tier, stale_at)
        bucket, key = lowest_keys(lower, NOW)[tier]
        assert columns.bucket >= bucket
        assert columns.decay_key >= key


@given(
    st.lists(SOURCES, max_size=5),
    st.sampled_from(TIERS),
    st.one_of(st.none(), st.floats(-1e6, 1e6)),
    st.floats(0, 0.2),
    st.floats(0, 0.2),
)
def test_a_claim_is_found_in_a_window_around_its_own_ceiling(
    sources: list[Source], tier: Tier, since: float | None, below: float, above: float
) -> None:
    stale_at = None if since is None else NOW + since
    lower = NoisyOr().judge(ClaimCase(NOW, tuple(sources), tier, stale_at))["lower"]
    if lower - below >= WORTH_AN_INDEX:
        columns = denormalized_columns(tuple(sources), tier, stale_at)
        parameters: dict[str, Any] = {"tier": tier, "bucket": columns.bucket, "decay_key": columns.decay_key}
        places = window_conditions(lower - below, lower + above, (), ReadOptions(NoisyOr(), NOW), parameters)
        where = " OR ".join(f"({' AND '.join(place)})" for place in places)
        claim = "SELECT :tier AS tier, :bucket AS bucket, :decay_key AS decay_key"
        with closing(sqlite3.connect(":memory:")) as connection:
            assert connection.execute(f"SELECT 1 FROM ({claim}) AS c WHERE {where}", parameters).fetchall() == [(1,)]


@pytest.mark.parametrize(
    "formula",
    [NoisyOr(diversity_floor=0.9), NoisyOr(diversity_types=1.0), NoisyOr(half_life=HalfLives(task=1.0)), Beta()],
)
def test_formulas_that_could_exceed_the_ceilings_do_not_use_the_index(formula: ClaimFormula) -> None:
    assert not has_ceiling(formula)


def test_entries_leave_out_weak_and_old_claims_but_no_derived_ones() -> None:
    bucket, key = lowest_keys(0.7, NOW)["task"]
    assert index_key(1.0, 0.9, "task", None, derived=False)[0] < bucket
    assert index_key(3.0, 0.9, "task", NOW - 3 * 86400.0, derived=False)[1] < key
    assert index_key(0.0, 0.0, "task", NOW - 1e9, derived=True) >= (BUCKETS, key)
