"""Forms run an operation once, and lead back to this site."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.conftest import NOW
from tests.serve.pages.conftest import Site

START = 1_797_379_200
"""The beginning of a day thirty days ago, as far as the pages look back by themselves."""


def _check(site: Site, text: str, **given: Any) -> str:
    body = {"text": text, "agent": "marked", "knowledge": 0.5} | given
    return str(site.client.post("/v1/responses/check", json=body).json()["id"])


def test_a_failed_outcome_form_shows_the_error_and_keeps_its_input(site: Site, quick_page: Page) -> None:
    page, id_ = quick_page, _check(site, "For mistakes", agent="mistaken")
    page.goto(f"{site.url}/decisions/{id_}")
    page.get_by_label("right", exact=True).check()
    page.get_by_label("Note").fill("kept")
    page.get_by_label("By", exact=True).fill("x" * 700)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(f"#wrong-by-{id_}")).to_contain_text("invalid name")
    expect(page.get_by_label("Note")).to_have_value("kept")
    expect(page.get_by_label("right", exact=True)).to_be_checked()
    assert site.client.get(f"/v1/ledger/{id_}/explain").json()["outcomes"] == []


def test_forms_redirect_to_this_site_only(site: Site) -> None:
    id_ = _check(site, "Led astray")
    site.client.cookies.clear()
    page = site.client.get(f"/decisions/{id_}").text
    found = re.search(r'name="csrf" value="(\w{64})"', page)
    assert found
    for onward in ("//evil.example", "https://evil.example/agents", "/\\evil.example"):
        form = {"csrf": found[1], "outcome": "right", "next": onward}
        answer = site.client.post(f"/decisions/{id_}/outcome", data=form)
        assert answer.headers["location"] == "/?done=marked-right"
    wrong = site.client.post(f"/decisions/{id_}/outcome", data={"csrf": found[1], "outcome": "perhaps"})
    assert (wrong.status_code, "not one of" in wrong.text) == (422, True)
    none = site.client.post(f"/decisions/{id_}/outcome", data={"csrf": found[1]})
    assert (none.status_code, "outcome: this field is missing" in none.text) == (422, True)
    assert NOW > START
