"""The pages about sources: how reliable they are, who copies whom, and what each got wrong."""

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.serve.pages.action import Action
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import PageQuery
from howsure.serve.pages.request import PageRequest

PATH, ONE = "/sources", "/sources/one"
MAX_SOURCES = 200
"""Sources in the list."""
MAX_COUNTED = 1000
"""Sources that are read; if there are as many, the page says that there are more."""
DRAWN = 40
"""Sources in the chart; more would be a page of bars."""
MAX_CLAIMS = 100
"""Claims of one source in each list."""
COMMANDS = ("howsure claim add 'The cache is bounded' --source extraction:README.md", "howsure sources fit")


async def sources(request: PageRequest) -> Response:
    """Show all sources with their reliability, and who copies whom."""
    export = request.export("sources")
    if export:
        return export.respond((await request.run("sources.list", {"limit": 10_000}))["result"])
    found = (await request.run("sources.list", {"limit": MAX_COUNTED}))["result"]
    fits = [fit for fit in (await request.run("fits.list", {"kind": "source"}))["result"] if fit["status"] == "active"]
    copies = await request.read(lambda sure: sure.charts.copies()) if found else None
    return request.render(
        "sources.html",
        sources=found,
        fit=fits[0] if fits else None,
        chart=await request.read(lambda sure: sure.charts.sources(limit=DRAWN)) if found else None,
        copies=copies if copies and copies.rows else None,
        max_sources=MAX_SOURCES,
        max_counted=MAX_COUNTED,
        drawn=DRAWN,
        source_url=source_url,
        commands=COMMANDS,
    )


async def source(request: PageRequest) -> Response:
    """Show one source and what it got wrong."""
    if not request.http.query_params.get("source"):
        return request.redirect(PATH)
    query = PageQuery(request, "sources.get", ("source",))
    history = await query.run_or("sources.get", {"source": query.text("source")}, None)
    export = request.export("claims")
    if export and history:
        return export.respond(history["claims"])
    return request.render(
        "source.html", query.status, query=query, history=history, max_claims=MAX_CLAIMS, source_url=source_url
    )


def source_url(one: dict[str, Any] | str) -> str:
    """Return the address of a source's page. A name may hold any character, so it is in the query."""
    name = one if isinstance(one, str) else f"{one['source_type']}:{one['source_id']}"
    return f"{ONE}?{urlencode({'source': name})}"


ACTIONS = (Action(f"{PATH}/fit", "sources.fit", PATH, sources, "sources-fitted"),)
"""The forms of the page."""

PAGES = (Page(PATH, sources, nav="Sources"), Page(ONE, source), *(action.page() for action in ACTIONS))
