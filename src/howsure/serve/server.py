"""Bind an address, start the HTTP server, and shut it down cleanly."""

import errno
import gc
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from howsure.errors import InputError, MissingExtraError, shown
from howsure.serve.limits import RATE, RateLimits

if TYPE_CHECKING:
    import uvicorn

    from howsure.serve.connections import ConnectionLimits
    from howsure.serve.desk import Desk
    from howsure.serve.http import Capacity, MountedApp
    from howsure.sure import Sure

PORT = 8765
SHUTDOWN_TIMEOUT = 10
"""Seconds that running requests have to end when the server stops."""


@dataclass(frozen=True)
class ServerOptions:
    """What a server serves besides the API, who may call it, and its limits."""

    tokens: bool = False
    """Require tokens on loopback addresses, too."""
    host_names: Sequence[str] = ()
    """Names that the Host header may have besides those of this machine."""
    rate: float | None = RATE
    """Requests per second for each token and operation; None for no limit."""
    capacity: "Capacity | None" = None
    """Sizes, timeouts and threads."""
    connections: "ConnectionLimits | None" = None
    """How many connections there may be, and how long they may wait."""
    mounts: "Callable[[Desk], Iterable[MountedApp]]" = lambda _: ()
    """Applications that are served besides the API, such as MCP."""
    pages: bool = False
    """Serve the dashboard, too."""
    root_path: str = ""
    """The path below which a proxy offers it, such as /howsure."""
    origins: Sequence[str] = ()
    """Origins whose pages may call the API (CORS); `*` for all."""
    trusted_proxies: Sequence[str] = ()
    """Addresses or networks of proxies whose X-Forwarded-For names the client."""


DEFAULTS = ServerOptions()


def is_loopback(host: str) -> bool:
    """Return whether an address can only be reached from this machine.

    Raises:
        InputError: if the name cannot be resolved.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("10.0.0.7")
    (True, True, False, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        addresses = _resolve(host)
    return bool(addresses) and all(ip_address(address).is_loopback for address in addresses)


def _resolve(host: str) -> list[str]:
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise InputError(f"unknown address {shown(host)}", field="host", hint="like 127.0.0.1") from None


def requires_tokens(sure: "Sure", host: str, *, tokens: bool = False) -> bool:
    """Return whether callers need a token: they do if other machines can connect, or with `tokens`.

    Raises:
        InputError: if they do and no valid token exists, since then nobody could connect.
    """
    from howsure.serve.tokens import Tokens

    local = is_loopback(host)
    if local and not tokens:
        return False
    if not Tokens(sure.session).any_valid():
        reason = "callers need one" if local else f"{host} can be reached by other machines"
        raise InputError(f"no valid token exists, and {reason}", field="host", hint="howsure token create NAME")
    return True


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address.

    Raises:
        InputError: if that is not possible.
    """
    if not 0 <= port <= 65535:  # noqa: PLR2004
        raise InputError(f"invalid port {port}", field="port", hint="0 to 65535; 0 for any free port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With IPPROTO_TCP asyncio sets TCP_NODELAY. Otherwise each body waits 40 ms for the client's delayed ACK.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let others listen on the same address
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        taken = error.errno == errno.EADDRINUSE
        hint = "use another port; --port 0 takes any free one" if taken else ""
        raise InputError(f"cannot listen on {host} port {port}: {error.strerror}", field="port", hint=hint) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def make_server(sure: "Sure", host: str = "127.0.0.1", options: ServerOptions = DEFAULTS) -> "uvicorn.Server":
    """Return a server of a store, to be run with a listening socket.

    Args:
        sure: The store.
        host: The address it will listen on; decides whether tokens are required.
        options: What it serves besides the API, who may call it, and its limits.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtraError("web", "serving over HTTP") from None
    from howsure.serve.connections import ConnectionLimits, limited_protocol
    from howsure.serve.desk import Desk
    from howsure.serve.forwarded import ForwardedClient, parse_networks
    from howsure.serve.http import build_app

    connections = options.connections or ConnectionLimits()
    required = requires_tokens(sure, host, tokens=options.tokens)
    app = build_app(Desk(sure, requires_tokens=required, limits=RateLimits(options.rate)), options)
    proxies = parse_networks(options.trusted_proxies)
    return uvicorn.Server(
        uvicorn.Config(
            ForwardedClient(app, proxies) if proxies else app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            http=limited_protocol(connections),
            timeout_keep_alive=int(connections.idle_seconds),
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
        )
    )


def serve(
    sure: "Sure",
    host: str = "127.0.0.1",
    port: int = PORT,
    options: ServerOptions = DEFAULTS,
    *,
    on_start: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a store until interrupted; `on_start` gets the URL."""
    host = _resolve(host)[0]  # so that the address that is checked is the one that is listened on
    server = make_server(sure, host, options)
    listening = bind(host, port)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    with listening, _terminate_as_interrupt(), _short_turns(), _few_collections(), suppress(KeyboardInterrupt):
        on_start(url_of(listening))
        server.run(sockets=[listening])


@contextmanager
def _few_collections() -> Iterator[None]:
    """Keep the garbage collector from looking at what was loaded at the start, and let it run less often.

    It holds the interpreter's lock all the while: a page of 10,000 relations makes it run many times.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def _short_turns() -> Iterator[None]:
    """Let threads take turns every 0.05 ms instead of every 5 ms.

    A gate check of 1 ms takes the interpreter's lock several times; each time it waits for one turn of a busy thread.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.00005)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def _terminate_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that everything is closed in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
