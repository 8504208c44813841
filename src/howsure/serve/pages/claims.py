"""The claims explorer: everything that `claims.find` can look for, in the address by the API's own names."""

from typing import Any

from starlette.responses import Response

from howsure.errors import InputError
from howsure.formulas import catalog
from howsure.serve.operations.table import operation
from howsure.serve.pages.forms import Filled, address, choices, first, given
from howsure.serve.pages.page import Page
from howsure.serve.pages.visit import Visit

PATH = "/claims"
FIND = operation("claims.find")
FIELDS = (
    *("text", "namespace", "subject", "predicate", "object"),
    *("min_lower", "max_lower", "min_upper", "max_upper", "min_width", "max_width"),
    *("tiers", "statuses", "wide", "unverified", "stale", "outside_validity"),
    *("formula", "order", "ascending", "limit"),
)
"""What has a field in the form; the rest can stand in the address, too."""
BASIC = frozenset({"text", "namespace", "tiers", "statuses", "min_lower", "max_lower", "wide", "unverified", "stale"})
"""What is seen at once; the rest lies folded."""


async def claims(visit: Visit) -> Response:
    """Show the claims that are looked for."""
    asked = [(name, text) for name, text in visit.request.query_params.multi_items() if name != "done"]
    status, plain = 200, PATH
    page: dict[str, Any] = {"claims": [], "cursor": None}
    data: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    try:
        data = given(asked, FIND)
        plain = address(PATH, data, FIND)
        if len(data) and not visit.partial and any(not text.strip() for _, text in asked):
            return visit.away(plain)
        page = await visit.do("claims.find", data)
    except InputError as error:
        status = 400
        known = error.field.partition("[")[0] in FIELDS
        wrong = {error.field.partition("[")[0] if known else "": _said(error, known=known)}
    selected = {name: value for name, value in data.items() if name != "cursor"}
    response = visit.shown(
        "claims_found.html" if visit.partial else "claims.html",
        status,
        page=page,
        more=address(PATH, data | {"cursor": page["cursor"]}, FIND) if page["cursor"] else "",
        first="cursor" not in data,
        start=address(PATH, selected, FIND),
        wrong=wrong,
        asked=_Asked(asked),
        others=[(name, text) for name, text in asked if name not in FIELDS and text.strip()],
        unfolded=any(name in FIELDS and name not in BASIC for name in data) or bool(wrong.keys() - BASIC),
        filtered=bool(selected),
        fields=FIELDS,
        orders=choices(FIND, "order"),
        tiers=choices(FIND, "tiers"),
        statuses=choices(FIND, "statuses"),
        formulas=catalog.formulas(),
    )
    if visit.partial and "cursor" not in data:
        response.headers["HX-Push-Url"] = plain if status == 200 else "false"  # noqa: PLR2004
    return response


def _said(error: InputError, *, known: bool) -> str:
    where = f"{error.field}: " if error.field and not known else ""
    return f"{where}{error.problem}" + (f" ({error.hint})" if error.hint else "")


class _Asked:
    """What was asked for, as the form shows it again, right or wrong."""

    def __init__(self, asked: Filled) -> None:
        self._asked = asked

    def text(self, name: str) -> str:
        """Return what a field was filled with."""
        return first(self._asked, name)

    def has(self, name: str, value: str) -> bool:
        """Say whether one of several boxes is ticked; where none is, those are that go without saying."""
        found = [text for other, text in self._asked if other == name and text]
        default: list[str] = FIND.input_schema["properties"][name].get("default") or []
        return value in (found or default)


PAGES = (Page(PATH, claims, nav="Claims"),)
