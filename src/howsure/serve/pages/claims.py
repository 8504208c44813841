"""The list of claims, with all filters of `claims.find` in the address."""

import re
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from howsure.errors import InputError, MissingExtraError
from howsure.formulas import catalog
from howsure.serve.operations import operation
from howsure.serve.pages.action import Action
from howsure.serve.pages.exports import MAX_EXPORTED
from howsure.serve.pages.forms import PAGE_FIELDS, FormFields, choices, error_message, first, form_arguments, page_url
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest

PATH, NEW, PICK = "/claims", "/claims/new", "/claims/pick"
CANDIDATES = 6
"""Claims to choose from in a picker."""
PICKED_FIELDS = ("target", "by")
"""Fields of forms that hold the id of another claim."""
ID = re.compile(r"c[0-9a-f]+")
FIND = operation("claims.find")
FIELDS = (
    *("text", "meaning", "namespace", "subject", "predicate", "object"),
    *("min_lower", "max_lower", "min_upper", "max_upper", "min_width", "max_width"),
    *("tiers", "statuses", "wide", "unverified", "stale", "outside_validity"),
    *("formula", "order", "ascending", "limit"),
)
"""Parameters with a field in the form; others can be given in the address."""
BASIC = frozenset(
    {"text", "meaning", "namespace", "tiers", "statuses", "min_lower", "max_lower", "wide", "unverified", "stale"}
)
"""Fields that are always shown; the others are folded."""


async def claims(request: PageRequest) -> Response:
    """Show the claims that match the filters."""
    fields = [pair for pair in request.http.query_params.multi_items() if pair[0] not in PAGE_FIELDS]
    status, url = 200, PATH
    page: dict[str, Any] = {"claims": [], "cursor": None}
    arguments: dict[str, Any] = {}
    errors: dict[str, str] = {}
    try:
        arguments = form_arguments(fields, FIND)
        if "text" not in arguments:  # a search by meaning needs a text: ticked before one is typed, it waits
            arguments.pop("meaning", None)
        url = page_url(PATH, arguments, FIND)
        if (
            len(arguments)
            and not (request.is_partial or request.is_export)
            and any(not text.strip() for _, text in fields)
        ):
            return request.redirect(url)
        export = request.export("claims")
        page = await request.run("claims.find", arguments | ({"limit": MAX_EXPORTED} if export else {}))
        if export:
            return export.respond(page["claims"])
    except InputError as error:
        status = 400
        errors = dict([error_message(error, FIELDS)])
    except MissingExtraError as error:
        status, errors = 501, {"meaning": str(error)}
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


async def new_claim(request: PageRequest) -> Response:
    """Show the form that adds a claim."""
    return request.render("new_claim.html", tiers=choices(operation("claims.add"), "tier"))


async def pick(request: PageRequest) -> Response:
    """Show the claims that match the words in a picker, as choices of one field of a form."""
    query = request.http.query_params
    found = await find_candidates(request, query.get("find", ""), query.get("not", ""))
    name = query.get("field", "")
    field = name if name in PICKED_FIELDS else PICKED_FIELDS[0]
    return request.render("claim_choices.html", candidates=found, field=field, words=query.get("find", "").strip())


async def find_candidates(request: PageRequest, words: str, other_than: str) -> list[dict[str, Any]]:
    """Return the claims that an id or words in a picker mean; none for an empty text."""
    words = words.strip()
    if not words:
        return []
    if ID.fullmatch(words):
        try:
            return [await request.run("claims.get", {"claim": words})]
        except InputError:
            pass  # words may look like the start of an id
    try:
        page = await request.run("claims.find", {"text": words, "limit": CANDIDATES + 1})
    except InputError:
        return []
    return [one for one in page["claims"] if one["id"] != other_than][:CANDIDATES]


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


def added_message(code: str) -> Callable[[dict[str, Any]], str]:
    """Return a function that chooses the message after a claim was added, by what contradicts it."""

    def message(result: dict[str, Any]) -> str:
        if result["conflicts"]:
            return f"{code}-contradicted"
        return f"{code}-similar" if result["similar"] else code

    return message


ACTIONS = (
    Action(
        NEW,
        "claims.add",
        PATH,
        new_claim,
        added_message("claim-added"),
        after=lambda result: f"{PATH}/{result['id']}",
    ),
)
"""The form that adds a claim."""

PAGES = (
    Page(PATH, claims, nav="Claims"),
    Page(NEW, new_claim, ACTIONS[0].submit),
    Page(PICK, pick),
)
