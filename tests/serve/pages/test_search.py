"""The search box finds claims, decisions, agents and documents, and opens ids."""

import pytest
from playwright.sync_api import Page, expect

from tests.serve.pages.conftest import Site


def test_the_box_is_on_every_page_and_leads_to_the_results(site: Site, quick_page: Page) -> None:
    page = quick_page
    page.goto(f"{site.url}/documents")
    page.get_by_label("Search everything").fill("cache")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.url}/search?text=cache")
    expect(page.get_by_label("Search everything")).to_have_value("cache")
    known = site.client.get("/v1/claims?text=cache&limit=10").json()["claims"]
    shown = page.locator("section[aria-labelledby=claims] a.statement").all_text_contents()
    assert shown == [one["statement"] for one in known] != []


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("refunds.md", "/documents/one?project=shop&amp;document=docs%2Frefunds.md"),
        ("NIGHTLY", "/agents/one?agent=plan%2Fnightly"),
        ("lose job scheduler", "/decisions/{blocked}"),
    ],
)
def test_all_words_have_to_be_there_in_any_case(site: Site, text: str, link: str) -> None:
    page = site.client.get("/search", params={"text": text}).text
    assert link.format(**site.ids) in page
    assert "Nothing contains these words" in site.client.get("/search", params={"text": f"{text} zzz"}).text


def test_an_id_opens_its_page(site: Site) -> None:
    for name, path in (("cache", "/claims"), ("blocked", "/decisions")):
        answer = site.client.get("/search", params={"text": f" {site.ids[name]} "})
        assert (answer.status_code, answer.headers["location"]) == (303, f"{path}/{site.ids[name]}")


def test_without_words_the_page_says_what_can_be_found(site: Site) -> None:
    assert "Type above" in site.client.get("/search").text
    assert site.client.get("/search?text=" + "x" * 5000).status_code == 200
