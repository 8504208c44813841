"""The review queue: decisions without an outcome and challenged claims, newest first."""

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from howsure.claims.claim import read_claim
from howsure.serve.pages.agents import DECISIONS, with_factors
from howsure.serve.pages.exports import MAX_EXPORTED
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import MAX_ROWS, PageQuery
from howsure.serve.pages.request import PageRequest
from howsure.serve.pools import gather_all
from howsure.shapes.encode import encode
from howsure.store.claim_tables.claim_sums import latest_challenged

if TYPE_CHECKING:
    from howsure.sure import Sure

PATH = "/review"
FIELDS = ("agent", "project", "decision")
RESPONSES, CLAIMS = 10, 10
"""Responses and claims that are shown at first."""
CHOICES = (DECISIONS[1], DECISIONS[0], *DECISIONS[2:])
"""Choices of the filter for decisions; the first is the default."""
COMMANDS = ("howsure ledger list --decision review", "howsure outcome ID right --note 'still runs'")


async def review(request: PageRequest) -> Response:
    """Show what waits for a person: responses without an outcome, and challenged claims."""
    query = PageQuery(request, "ledger.find", FIELDS, empty=("decision",))
    if query.has_empty_fields:
        return request.redirect(query.url(PATH))
    export = request.export("responses")
    chosen = query.text("decision") if "decision" in request.http.query_params else CHOICES[0][0]
    arguments = query.only("agent", "project", "cursor") | {"model": "response", "with_outcome": False}
    arguments |= {"decision": chosen} if chosen else {}
    limit = MAX_EXPORTED if export else query.limit(RESPONSES, MAX_ROWS)
    page = await query.run_or("ledger.find", arguments | {"limit": limit}, {"decisions": [], "cursor": None})
    if export and not query.errors:
        return export.respond(page["decisions"])
    responses = {
        "rows": [with_factors(decision) for decision in page["decisions"]],
        "more": query.url(PATH, cursor=page["cursor"]) if page["cursor"] else "",
        "first": "cursor" not in arguments,
        "url": query.url(PATH),
        "decision": chosen,
    }
    if request.is_partial and not responses["first"]:
        return request.render("review_rows.html", query.status, responses=responses)
    challenged, *waiting = await gather_all(
        request.read(_list_challenged), *(_has_any(request, decision) for decision, _ in CHOICES)
    )
    return request.render(
        "review.html",
        query.status,
        query=query,
        responses=responses,
        choices=CHOICES,
        waiting=[choice for choice, some in zip(CHOICES, waiting, strict=True) if some and choice[0] != chosen],
        challenged=challenged,
        filtered=bool(query.fields),
        commands=COMMANDS,
    )


def _list_challenged(sure: "Sure") -> list[dict[str, Any]]:
    """Return challenged claims with the moment of the last challenge, the latest challenge first."""
    options = sure.session.read_options()
    with sure.session.database.read() as transaction:
        latest = latest_challenged(transaction, CLAIMS)
        return [encode(read_claim(transaction, claim, options)[0]) | {"at": at} for claim, at in latest]


async def _has_any(request: PageRequest, decision: str) -> bool:
    """Return whether any response with this decision has no outcome."""
    arguments: dict[str, Any] = {"model": "response", "with_outcome": False, "limit": 1}
    page = await request.run("ledger.find", arguments | ({"decision": decision} if decision else {}))
    return bool(page["decisions"])


PAGES = (Page(PATH, review, nav="Review"),)
