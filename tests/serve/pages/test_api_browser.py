"""The API browser: complete, offline, and below any root path."""

import re
from html import unescape

import pytest
from playwright.sync_api import Page

from howsure.serve.openapi import describe_api, operation_id
from howsure.serve.operations import OPERATIONS
from howsure.serve.pages.api_browser import type_name
from howsure.sure import Sure
from tests.serve.pages.conftest import Site
from tests.serve.serving import serving


def test_every_operation_is_shown_with_its_parameters(site: Site) -> None:
    page = unescape(site.client.get("/docs").text)
    for operation in OPERATIONS:
        start = page.index(f'<details id="{operation_id(operation)}">')
        part = page[start : page.index("</details>", start)]
        assert f"<code>{operation.path}</code>" in part
        assert operation.summary in part
        assert all(f"<code>{name}</code>" in part for name in operation.input_schema["properties"])
    described = sum(len(methods) for path, methods in describe_api()["paths"].items() if path.startswith("/v1/"))
    assert page.count("<details id=") == described == len(OPERATIONS)


def test_nothing_is_loaded_from_elsewhere(site: Site) -> None:
    response = site.client.get("/docs")
    assert "default-src 'none'; script-src 'self'" in response.headers["content-security-policy"]
    for place in re.findall(r'(?:src|href)="([^"]*)"', response.text):
        assert place.startswith(("/", "#")), place
        assert not place.startswith("//")
    assert "<script>" not in response.text


def test_the_page_needs_a_login_where_tokens_are_required(closed: Site) -> None:
    assert closed.client.get("/docs").status_code == 401


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({}, "anything"),
        ({"type": "integer", "minimum": 1, "maximum": 1000}, "integer from 1 to 1000"),
        ({"type": "number", "minimum": -1e12, "maximum": 1e12}, "number"),
        ({"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}, "number or string"),
        ({"type": "array", "items": {"type": "number"}}, "list of numbers"),
    ],
)
def test_types_in_words(schema: dict[str, object], words: str) -> None:
    assert type_name(schema) == words


def test_requests_are_sent_from_the_page_below_a_root_path(store: Sure, browser_page: Page) -> None:
    with serving(store, pages=True, root_path="/howsure") as client:
        browser_page.goto(f"{str(client.base_url).rstrip('/')}/howsure/docs#claims_add")
        form = browser_page.locator("#claims_add form")
        form.locator("textarea").fill('{"statement": "Sent from the page", "source": "user:ann"}')
        form.get_by_role("button").click()
        browser_page.locator("#claims_add .answer p", has_text="200").wait_for()
        assert '"outcome": "created"' in form.locator(".answer pre").inner_text()
        browser_page.locator("#filter").fill("find claims surest")
        assert browser_page.locator(".api details:visible").count() < 5
        finding = browser_page.locator("#claims_find")
        finding.locator("summary").click()
        finding.locator('input[name="text"]').fill("sent page")
        finding.locator('input[name="min_lower"]').fill("")
        finding.get_by_role("button").click()
        finding.locator(".answer p", has_text="200").wait_for()
        assert "Sent from the page" in finding.locator(".answer pre").inner_text()
    assert [claim.statement for claim in store.claims.find().claims] == ["Sent from the page"]
