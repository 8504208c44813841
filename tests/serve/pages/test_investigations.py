"""Investigations: open and ended ones, with every call, as the API tells them."""

import re

from playwright.sync_api import Page, expect

from tests.serve.pages.conftest import Site


def test_open_and_closed_investigations_are_those_of_the_api(site: Site) -> None:
    page = site.client.get("/investigations").text
    ended = site.client.get("/v1/ledger?model=investigation").json()["decisions"]
    rows = page.partition("<tbody>")[2]
    assert re.findall(r'href="/investigations/(a\w+)"', rows) == [one["id"] for one in ended]
    open_ = site.client.get("/v1/investigations/traces?closed=false").json()["traces"]
    assert [one["trace_id"] for one in open_] == ["nightly", "session/7f3a"]
    assert re.findall(r'href="/investigations/trace\?trace_id=([^"]+)"', page) == ["nightly", "session%2F7f3a"]
    assert '<a href="/investigations" aria-current="page">' in page


def test_investigations_can_be_filtered(site: Site) -> None:
    for query, count in (
        ("decision=stop", 1),
        ("project=shop", 1),
        ("agent=searcher", 2),
        ("agent=nobody-of-that-name", 0),
    ):
        found = site.client.get(f"/v1/ledger?model=investigation&{query}").json()["decisions"]
        rows = site.client.get(f"/investigations?{query}").text.partition("<tbody>")[2]
        assert re.findall(r'href="/investigations/(a\w+)"', rows) == [one["id"] for one in found]
        assert len(found) == count
    wrong = site.client.get("/investigations?since=never")
    assert (wrong.status_code, 'id="wrong-since">&#39;never&#39; is not a number' in wrong.text) == (400, True)
    tidy = site.client.get("/investigations?agent=&project=shop&decision=stop&since=")
    assert tidy.headers["location"] == "/investigations?project=shop&decision=stop"


def test_an_investigation_shows_calls_agreements_and_advice(site: Site) -> None:
    page = site.client.get(f"/investigations/{site.ids['investigation']}").text
    went = site.client.get("/v1/investigations/steps?trace_id=refunds").json()
    assert [(one["category"], one["results"]) for one in went["steps"]][:3] == [
        ("search", 7),
        ("search", 0),
        ("read", 1),
    ]
    rows = page.partition("<caption>Tool calls</caption>")[2].partition("</table>")[0]
    for step in went["steps"]:
        assert f"{step['number']}. <bdi>{step['tool']}</bdi>" in rows
    assert rows.count(">agrees<") == len(went["agreements"][0]["calls"]) == 4
    assert "Git and read and search agree on" in page
    standing = site.client.get("/v1/investigations?trace_id=refunds").json()
    assert standing["advice"][0]["what"].capitalize() in page
    assert 'data-chart="investigation"' in page
    chance = page.partition('<h2 id="chance">Chance of success</h2>')[2].partition("</section>")[0]
    recorded = site.client.get(f"/v1/ledger/{site.ids['investigation']}").json()["detail"]["answer"]
    assert f"{recorded['chance']:.2f}" in chance
    assert "uncalibrated prior" in chance
    assert recorded["chance_reasons"]
    for reason in recorded["chance_reasons"]:
        assert reason["words"].capitalize() in chance
    assert "Where are refunds delayed?" in page


def test_an_investigation_without_calls_shows_its_result(site: Site) -> None:
    page = site.client.get(f"/investigations/{site.ids['bare']}").text
    assert "only its result" in page
    assert "Who writes card numbers?" in page
    assert "data-chart" not in page


def test_an_id_of_another_decision_is_not_found(site: Site) -> None:
    for path in (
        f"/investigations/{site.ids['synthesis']}",
        "/investigations/a0",
        "/investigations/trace?trace_id=gone",
    ):
        answer = site.client.get(path)
        assert (answer.status_code, "Not found" in answer.text) == (404, True), path
    assert site.client.get("/investigations/trace").headers["location"] == "/investigations"


def test_all_open_investigations_are_reached_page_by_page(site: Site, quick_page: Page) -> None:
    page, seen = quick_page, []
    page.goto(f"{site.url}/investigations/open?limit=1")
    while True:
        seen += [text.strip() for text in page.locator(".traces a.statement").all_text_contents()]
        if not page.get_by_role("link", name="Show more").count():
            break
        page.get_by_role("link", name="Show more").click()
        expect(page.get_by_role("link", name="Back to the first page")).to_be_visible()
    assert seen == ["nightly", "session/7f3a"]
    page.get_by_role("link", name="session/7f3a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("session/7f3a")
    expect(page.get_by_role("heading", name="What would help most next")).to_be_visible()
