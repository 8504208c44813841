"""Syntheses: what was said when sub-results were merged, how sure that was, and where they are at odds."""

from starlette.responses import Response

from howsure.errors import NotFoundError
from howsure.ledger.redact import Kept, is_whole
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import Asking
from howsure.serve.pages.visit import Visit

PATH, ONE = "/syntheses", "/syntheses/{id}"
FIELDS = ("agent", "project", "decision", "since")
DECISIONS = (("", "Any"), ("answer", "Answered"), ("abstain", "Abstained"))
MANY = 20
COMMANDS = ("howsure synthesize results.json --query 'Is the cache safe?'",)


async def syntheses(visit: Visit) -> Response:
    """Show the syntheses that were recorded."""
    asking = Asking(visit, "ledger.find", FIELDS)
    if asking.untidy:
        return visit.away(asking.here(PATH))
    page, more = await asking.records("overall", PATH, MANY)
    if visit.partial and "cursor" in asking.data:
        return visit.shown("syntheses_rows.html", asking.status, page=page, more=more)
    return visit.shown(
        "syntheses.html",
        asking.status,
        asking=asking,
        page=page,
        more=more,
        first="cursor" not in asking.data,
        decisions=DECISIONS,
        commands=COMMANDS,
        filtered=bool(asking.filled),
    )


async def synthesis(visit: Visit) -> Response:
    """Show a synthesis."""
    found = await visit.do("ledger.explain", {"id": visit.request.path_params["id"]})
    record = found["record"]
    if record["model"] != "overall":
        raise NotFoundError("this is a record of something else", field="id", hint=f"see /decisions/{record['id']}")
    chart = await visit.look(lambda sure: sure.charts.synthesis(record["id"]))
    answer = record["detail"]["answer"]
    whys = {one["id"]: one for one in answer.get("sources", ())}
    query, _, content = (record["content"] or "").partition("\n\n")
    return visit.shown(
        "synthesis.html",
        record=record,
        answer=answer,
        query=query,
        content=content,
        whole=is_whole(Kept(record["digest"], record["content"])),
        chart=chart,
        sources=[row | {"why": whys[row["id"]].get("why", "")} for row in chart.rows],
        outcomes=found["outcomes"],
    )


PAGES = (Page(PATH, syntheses, nav="Syntheses"), Page(ONE, synthesis))
