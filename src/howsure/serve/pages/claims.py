"""The list of claims, with all filters of `claims.find` in the address."""

from typing import Any

from starlette.responses import Response

from howsure.errors import InputError
from howsure.formulas import catalog
from howsure.serve.operations import operation
from howsure.serve.pages.forms import FormFields, choices, error_message, first, form_arguments, page_url
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest

PATH = "/claims"
FIND = operation("claims.find")
FIELDS = (
    *("text", "namespace", "subject", "predicate", "object"),
    *("min_lower", "max_lower", "min_upper", "max_upper", "min_width", "max_width"),
    *("tiers", "statuses", "wide", "unverified", "stale", "outside_validity"),
    *("formula", "order", "ascending", "limit"),
)
"""Parameters with a field in the form; others can be given in the address."""
BASIC = frozenset({"text", "namespace", "tiers", "statuses", "min_lower", "max_lower", "wide", "unverified", "stale"})
"""Fields that are always shown; the others are folded."""


async def claims(request: PageRequest) -> Response:
    """Show the claims that match the filters."""
    fields = [pair for pair in request.http.query_params.multi_items() if pair[0] != "done"]
    status, url = 200, PATH
    page: dict[str, Any] = {"claims": [], "cursor": None}
    arguments: dict[str, Any] = {}
    errors: dict[str, str] = {}
    try:
        arguments = form_arguments(fields, FIND)
        url = page_url(PATH, arguments, FIND)
        if len(arguments) and not request.is_partial and any(not text.strip() for _, text in fields):
            return request.redirect(url)
        page = await request.run("claims.find", arguments)
    except InputError as error:
        status = 400
        errors = dict([error_message(error, FIELDS)])
    filters = {name: value for name, value in arguments.items() if name != "cursor"}
    response = request.render(
        "claims_results.html" if request.is_partial else "claims.html",
        status,
        page=page,
        more=page_url(PATH, arguments | {"cursor": page["cursor"]}, FIND) if page["cursor"] else "",
        first="cursor" not in arguments,
        start=page_url(PATH, filters, FIND),
        errors=errors,
        form=_FilterForm(fields),
        others=[(name, text) for name, text in fields if name not in FIELDS and text.strip()],
        unfolded=any(name in FIELDS and name not in BASIC for name in arguments) or bool(errors.keys() - BASIC),
        filtered=bool(filters),
        fields=FIELDS,
        orders=choices(FIND, "order"),
        tiers=choices(FIND, "tiers"),
        statuses=choices(FIND, "statuses"),
        formulas=catalog.formulas(),
    )
    if request.is_partial and "cursor" not in arguments:
        response.headers["HX-Push-Url"] = url if status == 200 else "false"  # noqa: PLR2004
    return response


class _FilterForm:
    """The filters as the user typed them, right or wrong, to fill the form again."""

    def __init__(self, fields: FormFields) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """Return the text of a field."""
        return first(self._fields, name)

    def is_checked(self, name: str, value: str) -> bool:
        """Return whether one of several checkboxes is ticked; if none is, the defaults are."""
        values = [text for other, text in self._fields if other == name and text]
        default: list[str] = FIND.input_schema["properties"][name].get("default") or []
        return value in (values or default)


PAGES = (Page(PATH, claims, nav="Claims"),)
