"""Permission: every route is closed without a token, and no token opens more than its scope."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from howsure.serve.http import build_app
from howsure.serve.operations import OPERATIONS
from howsure.serve.tokens import SCOPES, Tokens
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.serve.serving import Client, serving

OPEN = {"/healthz", "/readyz"}
"""Routes that tell nothing but that the server is there."""


class Door(NamedTuple):
    """A server that demands tokens, with one of each kind."""

    client: Client
    sure: Sure
    secrets: dict[str, str]

    def bearer(self, kind: str) -> dict[str, str]:
        """Return the header that brings a token."""
        return {"Authorization": f"Bearer {self.secrets[kind]}"}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with open_store(str(tmp_path_factory.mktemp("door") / "web.db"), actor="owner") as sure:
        tokens = Tokens(sure.session)
        secrets: dict[str, str] = {scope: tokens.create(f"for {scope}", scope)[1] for scope in SCOPES}
        secrets["expired"] = tokens.create("expired", "admin", lifetime=1e-9)[1]
        secrets["revoked"] = tokens.create("revoked", "admin")[1]
        tokens.revoke("revoked")
        secrets["wrong"] = "howsure_" + "x" * 43
        sure.claims.add("Nobody may see this", source="user:ann")
        with serving(sure, tokens=True, rate=None) as client:
            yield Door(client, sure, secrets)


def _routes(sure: Sure) -> list[tuple[str, str]]:
    """Return every method and path that the application has, whether from the table or not."""
    from howsure.serve.desk import Desk

    app = build_app(Desk(sure, requires_tokens=True))
    found = []
    for one in app.routes:
        path: Any = getattr(one, "path", None)
        methods: Any = getattr(one, "methods", None)
        assert path, "a route that nobody can walk"
        walked = methods or ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
        found += [(method, path.replace("{id}", "c1").replace("{model}", "beta")) for method in walked]
    app.state.service.close()
    return found


def test_every_route_needs_a_valid_token(door: Door) -> None:
    routes = _routes(door.sure)
    assert {path for _, path in routes} >= {"/v1/claims", "/metrics", "/openapi.json", *OPEN}
    headers: list[dict[str, str]] = [door.bearer(kind) for kind in ("wrong", "expired", "revoked")]
    headers += [{}, {"Authorization": "Bearer"}, {"Authorization": f"Basic {door.secrets['admin']}"}]
    headers += [{"Authorization": door.secrets["admin"]}, {"Cookie": f"token={door.secrets['admin']}"}]
    headers += [{"Authorization": f"Bearer {door.secrets['admin']}x"}]
    for method, path in routes:
        for brought in headers:
            body: Any = {"json": {}} if method == "POST" else {}
            response = door.client.request(method, path, headers=brought, **body)
            if path in OPEN and method in ("GET", "HEAD"):
                assert response.status_code == 200
                continue
            assert response.status_code in (401, 405), (method, path, brought, response.text)
            assert "Nobody" not in response.text
            if response.status_code == 405:  # whoever asks
                break
            if response.status_code == 401:
                assert response.headers["www-authenticate"] == "Bearer"


def test_two_authorization_headers_are_refused(door: Door) -> None:
    headers = [("Authorization", f"Bearer {door.secrets[kind]}") for kind in ("admin", "admin")]
    assert door.client.get("/v1/claims", headers=headers).status_code == 401


@pytest.mark.parametrize("one", OPERATIONS, ids=[one.name for one in OPERATIONS])
def test_a_token_allows_only_its_scope(door: Door, one: Any) -> None:
    scopes = ("read", "write", "admin")
    path = one.path.replace("{id}", "c1").replace("{model}", "beta")
    for scope in scopes:
        body: Any = {"json": {"nonsense": 1}} if one.method == "POST" else {"params": {"nonsense": 1}}
        response = door.client.request(one.method, path, headers=door.bearer(scope), **body)
        if scopes.index(scope) < scopes.index(one.scope):
            assert (response.status_code, response.json()["error"]["code"]) == (403, "forbidden")
            assert one.scope in response.json()["error"]["message"]
        else:
            assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input")


def test_reasons_are_given_to_callers_with_a_token(door: Door) -> None:
    def message(kind: str) -> str:
        return str(door.client.get("/v1/claims", headers=door.bearer(kind)).json()["error"]["message"])

    assert message("expired") == "the token expired has expired"
    assert message("revoked") == "the token revoked was revoked"
    assert message("wrong") == "unknown token"


def test_bodies_are_not_read_without_permission(door: Door) -> None:
    response = door.client.post("/v1/claims", content=b"nonsense")
    assert response.status_code == 401
    response = door.client.post("/v1/claims", content=b"nonsense", headers=door.bearer("read"))
    assert response.status_code == 403


def test_the_history_names_the_caller(door: Door) -> None:
    added = door.client.post("/v1/claims", json={"statement": "Signed", "source": "a:b"}, headers=door.bearer("write"))
    id_ = added.json()["id"]
    door.client.post(f"/v1/claims/{id_}/forget", json={}, headers=door.bearer("admin"))
    events = door.client.get(f"/v1/claims/{id_}/history", headers=door.bearer("read")).json()["result"]
    assert [(event["actor"], event["action"]) for event in events] == [
        ("for write", "created"),
        ("for admin", "forgotten"),
    ]
    decided = door.client.post("/v1/responses/check", json={"agent": "ann"}, headers=door.bearer("write")).json()["id"]
    door.client.post(f"/v1/ledger/{decided}/outcome", json={"outcome": "right"}, headers=door.bearer("write"))
    record = door.client.get(f"/v1/ledger/{decided}", headers=door.bearer("read")).json()
    assert (record["outcome"], record["outcome_by"]) == ("right", "for write")


def test_keys_are_separate_for_each_caller(door: Door) -> None:
    body = {"agent": "keyed", "knowledge": 0.9}
    answers = [
        door.client.post("/v1/responses/check", json=body, headers=door.bearer(kind) | {"Idempotency-Key": "same"})
        for kind in ("write", "admin", "write")
    ]
    first, other, again = (answer.json()["id"] for answer in answers)
    assert first == again != other


def test_revoking_takes_effect_at_once(door: Door) -> None:
    tokens = Tokens(door.sure.session)
    _, secret = tokens.create("short-lived")
    headers = {"Authorization": f"bearer {secret}"}
    assert door.client.get("/v1/claims", headers=headers).status_code == 200
    tokens.revoke("short-lived")
    assert door.client.get("/v1/claims", headers=headers).status_code == 401


def test_a_token_that_is_given_counts_where_none_is_needed(client: Client, store: Sure) -> None:
    _, secret = Tokens(store.session).create("reader", "read")
    headers = {"Authorization": f"Bearer {secret}"}
    claim = {"statement": "x", "source": "a:b"}
    assert client.post("/v1/claims", json=claim, headers=headers).status_code == 403
    assert client.get("/v1/claims", headers={"Authorization": "Bearer nonsense"}).status_code == 401
    assert client.post("/v1/claims", json=claim).status_code == 200
