"""The API: every operation over HTTP, and one shape for every error."""

import asyncio
import socket
import threading
from typing import Any

import jsonschema
import orjson
import pytest
from starlette.responses import Response

from howsure.serve.http import Capacity, ServerEndpoint, Service
from howsure.serve.operations import OPERATIONS, Operation, operation
from howsure.shapes.encode import encode
from howsure.sure import Sure
from tests.serve.serving import Client, error_of, raw, serving
from tests.serve.story import tell

HALF = b"POST /v1/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"
CLAIM = {"statement": "The sky is blue", "source": "user:ann", "contribution": 0.8}


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
        error_of(response, 405, "not_allowed")
        assert set(response.headers["allow"].split(", ")) == taken | ({"HEAD"} if "GET" in taken else set())
    if one.method == "GET":
        assert shared.head(path).content == b""
    assert shared.request(one.method, path, json={} if one.method == "POST" else None).status_code != 405


def test_pages_continue_without_gaps_while_claims_are_added(client: Client) -> None:
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
    error_of(client.get("/v1/claims", params={"cursor": "nonsense"}), 422, "refused")


def test_operations_have_a_time_limit(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    with serving(store, capacity=Capacity(timeout=0.2)) as client:
        found = store.claims.add("Slow to tell", source="a:b").id  # by HTTP it might take too long as well
        monkeypatch.setattr(type(store.claims), "history", lambda *_, **__: held.wait(30) and [])
        assert "longer than 0.2 s" in error_of(client.do("claims.history", {"claim": found}), 504, "timeout")["message"]
        held.set()
        with socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=60) as slow:
            slow.sendall(HALF)
            assert slow.recv(100).startswith(b"HTTP/1.1 408 ")


def test_python_and_http_return_the_same(client: Client, store: Sure) -> None:
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


def test_a_head_request_of_a_stream_reads_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(_: Any) -> Any:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr("howsure.claims.api.Claims.export", unread)
    response = client.head("/v1/claims/export")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/x-ndjson")


def test_slow_operations_do_not_block_others(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_label_of_a_request_is_not_what_its_host_says() -> None:
    """A Host with a slash is part of the path of the URL, so that each request could have had a label of its own."""

    async def show(_: Service) -> Response:
        return Response("fine")

    async def send(_: Any) -> None:
        pass

    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/healthz", "query_string": b"", "scheme": "http"}
    scope |= {"headers": [(b"host", b"localhost/evil")], "server": ("localhost", 80)}
    asyncio.run(ServerEndpoint(None, show)(scope, None, send))  # type: ignore[arg-type]
    assert scope["howsure.operation"] == "healthz"
