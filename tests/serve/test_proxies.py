"""Servers behind a real nginx and a real Caddy, with the configuration that docs/deploy.md shows."""

import os
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from html import unescape
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

from howsure.serve.tokens import Tokens
from howsure.sure import open as open_store
from tests.conftest import ROOT, find_server, free_port, wait_for_port

PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
WHOLE, BELOW = re.findall(r"```nginx\n(.*?)```", PAGE, re.DOTALL)
CADDY = [block for block in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL) if "reverse_proxy" in block]
HOST, SHARED, PATH = "howsure.example.org", "tools.example.org", "/howsure"
SERVE = "import typer; from howsure.cli.serve import serve; typer.run(serve)"
Runner = Callable[[Path, str], AbstractContextManager[int]]
"""Runs a proxy with the blocks of its configuration, and gives its port."""
LINK = re.compile(r'\b(?:href|src|action)="([^"#]*)"')


class Proxy(NamedTuple):
    """A running proxy, and a token of the servers behind it."""

    port: int
    secret: str
    processes: "list[subprocess.Popen[str]]"

    def client(self, host: str) -> httpx2.Client:
        """Return a browser-like client of one of the host names."""
        transport = httpx2.HTTPTransport(verify=False)  # the certificate is our own
        extensions = {"sni_hostname": host}
        address = f"https://127.0.0.1:{self.port}"
        found = httpx2.Client(base_url=address, headers={"Host": self.host(host)}, transport=transport, timeout=60)
        found.event_hooks["request"] = [lambda request: request.extensions.update(extensions)]
        return found

    def host(self, name: str) -> str:
        """Return what a browser sends as the Host."""
        return f"{name}:{self.port}"


@contextmanager
def _server(store: Path, *options: str) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "--port", "0", "--tokens", "--quiet", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"HOWSURE_STORE": str(store)},
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r" at http://127.0.0.1:(\d+) ", said)
        assert found, said
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def _certificate(folder: Path) -> None:
    command = [find_server("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x"]
    files = ["-keyout", str(folder / "howsure.key"), "-out", str(folder / "howsure.pem")]
    subprocess.run([*command, *files], check=True, capture_output=True)


@contextmanager
def _nginx(folder: Path, blocks: str) -> Iterator[int]:
    port = free_port()
    blocks = blocks.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;").replace("/etc/ssl", str(folder))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    user = "user root;" if os.geteuid() == 0 else ""  # others may not write into folders of the tests
    (folder / "nginx.conf").write_text(
        f"{user} daemon off; pid {folder}/pid; error_log {folder}/log warn;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{blocks}\n}}\n"
    )
    command = [find_server("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_port(port, process, folder / "log")
            yield port
        finally:
            process.terminate()


@contextmanager
def _caddy(folder: Path, block: str) -> Iterator[int]:
    port = free_port()
    name, _, rest = block.partition(" {")
    # Its certificate is its own, since no authority can be reached, and the admin interface of another one may run.
    (folder / "Caddyfile").write_text(
        "{\nadmin off\nauto_https disable_redirects\nskip_install_trust\nlocal_certs\n}\n"
        f"{name}:{port} {{\n    bind 127.0.0.1{rest}"
    )
    command = [find_server("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    own = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log, env=own) as process:
        try:
            wait_for_port(port, process, folder / "log")
            _wait_for_certificate(port, name)
            yield port
        finally:
            process.terminate()


def _wait_for_certificate(port: int, name: str) -> None:
    """Wait until a proxy that listens has made its certificate, too: Caddy does that a moment later."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    for _ in range(400):
        with (
            suppress(ssl.SSLError, ConnectionError),
            socket.create_connection(("127.0.0.1", port), timeout=60) as plain,
            trusting.wrap_socket(plain, server_hostname=name),
        ):
            return
        time.sleep(0.05)
    raise AssertionError(f"no certificate for {name} after 20 seconds")


@contextmanager
def _proxied(tmp_path: Path, blocks: str, *options: str, run: Runner = _nginx) -> Iterator[Proxy]:
    find_server(run.__name__.removeprefix("_"))
    _certificate(tmp_path)
    with open_store(str(tmp_path / "howsure.db")) as sure:
        _, secret = Tokens(sure.session).create("ann", "admin")
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(tmp_path / "howsure.db", *options)) for _ in range(2)]
        for number, (_, port) in enumerate(servers):
            blocks = blocks.replace(f"127.0.0.1:{8765 + number}", f"127.0.0.1:{port}")
        yield Proxy(stack.enter_context(run(tmp_path, blocks)), secret, [process for process, _ in servers])


def _log_in(client: httpx2.Client, origin: str, root: str, secret: str) -> None:
    form = client.get(f"{root}/claims")
    assert form.status_code == 401
    (csrf,) = set(re.findall(r'name="csrf" value="(\w+)"', form.text))
    (back,) = re.findall(r'name="next" value="([^"]*)"', form.text)
    cookie = form.headers["set-cookie"]
    assert "Secure" in cookie
    assert f"Path={root or '/'};" in f"{cookie};"
    # The jar files cookies under 127.0.0.1, which we talk to, and would not send a secure one to it by name.
    kept = cookie.partition(";")[0]
    given = {"csrf": csrf, "next": unescape(back), "token": secret}
    entered = client.post(f"{root}/login", data=given, headers={"Origin": origin, "Cookie": kept})
    assert (entered.status_code, entered.headers["location"]) == (303, f"{root}/claims"), entered.text
    client.headers["Cookie"] = entered.headers["set-cookie"].partition(";")[0]


def _use(proxy: Proxy, host: str, root: str) -> None:
    """Use everything that the documentation promises through the proxy."""
    bearer = {"Authorization": f"Bearer {proxy.secret}"}
    with proxy.client(host) as client:
        assert client.get(f"{root}/healthz").json()["status"] == "ok"
        assert client.get(f"{root}/readyz").status_code == 200
        claim = {"statement": "The proxy works", "source": "user:ann"}
        assert client.post(f"{root}/v1/claims", json=claim).status_code == 401
        assert client.post(f"{root}/v1/claims", json=claim, headers=bearer).status_code == 200
        lines = "\n".join(f'{{"statement": "Line {number}", "source": "a:b"}}' for number in range(2000))
        kind = {"Content-Type": "application/x-ndjson"}
        learned = client.post(f"{root}/v1/claims/learn", content=lines, headers=bearer | kind)
        assert learned.json()["created"] == 2000, learned.text
        exported = client.get(f"{root}/v1/claims/export", headers=bearer)
        assert exported.text.count("\n") > 2000
        assert "howsure_store_claims" in client.get(f"{root}/metrics", headers=bearer).text
        _log_in(client, f"https://{proxy.host(host)}", root, proxy.secret)
        for path in ("/overview", "/claims", "/docs", "/server"):
            page = client.get(root + path)
            assert page.status_code == 200, page.text
            links = {unescape(link) for link in LINK.findall(page.text) if link}
            assert all(link.startswith(f"{root}/") for link in links), links
            for link in (one for one in links if "/assets/" in one):
                assert client.get(link).status_code == 200
    with proxy.client("evil.example") as client:
        try:
            status = client.get(f"{root}/v1/claims", headers=bearer).status_code
        except httpx2.ConnectError:  # Caddy has no certificate for this name
            status = 403
        assert status in (403, 404)


def _use_two_servers(proxy: Proxy) -> None:
    """Use two servers behind a proxy, and the second one alone after the first one ended."""
    _use(proxy, HOST, "")
    with proxy.client(HOST) as client:
        for method in (proxy.processes[0].kill, lambda: None):
            method()
            statuses = [client.get("/healthz").status_code for _ in range(4)]
            assert statuses == [200] * 4, "the other server answers"


def test_servers_behind_nginx(tmp_path: Path) -> None:
    with _proxied(tmp_path, WHOLE, "--name", HOST) as proxy:
        _use_two_servers(proxy)


def test_servers_behind_caddy(tmp_path: Path) -> None:
    with _proxied(tmp_path, CADDY[0], "--name", HOST, run=_caddy) as proxy:
        _use_two_servers(proxy)


def test_a_server_below_a_path_of_caddy(tmp_path: Path) -> None:
    with _proxied(tmp_path, CADDY[1], "--name", SHARED, "--root-path", PATH, run=_caddy) as proxy:
        _use(proxy, SHARED, PATH)


@pytest.mark.parametrize("target", ["http://howsure;", "http://howsure/;"])
def test_servers_below_a_path_of_nginx(tmp_path: Path, target: str) -> None:
    upstream = WHOLE[: WHOLE.index("server {\n")]
    assert "http://howsure;" in BELOW
    blocks = upstream + BELOW.replace("http://howsure;", target)
    with _proxied(tmp_path, blocks, "--name", SHARED, "--root-path", PATH) as proxy:
        _use(proxy, SHARED, PATH)
