"""The pages about sources: the numbers of the library, what each got wrong, and an empty store."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.serve.pages.sources import source_url
from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.serve.pages.conftest import Site
from tests.serve.serving import serving
from tests.sources.world import records


@pytest.fixture
def learned(tmp_path: Path, clock: Clock) -> Iterator[Site]:
    """Give a server on a store with sources, among them a ring that copies."""
    with open_store(str(tmp_path / "sources.db"), actor="owner", clock=clock) as sure:
        sure.claims.learn(records(ring=4))
        sure.sources.fit()
        with serving(sure, pages=True) as client:
            yield Site(client, sure, {}, {})


def test_all_sources_are_listed_with_their_reliability_and_copies(learned: Site) -> None:
    page = learned.client.get("/sources").text
    for one in learned.sure.sources.list():
        assert one.name in page
        assert f"/sources/one?source=agent%3A{one.source_id}" in page
    assert 'data-chart="sources"' in page
    assert 'data-chart="copies"' in page
    assert '<a href="/sources" aria-current="page">' in page
    exported = learned.client.get("/sources?export=sources.json").json()
    assert len(exported) == len(learned.sure.sources.list())


def test_a_source_shows_what_it_got_wrong(learned: Site) -> None:
    history = learned.sure.sources.get("agent:bad0")
    page = learned.client.get(source_url("agent:bad0")).text
    assert all(one.statement in page for one in history.wrong[:20])
    assert "more likely:" in page
    ring = learned.client.get(source_url("agent:ring0")).text
    assert "Repeats, or is repeated by" in ring
    assert "agent%3Aring1" in ring


def test_an_unknown_source_and_no_source_at_all(learned: Site) -> None:
    unknown = learned.client.get(source_url("agent:nobody"))
    assert (unknown.status_code, "agent:nobody" in unknown.text) == (400, True)
    assert learned.client.get("/sources/one").headers["location"] == "/sources"


def test_learning_from_the_page(learned: Site) -> None:
    before = len(learned.sure.fits.list(kind="source"))
    found = re.search(r'name="csrf" value="(\w{64})"', learned.client.get("/sources").text)
    assert found
    done = learned.client.post("/sources/fit", data={"csrf": found[1]})
    assert done.status_code == 303, done.text
    assert len(learned.sure.fits.list(kind="source")) == before + 1


def test_an_empty_store_says_how_to_begin(tmp_path: Path, clock: Clock) -> None:
    with (
        open_store(str(tmp_path / "empty.db"), actor="owner", clock=clock) as sure,
        serving(sure, pages=True) as client,
    ):
        page = client.get("/sources").text
        assert "No sources yet" in page
        assert "howsure sources fit" in page
        assert "data-chart" not in page


def test_before_sources_were_learned_the_page_of_one_says_so(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as sure, serving(sure, pages=True) as client:
        sure.claims.add("The cache is bounded", source="user:ann")
        page = client.get("/sources/one?source=user:ann").text
        assert "how often it is right: nothing was learned of sources yet" in page
        assert "nobody else spoke" not in page
        sure.sources.fit()
        assert "nobody else spoke" in client.get("/sources/one?source=user:ann").text
