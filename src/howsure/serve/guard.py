"""The guard before everything: who may speak to this server at all, what every answer carries, and the access log.

What is logged of a request is its method, its path without the query, and who has sent it by the id of a token: no
header, no body, no secret.
"""

import logging
import secrets
import time
from collections.abc import Iterable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from howsure.serve.addresses import own_name, same_origin
from howsure.serve.errors import WebError, refusal
from howsure.serve.request_metrics import measure

log = logging.getLogger("howsure.access")
faults = logging.getLogger(__name__)

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""What every answer carries that does not say otherwise."""
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_SAFE = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Stands before an application, and lets through what may come in."""

    def __init__(self, app: ASGIApp, *, guarded: bool, names: Iterable[str] = ()) -> None:
        """Take whether callers need tokens, and the names that the server goes by besides those of this machine."""
        self._app = app
        self._guarded = guarded
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0
        id_ = scope["howsure.request"] = secrets.token_hex(6)

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = id_
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, sent)
        except WebError as error:
            await refusal(error)(scope, receive, sent)
        except Exception:
            faults.exception("request %s failed", id_)
            if status:
                raise
            await refusal(fault(id_))(scope, receive, sent)
        finally:
            seconds = time.perf_counter() - began
            measure(scope.get("howsure.operation", "other"), status, seconds)
            _log(scope, status, seconds)

    def _check(self, scope: Scope) -> None:
        """Refuse what comes from other pages, or by a name that is not this server's."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        strict = not self._guarded or self._names
        if not host or (strict and not own_name(host, self._names)):
            hint = "use localhost or 127.0.0.1" if not self._names else f"use {', '.join(sorted(self._names))}"
            raise _forbidden("this server does not go by that name", "Host", hint)
        if not self._guarded and any(name in headers for name in _FORWARDED):
            hint = "behind a proxy, start it with --tokens"
            raise _forbidden("this server is for this machine alone, and a proxy has passed this on", "Forwarded", hint)
        origins = headers.getlist("origin")
        if any(not same_origin(origin, host) for origin in origins):
            raise _forbidden("this server does not answer to other pages", "Origin", "")
        pages = scope["path"].startswith("/v1/") or scope["method"] not in _SAFE
        if pages and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise _forbidden("this server does not answer to other pages", "Sec-Fetch-Site", "")


def _forbidden(problem: str, field: str, hint: str) -> WebError:
    return WebError(403, "forbidden", problem, field=field, hint=hint)


def fault(id_: str) -> WebError:
    """Return what is said where something is wrong with the server itself: no more than where to look."""
    return WebError(500, "internal", f"something went wrong on the server, in request {id_}", hint="its log has more")


def _log(scope: Scope, status: int, seconds: float) -> None:
    path: Any = scope.get("raw_path") or scope["path"].encode()
    shown = path.partition(b"?")[0][:200].decode("ascii", "replace")
    client = scope["client"][0] if scope.get("client") else "-"
    caller = scope.get("howsure.caller") or "-"
    milliseconds = f"{seconds * 1000:.1f} ms"
    log.info(
        "%s %s %s %s %s %s %s", client, caller, scope["method"], shown, status or "-", milliseconds,
        scope["howsure.request"],
    )  # fmt: skip
