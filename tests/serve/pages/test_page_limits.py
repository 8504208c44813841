"""Pages cut long lists, limit time and size, and read forms as browsers send them."""

import re
import socket
from pathlib import Path

import pytest

from howsure.files import sha256
from howsure.serve.http import Capacity
from howsure.serve.pages import claim as claim_page
from howsure.serve.pages.cookies import COOKIE
from howsure.sure import Sure
from tests.serve.pages.test_site import cookie
from tests.serve.serving import Client, serving


def _sent(client: Client, path: str, **data: str) -> int:
    """Send a form as a browser does, which ends every line with two characters."""
    client.cookies.clear()
    value = str(client.get("/login").cookies[COOKIE])
    client.cookies.clear()
    proof = sha256(f"howsure form:{value}".encode()).hexdigest()
    filled = {name: re.sub("\r?\n", "\r\n", text) for name, text in data.items()}
    return client.post(path, data={"csrf": proof} | filled, headers=cookie(value)).status_code


def test_a_form_that_does_not_arrive_is_not_waited_for(store: Sure) -> None:
    with serving(store, pages=True, capacity=Capacity(timeout=0.3)) as client:
        url = client.base_url
        with socket.create_connection((url.host, url.port or 80), timeout=20) as slow:
            slow.sendall(
                b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
                b"Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken="
            )
            assert slow.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_source_with_lines_can_be_invalidated_and_restored(store: Sure) -> None:
    id_ = str(store.claims.add("It holds", source="doc:one\ntwo", contribution=0.8).id)
    with serving(store, pages=True) as client:
        named = {"source_type": "doc", "source_id": "one\ntwo"}
        assert _sent(client, f"/claims/{id_}/invalidate", sure="yes", reason="old", **named) == 303
        assert store.claims.get(id_).interval.upper == 0.0
        assert _sent(client, f"/claims/{id_}/restore", **named) == 303
        assert store.claims.get(id_).interval.upper > 0.5
        assert _sent(client, f"/claims/{id_}/invalidate", sure="yes", source_type="doc", source_id="three") == 422
        assert store.claims.get(id_).interval.upper > 0.5


def test_long_lists_are_cut_and_that_is_said(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        added = store.claims.add("It holds", source=f"doc:{number}", contribution=0.5)
    monkeypatch.setattr(claim_page, "MAX_ROWS", 4)
    with serving(store, pages=True) as client:
        page = client.get(f"/claims/{added.id}").text
    assert "1 more source is not shown." in page
    assert len(re.findall(r'name="source_id"', page)) == 4


def test_no_more_answers_are_shown_than_a_page_can_hold(store: Sure) -> None:
    for number in range(103):
        store.responses.check(f"It may be {number}.", agent="ann", knowledge=0.1)
    with serving(store, pages=True) as client:
        page = client.get("/agents?limit=1000")
        assert page.status_code == 200
        assert 95 < len(re.findall(r"It may be \d+\.", page.text)) <= 101
        assert client.get("/agents?limit=many").status_code == 400


def test_of_documents_what_is_due_is_counted_as_it_is_listed(store: Sure, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    (folder / "_data").mkdir(parents=True)
    (folder / "_data" / "old.yml").write_text("data_metadata:\n  validated: 2020-01-01\n")
    (folder / "a.md").write_text("# Nobody knows how old this is\n")
    store.documents.record(store.documents.scan(folder, cache=False))
    with serving(store, pages=True) as client:
        page = client.get("/documents").text
    assert "2 documents, 1 due" in page
    due = page.partition("Due documents")[2].partition("</section>")[0]
    assert "old.yml" in due
    assert "a.md" not in due
