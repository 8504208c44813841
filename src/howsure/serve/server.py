"""The server: on which address, for whom, and until when."""

import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from howsure.errors import InputError, MissingExtraError, shown
from howsure.serve.addresses import loopback
from howsure.serve.desk import Desk
from howsure.serve.limits import RATE, Limits
from howsure.serve.tokens import Tokens

if TYPE_CHECKING:
    import uvicorn

    from howsure.serve.http import Bounds, Part
    from howsure.sure import Sure

PORT = 8765
CONNECTIONS = 512
"""Connections that are served at the same time."""
LAST_REQUESTS = 10
"""Seconds that requests under way have to end, when the server does."""


def needs_tokens(sure: "Sure", host: str, *, tokens: bool = False) -> bool:
    """Say whether callers need a token: they do wherever others than this machine can call.

    Where nobody has one, nobody could come in, and that is refused: it is rather forgotten than meant.
    """
    if loopback(host) and not tokens:
        return False
    if not Tokens(sure.session).some_valid():
        where = f"{host} can be reached by others" if not loopback(host) else "callers need one"
        raise InputError(f"there is no valid token, and {where}", field="host", hint="howsure token create NAME")
    return True


def resolved(host: str) -> str:
    """Return the address that a name stands for, so that what is checked and what is listened on are the same."""
    try:
        return str(socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0][4][0])
    except (OSError, UnicodeError):
        raise InputError(f"there is no address {shown(host)}", field="host", hint="like 127.0.0.1") from None


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address, or say why there is none."""
    if not 0 <= port <= 65535:  # noqa: PLR2004
        raise InputError(f"{port} is no port", field="port", hint="from 0, for any, to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio would let each answer's body wait for the reader to confirm its head: 40 ms.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let others listen on the same address
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(2048)
        found.setblocking(False)
    except OSError as error:
        found.close()
        hint = "another port: --port 0 takes any" if error.errno in _TAKEN else ""
        raise InputError(f"cannot listen on {host} port {port}: {error.strerror}", field="port", hint=hint) from None
    return found


_TAKEN = {98, 48, 10048}
"""What systems say where an address is in use."""


def address(listening: socket.socket) -> str:
    """Return where a socket listens, as one writes it into a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def make(
    sure: "Sure",
    host: str = "127.0.0.1",
    *,
    tokens: bool = False,
    names: Iterable[str] = (),
    rate: float | None = RATE,
    bounds: "Bounds | None" = None,
    parts: "Callable[[Desk], Iterable[Part]]" = lambda _: (),
    pages: bool = False,
) -> "uvicorn.Server":
    """Return a server of a store, which runs once it is given a socket; `parts` are served besides the API.

    With `pages`, the dashboard is, too.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtraError("web", "serving over HTTP") from None
    from howsure.serve.http import build

    guarded = needs_tokens(sure, host, tokens=tokens)
    desk = Desk(sure, guarded=guarded, limits=Limits(rate))
    app = build(desk, names=names, bounds=bounds, parts=parts(desk), pages=pages)
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=LAST_REQUESTS,
        )
    )


def serve(
    sure: "Sure",
    host: str = "127.0.0.1",
    port: int = PORT,
    *,
    tokens: bool = False,
    names: Iterable[str] = (),
    rate: float | None = RATE,
    bounds: "Bounds | None" = None,
    parts: "Callable[[Desk], Iterable[Part]]" = lambda _: (),
    pages: bool = False,
    started: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a store until it is interrupted; `started` is told the address before that."""
    host = resolved(host)
    server = make(sure, host, tokens=tokens, names=names, rate=rate, bounds=bounds, parts=parts, pages=pages)
    listening = bound(host, port)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    with listening, _interruptible(), suppress(KeyboardInterrupt):
        started(address(listening))
        server.run(sockets=[listening])


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let a request to terminate be what Ctrl-C is, so that everything is closed in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
