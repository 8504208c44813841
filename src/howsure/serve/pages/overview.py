"""The overview: the state of the claims, recent decisions, and what needs attention."""

import asyncio
from typing import Any

from starlette.responses import Response

from howsure.formulas.decay import DAY
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest

MAX_ROWS = 5
"""Rows of each list."""
COMMANDS = (
    "howsure claim add 'The cache is thread-safe' --source user_input:me --contribution 0.8",
    "echo 'I think it works.' | howsure gate --agent me -",
    "howsure hook install",
)
"""Commands to get started with."""


async def overview(request: PageRequest) -> Response:
    """Show the overview."""
    now = request.now
    midnight = now - now % DAY
    standing, week, today_statistics, *lists = await asyncio.gather(
        request.run("claims.count"),
        request.run("ledger.stats"),
        request.run("ledger.stats", {"since": midnight}),
        request.run("claims.find", {"statuses": ["challenged"], "order": "width", "limit": MAX_ROWS}),
        request.run("claims.find", {"wide": True, "order": "width", "limit": MAX_ROWS}),
        request.run("claims.find", {"stale": False, "order": "stale_at", "ascending": True, "limit": MAX_ROWS}),
        request.run(
            "ledger.find", {"model": "response", "decision": "block", "with_outcome": False, "limit": MAX_ROWS}
        ),
        request.run("documents.list_scans"),
    )
    challenged, wide, expiring, blocked, scans = lists
    trend = await request.read(lambda sure: sure.charts.decisions()) if week["all"]["total"] else None
    return request.render(
        "overview.html",
        standing=standing,
        decisions=[("Today", _with_passed(today_statistics["all"])), ("Seven days", _with_passed(week["all"]))],
        trend=trend,
        challenged=challenged["claims"],
        wide=wide["claims"],
        expiring=[claim for claim in expiring["claims"] if claim["stale_at"] is not None],
        blocked=blocked["decisions"],
        due=_due(scans["scans"]),
        commands=COMMANDS,
    )


def _with_passed(group: dict[str, Any]) -> dict[str, Any]:
    """Return a group of statistics with the number of passed responses."""
    passed = group["total"] - group["blocked"] - group["reviewed"]
    return group | {"passed": passed}


def _due(scans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest scan of each project in which documents are due."""
    latest = {scan["project"]: scan for scan in reversed(scans)}
    return [scan for scan in scans if scan["due"] and latest[scan["project"]] is scan][:MAX_ROWS]


PAGES = (Page("/overview", overview, nav="Overview"),)
