"""A visit: one request for a page, who makes it, and what they may do."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from howsure.errors import HowsureError
from howsure.serve.desk import OWNER, Caller, check_scope
from howsure.serve.errors import AccessDeniedError
from howsure.serve.operations.table import operation
from howsure.serve.pages.cookies import BrowserSession
from howsure.serve.pages.forms import Filled, first
from howsure.serve.pages.templates import HEADERS, render
from howsure.serve.pages.words import DONE
from howsure.serve.tokens import SCOPES, SECRET

if TYPE_CHECKING:
    from howsure.serve.http import Service
    from howsure.sure import Sure

T = TypeVar("T")


class Failed(NamedTuple):
    """A form that could not be done, so that it is shown again with what is wrong."""

    operation: str
    error: HowsureError
    filled: Filled


class Link(NamedTuple):
    """A word of the navigation, and where it leads."""

    path: str
    word: str


class Visit:
    """One request for a page."""

    def __init__(self, service: "Service", request: Request, links: tuple[Link, ...] = ()) -> None:
        """Take the request, and what the navigation leads to."""
        self.service = service
        self.request = request
        self.links = links
        self.session = BrowserSession(request)
        self.caller: Caller | None = None
        self.filled: Filled = []
        """What was filled into a form."""
        self.failed: Failed | None = None

    async def enter(self) -> None:
        """See who it is; refuse whom nobody knows."""
        desk = self.service.desk
        if not desk.requires_tokens:
            self.caller = OWNER
            return
        if not SECRET.fullmatch(self.session.value):
            raise AccessDeniedError("a token is needed", authenticated=False, hint="log in with one")
        try:
            self.caller = await self.service.run_in_thread(desk.authenticate, self.session.value)
        except AccessDeniedError:
            self.session.begin()  # what allows nothing any more is not worth keeping
            raise
        self.request.scope["howsure.caller"] = self.caller.id

    @property
    def known(self) -> Caller:
        """Who it is."""
        if self.caller is None:
            raise AccessDeniedError("a token is needed", authenticated=False, hint="log in with one")
        return self.caller

    @property
    def now(self) -> float:
        """The moment, by the store's clock."""
        return self.service.desk.sure.session.at(None)

    @property
    def partial(self) -> bool:
        """Whether a part of the page is asked for, by a script of ours that puts it in its place."""
        headers = self.request.headers
        return "hx-request" in headers and "hx-history-restore-request" not in headers

    @property
    def from_elsewhere(self) -> bool:
        """Whether a link on another site leads here: that brings no cookie, so nobody knows yet who comes."""
        foreign = self.request.headers.get("sec-fetch-site") == "cross-site"
        return foreign and self.session.fresh and self.request.method == "GET"

    def may(self, name: str) -> bool:
        """Say whether whoever looks may do an operation."""
        return SCOPES.index(self.known.scope) >= SCOPES.index(operation(name).scope)

    async def do(self, name: str, data: Mapping[str, Any] | None = None, key: str | None = None) -> Any:
        """Do an operation, as the API does it: for those who may, as often as they may, in their name."""
        asked = operation(name)
        self.service.desk.authorize(self.known, asked)
        return (await self.service.run(self.known, asked, dict(data or {}), key)).result

    async def look(self, read: Callable[["Sure"], T]) -> T:
        """Read something that no operation tells, like a chart, from the store as the caller sees it."""
        check_scope(self.known, "read")
        found: T = await self.service.run_in_thread(read, self.service.desk.store_as(self.known))
        return found

    def shown(self, template: str, status: int = 200, **given: Any) -> Response:
        """Return a page."""
        content = render(template, visit=self, now=self.now, done=DONE.get(self._done(), ""), **given)
        return HTMLResponse(content, status, HEADERS)

    def _done(self) -> str:
        return first(self.request.query_params.multi_items(), "done")

    def wrong(self, name: str, field: str = "") -> str:
        """Return what is wrong with a field of a form that could not be done; with all of it, if none is named."""
        if self.failed is None or self.failed.operation != name:
            return ""
        error = self.failed.error
        its = error.field.partition("[")[0]
        seen = its in {filled for filled, _ in self.failed.filled}
        if (its if seen else "") != field:
            return ""
        where = "" if seen or not error.field else f"{error.field}: "
        return f"{where}{error.problem}" + (f" ({error.hint})" if error.hint else "")

    def again(self, name: str, field: str, default: Any = "") -> str:
        """Return what a field of a form is filled with: what it was, where it could not be done."""
        if self.failed is None or self.failed.operation != name:
            return str(default)
        return first(self.failed.filled, field)

    def away(self, path: str, done: str = "") -> Response:
        """Lead somewhere else, where it is said what was done."""
        place = URL(path)
        return RedirectResponse(str(place.include_query_params(done=done) if done else place), 303)
