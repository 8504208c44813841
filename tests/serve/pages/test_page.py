"""Serving pages: methods, missing pages, and the policy of every page."""

import re

from howsure.serve.pages.templates import POLICY
from tests.serve.pages.conftest import Site

RECORDS = (
    "/agents", "/agents/one?agent=patcher", "/decisions/{blocked}", "/investigations", "/investigations/open",
    "/investigations/trace?trace_id=refunds", "/investigations/{investigation}", "/syntheses", "/syntheses/{synthesis}",
    "/documents", "/documents/{scan}", "/documents/one?project=shop&document=README.md", "/reliability",
)  # fmt: skip
"""Pages of what agents have left behind; names in braces are ids of the store."""


def test_every_page_has_a_strict_content_policy(site: Site) -> None:
    paths = (
        "/overview",
        "/claims",
        f"/claims/{site.ids['cache']}",
        "/claims/nonsense",
        "/claims?min_lower=2",
        "/nowhere",
        *(path.format(**site.ids) for path in RECORDS),
    )
    for path in paths:
        answer = site.client.get(path, headers={"Accept": "text/html"})
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert not re.search(r"\sstyle=|\son\w+=|javascript:", answer.text), path
        scripts = re.findall(r"<script([^>]*)>", answer.text)
        assert all("src=" in one or 'type="application/json"' in one for one in scripts)
        for address in re.findall(r'(?:src|href)="([^"#]*)"', answer.text):
            assert address.startswith("/"), address
    assert "unsafe" not in POLICY


def test_a_missing_page_is_html_for_people_and_json_for_programs(site: Site) -> None:
    page = site.client.get("/nowhere", headers={"Accept": "text/html,*/*"})
    assert (page.status_code, "Not found" in page.text) == (404, True)
    for path, accept in (("/nowhere", "*/*"), ("/v1/nowhere", "text/html")):
        answer = site.client.get(path, headers={"Accept": accept})
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "not_found"
    gone = site.client.get("/claims/c0")
    assert gone.status_code == 404
    assert "unknown claim" in gone.text


def test_other_methods_are_refused(site: Site) -> None:
    for method in ("POST", "PUT", "DELETE"):
        answer = site.client.request(method, "/overview")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    led = site.client.get(f"/claims/{site.ids['cache']}/forget")
    assert (led.status_code, led.headers["location"]) == (303, f"/claims/{site.ids['cache']}")
