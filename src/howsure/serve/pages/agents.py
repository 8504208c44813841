"""The pages about agents: statistics, and the responses that were judged."""

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.ledger.kept_text import KeptText, is_complete
from howsure.responses.reasons import stored_factors
from howsure.serve.pages.exports import MAX_EXPORTED
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import MAX_ROWS, PageQuery
from howsure.serve.pages.request import PageRequest
from howsure.serve.pools import gather_all

PATH, ONE = "/agents", "/agents/one"
FIELDS = ("agent_type", "project", "since", "decision")
MAX_AGENTS = 200
"""Agents in the list."""
DAYS = 30
"""Days that the pages show by default."""
RESPONSES = 10
"""Responses that are shown at first."""
DECISIONS = (("block", "Blocked"), ("review", "To review"), ("pass", "Passed"), ("", "All"))
"""Choices of the filter for decisions; the first is the default."""
COMMANDS = ("echo 'I think it works.' | howsure gate --agent me -", "howsure hook install")
NO_STATISTICS: dict[str, Any] = {
    "all": {"total": 0},
    "groups": [],
    "calibration": {"outcomes": 0},
    "shadow": {"total": 0},
    "deferrals": 0,
}
"""What `ledger.stats` returns of no decisions, as far as the pages show it."""


async def agents(request: PageRequest) -> Response:
    """Show the statistics of all agents."""
    query = PageQuery(request, "ledger.find", FIELDS, DAYS, ("decision",))
    if query.has_empty_fields:
        return request.redirect(query.url(PATH))
    export = request.export("agents", "responses")
    responses = await _list_responses(request, query, PATH)
    if export and export.name == "responses" and not query.errors:
        return export.respond(responses["decisions"])
    if request.is_partial and not responses["first"]:
        return request.render("responses_rows.html", query.status, responses=responses)
    filters = query.only("agent_type", "project") | query.since()
    statistics = await query.run_or("ledger.stats", filters | {"by": "agent"}, NO_STATISTICS)
    if export and not query.errors:
        return export.respond(statistics["groups"])
    trend = await request.read(lambda sure: sure.charts.decisions(**filters)) if statistics["all"]["total"] else None
    return request.render(
        "agents.html",
        query.status,
        query=query,
        statistics=statistics,
        trend=trend,
        responses=responses,
        filtered=bool(query.fields),
        commands=COMMANDS,
        agent_url=agent_url,
        max_agents=MAX_AGENTS,
    )


async def agent(request: PageRequest) -> Response:
    """Show the statistics of one agent."""
    if "agent" not in request.http.query_params:
        return request.redirect(PATH)
    query = PageQuery(request, "ledger.find", ("agent", *FIELDS), DAYS, ("agent", "decision"))
    if query.has_empty_fields:
        return request.redirect(query.url(ONE))
    name = query.text("agent")
    export = request.export("responses")
    responses = await _list_responses(request, query, ONE, agent=name)
    if export and not query.errors:
        return export.respond(responses["decisions"])
    if request.is_partial and not responses["first"]:
        return request.render("responses_rows.html", query.status, responses=responses)
    filters = query.only("agent_type", "project") | query.since() | {"agent": name}
    statistics, by_type = await gather_all(
        query.run_or("ledger.stats", filters, NO_STATISTICS),
        query.run_or("ledger.stats", filters | {"by": "agent_type"}, NO_STATISTICS),
    )
    agent_types = [group["name"] for group in by_type["groups"]] or [query.arguments.get("agent_type", "")]
    thresholds = [await _threshold(query, name, agent_type) for agent_type in agent_types]
    trend = await request.read(lambda sure: sure.charts.decisions(**filters)) if statistics["all"]["total"] else None
    return request.render(
        "agent.html",
        query.status,
        query=query,
        name=name,
        statistics=statistics,
        thresholds=[threshold for threshold in thresholds if threshold],
        history=await query.run_or("responses.history", {"agent": name}, None),
        trend=trend,
        responses=responses,
        reliability=f"/reliability?{urlencode({'agent': name})}" if name else "",
    )


async def _threshold(query: PageQuery, name: str, agent_type: str) -> dict[str, Any]:
    """Return the threshold of an agent as one of its types, and where it is set; empty if the query is wrong."""
    arguments = {"agent": name, "agent_type": agent_type} | query.only("project")
    threshold = await query.run_or("responses.threshold", arguments, {})
    return {"agent_type": agent_type, **threshold} if threshold else {}


async def _list_responses(request: PageRequest, query: PageQuery, path: str, **filters: Any) -> dict[str, Any]:
    """Return the template values for a list of judged responses."""
    chosen = query.text("decision") if "decision" in request.http.query_params else DECISIONS[0][0]
    arguments = query.only("agent_type", "project", "cursor") | query.since() | filters
    arguments |= {"model": "response", "limit": query.limit(RESPONSES, MAX_ROWS)}
    if request.is_export:
        arguments["limit"] = MAX_EXPORTED
    arguments |= {"decision": chosen} if chosen else {}
    page = await query.run_or("ledger.find", arguments, {"decisions": [], "cursor": None})
    return {
        "rows": [with_factors(decision) for decision in page["decisions"]],
        "decisions": page["decisions"],
        "more": query.url(path, cursor=page["cursor"]) if page["cursor"] else "",
        "first": "cursor" not in arguments,
        "url": query.url(path),
        "decision": chosen,
        "choices": DECISIONS,
    }


def with_factors(record: dict[str, Any]) -> dict[str, Any]:
    """Return a decision with its factors, and whether its whole text was kept."""
    factors = [
        factor._asdict()
        for factor in stored_factors(record["model"], record["detail"].get("answer", {}), record["spec"])
    ]
    return record | {"factors": factors, "whole": is_complete(KeptText(record["digest"], record["content"]))}


def agent_url(name: str) -> str:
    """Return the address of an agent's page. A name may hold any character, so it is in the query."""
    return f"{ONE}?{urlencode({'agent': name})}"


PAGES = (Page(PATH, agents, nav="Agents"), Page(ONE, agent))
