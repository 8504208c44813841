"""The overview of a small store is counted at once; that of a large one by sums and in the background."""

import time

import pytest

from howsure.serve.pages import claim as claim_page
from howsure.serve.pages import overview
from howsure.sure import Sure
from tests.serve.serving import serving


def _fill(sure: Sure) -> str:
    for number in range(12):
        sure.claims.add(f"Part {number} is safe", source="doc:a", contribution=0.9 if number % 2 else 0.2)
    hub = str(sure.claims.add("The hub is connected", source="doc:b", contribution=0.6).id)
    sure.claims.challenge(hub, statement="The hub is not connected", source="doc:c")
    return hub


def test_a_large_store_shows_the_same_numbers_without_looking_at_every_claim(
    store: Sure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took 3 to 5 s at 300,000 claims, for each view."""
    _fill(store)
    with serving(store, pages=True) as client:
        small = client.get("/overview").text
        monkeypatch.setattr(overview, "COUNT_AT_ONCE", 5)
        deadline = time.monotonic() + 20
        while "Strengths and widths were counted" not in (large := client.get("/overview").text):
            assert "14 claims" in large  # by the sums, also before anything was counted
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for text in ("% strong", "% weak", "challenged", "wide intervals", "The hub is", "Next to become stale"):
            assert small.count(text) == large.count(text), text

        def full(*_: object, **__: object) -> None:
            raise AssertionError("a view of the overview looks at every claim")

        monkeypatch.setattr("howsure.claims.find.count", full)
        monkeypatch.setattr("howsure.claims.find.select", full)
        assert client.get("/overview").status_code == 200


def test_a_claim_with_many_relations_is_shown_page_by_page(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    """One with 10,000 relations took 10 s: its life was read 211 times, and each neighbour by itself."""
    hub = _fill(store)
    for number in range(25):
        other = store.claims.add(f"Spoke {number} holds", source="doc:a")
        store.claims.relate(str(other.id), "supports", hub, strength=0.1 + number / 50)
    monkeypatch.setattr(claim_page, "MAX_ROWS", 10)
    monkeypatch.setattr(claim_page, "MANY_RELATIONS", 20)
    with serving(store, pages=True) as client:
        first = client.get(f"/claims/{hub}").text
        assert "page 1 of 3" in first
        assert 'rel="next"' in first
        assert "Draw all charts" in first
        pages = (first, *(client.get(f"/claims/{hub}?relations={page}").text for page in (2, 3, 4)))
        seen = [text.count('<td data-label="Relation">') for text in pages]
        assert seen == [10, 10, 6, 0]
        everything = client.get(f"/claims/{hub}?charts=all").text
        assert "Draw all charts" not in everything
        assert everything.count("<figure") > first.count("<figure")
        for wrong in ("x", "-1", "0", "9" * 30, "²"):
            assert client.get(f"/claims/{hub}", params={"relations": wrong}).status_code == 200
