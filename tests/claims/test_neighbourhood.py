"""The claims around one claim: by distance, up to a limit, without forgotten ones."""

import pytest

from howsure.claims import neighbourhood as module
from howsure.claims.neighbourhood import Neighbourhood, neighbourhood
from howsure.sure import Sure


def _around(sure: Sure, claim: str, depth: int, limit: int) -> Neighbourhood:
    return neighbourhood(sure.session, claim, sure.session.read_options(None, None, None, 1.0), depth, limit)


def test_claims_are_found_by_their_distance(sure: Sure) -> None:
    first, second, third, apart = (sure.claims.add(text, source="s:1").id for text in ("One", "Two", "Three", "Four"))
    sure.claims.relate(first, "supports", second, strength=0.5)
    sure.claims.relate(third, "contradicts", second, strength=0.7)
    near = _around(sure, first, 1, 10)
    assert near.distances == {first: 0, second: 1}
    far = _around(sure, first, 2, 10)
    assert far.distances == {first: 0, second: 1, third: 2}
    assert {(one.source, one.kind, one.target, one.strength) for one in far.relations} == {
        (first, "supports", second, 0.5),
        (third, "contradicts", second, 0.7),
    }
    assert apart not in far.distances


def test_the_surest_stay_within_the_limit_and_the_others_are_counted(sure: Sure) -> None:
    middle = sure.claims.add("The middle", source="s:1").id
    around = []
    for number in range(4):
        claim = sure.claims.add(f"Claim {number}", source=f"s:{number}", contribution=0.2 + number / 10)
        sure.claims.relate(claim.id, "related_to", middle)
        around.append(claim.id)
    found = _around(sure, middle, 1, 3)
    assert [claim.id for claim in found.claims] == [middle, around[3], around[2]]
    assert found.left_out == 2


def test_claims_that_are_not_even_read_are_counted(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CANDIDATES", 2)
    middle = sure.claims.add("The middle", source="s:1").id
    for number in range(5):
        claim = sure.claims.add(f"Claim {number}", source="s:1")
        sure.claims.relate(claim.id, "related_to", middle)
    found = _around(sure, middle, 1, 10)
    assert (len(found.claims), found.left_out) == (3, 3)


def test_forgotten_claims_are_left_out(sure: Sure) -> None:
    first, second = (sure.claims.add(text, source="s:1").id for text in ("One", "Two"))
    sure.claims.relate(first, "related_to", second)
    sure.claims.forget(second)
    assert _around(sure, first, 2, 10).distances == {first: 0}
