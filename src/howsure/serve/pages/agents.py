"""Agents: how each has done, what it was not let say, and whether that was right."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.serve.pages.page import Page
from howsure.serve.pages.query import Asking
from howsure.serve.pages.responses import answers
from howsure.serve.pages.visit import Visit

PATH, ONE = "/agents", "/agents/one"
FIELDS = ("agent_type", "project", "since", "decision")
MOST = 200
"""Agents that are listed."""
DAYS = 30
"""As far as the pages look back by themselves."""
COMMANDS = ("echo 'I think it works.' | howsure gate --agent me -", "howsure hooks install")
NOTHING: dict[str, Any] = {"all": {"total": 0}, "groups": [], "calibration": {"outcomes": 0}}


async def agents(visit: Visit) -> Response:
    """Show how agents have done."""
    asking = Asking(visit, "ledger.find", FIELDS, DAYS, ("decision",))
    if asking.untidy:
        return visit.away(asking.here(PATH))
    listed = await answers(visit, asking, PATH)
    if visit.partial and not listed["first"]:
        return visit.shown("answers_rows.html", asking.status, listed=listed)
    wanted = asking.only("agent_type", "project") | asking.since()
    found = await asking.do("stats", wanted | {"by": "agent"}, NOTHING)
    trend = await visit.look(lambda sure: sure.charts.decisions(**wanted)) if found["all"]["total"] else None
    return visit.shown(
        "agents.html",
        asking.status,
        asking=asking,
        found=found,
        trend=trend,
        listed=listed,
        filtered=bool(asking.filled),
        commands=COMMANDS,
        address=address_of,
        most=MOST,
    )


async def agent(visit: Visit) -> Response:
    """Show how one agent has done."""
    if "agent" not in visit.request.query_params:
        return visit.away(PATH)
    asking = Asking(visit, "ledger.find", ("agent", *FIELDS), DAYS, ("agent", "decision"))
    if asking.untidy:
        return visit.away(asking.here(ONE))
    name = asking.text("agent")
    listed = await answers(visit, asking, ONE, agent=name)
    if visit.partial and not listed["first"]:
        return visit.shown("answers_rows.html", asking.status, listed=listed)
    wanted = asking.only("agent_type", "project") | asking.since() | {"agent": name}
    found, types = await asyncio.gather(
        asking.do("stats", wanted, NOTHING), asking.do("stats", wanted | {"by": "agent_type"}, NOTHING)
    )
    kinds = [group["name"] for group in types["groups"]] or [asking.data.get("agent_type", "")]
    needed = [await _threshold(asking, name, kind) for kind in kinds]
    trend = await visit.look(lambda sure: sure.charts.decisions(**wanted)) if found["all"]["total"] else None
    return visit.shown(
        "agent.html",
        asking.status,
        asking=asking,
        name=name,
        found=found,
        needed=[one for one in needed if one],
        history=await asking.do("responses.history", {"agent": name}, None),
        trend=trend,
        listed=listed,
        reliability=f"/reliability?{urlencode({'agent': name})}" if name else "",
    )


async def _threshold(asking: Asking, name: str, kind: str) -> dict[str, Any]:
    """Return the threshold of an agent in one of its types, and where it is set."""
    data = {"agent": name, "agent_type": kind} | asking.only("project")
    found = await asking.do("responses.threshold", data, {})
    return {"kind": kind, **found} if found else {}


def address_of(name: str) -> str:
    """Return where the page of an agent is. A name may hold anything, so it stands in the query."""
    return f"{ONE}?{urlencode({'agent': name})}"


PAGES = (Page(PATH, agents, nav="Agents"), Page(ONE, agent))
