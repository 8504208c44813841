"""Logging in with a token, and out again."""

from urllib.parse import urlsplit

from starlette.responses import Response

from howsure.serve.errors import AccessDeniedError, RateLimitError
from howsure.serve.limits import RateLimits
from howsure.serve.pages.forms import first
from howsure.serve.pages.page import Page
from howsure.serve.pages.visit import Visit

TRIES = 5.0
"""Tries a second to log in, from one address; twice as many at once."""
NO = "This is no valid token."
"""What is said to all who cannot come in, whatever is wrong with their token."""


class Login:
    """Lets people in, and out."""

    def __init__(self) -> None:
        """Begin to count tries."""
        self._limits = RateLimits(TRIES)

    def pages(self) -> tuple[Page, ...]:
        """Return the pages of it."""
        return Page("/login", self.show, self.send, closed=False), Page("/logout", self.stay, self.leave, closed=False)

    async def show(self, visit: Visit) -> Response:
        """Ask for a token, where one is needed."""
        back = local(first(visit.request.query_params.multi_items(), "next"))
        try:
            await visit.enter()
        except AccessDeniedError:
            return _form(visit, back)
        return visit.away(back)

    async def send(self, visit: Visit) -> Response:
        """Let somebody in who brings a valid token."""
        back = local(first(visit.filled, "next"))
        if not visit.service.desk.requires_tokens:
            return visit.away(back)
        client = visit.request.client
        try:
            self._limits.count(client.host if client else "", "login")
            secret = first(visit.filled, "token").strip()
            caller = await visit.service.run_in_thread(visit.service.desk.authenticate, secret)
        except AccessDeniedError:
            return _form(visit, back, 401, NO)
        except RateLimitError:
            return _form(visit, back, 429, "Too many tries. Wait a moment.")
        visit.request.scope["howsure.caller"] = caller.id
        visit.session.begin(secret)
        return visit.away(back)

    async def stay(self, visit: Visit) -> Response:
        """Lead those back who only look at where one leaves: looking changes nothing."""
        return visit.away("/")

    async def leave(self, visit: Visit) -> Response:
        """Let somebody out."""
        visit.session.begin()
        return visit.away("/login" if visit.service.desk.requires_tokens else "/", "left")


def _form(visit: Visit, back: str, status: int = 200, problem: str = "") -> Response:
    return visit.shown("login.html", status, back=back, problem=problem)


def local(path: str) -> str:
    r"""Return a path on this server; the first page, for anything that would lead elsewhere.

    >>> local("/claims?text=a"), local("//evil.example"), local("https://evil.example"), local("/\\evil.example")
    ('/claims?text=a', '/', '/', '/')
    """
    plain = path.startswith("/") and path.isprintable() and path.isascii() and "\\" not in path
    if not plain or path.startswith("//"):
        return "/"
    try:
        parts = urlsplit(path)
    except ValueError:
        return "/"
    return "/" if parts.scheme or parts.netloc or parts.path.startswith(("/login", "/logout", "//")) else path
