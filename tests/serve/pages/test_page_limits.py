"""Pages cut long lists, limit time and size, and read forms as browsers send them."""

import re
from pathlib import Path

import pytest

from howsure.serve.pages import claim as claim_page
from howsure.sure import Sure
from tests.serve.serving import serving


def test_long_lists_are_cut_with_a_note(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        added = store.claims.add("It holds", source=f"doc:{number}", contribution=0.5)
    monkeypatch.setattr(claim_page, "MAX_ROWS", 4)
    with serving(store, pages=True) as client:
        page = client.get(f"/claims/{added.id}").text
    assert "1 more source is not shown." in page
    assert len(re.findall(r'name="source_id"', page)) == 4


def test_a_page_has_a_maximum_of_responses(store: Sure) -> None:
    for number in range(103):
        store.responses.check(f"It may be {number}.", agent="ann", knowledge=0.1)
    with serving(store, pages=True) as client:
        page = client.get("/agents?limit=1000")
        assert page.status_code == 200
        assert 95 < len(re.findall(r"It may be \d+\.", page.text)) <= 101
        assert client.get("/agents?limit=many").status_code == 400


def test_the_count_of_due_documents_agrees_with_the_list(store: Sure, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    (folder / "_data").mkdir(parents=True)
    (folder / "_data" / "old.yml").write_text("data_metadata:\n  validated: 2020-01-01\n")
    (folder / "a.md").write_text("# Nobody knows how old this is\n")
    store.documents.record(store.documents.scan(folder, cache=False))
    with serving(store, pages=True) as client:
        page = client.get("/documents").text
    assert "2 documents, 1 to open, 1 due" in page
    due = page.partition("Due documents")[2].partition("</section>")[0]
    assert "old.yml" in due
    assert "a.md" not in due
