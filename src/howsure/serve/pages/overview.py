"""The overview: how sure are we today, and what needs attention."""

import asyncio
from typing import Any

from starlette.responses import Response

from howsure.formulas.decay import DAY
from howsure.serve.pages.page import Page
from howsure.serve.pages.visit import Visit

FEW = 5
"""How many of a kind are shown."""
COMMANDS = (
    "howsure claim add 'The cache is thread-safe' --source user_input:me --contribution 0.8",
    "echo 'I think it works.' | howsure gate --agent me -",
    "howsure hooks install",
)
"""What to do first."""


async def overview(visit: Visit) -> Response:
    """Show how sure we are today."""
    now = visit.now
    today = now - now % DAY
    standing, week, so_far, *lists = await asyncio.gather(
        visit.do("claims.standing"),
        visit.do("stats"),
        visit.do("stats", {"since": today}),
        visit.do("claims.find", {"statuses": ["challenged"], "order": "width", "limit": FEW}),
        visit.do("claims.find", {"wide": True, "order": "width", "limit": FEW}),
        visit.do("claims.find", {"stale": False, "order": "stale_at", "ascending": True, "limit": FEW}),
        visit.do("ledger.find", {"model": "response", "decision": "block", "judged": False, "limit": FEW}),
        visit.do("documents.scans"),
    )
    challenged, wide, fading, blocked, scans = lists
    trend = await visit.look(lambda sure: sure.charts.decisions()) if week["all"]["total"] else None
    return visit.shown(
        "overview.html",
        standing=standing,
        decisions=[("Today", _decided(so_far["all"])), ("Seven days", _decided(week["all"]))],
        trend=trend,
        challenged=challenged["claims"],
        wide=wide["claims"],
        fading=[claim for claim in fading["claims"] if claim["stale_at"] is not None],
        blocked=blocked["records"],
        due=_due(scans["scans"]),
        commands=COMMANDS,
    )


def _decided(group: dict[str, Any]) -> dict[str, Any]:
    """Return what was decided, each answer counted once."""
    passed = group["total"] - group["blocked"] - group["reviewed"]
    return group | {"passed": passed}


def _due(scans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest scan of each project, where anything is due."""
    latest = {scan["project"]: scan for scan in reversed(scans)}
    return [scan for scan in scans if scan["due"] and latest[scan["project"]] is scan][:FEW]


PAGES = (Page("/overview", overview, nav="Overview"),)
