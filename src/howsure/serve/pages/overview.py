"""The overview: the state of the claims, recent decisions, and what needs attention."""

from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

from howsure.errors import NotFoundError
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest
from howsure.serve.pools import gather_all
from howsure.shapes import DAY
from howsure.shapes.encode import encode
from howsure.store.claim_tables.claim_sums import ClaimTotals, find_next_stale, read_totals

if TYPE_CHECKING:
    from howsure.claims.claim import Claim
    from howsure.sure import Sure

MAX_ROWS = 5
"""Rows of each list."""
COUNT_AT_ONCE = 3000
"""Claims that are counted by strength for each view, which takes 11 microseconds each; more in the background."""
COMMANDS = (
    "howsure claim add 'The cache is thread-safe' --source user_input:me --contribution 0.8",
    "echo 'I think it works.' | howsure gate --agent me -",
    "howsure hook install",
)
"""Commands to get started with."""


class Attention(NamedTuple):
    """The claims that need attention."""

    challenged: list[dict[str, Any]]
    wide: list[dict[str, Any]]
    expiring: list[dict[str, Any]]


async def overview(request: PageRequest) -> Response:
    """Show the overview."""
    now = request.now
    midnight = now - now % DAY
    totals = await request.read(lambda sure: count_claims(sure, now))
    claims = _count_now(request) if totals.total <= COUNT_AT_ONCE else _count_by_sums(request, totals)
    (standing, attention), week, today_statistics, blocked, scans = await gather_all(
        claims,
        request.run("ledger.stats"),
        request.run("ledger.stats", {"since": midnight}),
        request.run(
            "ledger.find", {"model": "response", "decision": "block", "with_outcome": False, "limit": MAX_ROWS}
        ),
        request.run("documents.list_scans"),
    )
    trend = await request.read(lambda sure: sure.charts.decisions()) if week["all"]["total"] else None
    return request.render(
        "overview.html",
        standing=standing,
        decisions=[("Today", _with_passed(today_statistics["all"])), ("Seven days", _with_passed(week["all"]))],
        trend=trend,
        challenged=attention.challenged,
        wide=attention.wide,
        expiring=[claim for claim in attention.expiring if claim["stale_at"] is not None],
        blocked=blocked["decisions"],
        due=_due(scans["scans"]),
        commands=COMMANDS,
    )


def count_claims(sure: "Sure", now: float) -> ClaimTotals:
    """Count the claims by their sums: counting strengths, as `claims.count` does, takes a second for 300,000 claims."""
    with sure.session.database.read() as transaction:
        return read_totals(transaction, now)


async def _count_now(request: PageRequest) -> tuple[dict[str, Any], Attention]:
    """Count the claims of a small store as they are now."""
    standing, *lists = await gather_all(
        request.run("claims.count"),
        request.run("claims.find", {"statuses": ["challenged"], "order": "width", "limit": MAX_ROWS}),
        request.run("claims.find", {"wide": True, "order": "width", "limit": MAX_ROWS}),
        request.run("claims.find", {"stale": False, "order": "stale_at", "ascending": True, "limit": MAX_ROWS}),
    )
    return standing | {"of": standing["total"], "at": None}, Attention(*(found["claims"] for found in lists))


async def _count_by_sums(request: PageRequest, totals: ClaimTotals) -> tuple[dict[str, Any], Attention]:
    """Return the totals of a large store by its sums, and strengths as they were last counted in the background."""
    await request.service.refresh_standing(0.0)
    counted = request.service.gauges.standing.value
    standing: dict[str, Any] = dict.fromkeys(("strong", "wide", "unverified", "at"))
    if counted is not None:
        standing |= encode(counted.counts) | {"of": counted.counts.total, "at": counted.at}
    standing |= {"total": totals.total, "challenged": totals.challenged, "stale": totals.stale}
    wide, challenged = ([], []) if counted is None else (counted.widest, counted.challenged)
    return standing, await request.read(lambda sure: _read_attention(sure, challenged, wide, request.now))


def _read_attention(sure: "Sure", challenged: list[str], wide: list[str], now: float) -> Attention:
    """Read claims as they are now; those that are gone, or no longer challenged, are left out."""
    with sure.session.database.read() as transaction:
        expiring = find_next_stale(transaction, now, MAX_ROWS)
        groups = [[_read_claim(sure, id_) for id_ in ids] for ids in (challenged, wide, expiring)]
    in_doubt, others, ending = ([encode(claim) for claim in group if claim is not None] for group in groups)
    return Attention([one for one in in_doubt if one["status"] == "challenged"], others, ending)


def _read_claim(sure: "Sure", id_: str) -> "Claim | None":
    try:
        return sure.claims.get(id_)
    except NotFoundError:
        return None


def _with_passed(group: dict[str, Any]) -> dict[str, Any]:
    """Return a group of statistics with the number of passed responses."""
    passed = group["total"] - group["blocked"] - group["reviewed"]
    return group | {"passed": passed}


def _due(scans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the latest scan of each project in which documents are due."""
    latest = {scan["project"]: scan for scan in reversed(scans)}
    return [scan for scan in scans if scan["due"] and latest[scan["project"]] is scan][:MAX_ROWS]


PAGES = (Page("/overview", overview, nav="Overview"),)
