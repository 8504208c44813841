"""Adding claims: sources that look alike, that repeat themselves or count for almost nothing."""

from dataclasses import replace

import pytest

from howsure.shapes import DAY
from howsure.store import check as upkeep
from howsure.sure import Sure
from tests.conftest import Clock


def test_tiny_contributions_are_handled(sure: Sure, clock: Clock) -> None:
    sure.claims.add("healthy", source="u:a", contribution=0.9)
    tiny = sure.claims.add("tiny", source="u:b", contribution=1e-300, stale_at=0).id or ""
    sure.claims.add("tiny", source="u:c", contribution=5e-324)
    for formula in ("noisy_or", "subjective_logic", "dempster_shafer", "beta"):
        assert len(sure.claims.find(formula=formula).claims) == 2
        assert sure.claims.get(tiny, formula=formula).interval.lower < 1e-9
    sure.clean(dry_run=True)
    assert upkeep.check(sure.session) == []


def test_similar_sources_are_distinguished(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add(
        "x",
        sources=[
            {"source_type": "a", "source_id": "b:c", "contribution": 0.5},
            {"source_type": "a:b", "source_id": "c", "contribution": 0.5},
        ],
    ).id
    assert sure.claims.get(claim or "").sources == 2
    assert sure.clean() == []
    sure.claims.forget(claim or "")
    clock.now += 31 * DAY
    assert [action.action for action in sure.clean()] == ["collect"]


def test_a_source_that_repeats_itself_costs_no_more_than_a_new_one(sure: Sure) -> None:
    entries = [{"source_type": "log", "source_id": str(n), "contribution": 0.3} for n in range(300)]
    claim = sure.claims.add("large", sources=entries).id or ""
    before = sure.claims.get(claim)
    sure.claims.add("large", sources=entries[:50])
    sure.claims.add("large", sources=[{**entries[0], "contribution": 0.1}, {**entries[0], "contribution": 0.2}])
    assert sure.claims.get(claim).interval == before.interval
    sure.claims.add("large", source="log:0", contribution=0.9)
    assert sure.claims.get(claim).interval.lower > before.interval.lower
    assert upkeep.check(sure.session) == []


def test_a_new_claim_is_returned_as_reading_it_would(sure: Sure, clock: Clock) -> None:
    ann = {"source_type": "user_input", "source_id": "ann", "contribution": 0.8}
    readme = {"source_type": "extraction", "source_id": "README.md", "contribution": 0.6}
    for stale_at in (None, "never", clock.now, clock.now - 5 * DAY):
        for entries in ([], [ann], [ann, readme, {**ann, "contribution": 0.3}]):
            added = sure.claims.add(f"{stale_at} {len(entries)}", sources=entries, stale_at=stale_at).claim
            read = sure.claims.get(added.id)
            assert read.interval == pytest.approx(added.interval)
            assert replace(read, interval=added.interval) == added
    sure.claims.invalidate_source("user_input", "ann")
    added = sure.claims.add("after that", sources=[ann, readme]).claim
    assert added.sources == 1
    assert sure.claims.get(added.id) == added
