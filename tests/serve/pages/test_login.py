"""Logging in and out in a browser, and coming from elsewhere."""

from playwright.sync_api import Page, expect

from howsure.serve.tokens import Tokens
from tests.serve.pages.conftest import Site


def _log_in(page: Page, site: Site, secret: str, path: str = "/overview") -> None:
    page.goto(site.url + path)
    page.get_by_label("Token").fill(secret)
    page.get_by_role("button", name="Log in").click()


def test_a_token_opens_the_page_that_was_asked_for_until_one_leaves(closed: Site, quick_page: Page) -> None:
    page = quick_page
    _log_in(page, closed, "howsure_" + "x" * 43, "/claims?text=cache")
    expect(page.get_by_role("alert").first).to_have_text("Invalid token.")
    page.get_by_label("Token").fill(closed.secrets["read"])
    page.get_by_label("Token").press("Enter")
    expect(page).to_have_url(f"{closed.url}/claims?text=cache")
    expect(page.get_by_role("heading", level=1)).to_have_text("Claims")
    assert page.evaluate("() => document.cookie") == "", "no script can read the session"
    kept = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert closed.secrets["read"] not in kept
    assert "safe" not in kept, "nothing of a page is left behind"
    page.get_by_role("link", name="The cache is safe").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("The cache is safe")
    expect(page.get_by_role("heading", name="What you can do")).to_have_count(0)
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("status")).to_have_text("You are logged out.")
    page.goto(f"{closed.url}/claims")
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")


def test_a_link_from_another_site_keeps_the_login(closed: Site, quick_page: Page) -> None:
    page = quick_page
    _log_in(page, closed, closed.secrets["write"])
    expect(page.get_by_role("heading", level=1)).to_have_text("How sure are we today?")
    form = f'<form method="post" action="{closed.url}/logout"><button>trap</button></form>'
    there = f'<a href="{closed.url}/claims?text=disk">look</a>{form}'
    page.route("http://elsewhere.example/", lambda route: route.fulfill(body=there, content_type="text/html"))
    page.goto("http://elsewhere.example/")
    page.get_by_text("look").click()
    expect(page).to_have_url(f"{closed.url}/claims?text=disk")
    expect(page.get_by_role("heading", level=1)).to_have_text("Claims")
    page.goto("http://elsewhere.example/")
    page.get_by_text("trap").click()
    expect(page.locator("body")).to_contain_text("requests from pages of other sites are not allowed")
    page.goto(f"{closed.url}/overview")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def test_a_revoked_token_ends_the_session_in_the_middle_of_a_page(closed: Site, quick_page: Page) -> None:
    page = quick_page
    tokens = Tokens(closed.sure.session)
    _log_in(page, closed, tokens.create("soon gone", "write")[1], "/claims")
    expect(page.locator("#rows tr").first).to_be_visible()
    tokens.revoke("soon gone")
    page.get_by_label("stale", exact=True).click()  # which loads the page again
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
