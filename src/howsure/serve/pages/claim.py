"""One claim: how sure, why, since when, and what can be done about it."""

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from howsure.claims.tiers import TIERS
from howsure.errors import InputError
from howsure.formulas import catalog
from howsure.serve.pages.action import Action
from howsure.serve.pages.page import Page
from howsure.serve.pages.visit import Visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from howsure.charts import Chart
    from howsure.sure import Sure

PATH = "/claims/{id}"
MOST = 200
"""Sources, relations and events that are shown."""


async def claim(visit: Visit) -> Response:
    """Show a claim."""
    id_ = visit.request.path_params["id"]
    why, history = await asyncio.gather(
        visit.do("claims.explain", {"id": id_}), visit.do("claims.history", {"id": id_})
    )
    charts = await asyncio.gather(
        visit.look(lambda sure: sure.charts.formulas(id_)),
        visit.look(lambda sure: sure.charts.relations(id_)),
        visit.look(lambda sure: sure.charts.life(id_)),
        *(visit.look(_waterfall(id_, name)) for name in catalog.formulas()),
    )
    place = TIERS.index(why["tier"])
    return visit.shown(
        "claim.html",
        why=why,
        events=history["events"][::-1],
        most=MOST,
        formulas=charts[0],
        relations=charts[1],
        life=charts[2],
        waterfalls=list(zip(catalog.formulas(), charts[3:], strict=True)),
        above=TIERS[place + 1 :],
        below=TIERS[:place],
        held=why["status"] in ("active", "challenged"),
        stale=why["stale_at"] is not None and why["stale_at"] < visit.now,
    )


def _waterfall(id_: str, formula: str) -> "Callable[[Sure], Chart]":
    """Return what draws how the interval comes about by one formula."""
    return lambda sure: sure.charts.waterfall(id_, formula)


async def _same(visit: Visit, data: dict[str, Any]) -> dict[str, Any]:
    """Fill in what a claim says, so that a source which says the same corroborates it."""
    found = await visit.do("claims.get", {"id": visit.request.path_params["id"]})
    names = ("statement", "subject", "predicate", "object", "namespace")
    return data | {name: found[name] for name in names if found[name] is not None}


async def _source(visit: Visit, data: dict[str, Any]) -> dict[str, Any]:
    """Name a source as the claim does: browsers change the ends of lines."""
    why = await visit.do("claims.explain", {"id": visit.request.path_params["id"]})
    named = ("source_type", "source_id")
    for one in why["provenance"]:
        if all(one[name].splitlines() == str(data.get(name, "")).splitlines() for name in named):
            return data | {name: one[name] for name in named}
    raise InputError("this claim does not rest on it", field="source_id")


def _moved(answer: dict[str, Any]) -> str:
    return "promoted" if answer["answer"] == "promoted" else f"promotion-{answer['answer']}"


def _resolved(answer: dict[str, Any]) -> str:
    return "given-up" if answer["status"] == "deprecated" else "upheld"


def _action(verb: str, done: Any, **more: Any) -> Action:
    return Action(f"{PATH}/{verb}", f"claims.{verb}", PATH, claim, done, **more)


ACTIONS = (
    Action(f"{PATH}/corroborate", "claims.add", PATH, claim, "corroborated", more=_same),
    _action("challenge", "challenged"),
    _action("resolve", _resolved),
    _action("promote", _moved),
    _action("demote", "demoted"),
    _action("relate", "related"),
    _action("supersede", "superseded", asks=True),
    _action("forget", "forgotten", asks=True),
    _action("purge", "purged", asks=True, after="/claims"),
    Action(f"{PATH}/invalidate", "claims.invalidate_source", PATH, claim, "invalidated", asks=True, more=_source),
    Action(f"{PATH}/restore", "claims.restore_source", PATH, claim, "restored", more=_source),
)
"""What can be done with a claim."""

PAGES = (Page(PATH, claim), *(action.page() for action in ACTIONS))
