"""The site: every page is closed to those who may not see it, and every answer carries a strict policy."""

import re
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from howsure.errors import MissingExtraError
from howsure.serve.desk import Desk
from howsure.serve.http import build_app
from howsure.serve.operations import operation
from howsure.serve.pages import claim, claims, decision, documents
from howsure.serve.pages.cookies import COOKIE
from howsure.serve.pages.templates import environment
from howsure.serve.server import ServerOptions
from howsure.serve.tokens import Tokens
from tests.serve.pages.conftest import Site
from tests.serve.test_server import _running

OPEN = {"/login", "/logout", "/assets/{digest}/{name:path}"}
"""Pages that tell nothing of the store."""
RECORDS = (
    "/agents", "/agents/one?agent=patcher", "/decisions/{blocked}", "/investigations", "/investigations/open",
    "/investigations/trace?trace_id=refunds", "/investigations/{investigation}", "/syntheses", "/syntheses/{synthesis}",
    "/review", "/search?text=cache", "/server", "/claims/pick?find=cache",
    "/documents", "/documents/{scan}", "/documents/one?project=shop&document=README.md", "/reliability",
)  # fmt: skip
"""Pages of what agents have left behind; names in braces are ids of the store."""
API = re.compile(r"/(v1/.*|healthz|readyz|metrics|openapi\.json|beta/.*)")


def cookie(secret: str) -> dict[str, str]:
    """Return the header that brings a session."""
    return {"Cookie": f"{COOKIE}={secret}"}


def _paths(site: Site) -> list[str]:
    app = build_app(Desk(site.sure, requires_tokens=True), ServerOptions(pages=True))
    found = [str(getattr(route, "path", "")) for route in app.routes]
    app.state.service.close()
    return [path for path in found if not API.fullmatch(path)]


def _filled(path: str, site: Site) -> str:
    return (
        path.replace("{id}", site.ids["cache"])
        .replace("{claim}", site.ids["cache"])
        .replace("{digest}", "x")
        .replace("{name:path}", "pages.css")
    )


def test_every_page_needs_a_valid_token(closed: Site) -> None:
    tokens = Tokens(closed.sure.session)
    expired, revoked = tokens.create("expired", "admin", lifetime=1e-9)[1], tokens.create("revoked", "admin")[1]
    tokens.revoke("revoked")
    admin = closed.secrets["admin"]
    brought: list[dict[str, str]] = [
        {},
        *map(cookie, (expired, revoked, "howsure_" + "x" * 43, admin[:-1], "nonsense")),
    ]
    brought += [{"Authorization": f"Bearer {admin}"}, {"Cookie": f"token={admin}"}, {"Cookie": COOKIE}]
    paths = _paths(closed)
    assert {"/", "/overview", "/claims", "/claims/{claim}", "/claims/{claim}/purge", *OPEN} <= set(paths)
    for path in paths:
        for headers in brought:
            for method in ("GET", "POST") if headers else ("GET", "HEAD", "POST", "PUT", "DELETE"):
                form: Any = {"data": {"csrf": "x", "sure": "yes"}} if method == "POST" else {}
                answer = closed.client.request(method, _filled(path, closed), headers=headers, **form)
                assert "cache is safe" not in answer.text
                assert "engine/cache" not in answer.text
                assert "plan/nightly" not in answer.text
                if path in OPEN:
                    assert answer.status_code in (200, 303, 403, 405), (method, path, headers)
                else:
                    assert answer.status_code == 401, (method, path, headers)
                    assert "www-authenticate" not in answer.headers


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
def test_a_token_opens_what_its_scope_says_and_shows_the_buttons_of_it(closed: Site, scope: str) -> None:
    headers = cookie(closed.secrets[scope])
    others = [path.format(**closed.ids) for path in RECORDS]
    for path in ("/overview", "/claims", f"/claims/{closed.ids['cache']}", *others):
        assert closed.client.get(path, headers=headers).status_code == 200, path
    page = closed.client.get(f"/claims/{closed.ids['cache']}", headers=headers).text
    shown = {action.operation for action in claim.ACTIONS if f'/{action.path.rsplit("/", 1)[1]}"' in page}
    may = {"read": (), "write": ("read", "write"), "admin": ("read", "write", "admin")}[scope]
    hidden = {"claims.restore_source"}  # nothing is invalid
    assert shown == {one.operation for one in claim.ACTIONS if operation(one.operation).scope in may} - hidden


def test_a_token_allows_only_its_scope(closed: Site) -> None:
    before = closed.client.get("/v1/claims/export", headers={"Authorization": f"Bearer {closed.secrets['admin']}"}).text
    for action in (*claim.ACTIONS, *claims.ACTIONS, *decision.ACTIONS, *documents.ACTIONS):
        for scope in ("read", "write"):
            if operation(action.operation).scope in {"read": ("read",), "write": ("read", "write")}[scope]:
                continue
            form = {"csrf": proof(closed, scope), "sure": "yes"}
            path = action.path.replace("{id}", closed.ids["cache"]).replace("{claim}", closed.ids["cache"])
            answer = closed.client.post(path, data=form, headers=cookie(closed.secrets[scope]))
            assert answer.status_code == 403
            assert f"scope {operation(action.operation).scope}" in answer.text
    after = closed.client.get("/v1/claims/export", headers={"Authorization": f"Bearer {closed.secrets['admin']}"}).text
    assert after == before


def proof(site: Site, scope: str) -> str:
    """Return what a form of a session carries."""
    page = site.client.get("/overview", headers=cookie(site.secrets[scope])).text
    found = re.search(r'name="csrf" value="(\w{64})"', page)
    assert found
    return found[1]


def test_the_api_ignores_the_session_cookie(closed: Site) -> None:
    for path in ("/v1/claims", "/metrics", "/openapi.json"):
        assert closed.client.get(path, headers=cookie(closed.secrets["admin"])).status_code == 401


def test_revoking_a_token_ends_its_session_at_once(closed: Site) -> None:
    tokens = Tokens(closed.sure.session)
    _, secret = tokens.create("short-lived")
    assert closed.client.get("/overview", headers=cookie(secret)).status_code == 200
    tokens.revoke("short-lived")
    answer = closed.client.get("/overview", headers=cookie(secret))
    assert answer.status_code == 401
    assert secret not in answer.headers["set-cookie"]


def test_pages_can_be_turned_off(site: Site) -> None:
    app = build_app(Desk(site.sure, requires_tokens=False))
    paths = {getattr(route, "path", "") for route in app.routes}
    app.state.service.close()
    assert not paths & {"/", "/overview", "/claims", "/login"}


def test_messages_are_chosen_by_code_only(site: Site) -> None:
    assert "The claim was moved to a higher tier." in site.client.get("/claims?done=promoted").text
    page = site.client.get("/claims?done=You+won").text
    assert "You won" not in page
    assert 'role="status"' not in page


@pytest.mark.parametrize(("option", "status"), [("--quiet", 303), ("--no-pages", 404)])
def test_the_command_serves_pages_unless_they_are_left_out(tmp_path: Path, option: str, status: int) -> None:
    with _running(option, store=str(tmp_path / "a.db"), home=tmp_path) as (process, url):
        assert process.stdout is not None
        line = process.stdout.readline()
        assert (f"{url}/ is the dashboard" in line) == (status == 303)
        assert httpx2.get(f"{url}/", trust_env=False, timeout=60).status_code == status


def test_a_missing_extra_is_named(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match="the dashboard needs the extra 'web'"):
        build_app(Desk(site.sure, requires_tokens=False), ServerOptions(pages=True))
    monkeypatch.undo()
    environment.cache_clear()
    assert site.client.get("/overview").status_code == 200
