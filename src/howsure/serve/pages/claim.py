"""The page of one claim: its interval, why it has it, its history, and actions."""

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from howsure.claims.explain import VERIFY_TODAY
from howsure.claims.tiers import TIERS
from howsure.errors import InputError, shown
from howsure.formulas import catalog
from howsure.serve.pages.action import Action
from howsure.serve.pages.claims import added_message, find_candidates
from howsure.serve.pages.forms import first
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from howsure.charts import Chart
    from howsure.sure import Sure

PATH = "/claims/{claim}"
MAX_ROWS = 200
"""Rows of each table."""


async def claim(request: PageRequest) -> Response:
    """Show a claim."""
    id_ = request.http.path_params["claim"]
    why, history, compared = await asyncio.gather(
        *(request.run(f"claims.{name}", {"claim": id_}) for name in ("explain", "history", "compare"))
    )
    charts = await asyncio.gather(
        request.read(lambda sure: sure.charts.formulas(id_)),
        request.read(lambda sure: sure.charts.relations(id_)),
        request.read(lambda sure: sure.charts.life(id_)),
        *(request.read(_waterfall(id_, name)) for name in catalog.formulas()),
    )
    about = why["claim"]
    words = first(request.form_error.fields, "find") if request.form_error else ""
    tier = TIERS.index(about["tier"])
    return request.render(
        "claim.html",
        why=why,
        claim=about,
        events=history["result"][::-1],
        compared=compared,
        max_rows=MAX_ROWS,
        formulas=charts[0],
        relations=charts[1],
        life=charts[2],
        waterfalls=list(zip(catalog.formulas(), charts[3:], strict=True)),
        candidates=await find_candidates(request, words, about["id"]),
        higher_tiers=TIERS[tier + 1 :],
        lower_tiers=TIERS[:tier],
        verify_today=VERIFY_TODAY,
        in_use=about["status"] in ("active", "challenged"),
        stale=about["stale_at"] is not None and about["stale_at"] < request.now,
    )


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
