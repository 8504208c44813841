"""The pages about sources: how reliable they are, who copies whom, and what each got wrong."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.charts.chart import Chart
from howsure.serve.pages.action import Action
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import PageQuery
from howsure.serve.pages.request import PageRequest
from howsure.shapes.encode import encode

if TYPE_CHECKING:
    from howsure.sure import Sure

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
    found, chart, copies = await request.read(_read)
    return request.render(
        "sources.html",
        sources=found,
        fit=await _active_fit(request),
        chart=chart if found else None,
        copies=copies if copies.rows else None,
        max_sources=MAX_SOURCES,
        max_counted=MAX_COUNTED,
        drawn=DRAWN,
        source_url=source_url,
        commands=COMMANDS,
    )


def _read(sure: "Sure") -> tuple[list[dict[str, Any]], Chart, Chart]:
    """Read the list of sources once; return it with its chart, and the chart of who copies whom."""
    from howsure.charts.sources import sources_chart

    found = sure.sources.list(limit=MAX_COUNTED)
    return encode(found), sources_chart(found[:DRAWN]), sure.charts.copies()


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
        "source.html",
        query.status,
        query=query,
        history=history,
        learned=await _active_fit(request) is not None,
        max_claims=MAX_CLAIMS,
        source_url=source_url,
    )


async def _active_fit(request: PageRequest) -> dict[str, Any] | None:
    """Return the fit of sources that is in use, or None if nothing was learned of them yet."""
    fits = (await request.run("fits.list", {"kind": "source"}))["result"]
    return next((fit for fit in fits if fit["status"] == "active"), None)


def source_url(one: dict[str, Any] | str) -> str:
    """Return the address of a source's page. A name may hold any character, so it is in the query."""
    name = one if isinstance(one, str) else f"{one['source_type']}:{one['source_id']}"
    return f"{ONE}?{urlencode({'source': name})}"


ACTIONS = (Action(f"{PATH}/fit", "sources.fit", PATH, sources, "sources-fitted"),)
"""The forms of the page."""

PAGES = (Page(PATH, sources, nav="Sources"), Page(ONE, source), *(action.page() for action in ACTIONS))
