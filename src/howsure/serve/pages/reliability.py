"""Reliability: how far confidence can be believed, by what turned out."""

from typing import Any

from starlette.responses import Response

from howsure.serve.pages.page import Page
from howsure.serve.pages.query import Asking
from howsure.serve.pages.visit import Visit

PATH = "/reliability"
FIELDS = ("agent", "agent_type", "project", "since")
MOST = 200
"""Agents that are listed."""
DAYS = 90
"""As far as the page looks back by itself: outcomes come late."""
COMMANDS = ("howsure ledger list --decision block", "howsure outcome ID right --note 'still runs'")
NOTHING: dict[str, Any] = {"all": {"total": 0}, "groups": [], "calibration": {"outcomes": 0}}


async def reliability(visit: Visit) -> Response:
    """Show how often answers of about the same confidence turned out right."""
    asking = Asking(visit, "stats", FIELDS, DAYS)
    if asking.untidy:
        return visit.away(asking.here(PATH))
    wanted = asking.only("agent", "agent_type", "project") | asking.since()
    found = await asking.do("stats", wanted | {"by": "agent"}, NOTHING)
    known = found["calibration"]["outcomes"]
    return visit.shown(
        "reliability.html",
        asking.status,
        asking=asking,
        found=found,
        chart=await visit.look(lambda sure: sure.charts.reliability(**wanted)) if known else None,
        commands=COMMANDS,
        most=MOST,
        filtered=bool(asking.filled),
    )


PAGES = (Page(PATH, reliability, nav="Reliability"),)
