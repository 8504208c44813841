"""Several servers on one PostgreSQL behind a proxy, as docs/deploy.md describes it."""

import http.client
import itertools
import os
import re
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import psycopg
import pytest

from howsure.serve.tokens import Tokens
from howsure.sure import open as open_store

NAME = "howsure.example"
SERVE = "import typer; from howsure.cli.serve import serve; typer.run(serve)"


@pytest.fixture
def store(postgres_address: str) -> Iterator[str]:
    """Give the address of an empty store in PostgreSQL."""
    name = f"s{uuid.uuid4().hex}"
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"')
        yield f"{postgres_address}&options=-c%20search_path%3D{name}"
        connection.execute(f'DROP SCHEMA "{name}" CASCADE')


@contextmanager
def server(store: str) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """Run a server as a process of its own, as a supervisor would; give it and its port."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "--port", "0", "--tokens", "--name", NAME, "--rate", "0", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HOWSURE_STORE": store},
    )
    try:
        assert process.stdout is not None
        found = re.search(r" at http://127.0.0.1:(\d+) ", process.stdout.readline())
        assert found, process.communicate()[1]
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


@contextmanager
def proxy(ports: list[int]) -> Iterator[httpx2.Client]:
    """Run a proxy that takes the servers in turn and leaves those out that are gone; give a client of it."""
    turn = itertools.count()

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            headers |= {"Host": NAME, "X-Forwarded-For": self.client_address[0], "X-Forwarded-Proto": "https"}
            first = next(turn)
            for other in range(len(ports)):
                connection = http.client.HTTPConnection("127.0.0.1", ports[(first + other) % len(ports)], timeout=30)
                try:
                    connection.request(self.command, self.path, body, headers)
                    answer = connection.getresponse()
                    content = answer.read()
                except (OSError, http.client.HTTPException):
                    continue  # a request may so be sent twice: that is what Idempotency-Key is for
                finally:
                    connection.close()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("content-length", "connection", "date"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                return
            self.send_error(502)

        do_GET = do_POST = do_DELETE = pass_on  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as front:
        thread = threading.Thread(target=front.serve_forever)
        thread.start()
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{front.server_port}", timeout=60, trust_env=False) as client:
                yield client
        finally:
            front.shutdown()
            thread.join()


@pytest.fixture
def two(store: str) -> Iterator[tuple[list[Any], httpx2.Client]]:
    """Give two servers and a client of the proxy before them, with a token that may write."""
    with open_store(store) as sure:
        _, secret = Tokens(sure.session).create("agents", "write")
    with ExitStack() as stack:
        servers = [stack.enter_context(server(store)) for _ in range(2)]
        client = stack.enter_context(proxy([port for _, port in servers]))
        client.headers["Authorization"] = f"Bearer {secret}"
        yield [process for process, _ in servers], client


def test_two_servers_behave_as_one(two: tuple[list[Any], httpx2.Client], store: str) -> None:
    _, client = two
    claim = {"statement": "The cache is safe", "source": "user_input:ann", "contribution": 0.8}
    key = {"Idempotency-Key": "once-0001"}
    first = client.post("/v1/claims", json=claim, headers=key)
    again = client.post("/v1/claims", json=claim, headers=key)  # by the other server
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    for _ in range(2):
        found = client.get("/v1/claims", params={"text": "cache"}).json()["claims"]
        assert [one["id"] for one in found] == [first.json()["id"]]
    with open_store(store) as sure:
        Tokens(sure.session).revoke("agents")
    assert [client.get("/v1/claims").status_code for _ in range(2)] == [401, 401]


def test_a_server_may_die_under_load(two: tuple[list[Any], httpx2.Client], store: str) -> None:
    processes, client = two
    done: list[int] = []
    lock = threading.Lock()

    def decide(worker: int) -> None:
        with httpx2.Client(base_url=client.base_url, headers=dict(client.headers), timeout=60, trust_env=False) as own:
            for number in range(12):
                key = {"Idempotency-Key": f"{worker}-{number:08}"}
                answer = own.post("/v1/responses/check", json={"text": "It works.", "agent": "ann"}, headers=key)
                with lock:
                    done.append(answer.status_code)
                    if len(done) == 15:
                        processes[0].kill()

    threads = [threading.Thread(target=decide, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert processes[0].wait(timeout=60) != 0
    assert len(done) == 48
    # What was under way in the server that died may be under way for good: that is told, and never done twice.
    assert set(done) <= {200, 409}
    assert done.count(409) <= 4
    with open_store(store) as sure:
        count = sure.responses.history("ann").total
    assert done.count(200) <= count <= 48
