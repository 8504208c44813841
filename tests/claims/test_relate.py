"""Challenging claims, and deriving claims from others."""

import pytest

from howsure.errors import InputError
from howsure.formulas.decay import DAY
from howsure.sure import Sure
from tests.conftest import Clock


def test_derived_claims_do_not_outlive_their_constituents(sure: Sure, clock: Clock) -> None:
    weak = sure.claims.add("weak", source="u:a", contribution=0.2, stale_at="never", ttl=1e9).id or ""
    derived = sure.claims.derive("derived", [weak], confidence=0.95, stale_at="never", ttl=1e9).id or ""
    sure.claims.forget(weak)
    assert sure.claims.get(derived).interval == (0.0, 0.0)
    clock.now += 40 * DAY
    sure.claims.get(derived)
    assert [action for action in sure.clean() if action.action == "collect"] == []
    assert sure.claims.get(derived).interval == (0.0, 0.0)
    sure.claims.purge(weak)
    assert sure.claims.get(derived).status == "deprecated"
    assert "what it was derived from is gone" in sure.claims.history(derived)[-1].detail


def test_a_contradiction_that_is_known_can_become_a_challenge(sure: Sure) -> None:
    first = sure.claims.add("sky blue", source="u:a", subject="sky", predicate="color", object="blue").id or ""
    sure.claims.learn(
        [{"statement": "sky green", "source": "u:b", "subject": "sky", "predicate": "color", "object": "green"}]
    )
    (second,) = [c.id for c in sure.claims.find("green").claims]
    before = sure.claims.get(first).interval
    sure.claims.challenge(first, second)
    assert (sure.claims.get(first).status, sure.claims.get(first).interval) == ("challenged", before)
    with pytest.raises(InputError, match="already"):
        sure.claims.challenge(first, second)
    third = sure.claims.add("unrelated", source="u:c").id or ""
    with pytest.raises(InputError, match="does not challenge"):
        sure.claims.resolve(first, third, uphold=True)
    sure.claims.resolve(first, second, uphold=True)
    assert sure.claims.get(first).status == "active"
