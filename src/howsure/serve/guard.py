"""ASGI middleware: reject requests of other sites, set security headers, log and measure.

A web page from anywhere can make a browser send requests to this machine, and can give its own host name this machine's
address (DNS rebinding). So a server without tokens only answers to host names of this machine, and no server answers to
pages of other origins, unless they are named (CORS).

The access log has the method, the path without query, and the id of the token: no headers, bodies or secrets.
"""

import logging
import secrets
import sys
import time
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from howsure.errors import MissingExtraError
from howsure.ledger.metrics import SECONDS
from howsure.redaction import redact_secrets
from howsure.serve.cors import Cors
from howsure.serve.errors import HTTPError, internal_error
from howsure.serve.requests import error_response
from howsure.serve.tracing import caller_trace
from howsure.wording import escape_invisible

access_log: logging.Logger = logging.getLogger("howsure.access")
log: logging.Logger = logging.getLogger(__name__)

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
"""Headers of every response that does not set them itself."""
_PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_NO_CONTENT = Response(status_code=204)
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Guard:
    """The outermost middleware of the HTTP server."""

    def __init__(
        self, app: ASGIApp, *, requires_tokens: bool, host_names: Iterable[str] = (), cors: Cors | None = None
    ) -> None:
        """Wrap an application; `host_names` are allowed in the Host header besides those of this machine."""
        self._app = app
        self._cors = cors or Cors()
        self._requires_tokens = requires_tokens
        self._host_names = frozenset(host_names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reject it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0
        request_id = scope["howsure.request"] = secrets.token_hex(6)
        received = Headers(scope=scope)
        origin = received.get("origin") if self._cors.allows(scope["path"], received) else None
        preflight = origin is not None and self._cors.is_preflight(scope["method"], received)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                self._cors.add_headers(headers, origin, preflight=preflight)
            await send(message)

        try:
            _check_framing(received)
            self._check_host(received)
            self._check_origin(scope, received, allowed=origin is not None)
            app = _NO_CONTENT if preflight else self._app
            with caller_trace(received):
                await app(scope, receive, send_with_headers)
        except HTTPError as error:
            await error_response(error)(scope, receive, send_with_headers)
        except Exception:
            log.exception("request %s failed", request_id)
            if status:  # the response has begun: all that is left is to cut it off
                raise
            await error_response(internal_error(request_id))(scope, receive, send_with_headers)
        finally:
            seconds = time.perf_counter() - started
            count_request(scope.get("howsure.operation", "other"), status, seconds)
            _log_access(scope, status, seconds)

    def _check_host(self, headers: Headers) -> None:
        """Raise HTTPError if the request uses a foreign host name, or comes through a proxy without tokens."""
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        check_host = not self._requires_tokens or self._host_names
        if not host or (check_host and not is_own_host(host, self._host_names)):
            names = ", ".join(sorted(self._host_names)) or "localhost or 127.0.0.1"
            raise _forbidden("unknown host name", "Host", f"use {names}")
        if not self._requires_tokens and any(name in headers for name in _PROXY_HEADERS):
            hint = "behind a proxy, start it with --tokens"
            raise _forbidden("this server has no tokens and does not answer to proxies", "Forwarded", hint)

    def _check_origin(self, scope: Scope, headers: Headers, *, allowed: bool) -> None:
        """Raise HTTPError if the request comes from a page of another origin that is not allowed by name."""
        if allowed:
            return
        host = headers.get("host", "")
        if any(not is_same_origin(origin, host) for origin in headers.getlist("origin")):
            raise _forbidden("requests from pages of other sites are not allowed", "Origin", "")
        # A link on another site may lead to a page of ours, but not to the API.
        protected = scope["path"].startswith("/v1/") or scope["method"] not in _SAFE_METHODS
        if protected and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise _forbidden("requests from pages of other sites are not allowed", "Sec-Fetch-Site", "")


def _check_framing(headers: Headers) -> None:
    """Raise HTTPError if a request says twice where it ends.

    A proxy that believes the other header than we do would take the rest for a request of somebody else (smuggling).
    """
    if "transfer-encoding" in headers and "content-length" in headers:
        hint = "send Content-Length or Transfer-Encoding, not both"
        raise HTTPError(400, "invalid_input", "the length is given twice", hint=hint, Connection="close")


def _forbidden(problem: str, field: str, hint: str) -> HTTPError:
    return HTTPError(403, "forbidden", problem, field=field, hint=hint)


def host_name(header: str) -> str:
    """Return the name in a Host header without the port; empty if the header is malformed.

    >>> host_name("LocalHost:8765"), host_name("[::1]:80"), host_name("evil.example"), host_name("a b")
    ('localhost', '::1', 'evil.example', '')
    """
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port  # raises ValueError if it is not a number
    except ValueError:
        return ""
    is_plain = parts.netloc == header and "@" not in header and not any(sign in header for sign in " /\\?#,")
    return (parts.hostname or "") if is_plain else ""


def is_own_host(header: str, host_names: Iterable[str] = ()) -> bool:
    """Return whether a Host header is localhost, a loopback address or one of the given names."""
    host = host_name(header)
    if host == "localhost" or (host and host in {name.lower() for name in host_names}):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header belongs to the host that the request was sent to.

    >>> is_same_origin("http://localhost:8765", "localhost:8765"), is_same_origin("https://evil.example", "localhost")
    (True, False)
    """
    try:
        theirs = urlsplit(origin)
        ours = urlsplit(f"{theirs.scheme}://{host}")
        their_port = theirs.port or _DEFAULT_PORTS.get(theirs.scheme)
        our_port = ours.port or _DEFAULT_PORTS.get(ours.scheme)
    except ValueError:
        return False
    if theirs.scheme not in _DEFAULT_PORTS or not theirs.hostname:
        return False
    return (theirs.hostname, their_port) == (ours.hostname, our_port)


def _log_access(scope: Scope, status: int, seconds: float) -> None:
    raw_path: Any = scope.get("raw_path") or scope["path"].encode()
    path = _without_secrets(raw_path.partition(b"?")[0][:2000].decode("ascii", "replace"))[:200]
    client = scope["client"][0] if scope.get("client") else "-"
    caller = scope.get("howsure.caller") or "-"
    duration = f"{seconds * 1000:.1f} ms"
    request_id = scope["howsure.request"]
    access_log.info(
        "%s %s %s %s %s %s %s", client, caller, scope["method"], path, status or "-", duration, request_id
    )  # fmt: skip


def _without_secrets(path: str) -> str:
    """Return a path for the log; one that holds a secret is shown decoded, with the secret replaced."""
    plain = unquote(path)
    clean = redact_secrets(plain)
    return escape_invisible(path if clean == plain else clean)


@lru_cache(maxsize=1)
def _collectors() -> tuple[Any, Any]:
    """Create the Prometheus collectors, once per process."""
    import prometheus_client as prometheus

    labels = ("operation", "status")
    return (
        prometheus.Counter("howsure_http_requests_total", "Requests, by operation and status.", labels),
        prometheus.Histogram(
            "howsure_http_request_duration_seconds", "Time to answer a request.", ("operation",), buckets=SECONDS
        ),
    )


def start_metrics() -> None:
    """Measure requests and decisions from now on, if prometheus_client is installed."""
    try:
        _collectors()
    except ImportError:
        return


def count_request(operation: str, status: int, seconds: float) -> None:
    """Count and time a request, if metrics have been started."""
    if "prometheus_client" in sys.modules:
        counter, durations = _collectors()
        counter.labels(operation, str(status)).inc()
        durations.labels(operation).observe(seconds)


def metrics_response(others: bytes = b"") -> Response:
    """Return the metrics of this process in the text format of Prometheus, and others after them.

    Raises:
        MissingExtraError: if prometheus_client is not installed.
    """
    try:
        import prometheus_client as prometheus
    except ImportError:
        raise MissingExtraError("metrics", "measuring") from None
    return Response(prometheus.generate_latest() + others, media_type=prometheus.CONTENT_TYPE_LATEST)
