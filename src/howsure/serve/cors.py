"""Let pages of named origins call the API from a browser (CORS). Nothing is allowed unless it is named."""

import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders

from howsure.errors import InputError, shown

_ORIGIN = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")
_API = ("/v1/", "/openapi.json", "/mcp", "/healthz", "/readyz")
"""Paths for programs. The pages of the dashboard are for our own origin alone."""
ANY = "*"
_ALLOWED = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, traceparent",
    "Access-Control-Max-Age": "600",
}
_EXPOSED = "Idempotency-Replayed, Retry-After, X-Request-Id"


def parse_origins(origins: Iterable[str], *, requires_tokens: bool) -> frozenset[str]:
    """Return origins in lower case.

    Raises:
        InputError: if one is not an origin, or every origin is allowed without tokens: any page could then do anything.

    >>> parse_origins(["https://App.example"], requires_tokens=False)
    frozenset({'https://app.example'})
    """
    parsed = frozenset(origin.lower() for origin in origins)
    for origin in parsed:
        if origin == ANY and not requires_tokens:
            raise InputError("any site could change the store", field="cors", hint="name an origin, or use --tokens")
        if origin != ANY and not _ORIGIN.fullmatch(origin):
            hint = "like https://app.example or http://localhost:3000"
            raise InputError(f"invalid origin {shown(origin)}", field="cors", hint=hint)
    return parsed


class Cors:
    """Decides which origins may call which paths. Cookies are never allowed: callers send their token."""

    def __init__(self, origins: frozenset[str] = frozenset()) -> None:
        """Allow these origins."""
        self._origins = origins

    def allows(self, path: str, headers: Headers) -> bool:
        """Return whether a request comes from a page of an allowed origin and is for the API."""
        origins = headers.getlist("origin")
        if len(origins) != 1 or not path.startswith(_API):
            return False
        return ANY in self._origins or origins[0].lower() in self._origins

    def is_preflight(self, method: str, headers: Headers) -> bool:
        """Return whether a browser asks what it may send."""
        return bool(self._origins) and method == "OPTIONS" and "access-control-request-method" in headers

    def add_headers(self, headers: MutableHeaders, origin: str | None, *, preflight: bool = False) -> None:
        """Tell a browser that a page of this origin may read the response; None for an origin that may not."""
        if not self._origins:
            return
        headers.add_vary_header("Origin")
        if origin is not None:
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = _EXPOSED
            if preflight:
                headers.update(_ALLOWED)
