"""One claim: each action is done in the browser, and read back through the API."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from howsure.serve.pages import claim
from tests.serve.pages.conftest import Site


def _new(site: Site, statement: str, **given: Any) -> str:
    body = {"statement": statement, "source": "user_input:ann", "contribution": 0.9} | given
    return str(site.client.post("/v1/claims", json=body).json()["id"])


def _read(site: Site, id_: str) -> dict[str, Any]:
    found: dict[str, Any] = site.client.get(f"/v1/claims/{id_}/explain").json()
    return found


def _history(site: Site, id_: str) -> list[str]:
    return [event["action"] for event in site.client.get(f"/v1/claims/{id_}/history").json()["result"]]


def _open(page: Page, site: Site, id_: str, fold: str) -> Any:
    """Open a claim, and unfold an action; return its form."""
    page.goto(f"{site.url}/claims/{id_}")
    place = page.locator(f"#act-{fold}")
    place.locator("summary").click()
    return place


def _refute(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "refute")
    form.get_by_label("Checked by").fill("user_input:bob")
    form.get_by_label("It was checked and is wrong").check()
    form.get_by_role("button", name="Refute").click()
    expect(page.get_by_role("status")).to_contain_text("refuted")
    assert _history(site, id_)[-1] == "refuted"


def _challenge(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "challenge")
    form.get_by_label("Contradicting statement").fill(f"Not {id_}")
    form.get_by_label("Source").fill("agent:tester")
    form.get_by_label("Contribution").fill("0.6")
    form.get_by_role("button", name="Challenge").click()
    expect(page.get_by_role("status")).to_contain_text("challenged")
    found = _read(site, id_)
    assert found["claim"]["status"] == "challenged"
    assert [(one["kind"], one["statement"]) for one in found["neighbours"]] == [("contradicts", f"Not {id_}")]


def _corroborate(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "corroborate")
    form.get_by_label("Source").fill("extraction:manual.md")
    form.get_by_role("button", name="Corroborate").click()
    expect(page.get_by_role("status")).to_contain_text("source was added")
    sources = [(one["source_type"], one["contribution"]) for one in _read(site, id_)["sources"]]
    assert sources == [("user_input", 0.9), ("extraction", 0.5)]


def _verify(page: Page, site: Site, id_: str) -> None:
    """Verify a fresh claim by the list of actions, and a stale one where its page says that this would help."""
    form = _open(page, site, id_, "verify")
    form.get_by_label("Source").fill("user_input:bob")
    form.get_by_role("button", name="Verify").click()
    expect(page.get_by_role("status")).to_contain_text("verified")
    assert _history(site, id_)[-1] == "verified"
    stale = _new(site, f"Stale {id_}", stale_at=1_000_000_000.0, ttl=1e10)
    page.goto(f"{site.url}/claims/{stale}")
    place = page.locator("li", has_text="Verifying it today")
    place.locator("summary").click()
    place.get_by_label("Source").fill("bob")
    place.get_by_role("button", name="Verify").click()
    expect(place).to_contain_text("is not TYPE:ID")
    place.get_by_label("Source").fill("user_input:bob")
    place.get_by_label("Contribution").fill("0.9")
    place.get_by_role("button", name="Verify").click()
    expect(page.get_by_role("status")).to_contain_text("verified")
    expect(page.get_by_text("Verifying it today")).to_have_count(0)
    found = _read(site, stale)["claim"]
    assert found["stale_at"] > 1_700_000_000.0
    assert found["sources"] == 2


def _uphold(page: Page, site: Site, id_: str) -> None:
    _challenge(page, site, id_)
    form = _open(page, site, id_, "resolve")
    form.get_by_label("Uphold this claim").check()
    form.get_by_label("Note").fill("measured")
    form.get_by_role("button", name="Resolve").click()
    expect(page.get_by_role("status")).to_contain_text("upheld")
    assert _read(site, id_)["claim"]["status"] == "active"


def _give_up(page: Page, site: Site, id_: str) -> None:
    _challenge(page, site, id_)
    form = _open(page, site, id_, "resolve")
    form.get_by_label("Deprecate it").check()
    form.get_by_role("button", name="Resolve").click()
    expect(page.get_by_role("status")).to_contain_text("is deprecated")
    assert _read(site, id_)["claim"]["status"] == "deprecated"


def _promote(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "promote")
    form.get_by_role("button", name="Promote").click()
    expect(page.get_by_role("status")).to_contain_text("higher tier")
    assert _read(site, id_)["claim"]["tier"] == "project"
    form = _open(page, site, id_, "promote")
    form.get_by_role("button", name="Promote").click()
    expect(page.get_by_role("status")).to_contain_text("Not yet")
    assert _history(site, id_)[-1] == "promotion deferred"


def _demote(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "demote")
    form.get_by_label("Reason").fill("small")
    form.get_by_role("button", name="Demote").click()
    expect(page.get_by_role("status")).to_contain_text("lower tier")
    assert _read(site, id_)["claim"]["tier"] == "ephemeral"


def _relate(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "relate")
    form.get_by_label("This claim").select_option("refines")
    form.get_by_label("The other claim").fill(site.ids["dates"])
    form.get_by_role("button", name="Relate").click()
    expect(page.get_by_role("status")).to_contain_text("relation was added")
    assert "related" in _history(site, site.ids["dates"])


def _relate_by_search(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "relate")
    form.get_by_label("The other claim").press_sequentially("parser")
    choice = form.locator(".choices label", has_text="The parser reads both kinds of quotes")
    choice.click()
    form.get_by_role("button", name="Relate").click()
    expect(page.get_by_role("status")).to_contain_text("relation was added")
    assert _read(site, id_)["claim"]["id"] != site.ids["parser"]
    assert "related" in _history(site, site.ids["parser"])


def _supersede(page: Page, site: Site, id_: str) -> None:
    other = _new(site, f"Better than {id_}")
    form = _open(page, site, id_, "supersede")
    form.get_by_label("replaces it").fill(other)
    form.get_by_label("Deprecate this claim").check()
    form.get_by_role("button", name="Supersede").click()
    expect(page.get_by_role("status")).to_contain_text("superseded by another")
    assert _read(site, id_)["claim"]["status"] == "deprecated"


def _forget(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "forget")
    form.get_by_role("button", name="Forget").click()
    assert page.url.endswith(id_), "the browser asks to say that one means it"
    form.get_by_label("Leave it out of all queries").check()
    form.get_by_role("button", name="Forget").click()
    expect(page.get_by_role("status")).to_contain_text("forgotten")
    assert _read(site, id_)["claim"]["status"] == "forgotten"


def _purge(page: Page, site: Site, id_: str) -> None:
    form = _open(page, site, id_, "purge")
    form.get_by_label("Delete its text").check()
    form.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_role("status")).to_contain_text("is deleted")
    expect(page).to_have_url(f"{site.url}/claims?done=purged")
    assert site.client.get(f"/v1/claims/{id_}").status_code == 404


def _source(page: Page, site: Site, id_: str) -> None:
    site.client.post("/v1/claims", json={"statement": f"Corroborated by {id_}", "source": f"doc:{id_}"})
    id_ = _new(site, f"Rests on {id_}", source=f"doc:{id_}")
    page.goto(f"{site.url}/claims/{id_}")
    page.locator("#sources ~ table summary").click()
    page.get_by_label("Do not count it").check()
    page.get_by_role("button", name="Invalidate").click()
    expect(page.get_by_role("status")).to_contain_text("no longer counts")
    assert _read(site, id_)["claim"]["upper"] == 0.0
    page.locator("#sources ~ table summary").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("status")).to_contain_text("counts again")
    assert _read(site, id_)["claim"]["upper"] > 0.0


ACTS: dict[str, Callable[[Page, Site, str], None]] = {
    "corroborate": _corroborate,
    "verify": _verify,
    "refute": _refute,
    "challenge": _challenge,
    "resolve": _uphold,
    "give up": _give_up,
    "promote": _promote,
    "demote": _demote,
    "relate": _relate,
    "relate by search": _relate_by_search,
    "supersede": _supersede,
    "forget": _forget,
    "purge": _purge,
    "invalidate and restore": _source,
}


@pytest.mark.parametrize("act", ACTS)
def test_each_browser_action_changes_what_the_api_returns(site: Site, quick_page: Page, act: str) -> None:
    ACTS[act](quick_page, site, _new(site, f"For {act}"))


def test_every_action_is_tested() -> None:
    verbs = {action.path.rsplit("/", 1)[1] for action in claim.ACTIONS}
    assert verbs <= set(" and ".join(ACTS).split(" and "))


def test_every_action_works_without_scripts(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.url}/claims")
        page.get_by_label("Text", exact=True).fill("parser")
        page.get_by_role("button", name="Find").click()
        expect(page).to_have_url(f"{site.url}/claims?text=parser")
        page.get_by_role("link", name="The parser reads both kinds of quotes").click()
        expect(page.locator("figure[data-chart=life] figcaption p")).to_be_visible()
        expect(page.locator("figure[data-chart=formulas] figcaption p")).to_be_visible()
        _challenge(page, site, _new(site, "For no script"))
        _forget_plainly(page, site)
        page.goto(f"{site.url}/claims?limit=5")
        page.get_by_role("link", name="Show more").click()
        expect(page.get_by_role("link", name="Back to the first page")).to_be_visible()


def _forget_plainly(page: Page, site: Site) -> None:
    id_ = _new(site, "Forgotten without scripts")
    _forget(page, site, id_)


def test_the_keyboard_alone_challenges_a_claim(site: Site, quick_page: Page) -> None:
    page, id_ = quick_page, _new(site, "For the keyboard")
    page.goto(f"{site.url}/claims/{id_}")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.parentElement.id") == "act-challenge":
            break
    page.keyboard.press("Enter")
    for text in ("It is not so", "agent:keys", "0.4"):
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    page.keyboard.press("Tab")
    expect(page.locator("#act-challenge").get_by_role("button", name="Challenge")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("challenged")
    assert _read(site, id_)["claim"]["status"] == "challenged"


def test_errors_are_shown_in_the_form_and_input_is_kept(site: Site, quick_page: Page) -> None:
    page, id_ = quick_page, _new(site, "For mistakes")
    form = _open(page, site, id_, "challenge")
    form.get_by_label("Contradicting statement").fill("Something else")
    form.get_by_label("Source").fill("nobody")
    form.get_by_role("button", name="Challenge").click()
    expect(page.locator("#wrong-challenge-source")).to_contain_text("is not TYPE:ID")
    expect(form.get_by_label("Source")).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_label("Source")).to_have_value("nobody")
    expect(form.get_by_label("Contradicting statement")).to_have_value("Something else")
    assert _history(site, id_) == ["created"]
    form.get_by_label("Source").fill("agent:7")
    form.get_by_role("button", name="Challenge").click()
    expect(page.get_by_role("status")).to_contain_text("challenged")
    form = _open(page, site, id_, "relate")
    form.get_by_label("The other claim").fill("c0ffee")
    form.get_by_role("button", name="Relate").click()
    expect(page.locator("#act-relate")).to_contain_text("unknown claim")


def test_a_form_sent_twice_runs_once(site: Site, quick_page: Page) -> None:
    id_ = _new(site, "For the impatient")
    form = _open(quick_page, site, id_, "challenge")
    form.get_by_label("Contradicting statement").fill("Only once")
    form.get_by_label("Source").fill("agent:7")
    filled = form.locator("form").evaluate("form => Object.fromEntries(new FormData(form))")
    cookies = {one["name"]: one["value"] for one in quick_page.context.cookies()}
    head = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    places = {site.client.post(f"/claims/{id_}/challenge", data=filled, headers=head).headers["location"] for _ in "ab"}
    assert places == {f"/claims/{id_}?done=challenged"}
    assert _history(site, id_) == ["created", "challenged"]


def test_actions_that_ask_for_confirmation_need_it(site: Site, quick_page: Page) -> None:
    id_ = _new(site, "For the careful")
    form = _open(quick_page, site, id_, "purge")
    form.locator("input[name=sure]").evaluate("box => box.required = false")
    form.get_by_role("button", name="Delete permanently").click()
    expect(quick_page.locator("#act-purge [role=alert]")).to_contain_text("tick the box to confirm")
    assert _read(site, id_)["claim"]["status"] == "active"


def test_a_claim_can_be_chosen_without_scripts(site: Site, browser: Browser) -> None:
    id_ = _new(site, "For those without scripts")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        form = _open(page, site, id_, "relate")
        form.get_by_label("The other claim").fill("cache")
        form.get_by_role("button", name="Relate").click()
        expect(page.locator("#act-relate")).to_contain_text("several claims match")
        page.locator("#act-relate").get_by_label("The cache evicts the oldest entry first").check()
        page.locator("#act-relate").get_by_role("button", name="Relate").click()
        expect(page.get_by_role("status")).to_contain_text("relation was added")
    evicts = site.client.get("/v1/claims", params={"text": "evicts"}).json()["claims"][0]["id"]
    assert "related" in _history(site, evicts)
