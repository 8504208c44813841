"""Challenging claims, and deriving claims from others."""

import pytest

from howsure.errors import InputError
from howsure.shapes import DAY
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


def test_a_contradiction_is_ended_whichever_way_it_was_recorded(sure: Sure) -> None:
    old = sure.claims.add("sky blue", source="u:a", subject="sky", predicate="color", object="blue")
    learned = {"statement": "sky green", "source": "u:b", "subject": "sky", "predicate": "color", "object": "green"}
    sure.claims.learn([learned])  # the new claim is recorded as contradicting the old one
    (new,) = sure.claims.find("green").claims
    other = sure.claims.add("sky red", source="u:c")
    sure.claims.relate(new.id, "contradicts", other.id)
    sure.claims.challenge(new.id, old.id)
    upheld = sure.claims.resolve(new.id, old.id, uphold=True)
    assert upheld.status == "active"
    neighbours = sure.claims.explain(new.id).neighbours
    assert [one.id for one in neighbours] == [other.id], "nobody has challenged it with that one"
    with pytest.raises(InputError, match="is not challenged"):
        sure.claims.resolve(new.id, old.id, uphold=True)


def test_a_challenge_has_the_strength_of_the_contradiction_that_is_known(sure: Sure) -> None:
    blue, red = (sure.claims.add(f"The sky is {color}", source="u:a").id for color in ("blue", "red"))
    sure.claims.relate(red, "contradicts", blue, strength=0.2)
    assert sure.claims.challenge(blue, red, strength=0.9).strength == 0.2
    assert sure.claims.history(blue)[-1].detail == f"by {red} (0.2)"


def test_errors_name_the_parameter_at_fault(sure: Sure) -> None:
    claim = sure.claims.add("The sky is blue", source="u:a").id
    with pytest.raises(InputError, match="constituents: a claim cannot be derived from itself"):
        sure.claims.derive("The sky is blue", [claim])
    sure.claims.challenge(claim, statement="The sky is red", source="u:b")
    with pytest.raises(InputError, match="unknown claim"):
        sure.claims.resolve(claim, "c0000000", uphold=False)
