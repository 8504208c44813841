"""The pages about syntheses: merged results, their confidence, and conflicts."""

from starlette.responses import Response

from howsure.errors import NotFoundError
from howsure.ledger.kept_text import KeptText, is_complete
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import show_decisions
from howsure.serve.pages.request import PageRequest

PATH, ONE = "/syntheses", "/syntheses/{id}"
DECISIONS = (("", "Any"), ("answer", "Answered"), ("abstain", "Abstained"))
COMMANDS = ("howsure synthesize results.json --query 'Is the cache safe?'",)


async def syntheses(request: PageRequest) -> Response:
    """Show the recorded syntheses."""
    return await show_decisions(request, "overall", PATH, decisions=DECISIONS, commands=COMMANDS)


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
