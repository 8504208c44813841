"""What the tests of pages share: a store worth looking at, served with its pages, and a browser."""

import os
import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect, sync_playwright

from howsure.serve.tokens import SCOPES, Tokens
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.serve.pages.seeds import seed
from tests.serve.serving import Client, serving

expect.set_options(timeout=60_000)  # machines may be busy
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


class Site(NamedTuple):
    """A server with pages: a client of it, its store, and what the store holds."""

    client: Client
    sure: Sure
    ids: dict[str, str]
    secrets: dict[str, str]

    @property
    def url(self) -> str:
        """Where it is, as a browser writes it."""
        return str(self.client.base_url).rstrip("/")


def _site(folder: str, **given: Any) -> Iterator[Site]:
    with open_store(f"{folder}/pages.db", actor="owner", clock=Clock()) as sure:
        ids = seed(sure)
        tokens = Tokens(sure.session)
        secrets: dict[str, str] = {scope: tokens.create(f"for {scope}", scope)[1] for scope in SCOPES}
        with serving(sure, pages=True, **given) as client:
            yield Site(client, sure, ids, secrets)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Give a server that asks for no token."""
    yield from _site(str(tmp_path_factory.mktemp("site")))


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Give a server that demands tokens."""
    yield from _site(str(tmp_path_factory.mktemp("closed")), tokens=True, rate=None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a browser, for one module: while it is open, no other event loop can run in this thread."""
    place = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if place is None:
        if os.environ.get("CI"):
            pytest.fail("there is no chromium: make browser installs it")
        pytest.skip("there is no chromium: make browser installs it")
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        started = playwright.chromium.launch(executable_path=place, headless=True, args=options)
        yield started
        started.close()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """Give an empty page, in which nothing may go wrong unseen: no error, no breach of the policy."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    page = context.new_page()
    troubles: list[str] = []
    watch(page, troubles)
    yield page
    context.close()
    assert troubles == []


@pytest.fixture(scope="module")
def quick(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """Give a page for many tests, which keeps what it has loaded, and is too low for charts; and what goes wrong."""
    with browser.new_context(viewport={"width": 1280, "height": 480}) as context:
        context.set_default_timeout(60_000)
        page = context.new_page()
        troubles: list[str] = []
        watch(page, troubles)
        yield page, troubles


@pytest.fixture
def quick_page(quick: tuple[Page, list[str]]) -> Iterator[Page]:
    """Give a page where charts do not matter. Nobody is logged in, and nothing may go wrong unseen."""
    page, troubles = quick
    page.goto("about:blank")
    page.context.clear_cookies()
    troubles.clear()
    yield page
    assert troubles == []


def watch(page: Page, troubles: list[str]) -> None:
    """Note whatever a page complains about."""

    def heard(message: ConsoleMessage) -> None:
        expected = "Failed to load resource: the server responded with a status of 4"
        if message.type in ("error", "warning") and not message.text.startswith(expected):
            troubles.append(message.text)

    def dismissed(dialog: Dialog) -> None:
        troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", heard)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", dismissed)
    page.on("requestfailed", lambda request: _failed(request, troubles))


def _failed(request: object, troubles: list[str]) -> None:
    failure = getattr(request, "failure", "")
    if failure != "net::ERR_ABORTED":  # a page that is left lets go of what it was loading
        troubles.append(f"{getattr(request, 'url', '')}: {failure}")
