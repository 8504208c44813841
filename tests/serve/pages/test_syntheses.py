"""Syntheses: how sure they are, what each sub-result weighs, and both sides of what they are at odds about."""

import re
from pathlib import Path

from playwright.sync_api import Browser

from howsure.settings import Settings
from howsure.sure import open as open_store
from tests.serve.pages.conftest import Site
from tests.serve.serving import serving


def test_syntheses_are_those_of_the_api(site: Site) -> None:
    for query, names in (
        ("", ("synthesis", "abstained")),
        ("decision=abstain", ("abstained",)),
        ("project=shop", ("synthesis",)),
    ):
        page = site.client.get(f"/syntheses?{query}").text
        found = [one["id"] for one in site.client.get(f"/v1/ledger?model=overall&{query}").json()["decisions"]]
        assert found == [site.ids[name] for name in names]
        assert re.findall(r'href="/syntheses/(a\w+)"', page) == found
    assert "1 conflict" in site.client.get("/syntheses").text
    wrong = site.client.get("/syntheses?since=never")
    assert (wrong.status_code, 'id="wrong-since">&#39;never&#39;' in wrong.text) == (400, True)


def test_a_synthesis_shows_conflicts_weights_and_warnings(site: Site) -> None:
    page = site.client.get(f"/syntheses/{site.ids['synthesis']}").text
    answer = site.client.get(f"/v1/ledger/{site.ids['synthesis']}").json()["detail"]["answer"]
    (conflict,) = answer["conflicts"]
    sides = re.findall(r"<blockquote><p><bdi>([^<]*)</bdi></p><footer><bdi>([^<]*)</bdi>", page)
    assert sides == [(conflict[side]["statement"], conflict[side]["source"]) for side in ("first", "second")]
    for warning in answer["warnings"]:
        assert warning.capitalize() in page
    for one in answer["sources"]:
        assert f"<bdi>{one['id']}</bdi>" in page
        assert one["why"] in page
    assert 'data-chart="synthesis"' in page
    for path in (f"/syntheses/{site.ids['investigation']}", "/syntheses/a0"):
        assert site.client.get(path).status_code == 404


def test_conflicts_are_side_by_side_on_wide_screens_only(site: Site, browser: Browser) -> None:
    for width, beside in ((1280, True), (390, False)):
        with browser.new_context(viewport={"width": width, "height": 800}) as context:
            page = context.new_page()
            page.goto(f"{site.url}/syntheses/{site.ids['synthesis']}")
            first, second = (one.bounding_box() for one in page.locator(".sides blockquote").all())
            assert first
            assert second
            assert (first["y"] == second["y"], first["x"] == second["x"]) == (beside, not beside)


def test_without_stored_text_none_is_shown(tmp_path: Path) -> None:
    results = [
        {"id": "a", "content": "The vault is open at night."},
        {"id": "b", "content": "The vault is not open at night."},
    ]
    settings = Settings({"HOWSURE_LEDGER_KEEP": "nothing"}, ())
    with open_store(str(tmp_path / "silent.db"), settings=settings) as sure, serving(sure, pages=True) as client:
        id_ = sure.syntheses.combine("Is the vault open?", results).id
        page = client.get(f"/syntheses/{id_}").text
    assert page.count("The text was not kept.") == 2
    assert "vault" not in page
