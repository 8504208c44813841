"""Texts of claims, sources and agents are shown as they are, and are never run as markup or script."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from howsure.sure import open as open_store
from tests.conftest import NOW, Clock
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_browser import all_drawn
from tests.serve.serving import serving

EVIL = {
    "script": "<script>document.title = 'harmed'</script>",
    "attribute": '" onmouseover="document.title=\'harmed\'" x="',
    "image": "<img src=x onerror=\"document.title='harmed'\">",
    "link": "javascript:document.title='harmed'",
    "template": "{{7*7}} {% raw %} ${7*7}",
    "closing": "</script></title></textarea><svg onload=\"document.title='harmed'\">",
    "direction": "\u202egpj.exe \u2066 zero\u200bwidth",
    "long": "word " * 12_000,
    "unbroken": "x" * 60_000,
}


@pytest.fixture(scope="module")
def harmed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Give a server whose store is full of evil."""
    clock = Clock()
    with open_store(str(tmp_path_factory.mktemp("harm") / "pages.db"), actor=EVIL["image"], clock=clock) as sure:
        ids = {}
        for name, text in EVIL.items():
            short = text[:400].replace("/", "|").replace("*", "+")
            given: Any = {"namespace": short, "subject": text[:900]}
            added = sure.claims.add(text, source=f"{text[:200]}:{text[:200]}", now=NOW - 60, **given)
            ids[name] = str(added.id)
            sure.claims.add(text, source=f"user:{name}", now=NOW - 30, **given)
        for name in EVIL:
            if name != "script":
                sure.claims.relate(ids[name], "contradicts", ids["script"], strength=0.1)
        sure.claims.challenge(ids["script"], statement="<b>no</b>", source="<i>:</i>")
        sure.claims.forget(ids["link"], reason=EVIL["script"])
        for text in EVIL.values():
            sure.responses.check(text[:5000], agent=text[:100], knowledge=0.1)
        with serving(sure, pages=True) as client:
            yield Site(client, sure, ids, {})


class Parts(HTMLParser):
    """Reads a page as a browser does, and notes what could do anything."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("img", "i", "iframe", "object", "textarea", "style", "base"):
            self.found.append(tag)
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.found.append("script")
        for name, value in given.items():
            elsewhere = name in ("href", "src", "action", "hx-get") and not (value or "").startswith(("/", "#"))
            if name.startswith("on") or name == "style" or elsewhere or (value or "").startswith("//"):
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("name", EVIL)
def test_hostile_claims_are_shown_as_text(harmed: Site, name: str) -> None:
    for path in (f"/claims/{harmed.ids[name]}", "/claims", "/overview"):
        text = harmed.client.get(path).text
        parts = Parts()
        parts.feed(text)
        assert parts.found == []
        assert "{{7*7}}" in text or "claims/" in path
        assert "\u202e" not in re.sub(r'<input type="hidden"[^>]*>', "", text)


def test_hostile_claims_run_nothing_in_the_browser(harmed: Site, browser_page: Page) -> None:
    page = browser_page
    for path in ("/overview", "/claims", f"/claims/{harmed.ids['script']}", f"/claims/{harmed.ids['attribute']}"):
        page.goto(harmed.url + path)
        all_drawn(page)
        for place in page.locator("bdi:visible").all()[:5]:
            place.hover(force=True)
        assert page.title() != "harmed"
        wide, room = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide <= room
    page.goto(f"{harmed.url}/claims/{harmed.ids['unbroken']}")
    page.get_by_text("Full statement").click()
    expect(page.locator(".whole")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_hostile_addresses_are_shown_as_text(harmed: Site, browser_page: Page) -> None:
    for evil in EVIL.values():
        asked = {"text": evil[:2000], "namespace": evil[:300], "order": evil[:100]}
        answer = harmed.client.get("/claims", params=asked)
        assert answer.status_code in (200, 400)
        assert "<script>document" not in answer.text
        assert harmed.client.get("/claims", params={evil[:100]: evil[:100]}).status_code == 400
        assert harmed.client.get("/overview", params={"done": evil[:500]}).status_code == 200
    query = urlencode({"text": EVIL["closing"], "subject": EVIL["attribute"], "nonsense": EVIL["image"]})
    browser_page.goto(f"{harmed.url}/claims?{query}")
    expect(browser_page.locator("#results [role=alert]")).to_be_visible()
    assert browser_page.title() == "Claims · howsure"
