"""All pages of the dashboard, its assets and its error pages as routes."""

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from howsure.serve.errors import HTTPError
from howsure.serve.pages import (
    administration,
    agents,
    api_browser,
    assets,
    claim,
    claims,
    decision,
    documents,
    investigations,
    overview,
    reliability,
    review,
    search,
    sources,
    syntheses,
)
from howsure.serve.pages.login import Login
from howsure.serve.pages.page import Page, PageEndpoint
from howsure.serve.pages.request import NavLink, PageRequest
from howsure.serve.pages.templates import environment
from howsure.serve.requests import error_response

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from howsure.serve.http import Service

_MODULES: tuple[Any, ...] = (
    overview, review, claims, claim, sources, agents, decision, investigations, syntheses, documents, reliability,
    administration, search, api_browser,
)  # fmt: skip
"""Modules with pages, in the order of the navigation."""


def all_pages() -> list[Page]:
    """Return every page but login and logout."""
    return [page for module in _MODULES for page in module.PAGES]


def add_pages(app: "Starlette", service: "Service") -> None:
    """Add the dashboard to an application.

    Raises:
        MissingExtraError: if Jinja is not installed.
    """
    environment()
    pages = all_pages()
    links = tuple(NavLink(page.path, page.nav) for page in pages if page.nav)
    for page in (Page("/", _redirect_to_overview), *pages, *Login().pages()):
        app.router.routes.append(Route(page.path, PageEndpoint(service, page, links)))
    app.router.routes.append(Route("/assets/{digest}/{name:path}", _AssetEndpoint()))
    api_error = app.exception_handlers[HTTPException]
    not_found = Page("", _raise_not_found)

    async def http_error(request: Request, error: Exception) -> Response:
        wants_html = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")
        if wants_html and getattr(error, "status_code", 0) == 404:  # noqa: PLR2004
            return _EndpointResponse(PageEndpoint(service, not_found, links))
        response: Response = await api_error(request, error)
        return response

    app.add_exception_handler(HTTPException, http_error)


async def _redirect_to_overview(request: PageRequest) -> Response:
    return request.redirect("/overview")


async def _raise_not_found(_: PageRequest) -> Response:
    raise HTTPError(404, "not_found", "there is no page at this address", hint="use the navigation above")


class _EndpointResponse(Response):
    """A response that an ASGI application sends, as exception handlers have to return one."""

    def __init__(self, app: PageEndpoint) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


class _AssetEndpoint:
    """Serves styles and scripts, without login."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["howsure.operation"] = "asset"
        request = Request(scope, receive)
        response: Response | None
        if request.method not in ("GET", "HEAD"):
            error = HTTPError(405, "not_allowed", "assets can only be read", hint="GET", Allow="GET, HEAD")
            response = error_response(error)
        else:
            response = assets.serve(request) or error_response(HTTPError(404, "not_found", "unknown asset"))
        await response(scope, receive, send)
