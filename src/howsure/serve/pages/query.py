"""The query of a page: filters by the API's names, and what is wrong with them."""

from inspect import iscoroutinefunction
from typing import Any

from starlette.responses import Response

from howsure.errors import InputError
from howsure.serve.operations import operation
from howsure.serve.pages.exports import MAX_EXPORTED
from howsure.serve.pages.forms import PAGE_FIELDS, FormFields, error_message, first, form_arguments, page_url
from howsure.serve.pages.request import PageRequest
from howsure.serve.pages.templates import format_time
from howsure.shapes import DAY

PERIODS = (
    (0, "Today"),
    (7, "The last 7 days"),
    (30, "The last 30 days"),
    (90, "The last 90 days"),
    (365, "The last year"),
)
"""Number of days, and the name of that period."""
MAX_ROWS = 100
"""Rows of a list on one page, however many are asked for."""
DECISIONS = 20
"""Rows of a list of decisions, unless another number is asked for."""


class PageQuery:
    """The filters in the address of a page: decoded as arguments of an operation, and shown again in the form."""

    def __init__(
        self,
        request: PageRequest,
        name: str,
        fields: tuple[str, ...],
        days: int | None = None,
        empty: tuple[str, ...] = (),
    ) -> None:
        """Read the query of a request.

        Args:
            request: The request.
            name: The operation whose parameters the query holds.
            fields: The fields of the form.
            days: The period that the page shows by default.
            empty: Fields that mean something when they are empty, like an agent without a name.
        """
        self._request = request
        self._operation = operation(name)
        self._form_fields = fields
        self._days = days
        self._empty = empty
        self.fields: FormFields = [
            pair for pair in request.http.query_params.multi_items() if pair[0] not in PAGE_FIELDS
        ]
        self.errors: dict[str, str] = {}
        """What is wrong, by field of the form; under the empty string what belongs to none."""
        self.arguments: dict[str, Any] = {}
        try:
            self.arguments = form_arguments(self.fields, self._operation)
            self._operation.decode(self.arguments)
        except InputError as error:
            self.add_error(error)

    @property
    def status(self) -> int:
        """The HTTP status of the page."""
        return 400 if self.errors else 200

    def text(self, name: str) -> str:
        """Return the text of a field."""
        return first(self.fields, name)

    def add_error(self, error: InputError) -> None:
        """Show an error beside its field."""
        field, message = error_message(error, self._form_fields)
        self.errors[field] = message

    async def run_or(self, name: str, arguments: dict[str, Any], default: Any) -> Any:
        """Run an operation; return the default if the query is wrong or the operation finds it so."""
        if self.errors:
            return default
        try:
            return await self._request.run(name, arguments)
        except InputError as error:
            self.add_error(error)
            return default

    def only(self, *names: str) -> dict[str, Any]:
        """Return some of the arguments."""
        return {name: self.arguments[name] for name in names if name in self.arguments}

    def limit(self, default: int, maximum: int) -> Any:
        """Return the number of rows; what is not a number is returned as it is, for decoding to report."""
        limit = self.arguments.get("limit", default)
        return min(limit, maximum) if isinstance(limit, int) else limit

    def since(self) -> dict[str, Any]:
        """Return the argument `since`: as given, or by the default period."""
        if "since" in self.arguments or self._days is None:
            return self.only("since")
        return {"since": _days_ago(self._request.now, self._days)}

    def periods(self) -> list[tuple[str, str]]:
        """Return the choices of the field for the time: value and name."""
        default = dict(PERIODS)[self._days] if self._days is not None else "At any time"
        options = [("", default)] + [
            (f"{_days_ago(self._request.now, days):.0f}", name) for days, name in PERIODS if days != self._days
        ]
        chosen = self.text("since")
        if chosen and chosen not in {value for value, _ in options}:
            at = self.arguments.get("since")
            options.append((chosen, f"Since {format_time(at)}" if isinstance(at, int | float) else chosen[:40]))
        return options

    def url(self, path: str, **more: Any) -> str:
        """Return the address of a page with all arguments but the cursor, and more."""
        kept = {name: value for name, value in self.arguments.items() if name not in ("cursor", *more)}
        url = page_url(path, kept | more, self._operation)
        for name, text in self.fields:
            if name in self._empty and not text.strip() and name not in more:
                url += f"{'&' if '?' in url else '?'}{name}="
        return url

    @property
    def has_empty_fields(self) -> bool:
        """Whether the address has empty fields, as a submitted form does: redirect to the shorter address."""
        if self.errors or self._request.is_export:
            return False
        return any(not text.strip() and name not in self._empty for name, text in self.fields)


def _days_ago(now: float, days: int) -> float:
    """Return the start of a day, so that addresses stay the same all day."""
    return now - now % DAY - days * DAY


async def show_decisions(request: PageRequest, model: str, path: str, **context: Any) -> Response:
    """Show the decisions of a model as a page with filters, or only further rows of it.

    Args:
        request: The request.
        model: The model that decided.
        path: The path of the page. Its templates have the same name: `NAME.html` and `NAME_rows.html`.
        context: What the template of the whole page needs besides; an async function is called only for that.
    """
    query = PageQuery(request, "ledger.find", ("agent", "project", "decision", "since"))
    if query.has_empty_fields:
        return request.redirect(query.url(path))
    arguments = query.arguments | {"model": model, "limit": query.limit(DECISIONS, MAX_ROWS)}
    export = request.export(path.strip("/"))
    if export:
        arguments["limit"] = MAX_EXPORTED
    page = await query.run_or("ledger.find", arguments, {"decisions": [], "cursor": None})
    if export and not query.errors:
        return export.respond(page["decisions"])
    more = query.url(path, cursor=page["cursor"]) if page["cursor"] else ""
    name, first_page = path.strip("/"), "cursor" not in query.arguments
    if request.is_partial and not first_page:
        return request.render(f"{name}_rows.html", query.status, page=page, more=more)
    loaded = {key: await value() if iscoroutinefunction(value) else value for key, value in context.items()}
    filtered = bool(query.fields)
    return request.render(
        f"{name}.html", query.status, query=query, page=page, more=more, first=first_page, filtered=filtered, **loaded
    )
