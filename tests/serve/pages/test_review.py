"""The review queue: what waits for a person, newest first, and gone once somebody has said so."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_site import cookie
from tests.serve.serving import serving


def _shown(page: str) -> list[str]:
    return re.findall(r'<li class="response" id="([^"]+)">', page)


def _waiting(site: Site, **wanted: Any) -> list[str]:
    query: dict[str, Any] = {"model": "response", "with_outcome": "false", "limit": 10} | wanted
    return [one["id"] for one in site.client.get("/v1/ledger", params=query).json()["decisions"]]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", {"decision": "review"}),
        ("?decision=block", {"decision": "block"}),
        ("?decision=", {}),
        ("?decision=&agent=patcher", {"agent": "patcher"}),
        ("?decision=&project=shop", {"project": "shop"}),
    ],
)
def test_the_queue_holds_responses_without_an_outcome(site: Site, query: str, wanted: dict[str, str]) -> None:
    page = site.client.get(f"/review{query}")
    assert page.status_code == 200
    assert _shown(page.text) == _waiting(site, **wanted) != []
    assert page.text.count("<span>Was the answer correct?</span>") == len(_shown(page.text))


@pytest.mark.parametrize(("button", "outcome"), [("Yes", "right"), ("No", "wrong")])
def test_one_click_takes_a_response_off_the_queue(site: Site, quick_page: Page, button: str, outcome: str) -> None:
    body = {"text": f"Queued for {button}", "agent": f"queued {button}", "knowledge": 0.5}
    id_ = str(site.client.post("/v1/responses/check", json=body).json()["id"])
    page = quick_page
    page.goto(f"{site.url}/review?agent=queued+{button}&decision=")
    page.locator(f"[id='{id_}']").get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("status")).to_contain_text(f"marked as {outcome}")
    expect(page).to_have_url(re.compile(r"/review\?agent=queued"))
    expect(page.locator("li.response")).to_have_count(0)
    assert site.client.get(f"/v1/ledger/{id_}").json()["outcome"] == outcome


def test_challenged_claims_are_listed_by_the_moment_of_the_challenge(site: Site) -> None:
    section = site.client.get("/review").text.partition('id="challenged"')[2].partition("</section>")[0]
    shown = re.findall(r'<a class="statement" href="/claims/[^"]+"><bdi>([^<]+)</bdi>', section)
    assert shown == ["Most visits come from phones", "The cache is safe to share between threads"]


def test_an_empty_queue_says_where_more_is_waiting(site: Site) -> None:
    page = site.client.get("/review?agent=nobody").text
    assert "Nothing is waiting here." in page
    assert '<a href="/review?decision=block">blocked</a>' in page


def test_more_are_appended_and_wrong_filters_are_told(site: Site, quick_page: Page) -> None:
    page, rows = quick_page, quick_page.locator("li.response")
    page.goto(f"{site.url}/review?decision=&limit=12")
    expect(rows).to_have_count(12)
    page.get_by_role("link", name="Show more").click()
    expect(rows.nth(12)).to_be_visible()
    answer = site.client.get("/review?project=" + "x" * 700)
    assert (answer.status_code, "invalid name" in answer.text) == (400, True)
    assert site.client.get("/review?agent=&project=&decision=").headers["location"] == "/review?decision="


def test_the_read_scope_shows_no_buttons(closed: Site) -> None:
    for scope, may in (("read", False), ("write", True)):
        page = closed.client.get("/review", headers=cookie(closed.secrets[scope])).text
        assert ("/thumbs" in page) is may
        assert _shown(page)


def test_what_happens_to_a_claim_later_is_not_a_challenge(tmp_path: Path, clock: Clock) -> None:
    with open_store(str(tmp_path / "s.db"), clock=clock) as sure:
        for name in ("first", "second"):
            claim = sure.claims.add(f"The {name} holds", source="agent:a")
            clock.now += 60
            sure.claims.challenge(claim.id, statement=f"The {name} broke", source="agent:b")
        clock.now += 60
        sure.claims.add("The first holds", source="agent:c")
        with serving(sure, pages=True) as client:
            section = client.get("/review").text.partition('id="challenged"')[2].partition("</section>")[0]
    assert re.findall(r"<bdi>(The \w+ holds)</bdi>", section) == ["The second holds", "The first holds"]


def test_an_old_claim_that_was_challenged_last_is_listed_first(tmp_path: Path, clock: Clock) -> None:
    with open_store(str(tmp_path / "s.db"), clock=clock) as sure:
        old = sure.claims.add("The oldest holds", source="agent:a")
        for name in "abcdefghij":
            clock.now += 60
            claim = sure.claims.add(f"The {name} holds", source="agent:a")
            sure.claims.challenge(claim.id, statement=f"The {name} broke", source="agent:b")
        clock.now += 60
        sure.claims.challenge(old.id, statement="The oldest broke", source="agent:b")
        with serving(sure, pages=True) as client:
            section = client.get("/review").text.partition('id="challenged"')[2].partition("</section>")[0]
    assert re.findall(r"<bdi>The (\w+) holds</bdi>", section) == ["oldest", *"jihgfedcb"]
