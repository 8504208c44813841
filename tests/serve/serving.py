"""Real servers for tests: uvicorn in a thread, on a real socket."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx2
import jsonschema

from howsure.serve.openapi import ERROR, describe_api
from howsure.serve.server import ServerOptions, bind, make_server, url_of
from howsure.sure import Sure


class Client(httpx2.Client):
    """A client of one server, which does operations by name."""

    def do(self, name: str, given: dict[str, Any], **headers: str) -> httpx2.Response:
        """Do an operation with what is handed in, wherever it belongs."""
        from howsure.serve.operations import operation

        one = operation(name)
        path, rest = one.path, dict(given)
        for field in list(rest):
            if f"{{{field}}}" in path:
                path = path.replace(f"{{{field}}}", str(rest.pop(field)))
        if one.method == "POST":
            return self.post(path, json=rest, headers=headers)
        return self.request(one.method, path, params=_plain(rest), headers=headers)


def _plain(given: dict[str, Any]) -> dict[str, Any]:
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}


@contextmanager
def serving(sure: Sure, host: str = "127.0.0.1", **given: Any) -> Iterator[Client]:
    """Serve a store, and give a client of it."""
    server = make_server(sure, host, ServerOptions(**given))
    with bind(host, 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server has not even started"
                time.sleep(0.005)
            url = url_of(listening).replace("0.0.0.0", "127.0.0.1")  # noqa: S104
            with Client(base_url=url, timeout=60, trust_env=False) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join(timeout=30)
    assert not thread.is_alive()


def raw(client: Client, request: bytes) -> bytes:
    """Send bytes as they are, and return all that comes back until the server closes, or has nothing more to say."""
    url = client.base_url
    with socket.create_connection((url.host, url.port or 80), timeout=60) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while part := connection.recv(65_536):
            found += part
    return found


def error_of(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """Assert that a response is an error of this status and code, in the one shape of errors; return the error."""
    assert response.status_code == status, response.text
    found = response.json()
    jsonschema.validate(found, ERROR | {"components": describe_api()["components"]})
    assert found["error"]["code"] == code
    return dict(found["error"])
