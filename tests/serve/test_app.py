"""The API: every operation over HTTP, and one shape for every error."""

import socket
import threading
from typing import Any

import jsonschema
import orjson
import pytest

from howsure.errors import StoreError
from howsure.serve.http import Capacity
from howsure.serve.openapi import ERROR
from howsure.serve.operations import OPERATIONS, Operation, operation
from howsure.shapes.encode import encode
from howsure.sure import Sure
from tests.serve.serving import Client, raw, serving
from tests.serve.story import tell

HALF = b"POST /v1/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"
CLAIM = {"statement": "The sky is blue", "source": "user:ann", "contribution": 0.8}


def _error(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    found = response.json()
    jsonschema.validate(found, ERROR)
    assert found["error"]["code"] == code
    return dict(found["error"])


def test_the_whole_story_over_http(told: Client) -> None:
    def do(name: str, given: dict[str, Any]) -> Any:
        one = operation(name)
        response = told.do(name, given)
        assert response.status_code == 200, response.text
        lines = response.text.splitlines() if one.streams else [response.text]
        found = [orjson.loads(line) for line in lines]
        for answer in found:
            jsonschema.validate(answer, one.output_schema)
        return found if one.streams else found[0]

    tell(do)


@pytest.mark.parametrize("one", OPERATIONS, ids=[one.name for one in OPERATIONS])
def test_every_operation_has_a_route_and_no_other_method(one: Operation, shared: Client) -> None:
    path = one.path.replace("{id}", "c1").replace("{model}", "response")
    taken = {other.method for other in OPERATIONS if other.path == one.path}
    for method in {"PUT", "PATCH", "DELETE", "OPTIONS", "POST", "GET"} - taken:
        response = shared.request(method, path, json={} if method == "POST" else None)
        _error(response, 405, "not_allowed")
        assert set(response.headers["allow"].split(", ")) == taken | ({"HEAD"} if "GET" in taken else set())
    if one.method == "GET":
        assert shared.head(path).content == b""
    assert shared.request(one.method, path, json={} if one.method == "POST" else None).status_code != 405


def test_what_is_wrong_with_a_field_is_told_by_name(shared: Client) -> None:
    assert _error(shared.post("/v1/claims", json={}), 400, "invalid_input")["field"] == "statement"
    wrong = _error(shared.post("/v1/claims", json=CLAIM | {"contribution": 7}), 400, "invalid_input")
    assert wrong == {
        "code": "invalid_input",
        "message": "7 is not between 0 and 1",
        "field": "contribution",
        "hint": "",
    }
    wrong = _error(shared.post("/v1/claims", json=CLAIM | {"teir": "task"}), 400, "invalid_input")
    assert wrong["hint"] == "did you mean tier?"
    assert _error(shared.get("/v1/claims?limit=1e999"), 400, "invalid_input")["field"] == "limit"
    deep = {"query": "?", "results": [{"id": "a", "confidence": 2}]}
    assert _error(shared.do("syntheses.combine", deep), 400, "invalid_input")["field"] == "results[0].confidence"


def test_what_fits_but_cannot_be_is_refused_with_a_reason(client: Client) -> None:
    assert _error(client.post("/v1/claims", json=CLAIM | {"statement": " "}), 422, "refused")["field"] == "statement"
    promoted = client.post("/v1/claims", json=CLAIM | {"tier": "persistent"})
    assert _error(promoted, 422, "refused")["hint"] == "add it, then promote it"
    id_ = client.post("/v1/claims", json=CLAIM).json()["id"]
    assert (
        "not challenged"
        in _error(client.do("claims.resolve", {"claim": id_, "uphold": True}), 422, "refused")["message"]
    )
    unknown = _error(client.get("/v1/claims", params={"formula": "noisyor"}), 422, "refused")
    assert unknown["hint"] == "did you mean noisy_or?"
    assert _error(client.do("claims.deliberate", {"claims": []}), 422, "refused")["field"] == "judge"
    broken = client.post("/v1/claims/import", json={"records": [{"howsure": 1}]})
    assert _error(broken, 422, "refused")["line"] == 1


def test_what_is_not_there_is_not_found(shared: Client) -> None:
    _error(shared.get("/v1/claims/c0"), 404, "not_found")
    _error(shared.get("/v1/ledger/a0"), 404, "not_found")
    assert _error(shared.get("/v1/models/respons"), 404, "not_found")["hint"] == "did you mean response?"
    _error(shared.get("/v2/claims"), 404, "not_found")
    _error(shared.get("/"), 404, "not_found")
    _error(shared.get("/docs"), 404, "not_found")


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        (b'{"statement": ', "application/json", 400, "invalid_json"),
        (b"\xff\xfe", "application/json", 400, "invalid_json"),
        (b"", "application/json", 400, "invalid_json"),
        (b"[" * 5000, "application/json", 400, "invalid_json"),
        (b'{"statement": "\\ud800"}', "application/json", 400, "invalid_json"),
        (b'{"statement": NaN}', "application/json", 400, "invalid_json"),
        (b"[1]", "application/json", 400, "invalid_input"),
        (b"{}", "application/json; charset=latin-1", 415, "wrong_type"),
        (b"{}", "text/plain", 415, "wrong_type"),
        (b"{}", "application/x-www-form-urlencoded", 415, "wrong_type"),
        (b"{}", "application/x-ndjson", 415, "wrong_type"),
        (b"{}", "", 415, "wrong_type"),
    ],
)
def test_a_body_has_to_be_json(shared: Client, body: bytes, kind: str, status: int, code: str) -> None:
    _error(shared.post("/v1/claims", content=body, headers={"Content-Type": kind}), status, code)


def test_a_charset_that_is_utf_8_is_fine(client: Client) -> None:
    headers = {"Content-Type": 'Application/JSON; Charset="UTF-8"'}
    assert client.post("/v1/claims", content=orjson.dumps(CLAIM), headers=headers).status_code == 200


def test_a_field_stands_in_one_place(client: Client) -> None:
    id_ = client.post("/v1/claims", json=CLAIM).json()["id"]
    twice = client.post(f"/v1/claims/{id_}/forget", json={"claim": id_})
    assert _error(twice, 400, "invalid_input")["message"] == "already given in the path"
    _error(client.get(f"/v1/claims/{id_}", params={"claim": id_}), 400, "invalid_input")
    _error(client.post("/v1/claims?tier=task", json=CLAIM), 400, "invalid_input")
    assert _error(client.get("/v1/claims?limit=1&limit=2"), 400, "invalid_input")["message"] == "given more than once"
    assert _error(client.delete(f"/v1/claims/{id_}", params={"sure": "yes"}), 400, "invalid_input")["hint"]


def test_a_query_says_numbers_flags_and_lists(client: Client) -> None:
    client.post("/v1/claims", json=CLAIM | {"tier": "project"})
    client.post("/v1/claims", json={"statement": "Grass is green", "source": "user:bob", "contribution": 0.2})

    def found(query: str) -> list[str]:
        response = client.get(f"/v1/claims?{query}")
        assert response.status_code == 200, response.text
        return [claim["statement"] for claim in response.json()["claims"]]

    assert found("min_lower=0.4&tiers=project&tiers=task") == ["The sky is blue"]
    assert found("ascending=true&max_upper=1e0") == ["Grass is green", "The sky is blue"]
    assert found("text=7") == []
    assert found("text=sky%20blue&subject=") == []
    for query in (
        "limit=many",
        "limit=1.5",
        "limit=1_0",
        "limit=%201",
        "wide=yes",
        "min_lower=nan",
        "min_lower=",
        "now=1e999",
    ):
        _error(client.get(f"/v1/claims?{query}"), 400, "invalid_input")
    _error(client.get(f"/v1/claims?limit={'9' * 5000}"), 400, "invalid_input")


def test_pages_follow_each_other_and_do_not_move(client: Client) -> None:
    claims = [{"statement": f"Fact {number}", "source": f"s:{number}", "contribution": 0.5} for number in range(7)]
    client.post("/v1/claims/batch", json={"claims": claims})
    seen: list[str] = []
    cursor = None
    while True:
        page = client.get("/v1/claims", params={"limit": 3} | ({"cursor": cursor} if cursor else {})).json()
        seen += [claim["statement"] for claim in page["claims"]]
        client.post("/v1/claims", json={"statement": f"New {len(seen)}", "source": "s:new", "contribution": 0.9})
        cursor = page["cursor"]
        if cursor is None:
            break
    assert sorted(statement for statement in seen if statement.startswith("Fact")) == [f"Fact {n}" for n in range(7)]
    _error(client.get("/v1/claims", params={"cursor": "nonsense"}), 422, "refused")


def test_many_records_come_as_lines(client: Client) -> None:
    lines = b'{"statement": "One", "source": "f:1"}\n\n{"statement": \n{"statement": "Two", "source": "f:1"}\r\n'
    headers = {"Content-Type": "application/x-ndjson"}
    learned = client.post("/v1/claims/learn?trust=0.5", content=lines, headers=headers)
    assert learned.status_code == 200, learned.text
    assert (learned.json()["created"], learned.json()["failed"]) == (2, 1)
    assert "line 2: not JSON" in learned.json()["errors"][0]
    exported = client.get("/v1/claims/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    again = client.post("/v1/claims/import", content=exported.content, headers=headers)
    assert again.json()["skipped"] == 2
    cut = client.post("/v1/claims/import", content=exported.content[:-20], headers=headers)
    assert _error(cut, 422, "refused")["hint"] == "nothing was imported"
    _error(client.post("/v1/claims/learn?nonsense=1", content=b"", headers=headers), 400, "invalid_input")


def test_what_is_too_large_is_not_read(store: Sure) -> None:
    with serving(store, capacity=Capacity(max_body=1000)) as client:
        _error(client.post("/v1/claims", json=CLAIM | {"statement": "x" * 1000}), 413, "too_large")
        endless = (b" " * 100 for _ in range(1000))
        response = client.post("/v1/claims", content=endless, headers={"Content-Type": "application/json"})
        _error(response, 413, "too_large")
        assert client.post("/v1/claims", json=CLAIM).status_code == 200


def test_what_takes_too_long_is_given_up(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    with serving(store, capacity=Capacity(timeout=0.2)) as client:
        found = client.post("/v1/claims", json=CLAIM).json()["id"]
        monkeypatch.setattr(type(store.claims), "history", lambda *_, **__: held.wait(30) and [])
        assert "longer than 0.2 s" in _error(client.do("claims.history", {"claim": found}), 504, "timeout")["message"]
        held.set()
        with socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=10) as slow:
            slow.sendall(HALF)
            assert slow.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_is_cut_short_harms_nobody(shared: Client) -> None:
    body = (
        b"POST /v1/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"
    )
    raw(shared, body)
    raw(shared, b"nonsense\r\n\r\n")
    raw(shared, b"GET /v1/claims HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100_000)
    assert shared.get("/healthz").json()["status"] == "ok"
    assert shared.get("/v1/claims").json()["claims"] == []


def test_a_store_that_fails_is_told_without_its_address(
    client: Client, store: Sure, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise StoreError(f"the store {store.session.database.address} failed: disk I/O error")

    monkeypatch.setattr(type(store.claims), "history", broken)
    found = _error(client.get("/v1/claims/c1/history"), 503, "store_failed")
    assert store.session.database.address not in str(found)
    monkeypatch.setattr(type(store.session.database), "read", broken)
    _error(client.get("/readyz"), 503, "store_failed")
    assert client.get("/healthz").status_code == 200


def test_a_fault_of_ours_tells_nothing_but_where_to_look(
    client: Client, store: Sure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(type(store.claims), "history", broken)
    response = client.get("/v1/claims/c1/history")
    assert "secret" not in response.text
    assert response.headers["x-request-id"] in _error(response, 500, "internal")["message"]
    assert response.headers["content-security-policy"]
    assert "secret inside" in caplog.text


def test_an_answer_can_be_had_in_python_and_over_http_alike(client: Client, store: Sure) -> None:
    id_ = client.post("/v1/claims", json=CLAIM).json()["id"]
    now = store.session.at(None) + 1e6
    over_http = client.get(f"/v1/claims/{id_}", params={"now": now}).json()
    assert over_http == orjson.loads(orjson.dumps(encode(store.claims.get(id_, now=now))))
    assert client.get(f"/v1/claims/{id_}/history").json()["result"][0]["actor"] == "owner"


def test_a_slash_too_many_leads_nowhere(shared: Client) -> None:
    for path in ("/v1/claims/", "//v1/claims", "/v1//claims", "/v1/claims/../claims"):
        response = raw(shared, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert response.startswith(b"HTTP/1.1 404 "), path
        assert b"location:" not in response.lower()


def test_a_head_of_a_long_answer_reads_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(_: Any) -> Any:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr("howsure.claims.api.Claims.export", unread)
    response = client.head("/v1/claims/export")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/x-ndjson")


def test_slow_operations_keep_nobody_waiting(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    monkeypatch.setattr(type(store.claims), "learn", lambda *_, **__: held.wait(30))
    with serving(store, capacity=Capacity(slow=1, timeout=5)) as client:
        threads = [
            threading.Thread(target=client.post, args=["/v1/claims/learn"], kwargs={"json": {"records": []}})
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        assert client.post("/v1/claims", json=CLAIM).status_code == 200
        assert client.get("/v1/claims").status_code == 200
        held.set()
        for thread in threads:
            thread.join()
