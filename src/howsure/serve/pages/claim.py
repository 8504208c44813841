"""The page of one claim: its interval, why it has it, its history, and actions."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

from howsure.claims.explain import VERIFY_TODAY, explain
from howsure.errors import InputError, shown
from howsure.formulas import catalog
from howsure.formulas.claim import IN_USE
from howsure.formulas.decay import TIERS
from howsure.serve.operations import operation
from howsure.serve.pages.action import Action
from howsure.serve.pages.claims import added_message, find_candidates
from howsure.serve.pages.forms import first
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest
from howsure.serve.pools import gather_all
from howsure.shapes.encode import encode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from howsure.charts import Chart
    from howsure.sure import Sure

PATH = "/claims/{claim}"
MAX_ROWS = 200
"""Rows of each table."""
MAX_DRAWN = 30
"""Claims in the chart of relations."""
MANY_RELATIONS = 500
"""Relations from which on the charts that read all of them many times are drawn on request only."""


class ClaimView(NamedTuple):
    """What the page shows of a claim."""

    why: dict[str, Any]
    """Its explanation, with one page of the claims that support or contradict it."""
    related: int
    """How many claims support or contradict it."""
    sources: int
    """How many sources it has."""
    events: list[dict[str, Any]]
    """Its last changes, newest first."""
    changes: int
    """How many changes it has."""
    waterfall: "Chart"
    """How the store's formula computes the interval."""
    relations: "Chart"
    """The claims around it."""


def _read_view(sure: "Sure", id_: str, page: int) -> ClaimView:
    """Read a claim once; a claim may have 10,000 relations, of which only one page is shown."""
    from howsure.charts.relations import relations_chart
    from howsure.charts.waterfall import waterfall_chart
    from howsure.claims.neighbourhood import neighbourhood

    start = (page - 1) * MAX_ROWS
    options = sure.session.read_options()
    explained, history = explain(sure.session, id_, options, slice(start, start + MAX_ROWS)), sure.claims.history(id_)
    shown = replace(
        explained,
        sources=explained.sources[:MAX_ROWS],
        constituents=explained.constituents[: MAX_ROWS + 1],
    )
    return ClaimView(
        why=encode(shown),
        related=len(explained.evidence.supported_by) + len(explained.evidence.contradicted_by),
        sources=len(explained.sources),
        events=[encode(event) for event in history[: -MAX_ROWS - 1 : -1]],
        changes=len(history),
        waterfall=waterfall_chart(explained, sure.session.formula),
        relations=relations_chart(neighbourhood(sure.session, explained.claim, options, 1, MAX_DRAWN)),
    )


async def claim(request: PageRequest) -> Response:
    """Show a claim."""
    id_ = request.http.path_params["claim"]
    page = _page_number(request)
    request.service.desk.authorize(request.known_caller, operation("claims.explain"))
    view, compared = await gather_all(
        request.read(lambda sure: _read_view(sure, id_, page)), request.run("claims.compare", {"claim": id_})
    )
    own = request.service.desk.sure.session.formula.name
    formulas = life = None
    waterfalls = [(own, view.waterfall)]
    if view.related <= MANY_RELATIONS or request.http.query_params.get("charts") == "all":
        others = [name for name in catalog.formulas() if name != own]
        formulas, life, *drawn = await gather_all(
            request.read(lambda sure: sure.charts.formulas(id_)),
            request.read(lambda sure: sure.charts.life(id_)),
            *(request.read(_waterfall(id_, name)) for name in others),
        )
        waterfalls = sorted(
            [*waterfalls, *zip(others, drawn, strict=True)], key=lambda pair: catalog.formulas().index(pair[0])
        )
    about = view.why["claim"]
    words = first(request.form_error.fields, "find") if request.form_error else ""
    tier = TIERS.index(about["tier"])
    return request.render(
        "claim.html",
        why=view.why,
        view=view,
        page=page,
        claim=about,
        compared=compared,
        max_rows=MAX_ROWS,
        formulas=formulas,
        relations=view.relations,
        life=life,
        waterfalls=waterfalls,
        candidates=await find_candidates(request, words, about["id"]),
        higher_tiers=TIERS[tier + 1 :],
        lower_tiers=TIERS[:tier],
        verify_today=VERIFY_TODAY,
        in_use=about["status"] in IN_USE,
        stale=about["stale_at"] is not None and about["stale_at"] < request.now,
    )


def _page_number(request: PageRequest) -> int:
    """Return the page of the list of relations; 1 unless the address has a valid one."""
    text = request.http.query_params.get("relations", "")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) <= 6 else 1  # noqa: PLR2004


def _waterfall(id_: str, formula: str) -> "Callable[[Sure], Chart]":
    """Return a function that draws how one formula computes the interval."""
    return lambda sure: sure.charts.waterfall(id_, formula)


async def _complete_statement(request: PageRequest, arguments: dict[str, Any]) -> dict[str, Any]:
    """Add the statement of the claim, so that the new source corroborates it."""
    claim = await request.run("claims.get", {"claim": request.http.path_params["claim"]})
    names = ("statement", "subject", "predicate", "object", "namespace")
    return arguments | {name: claim[name] for name in names if claim[name] is not None}


def _complete_picked(field: str) -> "Callable[[PageRequest, dict[str, Any]], Awaitable[dict[str, Any]]]":
    """Return a function that adds the claim which the words in a picker mean, unless one was chosen."""

    async def complete(request: PageRequest, arguments: dict[str, Any]) -> dict[str, Any]:
        if field in arguments:
            return arguments
        words = first(request.form, "find")
        if not words.strip():
            raise InputError("no claim is chosen", field="find", hint="type some of its words, or its id")
        found = await find_candidates(request, words, request.http.path_params["claim"])
        if len(found) == 1:
            return arguments | {field: found[0]["id"]}
        if not found:
            raise InputError(f"unknown claim {shown(words)}", field="find", hint="type some of its words, or its id")
        raise InputError("several claims match", field="find", hint="choose one")

    return complete


async def _complete_source(request: PageRequest, arguments: dict[str, Any]) -> dict[str, Any]:
    """Spell the source as the claim does: browsers change line breaks in form fields."""
    why = await request.run("claims.explain", {"claim": request.http.path_params["claim"]})
    names = ("source_type", "source_id")
    for one in why["sources"]:
        if all(one[name].splitlines() == str(arguments.get(name, "")).splitlines() for name in names):
            return arguments | {name: one[name] for name in names}
    raise InputError("this claim does not have this source", field="source_id")


def _promotion_message(result: dict[str, Any]) -> str:
    return "promoted" if result["outcome"] == "promoted" else f"promotion-{result['outcome']}"


def _resolution_message(result: dict[str, Any]) -> str:
    return "deprecated" if result["status"] == "deprecated" else "upheld"


def _action(verb: str, message: Any, **more: Any) -> Action:
    return Action(f"{PATH}/{verb}", f"claims.{verb}", PATH, claim, message, **more)


ACTIONS = (
    Action(
        f"{PATH}/corroborate",
        "claims.add",
        PATH,
        claim,
        added_message("corroborated"),
        complete=_complete_statement,
    ),
    _action("verify", "verified"),
    _action("refute", "refuted", confirm=True),
    _action("challenge", "challenged"),
    _action("resolve", _resolution_message),
    _action("promote", _promotion_message),
    _action("demote", "demoted"),
    _action("relate", "related", complete=_complete_picked("target")),
    _action("supersede", "superseded", confirm=True, complete=_complete_picked("by")),
    _action("forget", "forgotten", confirm=True),
    _action("purge", "purged", confirm=True, after="/claims"),
    Action(
        f"{PATH}/invalidate",
        "claims.invalidate_source",
        PATH,
        claim,
        "invalidated",
        confirm=True,
        complete=_complete_source,
    ),
    Action(f"{PATH}/restore", "claims.restore_source", PATH, claim, "restored", complete=_complete_source),
)
"""The forms of the page."""

PAGES = (Page(PATH, claim), *(action.page() for action in ACTIONS))
