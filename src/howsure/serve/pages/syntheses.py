"""The pages about syntheses: merged results, their confidence, and conflicts."""

from starlette.responses import Response

from howsure.errors import NotFoundError
from howsure.ledger.redact import KeptText, is_complete
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import PageQuery
from howsure.serve.pages.request import PageRequest

PATH, ONE = "/syntheses", "/syntheses/{id}"
FIELDS = ("agent", "project", "decision", "since")
DECISIONS = (("", "Any"), ("answer", "Answered"), ("abstain", "Abstained"))
MAX_ROWS = 20
COMMANDS = ("howsure synthesize results.json --query 'Is the cache safe?'",)


async def syntheses(request: PageRequest) -> Response:
    """Show the recorded syntheses."""
    query = PageQuery(request, "ledger.find", FIELDS)
    if query.has_empty_fields:
        return request.redirect(query.url(PATH))
    page, more = await query.decisions("overall", PATH, MAX_ROWS)
    if request.is_partial and "cursor" in query.arguments:
        return request.render("syntheses_rows.html", query.status, page=page, more=more)
    return request.render(
        "syntheses.html",
        query.status,
        query=query,
        page=page,
        more=more,
        first="cursor" not in query.arguments,
        decisions=DECISIONS,
        commands=COMMANDS,
        filtered=bool(query.fields),
    )


async def synthesis(request: PageRequest) -> Response:
    """Show one synthesis."""
    explanation = await request.run("ledger.explain", {"decision_id": request.http.path_params["id"]})
    record = explanation["decision"]
    if record["model"] != "overall":
        raise NotFoundError("this is not a synthesis", field="id", hint=f"see /decisions/{record['id']}")
    chart = await request.read(lambda sure: sure.charts.synthesis(record["id"]))
    answer = record["detail"]["answer"]
    reasons = {one["id"]: one for one in answer.get("sources", ())}
    query, _, content = (record["content"] or "").partition("\n\n")
    return request.render(
        "synthesis.html",
        record=record,
        answer=answer,
        query=query,
        content=content,
        whole=is_complete(KeptText(record["digest"], record["content"])),
        chart=chart,
        sources=[row | {"why": reasons[row["id"]].get("why", "")} for row in chart.rows],
        outcomes=explanation["outcomes"],
    )


PAGES = (Page(PATH, syntheses, nav="Syntheses"), Page(ONE, synthesis))
