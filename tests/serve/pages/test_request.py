"""Reading forms as browsers send them, within a time limit."""

import re
import socket

import pytest
from jinja2 import DictLoader, Environment

from howsure.files import sha256
from howsure.serve.http import Capacity
from howsure.serve.pages import templates
from howsure.serve.pages.cookies import COOKIE
from howsure.store.backends.deadline import deadline
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


def test_a_form_body_has_a_time_limit(store: Sure) -> None:
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


def test_a_long_page_gives_way_while_it_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate check would wait for the interpreter's lock as long as a page is rendered."""
    environment = Environment(
        autoescape=True, loader=DictLoader({"long": "{% for n in range(50) %}{{ n }} {% endfor %}"})
    )
    monkeypatch.setattr(templates, "environment", lambda: environment)
    monkeypatch.setattr("howsure.store.backends.deadline.BREAK", 0.0)
    turns: list[None] = []
    with deadline(None, lambda: turns.append(None)):
        assert templates.render("long").startswith("0 1 2")
    assert len(turns) >= 50
