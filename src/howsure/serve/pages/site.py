"""The site: every page at its path, the assets, and what is shown where there is nothing."""

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from howsure.serve.errors import HTTPError
from howsure.serve.pages import (
    agents,
    assets,
    claim,
    claims,
    decision,
    documents,
    investigations,
    overview,
    reliability,
    syntheses,
)
from howsure.serve.pages.login import Login
from howsure.serve.pages.page import Page, Served
from howsure.serve.pages.templates import environment
from howsure.serve.pages.visit import Link, Visit
from howsure.serve.requests import error_response

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from howsure.serve.http import Service

_PLACES: tuple[Any, ...] = (
    overview, claims, claim, agents, decision, investigations, syntheses, documents, reliability,
)  # fmt: skip
"""Modules with pages, in the order of the navigation."""


def pages() -> list[Page]:
    """Return every page."""
    return [page for place in _PLACES for page in place.PAGES]


def add_pages(app: "Starlette", service: "Service") -> None:
    """Add the pages to an application."""
    environment()  # what is missing should be known when the server starts
    found = pages()
    links = tuple(Link(page.path, page.nav) for page in found if page.nav)
    for page in (Page("/", _start), *found, *Login().pages()):
        app.router.routes.append(Route(page.path, Served(service, page, links)))
    app.router.routes.append(Route("/assets/{digest}/{name:path}", _Assets()))
    others = app.exception_handlers[HTTPException]
    missing = Page("", _missing)

    async def http_error(request: Request, error: Exception) -> Response:
        readable = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")
        if readable and getattr(error, "status_code", 0) == 404:  # noqa: PLR2004
            return _Answering(Served(service, missing, links))
        answered: Response = await others(request, error)
        return answered

    app.add_exception_handler(HTTPException, http_error)


async def _start(visit: Visit) -> Response:
    return visit.away("/overview")


async def _missing(_: Visit) -> Response:
    raise HTTPError(404, "not_found", "there is no page at this address", hint="the navigation leads to all there are")


class _Answering(Response):
    """A response that is made by an application."""

    def __init__(self, app: Served) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


class _Assets:
    """The files that pages load. They tell nothing, so everybody may have them."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["howsure.operation"] = "asset"
        request = Request(scope, receive)
        found: Response | None
        if request.method not in ("GET", "HEAD"):
            found = error_response(HTTPError(405, "not_allowed", "assets are only read", hint="GET", Allow="GET, HEAD"))
        else:
            found = assets.serve(request) or error_response(HTTPError(404, "not_found", "there is no such asset"))
        await found(scope, receive, send)
