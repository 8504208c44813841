"""The session cookie of a browser, and the CSRF tokens of its forms.

If tokens are required, the cookie holds the access token itself. It is looked up with every request, so that revoking
it ends the session at once on every server, and no server needs to keep sessions. Otherwise it holds a random value.
"""

import re
import secrets
from hmac import compare_digest

from starlette.requests import Request
from starlette.responses import Response

from howsure.files import sha256

COOKIE = "howsure_session"
_VALUE = re.compile(r"[A-Za-z0-9_-]{20,100}")
_CSRF_PREFIX = "howsure form"


class BrowserSession:
    """The session of one browser."""

    def __init__(self, request: Request) -> None:
        """Read the session of a request, or begin one."""
        cookie = request.cookies.get(COOKIE, "")
        self._cookie = cookie if _VALUE.fullmatch(cookie) else None
        self.value: str = self._cookie or _random_value()
        self._secure = _is_encrypted(request)

    @property
    def is_new(self) -> bool:
        """Whether the browser has sent no valid cookie."""
        return self._cookie is None

    @property
    def csrf(self) -> str:
        """The CSRF token that forms of this session carry; pages of other sites cannot know it."""
        return sha256(f"{_CSRF_PREFIX}:{self.value}".encode()).hexdigest()

    def is_valid_csrf(self, token: str) -> bool:
        """Return whether the CSRF token of a form belongs to this session."""
        return self._cookie is not None and compare_digest(self.csrf.encode(), token.encode("utf-8", "replace"))

    def begin(self, value: str | None = None) -> None:
        """Begin another session: with an access token, or anonymous."""
        self.value = value or _random_value()

    def save(self, response: Response) -> None:
        """Set the cookie, unless the browser already has it."""
        if self.value != self._cookie:
            response.set_cookie(COOKIE, self.value, httponly=True, samesite="strict", secure=self._secure)


def _random_value() -> str:
    return secrets.token_urlsafe(32)


def _is_encrypted(request: Request) -> bool:
    """Return whether the browser uses https, to us or to a proxy before us.

    A forged header can only affect the cookie of the client that sends it.
    """
    forwarded_proto = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    forwarded = "proto=https" in request.headers.get("forwarded", "").lower().replace('"', "")
    origin = request.headers.get("origin", "").lower().startswith("https://")
    return request.url.scheme == "https" or forwarded_proto == "https" or forwarded or origin
