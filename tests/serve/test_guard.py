"""The guard: names, pages and proxies; headers on every answer; a log without secrets."""

import logging
from collections.abc import Iterator

import pytest

from howsure.serve.guard import HEADERS, host_name, is_own_host, is_same_origin
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.serve.serving import Client, raw, serving

CLAIM = {"statement": "The sky is blue", "source": "user:ann"}


@pytest.fixture
def log() -> Iterator[list[str]]:
    """Give what is logged of requests."""
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    logger = logging.getLogger("howsure.access")
    handler, level = Kept(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(level)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.1.2.3:9", "[::1]", "[::1]:8765"])
def test_a_server_without_tokens_answers_to_the_names_of_this_machine(shared: Client, host: str) -> None:
    assert shared.get("/v1/claims", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "evil.example#localhost",
        "localhost/evil",
        "localhost, evil.example",
        "10.0.0.1",
        "[::ffff:10.0.0.1]",
        "0.0.0.0",  # noqa: S104
        "localhost:port",
        "",
    ],
)
def test_other_host_names_are_refused(shared: Client, host: str) -> None:
    assert not is_own_host(host)
    for path in ("/v1/claims", "/healthz", "/metrics", "/openapi.json", "/nowhere"):
        answer = raw(shared, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert answer.startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 400 ")), answer


def test_two_host_headers_are_refused(shared: Client) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert raw(shared, request).startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 400 "))
    request = b"GET http://evil.example/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert raw(shared, request).startswith(b"HTTP/1.1 403 ")
    assert raw(shared, b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "file://"},
        {"Origin": "http://[", "Host": "localhost"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_requests_from_other_sites_are_refused(shared: Client, headers: dict[str, str]) -> None:
    for response in (shared.get("/v1/claims", headers=headers), shared.post("/v1/claims", json=CLAIM, headers=headers)):
        assert (response.status_code, response.json()["error"]["code"]) == (403, "forbidden")
        assert "access-control-allow-origin" not in response.headers
    assert shared.options("/v1/claims", headers=headers).status_code == 403
    assert shared.get("/v1/claims").json()["claims"] == []


def test_requests_from_the_same_site_are_answered(client: Client) -> None:
    origin = str(client.base_url).rstrip("/")
    headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/v1/claims", json=CLAIM, headers=headers).status_code == 200
    assert is_same_origin("https://howsure.example", "howsure.example")
    assert not is_same_origin("https://howsure.example", "howsure.example:80")
    assert not is_same_origin("ftp://a", "a")
    assert host_name("a:99999999") == ""


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP"])
def test_a_server_without_tokens_refuses_proxied_requests(shared: Client, header: str) -> None:
    response = shared.get("/v1/claims", headers={header: "1.2.3.4"})
    assert response.status_code == 403
    assert "--tokens" in response.json()["error"]["hint"]


def test_with_tokens_any_host_name_is_accepted_unless_restricted(store: Sure) -> None:
    _, secret = Tokens(store.session).create("ci")
    bearer = {"Authorization": f"Bearer {secret}", "X-Forwarded-For": "1.2.3.4"}
    with serving(store, tokens=True) as client:
        assert client.get("/v1/claims", headers=bearer | {"Host": "howsure.example"}).status_code == 200
        evil = bearer | {"Host": "howsure.example", "Origin": "https://evil.example"}
        assert client.get("/v1/claims", headers=evil).status_code == 403
    with serving(store, tokens=True, host_names=["Howsure.Example"]) as client:
        assert client.get("/v1/claims", headers=bearer | {"Host": "howsure.example"}).status_code == 200
        assert client.get("/v1/claims", headers=bearer | {"Host": "evil.example"}).status_code == 403
        assert client.get("/v1/claims", headers=bearer).status_code == 200


def test_every_response_has_the_security_headers(shared: Client) -> None:
    paths = ("/v1/claims", "/v1/claims/export", "/v1/claims/nope", "/healthz", "/metrics", "/openapi.json", "/nowhere")
    responses = [shared.get(path) for path in paths]
    responses += [
        shared.put("/v1/claims"),
        shared.post("/v1/claims", content=b"x"),
        shared.get("/", headers={"Host": "x"}),
    ]
    for response in responses:
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
        assert "server" not in response.headers
        assert response.headers["x-request-id"]
    assert "'none'" in HEADERS["Content-Security-Policy"]


def test_the_log_names_caller_and_operation_but_no_secret(store: Sure, log: list[str]) -> None:
    token, secret = Tokens(store.session).create("ci", "write")
    with serving(store, tokens=True) as client:
        bearer = {"Authorization": f"Bearer {secret}"}
        client.get(f"/v1/claims?text={secret}&subject={secret}", headers=bearer)
        client.get("/v1/claims", headers={"Authorization": f"Bearer {secret}x"})
        client.post("/v1/claims", json=CLAIM | {"statement": f"The token is {secret}"}, headers=bearer)
        client.get("/v1/%0a%1b[2Jinjected", headers=bearer)
    assert len(log) == 4
    assert log[0].startswith(f"127.0.0.1 {token.id} GET /v1/claims 200 ")
    assert log[1].startswith("127.0.0.1 - GET /v1/claims 401 ")
    assert log[2].startswith(f"127.0.0.1 {token.id} POST /v1/claims 200 ")
    assert "/v1/%0a%1b[2Jinjected 404" in log[3]
    text = "\n".join(log)
    assert secret not in text
    assert secret[-10:] not in text
    assert "Bearer" not in text
    assert "\x1b" not in text
    assert "statement" not in text


def test_a_request_whose_length_is_given_twice_is_refused_and_nothing_after_it_is_read(shared: Client) -> None:
    """A proxy that goes by Content-Length would pass on the second request as part of the first (smuggling)."""
    head = b"POST /v1/claims/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    framing = b"Content-Length: 41\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    answer = raw(shared, head + framing + b"GET /v1/claims HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
