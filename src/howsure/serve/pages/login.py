"""Log in with a token, and log out."""

from urllib.parse import urlsplit

from starlette.responses import Response

from howsure.serve.errors import AccessDeniedError, RateLimitError
from howsure.serve.limits import RateLimits
from howsure.serve.pages.forms import first
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest

ATTEMPTS = 5.0
"""Failed attempts per second to log in from one address; twice as many at once."""
INVALID = "Invalid token."
"""Shown whatever is wrong with the token, so that nothing is revealed about it."""


class Login:
    """The login and logout pages."""

    def __init__(self) -> None:
        """Start with no attempts."""
        self._limits = RateLimits(ATTEMPTS)

    def pages(self) -> tuple[Page, ...]:
        """Return both pages."""
        return (
            Page("/login", self.show, self.log_in, needs_login=False),
            Page("/logout", self.redirect_home, self.log_out, needs_login=False),
        )

    async def show(self, request: PageRequest) -> Response:
        """Show the login form, or redirect if no login is needed."""
        back = local_path(first(request.http.query_params.multi_items(), "next"))
        try:
            await request.authenticate()
        except AccessDeniedError:
            return _form(request, back)
        return request.redirect(back)

    async def log_in(self, request: PageRequest) -> Response:
        """Begin a session with the submitted token."""
        back = local_path(first(request.form, "next"))
        if not request.service.desk.requires_tokens:
            return request.redirect(back)
        client = request.http.client
        address = client.host if client else ""
        try:
            self._limits.count(address, "login")
            secret = first(request.form, "token").strip()
            caller = await request.service.check_token(secret)
        except AccessDeniedError:
            return _form(request, back, 401, INVALID)
        except RateLimitError:
            return _form(request, back, 429, "Too many attempts. Wait a moment.")
        self._limits.give_back(address, "login")
        request.http.scope["howsure.caller"] = caller.id
        request.session.begin(secret)
        return request.redirect(back)

    async def redirect_home(self, request: PageRequest) -> Response:
        """Answer GET /logout, which must not change anything."""
        return request.redirect("/")

    async def log_out(self, request: PageRequest) -> Response:
        """End the session."""
        request.session.begin()
        return request.redirect("/login" if request.service.desk.requires_tokens else "/", "logged-out")


def _form(request: PageRequest, back: str, status: int = 200, problem: str = "") -> Response:
    return request.render("login.html", status, back=back, problem=problem)


def local_path(path: str) -> str:
    r"""Return a path of this server; the start page for anything that would lead elsewhere.

    >>> local_path("/claims?text=a"), local_path("//evil.example"), local_path("https://evil.example")
    ('/claims?text=a', '/', '/')
    >>> local_path("/\\evil.example")
    '/'
    """
    is_plain = path.startswith("/") and path.isprintable() and path.isascii() and "\\" not in path
    if not is_plain or path.startswith("//"):
        return "/"
    try:
        parts = urlsplit(path)
    except ValueError:
        return "/"
    return "/" if parts.scheme or parts.netloc or parts.path.startswith(("/login", "/logout", "//")) else path
