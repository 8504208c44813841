"""Every page in a browser: on a phone and a desk, light and dark. Nothing breaks, and all can use it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect

from howsure.sure import open as open_store
from tests.conftest import ROOT
from tests.serve.pages.conftest import Site, watch
from tests.serve.serving import serving

SHOTS = ROOT / "build" / "screenshots"
"""Where pictures of all pages go if the variable HOWSURE_SCREENSHOTS is set."""
WIDTHS = {"phone": (390, 844), "desk": (1280, 900)}
LOOKED_AT = {
    "overview": "/overview",
    "claims": "/claims",
    "claim": "/claims/{cache}",
    "agents": "/agents",
    "agent": "/agents/one?agent=plan/nightly",
    "decision": "/decisions/{blocked}",
    "investigations": "/investigations",
    "investigation": "/investigations/{investigation}",
    "syntheses": "/syntheses",
    "synthesis": "/syntheses/{synthesis}",
    "documents": "/documents",
    "document": "/documents/one?project=shop&document=docs/refunds.md",
    "api": "/docs",
    "reliability": "/reliability",
    "review": "/review?decision=",
    "new-claim": "/claims/new",
    "search": "/search?text=cache",
    "health": "/server",
    "settings": "/server/settings",
    "tokens": "/server/tokens",
}
"""Pages by name, seen in every way; names in braces are ids of the store."""
GLANCED_AT = {
    "claims-wrong": "/claims?min_lower=2&text=cache",
    "claims-none": "/claims?text=nothingofthekind",
    "claim-derived": "/claims/{derived}",
    "review-none": "/review?agent=nobody",
    "search-none": "/search?text=nothingofthekind",
    "search-nothing": "/search",
    "missing": "/claims/nonsense",
    "agents-wrong": "/agents?since=yesterday",
    "investigations-open": "/investigations/open",
    "investigation-open": "/investigations/trace?trace_id=session/7f3a",
    "synthesis-none": "/syntheses/{abstained}",
}
"""What pages show at times, seen on a phone in the light and at a desk in the dark."""
EMPTY = {
    "overview": "howsure claim add",
    "claims": "howsure claim add",
    "agents": "howsure gate",
    "investigations": "howsure hook install",
    "syntheses": "howsure synthesize",
    "documents": "howsure scan --record",
    "reliability": "howsure ledger list",
    "review": "howsure ledger list",
}
"""What an empty page says to do."""
FEW = [("phone", "light"), ("desk", "dark")]
"""Each width and each theme once; the others take as long again, and are looked at by `make soak`."""
VIEWS: list[Any] = [
    *FEW,
    pytest.param("phone", "dark", marks=pytest.mark.soak),
    pytest.param("desk", "light", marks=pytest.mark.soak),
]


def all_drawn(page: Page) -> None:
    """Wait until every chart of a page is drawn, those below the fold included."""
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    drawings = page.locator("figure[data-chart]:has(.drawing)")
    expect(page.locator("figure[data-drawn=light], figure[data-drawn=dark]")).to_have_count(drawings.count())


def sound(page: Page) -> None:
    """Assert that a page fits into its window, and that nothing keeps anybody from using it."""
    wide, room = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= room, "the page has to be moved sideways"
    heard: Any = {"exclude": [[".drawing"]]}  # drawings are hidden from those who hear pages
    found = Axe().run(page, heard, {"resultTypes": ["violations"]})
    grave = [one for one in found.response["violations"] if one["impact"] in ("serious", "critical")]
    assert grave == [], [f"{one['id']}: {node['html']}" for one in grave for node in one["nodes"]]


@contextmanager
def seen(browser: Browser, width: str, theme: str) -> Iterator[Page]:
    """Give a page of a size and theme, in which nothing may go wrong."""
    size = {"width": WIDTHS[width][0], "height": WIDTHS[width][1]}
    given: Any = {"viewport": size, "color_scheme": theme, "has_touch": width == "phone"}
    with browser.new_context(**given) as context:
        context.set_default_timeout(60_000)
        page = context.new_page()
        troubles: list[str] = []
        watch(page, troubles)
        yield page
    assert troubles == []


def _looks_well(site: Site, page: Page, name: str, path: str, kind: str) -> None:
    page.goto(site.url + path.format(**site.ids))
    all_drawn(page)
    sound(page)
    if os.environ.get("HOWSURE_SCREENSHOTS"):  # a fifth of the time, and nobody looks at most of them
        page.screenshot(path=SHOTS / f"{name}-{kind}.png", full_page=True)


@pytest.mark.parametrize(("width", "theme"), VIEWS)
def test_every_page_fits_and_is_accessible(site: Site, browser: Browser, width: str, theme: str) -> None:
    with seen(browser, width, theme) as page:
        for name, path in LOOKED_AT.items():
            _looks_well(site, page, name, path, f"{width}-{theme}")


@pytest.mark.parametrize(("width", "theme"), FEW)
def test_rare_states_of_pages_are_accessible(site: Site, browser: Browser, width: str, theme: str) -> None:
    with seen(browser, width, theme) as page:
        for name, path in GLANCED_AT.items():
            _looks_well(site, page, name, path, f"{width}-{theme}")


@pytest.mark.parametrize(("width", "theme"), FEW)
def test_pages_of_an_empty_store_are_accessible(tmp_path: Path, browser: Browser, width: str, theme: str) -> None:
    with open_store(str(tmp_path / "empty.db")) as sure, serving(sure, pages=True) as client:
        empty = Site(client, sure, {}, {})
        with seen(browser, width, theme) as page:
            for name, command in EMPTY.items():
                _looks_well(empty, page, f"empty-{name}", f"/{name}", f"{width}-{theme}")
                expect(page.locator("code").first).to_contain_text(command)


@pytest.mark.parametrize(("width", "theme"), VIEWS)
def test_the_login_page_is_accessible(closed: Site, browser: Browser, width: str, theme: str) -> None:
    with seen(browser, width, theme) as page:
        _looks_well(closed, page, "login", "/claims", f"{width}-{theme}")


def test_pages_fit_on_a_narrow_phone(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 360, "height": 740}) as context:
        page = context.new_page()
        for path in (*LOOKED_AT.values(), *GLANCED_AT.values()):
            page.goto(site.url + path.format(**site.ids))
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= 360, path


def test_the_theme_can_be_chosen_and_stays(site: Site, browser_page: Page) -> None:
    page = browser_page
    page.goto(f"{site.url}/claims/{site.ids['cache']}")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    chart = page.locator("figure[data-chart=formulas]")
    chart.scroll_into_view_if_needed()
    expect(chart).to_have_attribute("data-drawn", "light")
    page.get_by_role("button", name="Dark theme").click()
    assert page.evaluate(ground) != light
    expect(chart).to_have_attribute("data-drawn", "dark")
    page.goto(f"{site.url}/overview")
    assert page.evaluate(ground) != light
    page.get_by_role("button", name="Light theme").click()
    assert page.evaluate(ground) == light


def test_a_chart_shows_details_on_hover(site: Site, browser_page: Page) -> None:
    page = browser_page
    page.goto(f"{site.url}/claims/{site.ids['cache']}")
    chart = page.locator("figure[data-chart=formulas]")
    chart.scroll_into_view_if_needed()
    expect(chart).to_have_attribute("data-drawn", "light")
    chart.locator(".layer_1_marks path").first.hover(position={"x": 3, "y": 5})
    expect(page.locator("#tip")).to_be_visible()
    expect(page.locator("#tip")).to_contain_text("lower")
    chart.get_by_text("As a table").click()
    expect(chart.get_by_role("table")).to_contain_text("noisy_or")


def test_live_pages_show_what_is_new_and_wait_for_open_forms(site: Site, browser_page: Page) -> None:
    page = browser_page
    page.clock.install()
    page.goto(f"{site.url}/agents?decision=")
    live = page.get_by_role("button", name="Live")
    expect(live).to_have_attribute("aria-pressed", "false")
    _check(site, "Not seen without live")
    page.clock.run_for(30_000)
    expect(page.get_by_text("Not seen without live")).to_have_count(0)
    live.click()
    expect(live).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Not seen without live")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
    _check(site, "Seen when live")
    page.clock.run_for(11_000)
    expect(page.get_by_text("Seen when live", exact=True)).to_be_visible()
    all_drawn(page)
    page.locator("summary", has_text="Was the answer correct?").first.click()
    page.get_by_label("Note").first.fill("half a note")
    _check(site, "Not while a form is open")
    page.clock.run_for(30_000)
    expect(page.get_by_label("Note").first).to_have_value("half a note")
    expect(page.get_by_text("Not while a form is open")).to_have_count(0)


def _check(site: Site, text: str) -> None:
    site.client.post("/v1/responses/check", json={"text": text, "agent": "live", "knowledge": 0.9})
