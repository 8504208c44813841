"""Peers that are slow, wrong or hostile on the wire: each is told, none is waited for, nothing else is called."""

import gzip
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from threading import BoundedSemaphore, Event
from typing import Any

import pytest

from howsure.claims.federation import client
from howsure.claims.federation.client import MAX_BODY, Call, Reply, call_peer
from howsure.store.claim_tables.selection import Selection
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.claims.federation.scripted import HOLD, Behave, Scripted, answering, http, scripted
from tests.conftest import NOW
from tests.serve.serving import serving

SHORT = 0.3
"""Seconds that an exchange may take with peers which would never end it."""
EMPTY = {"format": 1, "own": True, "formula": "noisy_or", "version": 1, "claims": [], "constituents": [], "more": False}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Sure]:
    with open_store(str(tmp_path / "asker.db"), clock=lambda: NOW) as found:
        found.claims.add("We know this", source="user:ann", contribution=0.9)
        yield found


def _never(_: socket.socket, server: Scripted) -> None:
    server.wait()


def _trickling(answer: bytes) -> Behave:
    def behave(connection: socket.socket, server: Scripted) -> None:
        for byte in answer:
            connection.sendall(bytes([byte]))
            if not server.wait(0.02):
                return

    return behave


def _on_and_on(start: bytes, part: bytes) -> Behave:
    """Send a start, and then the same part for as long as somebody takes it."""

    def behave(connection: socket.socket, server: Scripted) -> None:
        connection.sendall(start)
        while not server.over.is_set():
            connection.sendall(part)

    return behave


def _sent(answer: bytes) -> Behave:
    return lambda connection, _: connection.sendall(answer)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def _head_alone(connection: socket.socket, server: Scripted) -> None:
    connection.sendall(HEAD + b"Content-Length: 5\r\n\r\n")
    server.wait()


CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
TOO_LARGE = "larger than 4,000,000 bytes"
SLOW: dict[str, Behave] = {
    "never answers": _never,
    "sends its head byte by byte": _trickling(http(json.dumps(EMPTY).encode())),
    "sends its body byte by byte": _trickling(HEAD + b"\r\n" + b" " * 2000),
    "sends a head and no body": _head_alone,
    "sends nothing but chunks of a byte": _trickling(CHUNKED + b"1\r\n \r\n" * 500),
}
WRONG: dict[str, tuple[Behave, str, str]] = {
    "closes at once": (_sent(b""), "unreachable", "it closed the connection"),
    "speaks another language": (_sent(b"SSH-2.0-OpenSSH_9.6\r\n"), "refused", "no HTTP"),
    "goes on to say that one may go on": (
        _on_and_on(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
        "refused",
        "larger",
    ),
    "sends headers without end": (_on_and_on(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000), "refused", "no HTTP"),
    "sends a header without end": (_on_and_on(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 65_536), "refused", "no HTTP"),
    "announces ten gigabytes": (
        _on_and_on(HEAD + b"Content-Length: 10000000000\r\n\r\n", b" " * 65_536),
        "refused",
        TOO_LARGE,
    ),
    "announces more than numbers hold": (
        _sent(HEAD + b"Content-Length: " + b"9" * 400 + b"\r\n\r\n{}"),
        "refused",
        TOO_LARGE,
    ),
    "sends a body without end": (_on_and_on(HEAD + b"\r\n", b" " * 65_536), "refused", TOO_LARGE),
    "sends chunks without end": (_on_and_on(CHUNKED, b"8000\r\n" + b" " * 0x8000 + b"\r\n"), "refused", TOO_LARGE),
    "sends one chunk without end": (_on_and_on(CHUNKED + b"FFFFFFFFFFFF\r\n", b" " * 65_536), "refused", TOO_LARGE),
    "sends trailers without end": (_on_and_on(CHUNKED + b"0\r\n", b"X: y\r\n" * 1000), "refused", "larger"),
    "breaks off": (_sent(HEAD + b"Content-Length: 500\r\n\r\n{"), "refused", "its answer was cut short"),
    "breaks off in a chunk": (_sent(CHUNKED + b"50\r\n{"), "refused", "cut short"),
    "says less than it announces": (
        _sent(HEAD + b"Content-Length: 3\r\n\r\n" + json.dumps(EMPTY).encode()),
        "refused",
        "its answer is not JSON",
    ),
    "packs its answer": (
        answering(gzip.compress(b" " * 10_000_000, 1), Content_Encoding="gzip"),
        "refused",
        "packed, which nobody asked for",
    ),
    "answers with a page": (
        answering(b"<html>hello</html>", Content_Type="text/html; charset=utf-8"),
        "refused",
        "it answers 200 with 'text/html', not with JSON",
    ),
    "answers without a type": (
        answering(EMPTY, Content_Type=""),
        "refused",
        "it answers 200 with no type, not with JSON",
    ),
    "fails": (
        answering({"error": {"message": "out of \x1b[31m order"}}, status="500 Oh no"),
        "refused",
        "it answers 500: 'out of \\x1b[31m order'",
    ),
    "fails without a word": (answering([1], status="503 Busy"), "refused", "it answers 503"),
    "has no such path": (answering({"error": {"message": 7}}, status="404 Not Found"), "refused", "it answers 404"),
    "answers with nothing": (answering(b"", status="204 No Content"), "refused", "it answers 204"),
}


@pytest.mark.parametrize("name", list(SLOW))
def test_peers_have_a_time_limit(store: Sure, name: str) -> None:
    with scripted(SLOW[name]) as slow:
        store.peers.add(slow.url, trust=0.9, name="slow", time_limit=SHORT)
        page = store.claims.find_federated()
        (asked,) = page.coverage.peers
        assert (asked.status, asked.reason, asked.claims) == ("unreachable", "no answer within 0.3 s", 0)
        assert [claim.statement for claim in page.claims] == ["We know this"]
        left = [thread for thread in threading.enumerate() if thread.name == "howsure-peer"]
        for thread in left:
            thread.join(HOLD / 2)
        assert not any(thread.is_alive() for thread in left), "it hangs on for as long as the peer does"


@pytest.mark.parametrize("name", list(WRONG))
def test_invalid_answers_of_a_peer_are_refused(store: Sure, name: str) -> None:
    behave, status, reason = WRONG[name]
    with scripted(behave) as wrong:
        store.peers.add(wrong.url, trust=0.9, name="wrong", time_limit=30)
        page = store.claims.find_federated()
        (asked,) = page.coverage.peers
        assert (asked.status, asked.claims) == (status, 0)
        assert reason in asked.reason
        assert [claim.statement for claim in page.claims] == ["We know this"]
        assert len(wrong.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 300])
def test_redirects_of_a_peer_are_not_followed(store: Sure, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(answering(EMPTY)) as canary:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, canary.url)
        away = answering(EMPTY, status=f"{status} Moved", Location=f"{canary.url}/v1/claims/inputs", Refresh="0")
        with scripted(away) as peer:
            store.peers.add(peer.url, trust=0.9, name="b")
            (asked,) = store.claims.find_federated().coverage.peers
        assert asked.reason == f"it sends us elsewhere ({status}), and only registered addresses are asked"
        assert asked.status == "refused"
        assert len(peer.requests) == 1
        assert canary.requests == []


def test_a_request_holds_the_query_and_nothing_about_the_caller(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEER_TOKEN", "t0k3n")
    with scripted(answering(EMPTY)) as peer:
        store.peers.add(f"{peer.url}/deep/", trust=0.123, name="b", token_env="PEER_TOKEN")  # noqa: S106
        page = store.claims.find_federated(Selection("this", max_upper=0.95), limit=7)
    assert page.coverage.answered == 1
    head, _, body = peer.requests[0].partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    assert first == "POST /deep/v1/claims/inputs HTTP/1.1"
    assert headers.pop("content-length") == str(len(body))
    assert headers == {
        "host": peer.url.removeprefix("http://"),
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": "howsure",
        "connection": "close",
        "authorization": "Bearer t0k3n",
    }
    sent = json.loads(body)
    assert set(sent) == {"where", "formula", "version", "parameters", "now", "as_of", "limit"}
    assert (sent["where"]["text"], sent["now"], sent["limit"]) == ("this", NOW, 1000)
    assert b"0.123" not in body, "how far it is trusted is not for a peer to know"


def test_bounds_are_passed_on_only_where_trust_cannot_raise_them(store: Sure) -> None:
    bounds: dict[str, Any] = {"min_lower": 0.1, "min_upper": 0.2, "min_width": 0.0, "max_upper": 0.9, "wide": False}
    with scripted(answering(EMPTY)) as peer:
        store.peers.add(peer.url, trust=0.5, name="b", time_limit=30)
        for formula in ("noisy_or", "beta"):
            store.claims.find_federated(Selection(**bounds), formula=formula, limit=3)
        store.claims.find_federated(Selection(min_lower=0.3), limit=3)
    first, second, third = (json.loads(request.partition(b"\r\n\r\n")[2]) for request in peer.requests)
    assert {name: value for name, value in first["where"].items() if name in bounds} == {
        "min_lower": 0.1,
        "min_upper": 0.2,
        "min_width": 0.0,
    }
    assert not set(second) & set(bounds)
    assert (first["limit"], second["limit"], third["limit"]) == (1000, 1000, 3)


def test_an_answer_of_the_maximum_size_is_accepted(store: Sure) -> None:
    body = json.dumps(EMPTY).encode()
    for size, status in ((MAX_BODY, "answered"), (MAX_BODY + 1, "refused")):
        with scripted(answering(body + b" " * (size - len(body)))) as peer:
            store.peers.add(peer.url, trust=1, name="b", time_limit=30)
            assert store.peers.test("b").status == status
            store.peers.remove("b")


def test_the_response_time_of_a_peer_is_reported(store: Sure) -> None:
    def behave(connection: socket.socket, server: Scripted) -> None:
        server.wait(0.1)
        answering(EMPTY)(connection, server)

    with scripted(behave) as peer:
        store.peers.add(peer.url, trust=1, name="b", time_limit=30)
        assert store.peers.test("b").milliseconds >= 100


def test_a_slow_peer_does_not_keep_the_others_answers_away(store: Sure, tmp_path: Path) -> None:
    with open_store(f"{tmp_path}/b.db", clock=lambda: NOW) as b, serving(b) as client, scripted(_never) as slow:
        b.claims.add("B knows", source="user:bob", contribution=0.9)
        store.peers.add(slow.url, trust=1, name="slow", time_limit=1)
        store.peers.add(str(client.base_url), trust=1, name="b", time_limit=30)
        page = store.claims.find_federated()
        assert str(page.coverage) == "2 peers asked: 1 answered, 1 unreachable"
        assert {claim.statement for claim in page.claims} == {"We know this", "B knows"}


def test_name_resolution_has_a_time_limit(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking a name up cannot be broken off, so somebody else waits for it."""
    over, there = Event(), socket.getaddrinfo

    def stuck(host: Any, *rest: Any, **named: Any) -> Any:
        if host == "stuck.example":
            over.wait(20)
            raise OSError
        return there(host, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    store.peers.add("http://stuck.example", trust=1, time_limit=SHORT)
    try:
        (asked,) = store.claims.find_federated().coverage.peers
        assert (asked.status, asked.reason) == ("unreachable", "no answer within 0.3 s")
    finally:
        over.set()


def test_a_hanging_peer_does_not_keep_the_process_alive(tmp_path: Path) -> None:
    code = f"""
import socket, time, howsure
socket.getaddrinfo = lambda *a, **b: time.sleep(600)
with howsure.open({str(tmp_path / "x.db")!r}) as sure:
    sure.peers.add("http://stuck.example", trust=1, time_limit=0.1)
    print(sure.claims.find_federated().coverage)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "1 peer asked: 1 unreachable\n"


def test_invalid_names_and_closed_ports_are_unreachable(store: Sure) -> None:
    for url in (
        f"http://{'a' * 70}.example",
        "http://127.0.0.1:1",
        "http://127.0.0.1:0",
    ):
        store.peers.add(url, trust=1, name="b", time_limit=30)
        asked = store.peers.test("b")
        assert asked.status == "unreachable", url
        assert asked.reason.startswith("it cannot be reached: ")
        store.peers.remove("b")


def test_the_number_of_concurrent_requests_is_limited(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    room = BoundedSemaphore(1)
    monkeypatch.setattr(client, "_SLOTS", room)
    with scripted(answering(EMPTY)) as peer:
        store.peers.add(peer.url, trust=1, name="b", time_limit=30)
        assert store.peers.test("b").status == "answered"
        room.acquire()
        asked = store.peers.test("b")
        room.release()
        assert (asked.status, asked.reason) == ("unreachable", "too many calls are running; try again")
        assert store.peers.test("b").status == "answered"
        assert len(peer.requests) == 2


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for localhost, which nobody but us trusts."""
    place = tmp_path_factory.mktemp("certificate") / "both.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    done = subprocess.run([*command.split(), "-keyout", "-", "-out", "-"], capture_output=True, check=False)
    if done.returncode:  # pragma: no cover - every system has one
        pytest.skip("there is no openssl to make a certificate with")
    place.write_bytes(done.stdout)
    return place


def test_the_certificate_of_a_peer_is_verified(store: Sure, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def asked(url: str) -> tuple[str, str]:
        store.peers.add(url, trust=1, name="b", time_limit=30)
        found = store.peers.test("b")
        store.peers.remove("b")
        return found.status, found.reason

    with scripted(answering(EMPTY), context) as peer:
        port = peer.url.rpartition(":")[2]
        status, reason = asked(f"https://localhost:{port}")
        assert (status, reason) == ("unreachable", "no safe connection: self-signed certificate")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert asked(f"https://localhost:{port}") == ("answered", "")
        status, reason = asked(f"https://127.0.0.1:{port}")
        assert (status, reason[:40]) == ("unreachable", "no safe connection: IP address mismatch,")
        assert asked(peer.url)[0] in ("unreachable", "refused"), "without encryption"
        assert [len(request) > 0 for request in peer.requests] == [True]


def test_an_expired_exchange_is_not_started() -> None:
    with scripted(answering(EMPTY)) as peer:
        call = Call("b", peer.url, b"{}", 5.0, "a secret")
        assert call_peer(call, time.monotonic()) == Reply("unreachable", 5.0, reason="no answer within 5 s")
        assert "a secret" not in repr(call)
    assert peer.requests == []


def test_calls_run_in_the_context_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    variable: ContextVar[str] = ContextVar("variable", default="unset")
    monkeypatch.setattr(client, "call_peer", lambda *_: Reply("unreachable", 0.0, reason=variable.get()))
    variable.set("of the caller")
    ((_, reply),) = client.Calls([Call("peer", "http://peer.example", b"{}", 5.0)])
    assert reply.reason == "of the caller"
