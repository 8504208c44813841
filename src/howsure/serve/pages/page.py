"""A page: what is shown at a path, to whom, and what becomes of what goes wrong."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from howsure.errors import HowsureError, StoreError
from howsure.serve.errors import AccessDeniedError, HTTPError, describe_error
from howsure.serve.pages.forms import Filled, filled_in, first
from howsure.serve.pages.visit import Link, Visit

if TYPE_CHECKING:
    from howsure.serve.http import Service

log = logging.getLogger(__name__)

Show = Callable[[Visit], Awaitable[Response]]
"""Answers a visit."""
_HEADLINES = {
    403: "You may not do this",
    404: "There is nothing here",
    429: "Too many requests",
    503: "The store cannot be reached",
    504: "This took too long",
}


class Page(NamedTuple):
    """What is at a path."""

    path: str
    show: Show
    """Answers a look."""
    send: Show | None = None
    """Answers a form that is sent there; where there is none, nothing can be sent."""
    nav: str = ""
    """Its word in the navigation, where it is among what one can go to."""
    closed: bool = True
    """Whether only those see it who have come in."""


class Served:
    """A page on a server. It is an ASGI application."""

    def __init__(self, service: "Service", page: Page, links: tuple[Link, ...]) -> None:
        """Take the page, and what the navigation leads to."""
        self._service = service
        self._page = page
        self._links = links

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        scope["howsure.operation"] = f"page {self._page.path}"
        visit = Visit(self._service, Request(scope, receive), self._links)
        if visit.from_elsewhere:
            await visit.shown("again.html", 401, back=here(visit))(scope, receive, send)
            return
        try:
            response = await self._answer(visit)
        except HowsureError as error:
            if isinstance(error, StoreError):
                log.warning("request %s: %s", scope["howsure.request"], error)
            response = refused(visit, error)
        visit.session.keep(response)
        await response(scope, receive, send)

    async def _answer(self, visit: Visit) -> Response:
        page, method = self._page, visit.request.method
        if self._page.closed:
            await visit.enter()
        if method in ("GET", "HEAD"):
            return await page.show(visit)
        if method == "POST" and page.send is not None:
            visit.filled = await self._filled(visit.request)
            if not visit.session.proves(first(visit.filled, "csrf")):
                hint = "load the page again; if that does not help, let the browser keep cookies of this server"
                raise HTTPError(403, "forbidden", "this form is out of date, or not of this page", hint=hint)
            return await page.send(visit)
        taken = "GET, HEAD, POST" if page.send is not None else "GET, HEAD"
        raise HTTPError(405, "not_allowed", "this page takes other methods", hint=taken, Allow=taken)

    async def _filled(self, request: Request) -> Filled:
        try:
            return await asyncio.wait_for(filled_in(request), self._service.capacity.timeout)
        except TimeoutError:
            raise HTTPError(408, "timeout", "the form did not arrive in time", Connection="close") from None


def refused(visit: Visit, error: HowsureError) -> Response:
    """Return a page that says what is wrong; those whom nobody knows are asked to log in."""
    status, said, headers = describe_error(error)
    if isinstance(error, AccessDeniedError) and not error.authenticated:
        response = visit.shown("login.html", status, back=here(visit), problem="")
        if visit.partial:
            response.headers["HX-Refresh"] = "true"
        return response
    headline = _HEADLINES.get(status, "This did not work")
    response = visit.shown("error.html", status, headline=headline, said=said)
    response.headers.update(headers)
    return response


def here(visit: Visit) -> str:
    """Return where somebody is, to lead them back there; forms are not sent again."""
    url = visit.request.url
    if visit.request.method != "GET":
        return "/"
    return f"{url.path}?{url.query}" if url.query else url.path
