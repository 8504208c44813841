"""Documents: the latest scan of a project, what is due, and the life of each document."""

import re
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from howsure.serve.pages import documents
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_site import cookie

ONE = "/documents/one?project=shop&document=docs/refunds.md"


def test_the_latest_scan_is_shown_and_what_is_due(site: Site) -> None:
    page = site.client.get("/documents").text
    scans = site.client.get("/v1/documents/scans?project=shop").json()["scans"]
    assert scans[0]["id"] == site.ids["scan"]
    files = site.client.get(f"/v1/documents/scans/{site.ids['scan']}").json()["files"]
    due = page.partition('<h2 id="due">')[2].partition("</table>")[0]
    late = [one["path"] for one in files if one["action"] not in ("none", "unknown")]
    wanted = [urlencode({"project": "shop", "document": path}) for path in late]
    assert re.findall(r'href="/documents/one\?([^"]+)"', due) == [one.replace("&", "&amp;") for one in wanted]
    assert "10 documents, 1 to open, 5 due" in page
    assert 'data-chart="documents"' in page
    assert [one["id"] for one in scans[1:]] == re.findall(r'href="/documents/(a\w+)"', page)


def test_an_older_scan_and_another_project_can_be_looked_at(site: Site) -> None:
    older = site.client.get("/v1/documents/scans?project=shop").json()["scans"][1]["id"]
    assert "8 documents, 0 to open, 4 due" in site.client.get(f"/documents/{older}").text
    other = site.client.get("/documents?project=docs-site").text
    assert "2 documents, 1 to open, 1 due" in other
    assert '<option value="docs-site" selected>' in other
    none = site.client.get("/documents?project=nowhere").text
    assert "No scan of this project was recorded" in none
    assert "howsure scan --record" in none
    for path in ("/documents/a0", f"/documents/{site.ids['blocked']}"):
        assert site.client.get(path).status_code in (404, 422), path
    wrong = site.client.get(f"/documents?project={'x' * 700}")
    assert (wrong.status_code, "invalid name" in wrong.text) == (400, True)


def test_a_document_is_shown_with_its_life(site: Site) -> None:
    page = site.client.get(ONE).text
    events = site.client.get("/v1/documents/events?project=shop&document=docs/refunds.md").json()["events"]
    assert [one["symbol"] for one in events[:3]] == ["visit", "merge", "decay_warning"]
    life = page.partition('<ol class="life">')[2]
    first = len(life) - life.rindex("<b>Visit</b>")
    assert first < len(life) - life.rindex("<b>Merge</b>"), "the latest first"
    assert "stays observe" in life
    assert "Confirm its source: raises the score by 0.120" in page.replace("</bdi>", "").replace("<bdi>", "")
    unseen = site.client.get("/documents/one?project=shop&document=new.md").text
    assert "It is not in the latest scan." in unseen
    assert "No events yet" in unseen
    assert site.client.get("/documents/one?project=shop").headers["location"] == "/documents"


def test_events_recorded_in_the_browser_are_returned_by_the_api(site: Site, quick_page: Page) -> None:
    page, path = quick_page, "docs/a b&c.md"
    page.goto(f"{site.url}/documents/one?{urlencode({'project': 'shop', 'document': path})}")
    for label, symbol in (("visited", "visit"), ("confirmed", "confirm")):
        page.get_by_label(label).check()
        page.get_by_label("Note").fill(f"to {symbol}")
        page.get_by_label("Strength").fill("0.9")
        page.get_by_role("button", name="Record").click()
        expect(page.get_by_role("status")).to_contain_text("event was recorded")
        expect(page.get_by_role("heading", level=1)).to_have_text(path)
    found = site.client.get("/v1/documents/events", params={"project": "shop", "document": path}).json()["events"]
    assert [(one["symbol"], one["strength"], one["note"], one["actor"]) for one in found] == [
        ("visit", 0.9, "to visit", "owner"),
        ("confirm", 0.9, "to confirm", "owner"),
    ]
    expect(page.locator(".life li")).to_have_count(2)
    expect(page.locator(".life li").first).to_contain_text("M2")


def test_errors_are_shown_at_their_field_and_input_is_kept(site: Site, quick_page: Page) -> None:
    page = quick_page
    page.goto(f"{site.url}/documents/one?project=shop&document=wrong.md")
    page.get_by_label("tested").check()
    page.get_by_label("By", exact=True).fill("x" * 700)
    page.get_by_label("Note").fill("kept")
    page.get_by_role("button", name="Record").click()
    expect(page.locator("#wrong-event-by")).to_contain_text("invalid name")
    expect(page.get_by_label("Note")).to_have_value("kept")
    expect(page.get_by_role("heading", level=1)).to_have_text("wrong.md")
    assert site.client.get("/v1/documents/events?project=shop&document=wrong.md").json()["events"] == []


def test_every_action_of_these_pages_is_tested() -> None:
    assert [action.operation for action in documents.ACTIONS] == ["documents.record_event"]


def test_the_read_scope_shows_no_forms(closed: Site) -> None:
    for scope, may in (("read", False), ("write", True)):
        page = closed.client.get(ONE, headers=cookie(closed.secrets[scope])).text
        assert ('action="/documents/one/event"' in page) is may


def test_a_document_to_open_shows_why(site: Site) -> None:
    opened = site.client.get("/documents").text.partition('<h2 id="open">')[2].partition("</section>")[0]
    assert re.findall(r"<bdi>([^<]+)</bdi>", opened) == [
        "docs/refunds.md",
        "1 link leads nowhere: gone.md",
        "Leaves out a parameter: pay(tip)",
    ]
    assert "Nothing was found on the other 9." in opened
    assert "Leaves out a parameter: pay(tip)" in site.client.get(ONE).text
    hinted = site.client.get("/documents/one?project=shop&document=docs/search.md").text
    assert "Cart has gained voucher, wrap" in hinted
    older = site.client.get("/v1/documents/scans?project=shop").json()["scans"][1]["id"]
    assert "Nothing was found on any document." in site.client.get(f"/documents/{older}").text
