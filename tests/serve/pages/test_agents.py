"""Agents and their answers: shown as the API tells them, and marked right or wrong by those who know."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from howsure.serve.pages import decision
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_site import cookie

START = 1_797_379_200
"""The beginning of a day thirty days ago, as far as the pages look back by themselves."""


def _shown(page: str) -> list[str]:
    return re.findall(r'<li class="response" id="([^"]+)">', page)


def _api(site: Site, **wanted: Any) -> list[str]:
    query = {"model": "response", "limit": 10, "since": START} | wanted
    return [one["id"] for one in site.client.get(f"/v1/ledger?{urlencode(query)}").json()["decisions"]]


def _check(site: Site, text: str, **given: Any) -> str:
    body = {"text": text, "agent": "marked", "knowledge": 0.5} | given
    return str(site.client.post("/v1/responses/check", json=body).json()["id"])


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", {"decision": "block"}),
        ("decision=block", {"decision": "block"}),
        ("decision=review", {"decision": "review"}),
        ("decision=", {}),
        ("decision=&project=shop", {"project": "shop"}),
        ("agent_type=planner", {"decision": "block", "agent_type": "planner"}),
        ("since=1799990000", {"decision": "block", "since": 1_799_990_000}),
    ],
)
def test_responses_are_those_of_the_api(site: Site, query: str, wanted: dict[str, Any]) -> None:
    page = site.client.get(f"/agents?{query}")
    assert page.status_code == 200
    assert _shown(page.text) == _api(site, **wanted) != []


def test_agents_are_shown_with_their_statistics(site: Site) -> None:
    page = site.client.get("/agents").text
    groups = site.client.get(f"/v1/statistics?by=agent&since={START}").json()["groups"]
    rows = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert re.findall(r'href="(/agents/one\?agent=[^"]*)"', rows) == [
        f"/agents/one?{urlencode({'agent': one['name']})}" for one in groups
    ]
    for one in groups:
        passed = one["total"] - one["blocked"] - one["reviewed"]
        assert f"{passed} passed, {one['reviewed']} to review, {one['blocked']} blocked" in rows
    assert '<a href="/agents" aria-current="page">Agents</a>' in page


def test_agents_may_have_any_name_or_none(site: Site) -> None:
    page = site.client.get("/agents/one?agent=plan/nightly").text
    assert "<bdi>plan/nightly</bdi></h1>" in page
    assert "the default for the agent type" in page
    assert "<b>0.75</b>" in page
    assert _shown(page) == _api(site, agent="plan/nightly", decision="block")
    nobody = site.client.get("/agents/one?agent=").text
    assert _shown(nobody) == [site.ids["unnamed"]]
    assert '<input type="hidden" name="agent" value="">' in nobody
    unknown = site.client.get("/agents/one?agent=never-seen")
    assert (unknown.status_code, "No decisions in this period" in unknown.text) == (200, True)
    assert site.client.get("/agents/one").headers["location"] == "/agents"


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("since=yesterday", "since", "not a number"),
        ("project=" + "x" * 700, "project", "invalid name"),
        ("agent_type=" + "x" * 700, "agent_type", "invalid name"),
    ],
    ids=["since", "project", "type"],
)
@pytest.mark.parametrize("path", ["/agents?", "/agents/one?agent=patcher&", "/reliability?"])
def test_errors_are_shown_at_their_field(site: Site, path: str, query: str, field: str, words: str) -> None:
    answer = site.client.get(path + query)
    assert answer.status_code == 400
    assert words in answer.text.partition(f'id="wrong-{field}">')[2].partition("</span>")[0]


def test_errors_without_a_field_are_shown_at_the_top(site: Site) -> None:
    for query, words in (
        ("nonsense=1", "unknown field"),
        ("cursor=x", "invalid cursor"),
        ("limit=0", "not between"),
    ):
        answer = site.client.get(f"/agents?{query}")
        assert (answer.status_code, words in answer.text) == (400, True), query


def test_addresses_leave_out_default_values(site: Site) -> None:
    answer = site.client.get("/agents?agent_type=&project=shop&decision=&since=")
    assert (answer.status_code, answer.headers["location"]) == (303, "/agents?project=shop&decision=")
    answer = site.client.get("/agents/one?agent=&agent_type=&project=&decision=block&since=")
    assert answer.headers["location"] == "/agents/one?decision=block&agent="


def test_further_pages_are_appended_until_the_end(site: Site, quick_page: Page) -> None:
    page, answers = quick_page, quick_page.locator("li.response")
    page.goto(f"{site.url}/agents?limit=15&decision=")
    while page.get_by_role("link", name="Show more").count():
        before = answers.count()
        page.get_by_role("link", name="Show more").click()
        expect(answers.nth(before)).to_be_visible()
    shown = [one.get_attribute("id") for one in answers.all()]
    assert shown == _api(site, limit=1000)


@pytest.mark.parametrize("outcome", ["right", "wrong", "corrected"])
def test_outcomes_can_be_recorded_in_the_list(site: Site, quick_page: Page, outcome: str) -> None:
    page, id_ = quick_page, _check(site, f"It may be {outcome}", agent=f"marked {outcome}")
    page.goto(f"{site.url}/agents/one?agent=marked+{outcome}")
    item = page.locator(f"[id='{id_}']")
    item.locator("summary", has_text="Was the answer correct?").click()
    item.get_by_label(outcome, exact=True).check()
    item.get_by_label("Note").fill("seen in the log")
    item.get_by_label("By", exact=True).fill("carol")
    item.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("marked as")
    assert page.url == f"{site.url}/agents/one?agent=marked+{outcome}&done=marked-{outcome}#{id_}"
    expect(item.locator(f".tag.{outcome}")).to_have_text(outcome)
    why = site.client.get(f"/v1/ledger/{id_}/explain").json()
    assert [(one["outcome"], one["by"], one["note"]) for one in why["outcomes"]] == [
        (outcome, "carol", "seen in the log")
    ]
    assert why["decision"]["outcome"] == outcome


@pytest.mark.parametrize(("button", "outcome"), [("Yes", "right"), ("No", "wrong")])
def test_a_thumb_is_one_click(site: Site, quick_page: Page, button: str, outcome: str) -> None:
    page, id_ = quick_page, _check(site, f"Thumb {button}", agent=f"thumb {button}")
    page.goto(f"{site.url}/decisions/{id_}")
    expect(page.get_by_role("heading", name="Was the answer correct?")).to_be_visible()
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("status")).to_contain_text(f"marked as {outcome}")
    (one,) = site.client.get(f"/v1/ledger/{id_}/explain").json()["outcomes"]
    assert (one["outcome"], one["source"]) == (outcome, "thumbs")


def test_every_page_asks_whether_the_answer_was_correct(site: Site) -> None:
    id_ = _check(site, "Blocked, though correct", agent="asked")
    for path in ("/overview", f"/decisions/{id_}", "/agents?decision=", "/agents/one?agent=asked"):
        text = site.client.get(path).text
        assert "Was the answer correct?" in text, path
        assert "blocking was right" not in text


def test_outcomes_can_be_recorded_without_scripts_and_the_last_counts(site: Site, browser: Browser) -> None:
    id_ = _check(site, "Twice marked", agent="without scripts")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.url}/agents?project=&decision=block")
        page.locator(f"[id='{id_}']").get_by_role("link", name="Details").click()
        for outcome in ("wrong", "right"):
            page.get_by_label(outcome, exact=True).check()
            page.get_by_role("button", name="Save").click()
            expect(page.get_by_role("status")).to_contain_text(f"marked as {outcome}")
    outcomes = site.client.get(f"/v1/ledger/{id_}/explain").json()["outcomes"]
    assert [(one["outcome"], one["by"]) for one in outcomes] == [("wrong", "owner"), ("right", "owner")]
    assert site.client.get(f"/v1/ledger/{id_}").json()["outcome"] == "right"


def test_every_action_of_these_pages_is_tested() -> None:
    assert [action.operation for action in decision.ACTIONS] == ["ledger.outcome", "ledger.thumbs"]


def test_the_read_scope_shows_no_forms_and_cannot_record_outcomes(closed: Site) -> None:
    path = f"/decisions/{closed.ids['reviewed']}"
    for scope, may in (("read", False), ("write", True)):
        page = closed.client.get(path, headers=cookie(closed.secrets[scope])).text
        assert (f'action="{path}/outcome"' in page) is may
        listed = closed.client.get("/agents?decision=review", headers=cookie(closed.secrets[scope])).text
        assert ("/outcome" in listed) is may
