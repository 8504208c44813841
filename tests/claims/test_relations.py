"""The public methods that relate claims."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.store import check as upkeep
from howsure.sure import Sure
from tests.conftest import Clock


def test_a_challenge_is_by_a_claim_or_by_a_statement(sure: Sure) -> None:
    one, two = (sure.claims.add(f"claim {n}", source="u:a").id for n in range(2))
    for given in ({}, {"by": two, "statement": "It is not"}):
        with pytest.raises(InputError, match="by: pass either `by` or `statement`"):
            sure.claims.challenge(one, **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="source: an existing claim has its own sources"):
        sure.claims.challenge(one, two, source="u:b")
    assert sure.claims.challenge(one, two).challenger.id == two


def test_a_relation_counts_once_at_its_highest_strength(sure: Sure) -> None:
    one, two = (sure.claims.add(f"claim {n}", source="u:a").id for n in range(2))
    kinds: tuple[Any, ...] = ("supports", "contradicts", "refines")
    for kind in kinds:
        strengths = [sure.claims.relate(one, kind, two, strength=strength).strength for strength in (0.5, 0.2, 0.9)]
        assert strengths == [0.5, 0.5, 0.9]
    assert [neighbour.strength for neighbour in sure.claims.explain(two).neighbours] == [0.9, 0.9]
    assert [event.action for event in sure.claims.history(two)] == ["created", *["related"] * 6]
    assert sure.claims.relate(two, "contradicts", one, strength=0.3).strength == 0.9
    assert sure.claims.relate(two, "supports", one, strength=0.3).strength == 0.3, "which is another relation"


def test_a_relation_is_taken_back(sure: Sure, clock: Clock) -> None:
    one, two = (sure.claims.add(f"claim {n}", source="u:a").id for n in range(2))
    alone = sure.claims.get(two).interval
    kinds: tuple[Any, ...] = ("supports", "contradicts")
    for kind in kinds:
        sure.claims.relate(one, kind, two, strength=0.4)
        sure.claims.relate(one, kind, two, strength=0.6)
        related, at = sure.claims.get(two).interval, clock.now
        assert related != alone
        clock.now += 1
        ended = sure.claims.unrelate(one, kind, two, note="the wrong one")
        assert (ended.source, ended.kind, ended.target, ended.strength) == (one, kind, two, 0.6)
        assert sure.claims.get(two).interval == alone
        assert sure.claims.get(two, as_of=at).interval == related
        assert [sure.claims.history(claim)[-1].detail for claim in (one, two)] == [
            f"{kind} {two}: the wrong one",
            f"{one} {kind} it: the wrong one",
        ]
        with pytest.raises(InputError, match=f"target: .* has no relation {kind} to"):
            sure.claims.unrelate(one, kind, two)
        clock.now += 1
    sure.claims.relate(one, "contradicts", two)
    sure.claims.unrelate(two, "contradicts", one)
    assert sure.claims.get(two).interval == alone, "a contradiction is the same in both directions"


def test_a_challenge_is_ended_by_resolving_it(sure: Sure) -> None:
    one, two = (sure.claims.add(f"claim {n}", source="u:a").id for n in range(2))
    sure.claims.challenge(one, two)
    for pair in ((one, two), (two, one)):
        with pytest.raises(InputError, match=f"kind: {two} challenges {one} .resolve ends a challenge"):
            sure.claims.unrelate(pair[0], "contradicts", pair[1])
    sure.claims.resolve(one, uphold=True)
    assert sure.claims.explain(one).neighbours == []


def test_a_claim_is_no_more_derived_from_another(sure: Sure, clock: Clock) -> None:
    weak, strong = (
        sure.claims.add(name, source="u:a", contribution=counts).id for name, counts in (("weak", 0.2), ("strong", 0.9))
    )
    claim = sure.claims.add("claim", source="u:a", contribution=0.8).id
    own = sure.claims.get(claim).interval
    sure.claims.relate(claim, "derived_from", weak)
    bounded, at = sure.claims.get(claim).interval, clock.now
    assert bounded.upper < own.upper
    clock.now += 1
    sure.claims.unrelate(claim, "derived_from", weak)
    assert sure.claims.get(claim).interval == own
    assert sure.claims.explain(claim).derived is None
    assert sure.claims.get(claim, as_of=at).interval == bounded
    assert {found.id: found.interval for found in sure.claims.find().claims}[claim] == own
    sure.claims.relate(weak, "derived_from", claim)  # the other way round, which is no circle now
    assert sure.claims.get(weak).interval.upper == pytest.approx(0.2)

    inferred = sure.claims.derive("inferred", [weak, strong], confidence=0.7).id
    sure.claims.unrelate(inferred, "derived_from", weak)
    assert sure.claims.get(inferred).interval.upper == pytest.approx(0.7)
    with pytest.raises(InputError, match=f"{inferred} would be inferred from nothing .relate it"):
        sure.claims.unrelate(inferred, "derived_from", strong)
    assert upkeep.check(sure.session) == []
