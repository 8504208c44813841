"""Markup: whatever agents, tools and files are called or say, a page shows it, and does nothing of it."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page

from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.serve.pages.conftest import Site, watch
from tests.serve.pages.records import do
from tests.serve.serving import serving

EVIL = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script></script>{{7*7}}\u202e"
PATHS = (
    "/overview", "/agents?decision=", "/agents/one?{agent}", "/agents?{wrong}", "/decisions/{answer}",
    "/decisions/{scan}", "/investigations", "/investigations/open", "/investigations/trace?{trace}",
    "/investigations/{investigation}", "/investigations?{wrong}", "/syntheses", "/syntheses/{synthesis}",
    "/documents", "/documents?{project}", "/documents/one?{document}", "/reliability", "/review?decision=block",
    "/review?{wrong}", "/search?{search}",
)  # fmt: skip


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Give a server on a store in which everything is markup."""
    with open_store(str(tmp_path_factory.mktemp("evil") / "pages.db"), actor=EVIL, clock=Clock()) as sure:
        about: dict[str, Any] = {"agent": EVIL, "agent_type": EVIL, "project": EVIL, "task_id": EVIL, "trace_id": EVIL}
        answer = sure.responses.check(f"I think {EVIL} " * 20, **about, knowledge=0.4)
        sure.ledger.outcome(str(answer.id), "wrong", by=EVIL, note=EVIL)
        sure.responses.check(f"Without an outcome {EVIL}", **about, knowledge=0.4)
        for tool, target in (("grep", EVIL), ("read", EVIL)):
            do(sure, "investigations.record", trace_id=EVIL, tool=tool, target=target, results=2, error=None)
        do(sure, "investigations.record", trace_id=EVIL, tool="grep", target=EVIL, error=EVIL)
        ended = do(sure, "investigations.close", trace_id=EVIL, question=EVIL, agent=EVIL)
        do(sure, "investigations.record", trace_id=f"open {EVIL}", tool="grep", target=EVIL, results=1)
        said = [
            {"id": f"{EVIL}{number}", "confidence": 0.9, "content": f"The {EVIL} cache is {word} safe."}
            for number, word in enumerate(("", "not"))
        ]
        merged = sure.syntheses.combine(EVIL, said, agent=EVIL)
        gains = [[EVIL, 0.1]]
        files = [{"path": f"docs/{EVIL}.md", "score": 0.4, "action": "review", "reason": EVIL, "gains": gains}]
        scan = do(sure, "documents.record_scan", project=EVIL, files=files, pack=EVIL)
        do(sure, "documents.record_event", project=EVIL, document=files[0]["path"], symbol="visit", by=EVIL, note=EVIL)
        ids = {
            "agent": urlencode({"agent": EVIL}),
            "answer": str(answer.id),
            "trace": urlencode({"trace_id": f"open {EVIL}"}),
            "investigation": str(ended["id"]),
            "synthesis": str(merged.id),
            "document": urlencode({"project": EVIL, "document": files[0]["path"]}),
            "project": urlencode({"project": EVIL}),
            "scan": str(scan["id"]),
            "search": urlencode({"text": EVIL}),
            "wrong": urlencode({"since": EVIL, "project": EVIL}),
        }
        with serving(sure, pages=True) as client:
            yield Site(client, sure, ids, {})


def _quiet(page: Page) -> None:
    """Assert that a page has no element that nobody has written."""
    assert page.locator("main img, main script:not([type='application/json'])").count() == 0
    acting = "one => [...one.attributes].some(attribute => attribute.name.startsWith('on'))"
    assert page.evaluate(f"() => [...document.querySelectorAll('main *')].filter({acting}).length") == 0
    assert "49" not in re.sub(r"\b[a-z][0-9a-f]{28}\b", "", page.title())  # an id may hold it by chance


def test_hostile_texts_do_not_become_markup(evil: Site, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        troubles: list[str] = []
        watch(page, troubles)
        for path in PATHS:
            answer = page.goto(evil.url + path.format(**evil.ids))
            assert answer
            assert answer.status in (200, 400), path
            page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
            page.wait_for_function(
                "() => [...document.querySelectorAll('figure:has(.drawing)')].every(one => one.dataset.drawn)"
            )
            _quiet(page)
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= 390, path
    assert troubles == []


def test_hostile_texts_are_shown_unchanged(evil: Site) -> None:
    shown = "&lt;img src=x onerror=alert(1)&gt;"
    for path in PATHS:
        page = evil.client.get(path.format(**evil.ids)).text
        assert "<img" not in page, path
        assert "<script>alert" not in page, path
        assert shown in page or path == "/reliability", path
        texts = re.sub(r'(value|href|name|action)="[^"]*"', "", page)
        assert "\u202e" not in texts, "what turns text around is spelled out"
