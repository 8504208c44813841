"""The reliability page: how well confidence matches outcomes."""

from typing import Any

from starlette.responses import Response

from howsure.serve.pages.page import Page
from howsure.serve.pages.query import PageQuery
from howsure.serve.pages.request import PageRequest

PATH = "/reliability"
FIELDS = ("agent", "agent_type", "project", "since")
MAX_AGENTS = 200
"""Agents in the list."""
DAYS = 90
"""Days that the page shows by default; more than others, since outcomes come late."""
COMMANDS = ("howsure ledger list --decision block", "howsure outcome ID right --note 'still runs'")
NO_STATISTICS: dict[str, Any] = {"all": {"total": 0}, "groups": [], "calibration": {"outcomes": 0}}


async def reliability(request: PageRequest) -> Response:
    """Show how often responses of about the same confidence were right."""
    query = PageQuery(request, "ledger.stats", FIELDS, DAYS)
    if query.has_empty_fields:
        return request.redirect(query.url(PATH))
    filters = query.only("agent", "agent_type", "project") | query.since()
    statistics = await query.run_or("ledger.stats", filters | {"by": "agent"}, NO_STATISTICS)
    outcomes = statistics["calibration"]["outcomes"]
    return request.render(
        "reliability.html",
        query.status,
        query=query,
        statistics=statistics,
        chart=await request.read(lambda sure: sure.charts.reliability(**filters)) if outcomes else None,
        commands=COMMANDS,
        max_agents=MAX_AGENTS,
        filtered=bool(query.fields),
    )


PAGES = (Page(PATH, reliability, nav="Reliability"),)
