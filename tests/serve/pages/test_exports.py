"""Exports: what a page shows, as files that a spreadsheet and a program can read."""

import csv
import io
import json
import re
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from howsure.errors import InputError
from howsure.serve.pages.exports import parse_export, write_csv
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_site import cookie

PAGES = {
    "/claims": ("claims", "/v1/claims?limit=1000", "claims"),
    "/claims?text=cache&order=upper": ("claims", "/v1/claims?text=cache&order=upper&limit=1000", "claims"),
    "/agents?since=1": ("agents", "/v1/statistics?by=agent&since=1", "groups"),
    "/agents?since=1&decision=pass": (
        "responses", "/v1/ledger?model=response&decision=pass&since=1&limit=1000", "decisions",
    ),
    "/agents/one?agent=patcher&since=1": (
        "responses", "/v1/ledger?model=response&decision=block&agent=patcher&since=1&limit=1000", "decisions",
    ),
    "/review?decision=block": (
        "responses", "/v1/ledger?model=response&decision=block&with_outcome=false&limit=1000", "decisions",
    ),
    "/investigations": ("investigations", "/v1/ledger?model=investigation&limit=1000", "decisions"),
    "/syntheses": ("syntheses", "/v1/ledger?model=overall&limit=1000", "decisions"),
}  # fmt: skip
"""Pages, what they export, and which field of which answer of the API it is."""


def _address(path: str, name: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{urlencode({'export': name})}"


@pytest.mark.parametrize("path", PAGES)
def test_an_export_holds_what_the_api_returns(site: Site, path: str) -> None:
    name, same, field = PAGES[path]
    known = site.client.get(same).json()[field]
    assert known
    answer = site.client.get(_address(path, f"{name}.json"))
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}.json"'
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == known
    answer = site.client.get(_address(path, f"{name}.csv"))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    key = "name" if name == "agents" else "id"
    assert [row[key] for row in rows] == [one[key] for one in known]
    assert all(not cell.startswith(("{", "[")) or cell.startswith("[redacted") for row in rows for cell in row.values())


def test_documents_are_exported_too(site: Site) -> None:
    files = site.client.get("/documents?project=shop&export=documents.json").json()
    known = site.client.get(f"/v1/documents/scans/{site.ids['scan']}").json()["files"]
    assert files == known


def test_pages_link_their_exports_with_all_filters(site: Site, quick_page: Page) -> None:
    page = quick_page
    page.goto(f"{site.url}/claims?text=cache")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "claims.csv"
    assert download.value.path().read_text().count(",The cache ") == 4
    page.get_by_label("Text", exact=True).fill("disk")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}/claims?text=disk")
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON").click()
    assert [one["id"] for one in json.loads(download.value.path().read_text())] == [site.ids["disk"]]


def test_unknown_exports_and_wrong_filters_are_errors(site: Site) -> None:
    answer = site.client.get("/claims?export=claims.xls")
    assert (answer.status_code, "unknown export" in answer.text) == (400, True)
    answer = site.client.get("/agents?since=yesterday&export=agents.csv")
    assert (answer.status_code, "not a number" in answer.text) == (400, True)
    with pytest.raises(InputError, match="unknown export 'agents.csv'"):
        parse_export("agents.csv", ["claims"])
    assert parse_export("", ["claims"]) is None


def test_exports_need_a_token_like_their_page(closed: Site) -> None:
    assert closed.client.get("/claims?export=claims.json").status_code == 401
    answer = closed.client.get("/claims?export=claims.json", headers=cookie(closed.secrets["read"]))
    assert len(answer.json()) > 10


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False), st.none() | st.booleans()), min_size=1))
def test_csv_keeps_every_cell_and_runs_no_formula(cells: list[tuple[str, float, bool | None]]) -> None:
    rows = [{"text": text, "number": number, "flag": flag, "nested": {"a": 1}} for text, number, flag in cells]
    (header, *body) = list(csv.reader(io.StringIO(write_csv(rows), newline="")))
    assert header == ["text", "number", "flag"]
    for (text, number, flag), (shown, digits, word) in zip(cells, body, strict=True):
        assert shown.replace("'", "") == text.replace("'", ""), "only apostrophes are added"
        assert not shown.startswith(("=", "+", "-", "@", "\t", "\r"))
        # Spreadsheets trim spaces, and may split a cell at a semicolon or line break.
        assert not re.search(r"(?:^|[;\t\r\n])[ \xa0]*[=+\-@]", shown)
        assert float(digits) == number
        assert word == ("" if flag is None else str(flag))


def test_csv_of_nothing_is_empty() -> None:
    assert write_csv([]) == "\r\n"
