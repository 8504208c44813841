"""A session: what a browser shows with every request to be known again, and what proves that a form is ours.

Where tokens are demanded, the cookie holds the token itself. It is looked up at every request, so that revoking it ends
the session at once, on every server, and no server has to remember anything. Otherwise it holds a random value.
"""

import re
import secrets
from hmac import compare_digest

from starlette.requests import Request
from starlette.responses import Response

from howsure.files import sha256

COOKIE = "howsure_session"
_VALUE = re.compile(r"[A-Za-z0-9_-]{20,100}")
_LABEL = "howsure form"


class BrowserSession:
    """The session of one browser."""

    def __init__(self, request: Request) -> None:
        """Read the session that a request belongs to, or begin one."""
        given = request.cookies.get(COOKIE, "")
        self._kept = given if _VALUE.fullmatch(given) else None
        self.value = self._kept or _fresh()
        self._secure = _encrypted(request)

    @property
    def fresh(self) -> bool:
        """Whether the browser has shown none."""
        return self._kept is None

    @property
    def proof(self) -> str:
        """What a form of this session carries, and one of another page cannot."""
        return sha256(f"{_LABEL}:{self.value}".encode()).hexdigest()

    def proves(self, proof: str) -> bool:
        """Say whether a form belongs to this session."""
        return self._kept is not None and compare_digest(self.proof.encode(), proof.encode("utf-8", "replace"))

    def begin(self, value: str | None = None) -> None:
        """Begin another session: with a token, or as nobody."""
        self.value = value or _fresh()

    def keep(self, response: Response) -> None:
        """Let a browser keep the session, unless it does already."""
        if self.value != self._kept:
            response.set_cookie(COOKIE, self.value, httponly=True, samesite="strict", secure=self._secure)


def _fresh() -> str:
    return secrets.token_urlsafe(32)


def _encrypted(request: Request) -> bool:
    """Say whether the browser speaks by https, to us or to a proxy before us.

    A header may lie about it, but then only about the cookie of whoever sends it.
    """
    told = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    forwarded = "proto=https" in request.headers.get("forwarded", "").lower().replace('"', "")
    page = request.headers.get("origin", "").lower().startswith("https://")
    return request.url.scheme == "https" or told == "https" or forwarded or page
