"""Serve a page: log in, check forms, and show errors as pages."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from howsure.errors import HowsureError
from howsure.serve.errors import AccessDeniedError, HTTPError, describe_error, log_hidden
from howsure.serve.pages.forms import FormFields, first, read_form
from howsure.serve.pages.request import NavLink, PageRequest

if TYPE_CHECKING:
    from howsure.serve.http import Service

Handler = Callable[[PageRequest], Awaitable[Response]]
"""Answers a request for a page."""
_HEADLINES = {
    403: "You may not do this",
    404: "Not found",
    429: "Too many requests",
    503: "The store cannot be reached",
    504: "This took too long",
}


class Page(NamedTuple):
    """A page of the dashboard."""

    path: str
    show: Handler
    """Answers GET."""
    submit: Handler | None = None
    """Answers POST; None if the page has no form of its own."""
    nav: str = ""
    """Title in the navigation; empty if it is not there."""
    needs_login: bool = True


class PageEndpoint:
    """An ASGI application that serves a page."""

    def __init__(self, service: "Service", page: Page, links: tuple[NavLink, ...]) -> None:
        """Serve this page with this navigation."""
        self._service = service
        self._page = page
        self._links = links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        scope["howsure.operation"] = f"page {self._page.path}"
        request = PageRequest(self._service, Request(scope, receive), self._links)
        if request.is_cross_site_link:
            # The page reloads itself; that request comes from this site, so the browser sends the cookie.
            await request.render("reload.html", 401, back=current_url(request))(scope, receive, send)
            return
        try:
            response = await self._service.make_page(self._respond(request))
        except HowsureError as error:
            log_hidden(error, scope)
            response = error_page(request, error)
        request.session.save(response)
        await response(scope, receive, send)

    async def _respond(self, request: PageRequest) -> Response:
        page, method = self._page, request.http.method
        if self._page.needs_login:
            await request.authenticate()
        if method in ("GET", "HEAD"):
            return await page.show(request)
        if method == "POST" and page.submit is not None:
            request.form = await self._read_form(request.http)
            if not request.session.is_valid_csrf(first(request.form, "csrf")):
                hint = "load the page again; if that does not help, allow cookies of this server"
                raise HTTPError(403, "forbidden", "the form is outdated or comes from another page", hint=hint)
            return await page.submit(request)
        methods = "GET, HEAD, POST" if page.submit is not None else "GET, HEAD"
        raise HTTPError(405, "not_allowed", "this page does not support this method", hint=methods, Allow=methods)

    async def _read_form(self, request: Request) -> FormFields:
        try:
            return await asyncio.wait_for(read_form(request), self._service.capacity.timeout)
        except TimeoutError:
            raise HTTPError(408, "timeout", "the form did not arrive in time", Connection="close") from None


def error_page(request: PageRequest, error: HowsureError) -> Response:
    """Return a page that shows an error; the login page if a token is required."""
    status, described, headers = describe_error(error)
    if isinstance(error, AccessDeniedError) and not error.authenticated:
        response = request.render("login.html", status, back=current_url(request), problem="")
        if request.is_partial:
            response.headers["HX-Refresh"] = "true"
        return response
    headline = _HEADLINES.get(status, "This did not work")
    response = request.render("error.html", status, headline=headline, error=described)
    response.headers.update(headers)
    return response


def current_url(request: PageRequest) -> str:
    """Return the address to come back to after logging in; the start page for forms, which are not sent again."""
    url = request.http.url
    if request.http.method != "GET":
        return "/"
    return f"{url.path}?{url.query}" if url.query else url.path
