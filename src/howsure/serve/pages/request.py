"""One request for a page: the caller, what they may do, and how a page is rendered for them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from howsure.errors import HowsureError
from howsure.serve.desk import Caller, check_scope
from howsure.serve.errors import AccessDeniedError
from howsure.serve.operations import operation
from howsure.serve.pages import exports
from howsure.serve.pages.cookies import BrowserSession
from howsure.serve.pages.exports import Export, parse_export
from howsure.serve.pages.forms import FormFields, first
from howsure.serve.pages.templates import HEADERS, MESSAGES, render
from howsure.serve.pools import Pool
from howsure.serve.root_path import add_root_path
from howsure.serve.tokens import SCOPES, SECRET

if TYPE_CHECKING:
    from howsure.serve.http import Service
    from howsure.sure import Sure

T = TypeVar("T")
SHORT = ("error.html", "login.html", "reload.html")
"""Templates of pages that show nothing of the store."""


class FormError(NamedTuple):
    """A form that failed; it is shown again with its fields and the error."""

    operation: str
    error: HowsureError
    fields: FormFields


class NavLink(NamedTuple):
    """An entry of the navigation."""

    path: str
    title: str


class RenderedPage(Response):
    """A page that is rendered in a thread when it is sent: a long one takes 100 ms, too long for the event loop."""

    media_type = "text/html"

    def __init__(self, pool: Pool, content: Callable[[], str], status: int, seconds: float) -> None:
        """Send what `content` returns, within some seconds."""
        super().__init__(None, status, HEADERS)
        self._pool = pool
        self._content = content
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Render the page and send it."""
        content = await self._pool.run(self._content, seconds=self._seconds, cancel=False)
        self.body = content.encode()
        self.headers["content-length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


class PageRequest:
    """One request for a page."""

    def __init__(self, service: "Service", http: Request, links: tuple[NavLink, ...] = ()) -> None:
        """Wrap an HTTP request; `links` are the navigation."""
        self.service = service
        self.http = http
        self.links = links
        self.session: BrowserSession = BrowserSession(http)
        self.caller: Caller | None = None
        self.form: FormFields = []
        """The fields of a submitted form."""
        self.form_error: FormError | None = None

    async def authenticate(self) -> None:
        """Set the caller by the session cookie.

        Raises:
            AccessDeniedError: if a token is required and the cookie holds no valid one.
        """
        desk = self.service.desk
        if not desk.requires_tokens:
            self.caller = desk.owner
            return
        if not SECRET.fullmatch(self.session.value):
            raise AccessDeniedError("a token is required", authenticated=False, hint="log in with one")
        try:
            self.caller = await self.service.check_token(self.session.value)
        except AccessDeniedError:
            self.session.begin()  # replace the cookie, whose token is no longer valid
            raise
        self.http.scope["howsure.caller"] = self.caller.id

    @property
    def known_caller(self) -> Caller:
        """The caller.

        Raises:
            AccessDeniedError: if nobody is logged in.
        """
        if self.caller is None:
            raise AccessDeniedError("a token is required", authenticated=False, hint="log in with one")
        return self.caller

    @property
    def now(self) -> float:
        """The current time by the store's clock."""
        return self.service.desk.sure.session.at(None)

    @property
    def is_partial(self) -> bool:
        """Whether htmx asks for a part of the page."""
        headers = self.http.headers
        return "hx-request" in headers and "hx-history-restore-request" not in headers

    @property
    def is_cross_site_link(self) -> bool:
        """Whether the user followed a link on another site. Browsers send no strict cookie then, even if logged in."""
        cross_site = self.http.headers.get("sec-fetch-site") == "cross-site"
        return cross_site and self.session.is_new and self.http.method == "GET"

    @property
    def is_export(self) -> bool:
        """Whether the address asks for a file instead of a page."""
        return bool(self.http.query_params.get(exports.FIELD))

    def export(self, *names: str) -> Export | None:
        """Return the export that the address asks for, or None.

        Raises:
            InputError: if it is none of these names with `.csv` or `.json`.
        """
        return parse_export(self.http.query_params.get(exports.FIELD, ""), names)

    def export_url(self, name: str, form: str) -> str:
        """Return the address of what this page shows as a file."""
        url = self.http.url.remove_query_params(["cursor", "done"]).include_query_params(export=f"{name}.{form}")
        return f"{url.path}?{url.query}"

    def may(self, name: str) -> bool:
        """Return whether the caller's scope allows an operation."""
        return SCOPES.index(self.known_caller.scope) >= SCOPES.index(operation(name).scope)

    async def run(self, name: str, arguments: Mapping[str, Any] | None = None, key: str | None = None) -> Any:
        """Run an operation as the API does: authorized, rate-limited and as this caller; return its JSON result."""
        chosen = operation(name)
        self.service.desk.authorize(self.known_caller, chosen)
        return (await self.service.run(self.known_caller, chosen, dict(arguments or {}), key, page=True)).result

    async def read(self, function: Callable[["Sure"], T]) -> T:
        """Call a function with the store in a thread, for what no operation returns, such as charts."""
        check_scope(self.known_caller, "read")
        store = self.service.desk.store_as(self.known_caller)
        return await self.service.pages.run(function, store, seconds=self.service.capacity.timeout, cancel=True)

    def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page from a template."""
        code = first(self.http.query_params.multi_items(), "done")
        now, message = self.now, MESSAGES.get(code, "")

        def content() -> str:
            text = render(template, request=self, now=now, message=message, **values)
            return add_root_path(text, self.service.root_path)

        # Errors are short, and must not wait for the pages that cause them.
        pool = self.service.health if template in SHORT else self.service.pages
        return RenderedPage(pool, content, status, self.service.capacity.timeout)

    def field_error(self, name: str, field: str = "") -> str:
        """Return the error of one field of a form that failed; without `field`, the error of the form as a whole."""
        if self.form_error is None or self.form_error.operation != name:
            return ""
        error = self.form_error.error
        wrong_field = error.field.partition("[")[0]
        in_form = wrong_field in {filled for filled, _ in self.form_error.fields}
        if (wrong_field if in_form else "") != field:
            return ""
        prefix = "" if in_form or not error.field else f"{error.field}: "
        return f"{prefix}{error.problem}" + (f" ({error.hint})" if error.hint else "")

    def field_value(self, name: str, field: str, default: Any = "") -> str:
        """Return what to fill into a field of a form: what the user typed if the form failed, else the default."""
        if self.form_error is None or self.form_error.operation != name:
            return str(default)
        return first(self.form_error.fields, field)

    def redirect(self, path: str, message: str = "") -> Response:
        """Redirect to a path; `message` is a code of MESSAGES to show there."""
        url = URL(path)
        return RedirectResponse(str(url.include_query_params(done=message) if message else url), 303)
