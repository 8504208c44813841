"""Claims of peers are held to the same selection as those of this store."""

from typing import Any

from howsure.claims.federation.matching import mismatch, within
from howsure.claims.federation.wire import SharedClaim
from howsure.shapes import decode
from howsure.store.claim_tables.namespace_patterns import namespace_test
from howsure.store.claim_tables.selection import Selection
from howsure.sure import Sure
from tests.claims.federation.test_merge import TRIPLE
from tests.conftest import NOW


def test_bounds_in_python_are_those_of_the_database(sure: Sure) -> None:
    for contribution in (0.1, 0.3, 0.5, 0.75, 0.9, 0.99):
        sure.claims.add(f"One {contribution}", source="user:ann", contribution=contribution)
        several = [
            {"source_type": t, "source_id": "s", "contribution": contribution} for t in ("user", "agent", "file")
        ]
        sure.claims.add(f"Three {contribution}", sources=several)
    everything = sure.claims.find(limit=None).claims
    values = {claim.interval.lower for claim in everything} | {claim.interval.upper for claim in everything} | {0.5}
    wanted: list[dict[str, Any]] = [{"wide": True}, {"unverified": True}, {"min_lower": 0.2, "max_upper": 0.8}]
    names = ("min_lower", "max_lower", "min_upper", "max_upper", "min_width", "max_width")
    wanted += [{name: min(1.0, value)} for name in names for value in sorted(values)[::3]]
    for given in wanted:
        found = {claim.id for claim in sure.claims.find(limit=None, **given).claims}
        assert found == {claim.id for claim in everything if within(Selection(**given), claim.interval)}, given


def test_namespaces_in_python_are_those_of_the_database(sure: Sure) -> None:
    names = ("a", "a/b", "a/b/c", "a/b/c/d", "ab", "b", "b/a")
    for name in names:
        sure.claims.add("x", source="user:ann", namespace=name)
    for pattern in ("a", "a/*", "a/*/1", "a/*/2", "a/b/*", "a/b/*/1", "*", "*/1", "*/2", "b/*/0", "c/*", "c"):
        found = {claim.namespace for claim in sure.claims.find(namespace=pattern).claims}
        assert found == {name for name in names if namespace_test(pattern)(name)}, pattern


def test_selections_in_python_are_those_of_the_database(sure: Sure) -> None:
    """What an honest store finds is never taken for a lie."""
    sure.claims.add("C++ is_fast: 1.5x (sic)!", source="user:ann", stale_at=NOW - 1, **TRIPLE)
    sure.claims.add("Straße und ÉTÉ", source="user:ann", tier="project", valid_until=NOW + 5)
    sure.claims.add("Old news", source="user:ann", now=NOW - 50, valid_from=NOW - 40)
    wanted: list[dict[str, Any]] = [{}, TRIPLE, {"tiers": ["project"]}, {"statuses": []}, {"stale": True}]
    wanted += [{"stale": False}, {"created_from": NOW}, {"created_until": NOW}, {"outside_validity": True}]
    wanted += [{"text": text} for text in ("c++", "IS_FAST", "1.5x", "(sic)", "straße", "été", "old NEWS", "news old")]
    seen = 0
    for given in wanted:
        selection = decode(Selection, given)
        for claim in sure.claims.inputs(selection).claims:
            assert mismatch(selection, claim, NOW) == "", given
            seen += 1
    assert seen > 15
    assert isinstance(claim, SharedClaim)
    odd: dict[str, Any] = {
        "subject": "x",
        "tiers": ("ephemeral",),
        "statuses": ("forgotten",),
        "stale": True,
        "created_from": NOW + 1,
    }
    assert [bool(mismatch(Selection(**{name: value}), claim, NOW)) for name, value in odd.items()] == [True] * len(odd)
