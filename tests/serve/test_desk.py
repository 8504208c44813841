"""Permission: every route is closed without a token, and no token opens more than its scope.

What a call passes is decoded once, whichever part does it, with the same errors.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

from howsure.errors import InputError, ShapeError
from howsure.serve.desk import OWNER, Desk
from howsure.serve.http import build_app
from howsure.serve.operations import OPERATIONS, operation
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


STATEMENT = "Only this statement"
RECORD = {"statement": STATEMENT, "source": "agent:7", "contribution": 0.625}


def _decoded(work: Callable[[], object]) -> Counter[object]:
    """Return how often each text and number was read by a decoder of `howsure.shapes`."""
    counts: Counter[object] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.endswith("shapes/decode.py"):
            value = frame.f_locals.get("value")
            if frame.f_code.co_qualname in ("_text", "_number.<locals>.read"):
                counts[value] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counts


@pytest.mark.parametrize(
    ("name", "data", "once"),
    [
        ("claims.add", RECORD | {"ttl": 4321.0}, [STATEMENT, "agent:7", 0.625, 4321.0]),
        ("claims.add_many", {"claims": [RECORD]}, [STATEMENT, "agent:7", 0.625]),
        ("claims.learn", {"records": [RECORD]}, [STATEMENT, "agent:7", 0.625]),
        ("claims.challenge", RECORD | {"strength": 0.375}, [STATEMENT, "agent:7", 0.625, 0.375]),
        ("claims.derive", {"statement": STATEMENT, "confidence": 0.625, "by": "ann"}, [STATEMENT, 0.625, "ann"]),
    ],
)
def test_a_call_decodes_its_input_once(store: Sure, name: str, data: dict[str, Any], once: list[object]) -> None:
    other = store.claims.add("Another statement").id
    if name == "claims.challenge":
        data = {**data, "claim": other}
    if name == "claims.derive":
        data = {**data, "constituents": [other]}
    counts = _decoded(lambda: Desk(store, requires_tokens=False).run(OWNER, operation(name), data))
    assert {value: counts[value] for value in once} == dict.fromkeys(once, 1)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("claims.add", {"statement": 5}, "statement: 5 is not a text"),
    ("claims.add", {"statement": "x", "contribution": 2}, "contribution: 2 is not between 0 and 1"),
    ("claims.add", {"statement": "x", "tier": 7}, "tier: 7 is not one of"),
    ("claims.add", {"statement": "x", "sources": 5}, "sources: 5 is not a list"),
    ("claims.add", {"statement": "x", "sources": [{"source_type": "a"}]}, r"sources\[0\].source_id: this field is"),
    ("claims.add", {"statement": "x", "valid_from": "soon"}, "valid_from: 'soon' is not a number"),
    ("claims.challenge", {"claim": "c", "by": 5}, "by: 5 is not a text"),
    ("claims.challenge", {"claim": "c", "by": "d", "strength": "x"}, "strength: 'x' is not a number"),
    ("claims.derive", {"statement": "x", "constituents": 5}, "constituents: 5 is not a list"),
    ("claims.derive", {"statement": "x", "constituents": [5]}, r"constituents\[0\]: 5 is not a text"),
    ("claims.derive", {"statement": "x", "constituents": ["c"], "confidence": 2}, "confidence: 2 is not between"),
    ("claims.derive", {"statement": "x", "constituents": ["c"], "by": 5}, "by: 5 is not a text"),
]


@pytest.mark.parametrize(("name", "data", "problem"), WRONG)
def test_a_wrong_shape_is_the_same_error_for_requests_and_python_callers(
    store: Sure, name: str, data: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ShapeError, match=problem):
        Desk(store, requires_tokens=False).run(OWNER, operation(name), data)
    with pytest.raises(ShapeError, match=problem):
        getattr(store.claims, name.partition(".")[2])(**data)


@pytest.mark.parametrize("name", ["claims.add", "claims.derive"])
def test_names_are_checked_before_the_method_is_called(store: Sure, name: str) -> None:
    desk = Desk(store, requires_tokens=False)
    with pytest.raises(ShapeError, match="unknown field 'sorce' .did you mean source"):
        desk.run(OWNER, operation("claims.add"), {"statement": "x", "sorce": "a:b"})
    with pytest.raises(ShapeError, match="statement: this field is missing"):
        desk.run(OWNER, operation(name), {"tier": "task"})


def test_what_a_store_cannot_hold_is_not_a_wrong_shape(store: Sure) -> None:
    with pytest.raises(InputError, match="the statement is empty") as raised:
        Desk(store, requires_tokens=False).run(OWNER, operation("claims.add"), {"statement": " "})
    assert not isinstance(raised.value, ShapeError)


def test_few_methods_decode_their_arguments_themselves() -> None:
    assert {one.name for one in OPERATIONS if one.route.decodes} == {"claims.add", "claims.challenge", "claims.derive"}


def test_a_token_cannot_sign_as_somebody_else(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "web.db")) as sure:
        _, secret = Tokens(sure.session).create("write", "write")
    with open_store(str(tmp_path / "web.db"), actor="owner") as sure, serving(sure, tokens=True) as client:
        client.headers["Authorization"] = f"Bearer {secret}"
        decision = sure.responses.check("It is tested.", agent="ann")
        given = {"decision_id": decision.id, "outcome": "right"}
        assert client.do("ledger.outcome", given | {"by": "ceo"}).json()["by"] == "ceo (token write)"
        assert client.do("ledger.outcome", given).json()["by"] == "write"
        assert client.do("ledger.outcome", given | {"by": "write"}).json()["by"] == "write"
        assert client.do("ledger.ci_result", {"decision_id": decision.id, "status": "passed"}).is_success
        assert client.do("ledger.outcomes", {"outcomes": [given | {"by": "owner"}]}).json()["recorded"] == 1
        said = [one.by for one in sure.ledger.explain(decision.id).outcomes]
        assert said[-2:] == ["ci (token write)", "owner (token write)"]
        event = {"project": "p", "document": "d.md", "symbol": "confirm"}
        assert client.do("documents.record_event", event | {"by": "ceo"}).json()["actor"] == "ceo (token write)"
        assert sure.ledger.outcome(decision.id, "right", by="ceo").by == "ceo", "the owner may name anyone"
