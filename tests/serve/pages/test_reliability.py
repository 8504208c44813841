"""Reliability: the same numbers as the statistics, for all or for some."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from howsure.learn.promise import make_promise
from howsure.serve.pages.reliability import ACTIONS, RISKS, compare, read_promises
from howsure.serve.tokens import SCOPES, Tokens
from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.learn.simulation import World
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_browser import _looks_well, seen
from tests.serve.pages.test_site import cookie, proof
from tests.serve.serving import serving

START = 1_792_195_200
"""The beginning of a day ninety days ago, as far as the page looks back by itself."""


@pytest.mark.parametrize(
    "wanted",
    [{}, {"agent": "patcher"}, {"agent_type": "planner"}, {"project": "shop"}],
    ids=["all", "agent", "type", "project"],
)
def test_the_numbers_are_those_of_the_statistics(site: Site, wanted: dict[str, str]) -> None:
    page = site.client.get(f"/reliability?{urlencode(wanted)}").text
    known = site.client.get(f"/v1/statistics?{urlencode(wanted | {'since': START})}").json()["calibration"]
    numbers = re.findall(r"<li><b>([^<]+)</b>", page.partition('<ul class="numbers')[2].partition("</ul>")[0])
    assert numbers[0] == str(known["outcomes"])
    assert numbers[2:] == [f"{known['expected_error']:.3f}", f"{known['brier']:.3f}"]
    assert 'data-chart="reliability"' in page
    assert '<a href="/reliability" aria-current="page">' in page


def test_without_outcomes_the_page_says_how_to_record_them(site: Site) -> None:
    page = site.client.get("/reliability?agent=never-seen").text
    assert "No outcomes match" in page
    assert "howsure outcome ID right" in page
    assert "data-chart" not in page


def test_addresses_leave_out_default_values(site: Site) -> None:
    answer = site.client.get("/reliability?agent=patcher&agent_type=&project=&since=")
    assert answer.headers["location"] == "/reliability?agent=patcher"
    everybody = site.client.get("/reliability?agent=&agent_type=&project=&since=1799000000")
    assert everybody.headers["location"] == "/reliability?since=1799000000"
    assert "Since 3 Jan 2027" in site.client.get("/reliability?since=1799000000").text


@pytest.fixture
def learned(tmp_path: Path, clock: Clock) -> Iterator[Site]:
    """Give a server on a store with two hundred outcomes and a candidate that was learned from them."""
    with open_store(str(tmp_path / "learned.db"), actor="owner", clock=clock) as sure:
        World(sure).live(200)
        World(sure, seed=2).live(10, shadow=True)
        candidate = sure.fits.learn()
        assert candidate.better
        with serving(sure, pages=True) as client:
            yield Site(client, sure, {"fit": candidate.id}, {})


def test_a_candidate_is_compared_applied_and_rolled_back(learned: Site, browser_page: Page) -> None:
    page, sure = browser_page, learned.sure
    page.goto(f"{learned.url}/reliability")
    row = page.locator("table.fits tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("better beyond noise")
    (fit,) = sure.fits.list()
    assert fit.quality is not None
    assert fit.replaced is not None
    expect(row).to_contain_text(f"{fit.quality.brier:.3f} was {fit.replaced.brier:.3f}")
    row.get_by_text("Apply", exact=False).first.click()
    row.get_by_role("button", name="Apply").click()
    assert sure.fits.list()[0].status == "candidate", "the browser asks to say that one means it"
    row.get_by_label("Decide by it from now on").check()
    row.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("status")).to_contain_text("The fit is active")
    assert sure.fits.list()[0].status == "active"
    row.get_by_text("Roll back").first.click()
    row.get_by_label("Return to what was in use before").check()
    row.get_by_role("button", name="Roll back").click()
    expect(page.get_by_role("status")).to_contain_text("retired")
    assert sure.fits.list()[0].status == "retired"


def test_learning_stores_a_candidate_and_changes_nothing(learned: Site, browser_page: Page) -> None:
    page = browser_page
    page.goto(f"{learned.url}/reliability")
    page.get_by_role("button", name="Learn from all outcomes").click()
    expect(page.get_by_role("status")).to_contain_text("candidate was learned")
    assert [fit.status for fit in learned.sure.fits.list()] == ["candidate", "candidate"]
    expect(page.locator("table.fits tbody tr")).to_have_count(2)
    page.locator("table.fits a.statement").last.click()
    expect(page).to_have_url(f"{learned.url}/reliability?shown={learned.ids['fit']}#fit")


def test_without_outcomes_learning_says_what_is_missing(tmp_path: Path, browser_page: Page) -> None:
    with open_store(str(tmp_path / "none.db")) as sure, serving(sure, pages=True) as client:
        browser_page.goto(f"{client.base_url}/reliability".replace("//rel", "/rel"))
        expect(browser_page.locator("section[aria-labelledby=fits]")).to_contain_text("Nothing was learned yet")
        browser_page.get_by_role("button", name="Learn from all outcomes").click()
        expect(browser_page.get_by_role("alert").first).to_contain_text("no outcome to learn from")


def test_before_and_after_are_of_the_same_outcomes(learned: Site, clock: Clock) -> None:
    clock.now += 60.0
    World(learned.sure, seed=3).live(5)  # later, so that it was not learned from these
    found = compare(learned.sure, learned.ids["fit"])
    fit = found.details.summary
    assert found.before is not None
    assert fit.replaced is not None
    assert fit.quality is not None
    for chart, quality in ((found.before, fit.replaced), (found.after, fit.quality)):
        assert f"Brier {quality.brier:.3f}" in chart.title
    for line in ("without a fit", "with this fit"):
        last = [row for row in found.curve.rows if row["score"] == line][-1]
        assert last["risk"] == pytest.approx(1 - fit.right / fit.outcomes)
    page = learned.client.get("/reliability").text
    assert page.count('data-chart="reliability"') == 3
    assert page.count('data-chart="risk_coverage"') == 1


def test_the_promise_says_what_is_kept_missing_or_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOWSURE_GATE_PROMISE", "0.3")
    with open_store(str(tmp_path / "promise.db"), clock=Clock()) as sure:
        rows = {row.promise.risk: row for row in read_promises(sure)}
        assert set(rows) == {*RISKS, 0.3}
        assert (rows[0.3].wanted, rows[0.3].state) == (True, "missing")
        assert rows[0.05].promise.missing == make_promise([], 0.05).missing
        World(sure).live(300, promise=0.3)
        sure.fits.learn(apply=True)
        kept = next(row for row in read_promises(sure) if row.wanted)
        assert (kept.state, kept.promise.threshold is not None) == ("kept", True)
        with serving(sure, pages=True) as client:
            assert '<span class="tag pass">kept</span> At most 30 % of what passes' in client.get("/reliability").text
            World(sure, seed=4, shift=-4.0).live(200, promise=0.3)
            broken = next(row for row in read_promises(sure) if row.wanted)
            assert (broken.state, broken.wrong > 5) == ("withdrawn", True)
            page = client.get("/reliability").text
    assert "The promise was withdrawn" in page
    assert "promise withdrawn" in page.partition('id="fits"')[2]


def test_shadow_mode_says_what_would_have_been_stopped(learned: Site) -> None:
    shadow = learned.client.get("/v1/statistics?since=0").json()["shadow"]
    section = learned.client.get("/reliability").text.partition('id="shadow"')[2].partition("</section>")[0]
    assert f"<b>{shadow['total']}</b>decisions in shadow mode" in section
    assert f"{shadow['rightly']} of {shadow['outcomes']} with an outcome were wrong" in section


def test_only_administrators_change_fits(learned: Site) -> None:
    tokens = Tokens(learned.sure.session)
    secrets: dict[str, str] = {scope: tokens.create(scope, scope)[1] for scope in SCOPES}
    with serving(learned.sure, pages=True, tokens=True, rate=None) as client:
        closed = Site(client, learned.sure, learned.ids, secrets)
        for scope in SCOPES:
            page = client.get("/reliability", headers=cookie(secrets[scope])).text
            assert ('/apply"' in page) is (scope == "admin")
            assert ("Learn from all outcomes" in page) is (scope == "admin")
        for action in ACTIONS:
            form = {"csrf": proof(closed, "write"), "sure": "yes"}
            path = action.path.replace("{fit}", learned.ids["fit"])
            assert client.post(path, data=form, headers=cookie(secrets["write"])).status_code == 403
        form = {"csrf": proof(closed, "admin"), "kind": "response"}
        answer = client.post("/reliability/learn", data=form, headers=cookie(secrets["admin"]))
        assert answer.headers["location"] == "/reliability?done=fit-learned"
        path = f"/reliability/fits/{learned.ids['fit']}/apply"
        unsure = client.post(path, data=form | {"csrf": proof(closed, "admin")}, headers=cookie(secrets["admin"]))
        assert (unsure.status_code, "tick the box to confirm" in unsure.text) == (422, True)
    assert [(fit.status, fit.by) for fit in learned.sure.fits.list()] == [
        ("candidate", "admin"),
        ("candidate", "owner"),
    ]


@pytest.mark.parametrize(("width", "theme"), [("phone", "light"), ("desk", "dark")])
def test_the_page_of_a_learning_store_is_accessible(learned: Site, browser: Browser, width: str, theme: str) -> None:
    learned.sure.fits.apply(learned.ids["fit"])
    learned.sure.fits.learn()
    with seen(browser, width, theme) as page:
        _looks_well(learned, page, "reliability-learned", "/reliability", f"{width}-{theme}")


def test_without_a_fit_the_page_says_what_a_promise_needs(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "none.db")) as sure, serving(sure, pages=True) as client:
        decision = sure.responses.check("It is so.", agent="a", knowledge=0.9)
        sure.ledger.outcome(decision.id, "right")
        section = client.get("/reliability").text.partition('id="promise"')[2].partition("</section>")[0]
        assert "Learn and apply a fit first; 1 outcome of responses is known." in section
        assert "<table" not in section
