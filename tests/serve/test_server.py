"""The server: where it listens, for whom, and how it ends."""

import gc
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from howsure.errors import InputError
from howsure.serve import server as server_module
from howsure.serve.server import ServerOptions, bind, is_loopback, make_server, requires_tokens, serve, url_of
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import hear_ctrl_c
from tests.serve.serving import serving

ANYWHERE = "0.0.0.0"  # noqa: S104


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_this_machine_needs_no_token(store: Sure, host: str) -> None:
    assert is_loopback(host)
    assert not requires_tokens(store, host)


@pytest.mark.parametrize("host", [ANYWHERE, "::", "10.1.2.3", "192.168.0.1", "::ffff:127.0.0.1", ""])
def test_other_addresses_are_refused_without_a_token(store: Sure, host: str) -> None:
    assert host == "" or not is_loopback(host)
    with pytest.raises(InputError, match="no valid token|unknown address"):
        make_server(store, host)
    tokens = Tokens(store.session)
    tokens.create("gone")
    tokens.revoke("gone")
    with pytest.raises(InputError, match="no valid token|unknown address"):
        serve(store, host, 0)


def test_other_addresses_are_allowed_with_a_token_which_is_then_required(store: Sure) -> None:
    _, secret = Tokens(store.session).create("ci")
    with serving(store, ANYWHERE) as client:
        assert client.get("/v1/claims").status_code == 401
        assert client.get("/v1/claims", headers={"Authorization": f"Bearer {secret}"}).status_code == 200


def test_tokens_can_be_demanded_of_this_machine_too(store: Sure) -> None:
    with pytest.raises(InputError, match="callers need one"):
        make_server(store, options=ServerOptions(tokens=True))
    Tokens(store.session).create("ci")
    with serving(store, tokens=True) as client:
        assert client.get("/v1/claims").status_code == 401


def test_an_invalid_name_is_refused(store: Sure) -> None:
    for host in ("no.such.host.invalid", "a" * 300, "a..b"):
        with pytest.raises(InputError, match="unknown address"):
            requires_tokens(store, host)
        with pytest.raises(InputError, match="unknown address"):
            serve(store, host, 0)


def test_a_used_port_is_reported_and_port_0_finds_a_free_one() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert url_of(taken) == f"http://127.0.0.1:{port}"
        assert taken.proto == socket.IPPROTO_TCP, "answers would wait for 40 ms"
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1 port {port}.*--port 0 takes any"):
            bind("127.0.0.1", port)
    for port in (-1, 70_000):
        with pytest.raises(InputError, match="invalid port"):
            bind("127.0.0.1", port)


@contextmanager
def _running(*arguments: str, store: str, home: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Run `howsure serve` as a process of its own, and give it with its address."""
    script = "import typer; from howsure.cli.serve import serve; typer.run(serve)"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HOWSURE_STORE": store, "HOME": str(home)},
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - nothing but a signal is set
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r" at (http://\S+) ", line)
        assert found, line + (process.stderr.read() if process.stderr else "")
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_stops_the_server_cleanly(tmp_path: Path) -> None:
    with _running(store=str(tmp_path / "a.db"), home=tmp_path) as (process, url):
        assert httpx2.get(f"{url}/healthz", trust_env=False, timeout=60).json()["status"] == "ok"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out.endswith("howsure has stopped\n")
    assert re.search(r"127.0.0.1 - GET /healthz 200 [\d.]+ ms", errors)
    assert "Traceback" not in errors


def test_the_server_can_be_quiet(tmp_path: Path) -> None:
    with _running("--quiet", store=str(tmp_path / "a.db"), home=tmp_path) as (process, url):
        httpx2.get(f"{url}/healthz", trust_env=False, timeout=60)
        process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=120)
    assert errors == ""
    assert process.returncode == 0
    assert out.endswith("howsure has stopped\n")


def test_two_servers_on_one_database_share_tokens_and_keys(address: str, tmp_path: Path) -> None:
    with open_store(address) as sure:
        _, secret = Tokens(sure.session).create("ci", "write")
    headers = {"Authorization": f"Bearer {secret}"}
    with (
        _running("--tokens", store=address, home=tmp_path) as (_, one),
        _running("--tokens", store=address, home=tmp_path) as (_, two),
        httpx2.Client(headers=headers, trust_env=False, timeout=60) as client,
    ):
        claim = {"statement": "Both know this", "source": "a:b"}
        added = client.post(f"{one}/v1/claims", json=claim, headers={"Idempotency-Key": "k"})
        again = client.post(f"{two}/v1/claims", json=claim, headers={"Idempotency-Key": "k"})
        assert added.json() == again.json()
        assert again.headers["idempotency-replayed"] == "true"
        for number in range(10):
            url = (one, two)[number % 2]
            check = client.post(f"{url}/v1/responses/check", json={"agent": "ann", "knowledge": 0.9})
            assert check.status_code == 200
        assert client.get(f"{two}/v1/responses/history?agent=ann").json()["total"] == 10
        pages = [client.get(f"{url}/v1/claims").json()["claims"] for url in (one, two)]
        assert pages[0][0]["id"] == pages[1][0]["id"] == added.json()["id"]
        with open_store(address) as sure:
            Tokens(sure.session).revoke("ci")
        assert {client.get(f"{url}/v1/claims").status_code for url in (one, two)} == {401}


def test_a_running_server_maintains_its_store(store: Sure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    day = 86_400.0
    store.responses.check(agent="old", now=store.session.at(None) - 200 * day)
    id_ = str(store.claims.add("Read often", source="a:b").id)
    monkeypatch.setattr("howsure.serve.http.MAINTENANCE_INTERVAL", 0.02)
    with open_store(str(tmp_path / "web.db")) as other, serving(store) as client:
        before = other.claims.get(id_).accessed_at
        client.get(f"/v1/claims/{id_}")
        deadline = time.monotonic() + 60
        while other.ledger.find(limit=1).decisions or other.claims.get(id_).accessed_at <= before:
            assert time.monotonic() < deadline
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("missing", "command", "extra"), [("starlette", "serve", "web"), ("uvicorn", "serve", "web"), ("mcp", "mcp", "mcp")]
)
def test_a_missing_package_is_reported(tmp_path: Path, missing: str, command: str, extra: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['howsure', {command!r}]; "
    script += "from howsure.cli import main; main()"
    environment = os.environ | {"HOME": str(tmp_path), "HOWSURE_STORE": str(tmp_path / "a.db")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False, timeout=60
    )
    assert done.returncode == 2, done.stderr
    assert f"in a checkout of howsure: pip install '.[{extra}]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_garbage_collector_is_as_before_after_serving() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with server_module._few_collections():
        assert gc.get_threshold() > before
        assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() <= frozen
