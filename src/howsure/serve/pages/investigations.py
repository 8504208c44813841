"""Investigations: those that are open, those that have ended, and how each went."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.errors import NotFoundError
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import Asking
from howsure.serve.pages.visit import Visit
from howsure.shapes.encode import encode

if TYPE_CHECKING:
    from howsure.sure import Sure

PATH, OPEN, TRACE, ENDED = "/investigations", "/investigations/open", "/investigations/trace", "/investigations/{id}"
FIELDS = ("agent", "project", "decision", "since")
DECISIONS = (("", "Any"), ("proceed", "Proceed"), ("recover", "Recover"), ("stop", "Stop"))
FEW, MANY = 5, 20
"""Open traces that are shown beside the others, and investigations on one page."""
COMMANDS = ("howsure hooks install", "howsure investigate run.jsonl --record")


async def investigations(visit: Visit) -> Response:
    """Show the investigations that are open, and those that have ended."""
    asking = Asking(visit, "ledger.find", FIELDS)
    if asking.untidy:
        return visit.away(asking.here(PATH))
    page, more = await asking.records("investigation", PATH, MANY)
    if visit.partial and "cursor" in asking.data:
        return visit.shown("investigations_rows.html", asking.status, page=page, more=more)
    return visit.shown(
        "investigations.html",
        asking.status,
        asking=asking,
        page=page,
        more=more,
        first="cursor" not in asking.data,
        decisions=DECISIONS,
        open=await _open(visit, {"limit": FEW}),
        commands=COMMANDS,
        address=address_of,
        filtered=bool(asking.filled),
    )


async def open_ones(visit: Visit) -> Response:
    """Show all investigations that are open."""
    asking = Asking(visit, "investigations.traces", ())
    page = await _open(visit, asking.data | {"limit": asking.limit(MANY, MANY)})
    more = asking.here(OPEN, cursor=page["cursor"]) if page["cursor"] else ""
    first = "cursor" not in asking.data
    return visit.shown("open.html", page=page, more=more, first=first, commands=COMMANDS, address=address_of)


async def _open(visit: Visit, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return open traces, each with how sure it is."""
    page: dict[str, Any] = await visit.do("investigations.traces", wanted | {"closed": False})

    def standing(sure: "Sure") -> list[dict[str, Any]]:
        return [encode(sure.investigations.get(one["trace_id"])) for one in page["traces"]]

    found = await visit.look(standing)
    traces = [one | {"standing": now} for one, now in zip(page["traces"], found, strict=True)]
    return {"traces": traces, "cursor": page["cursor"]}


async def trace(visit: Visit) -> Response:
    """Show an investigation by its trace."""
    name = visit.request.query_params.get("trace_id", "")
    if not name.strip():
        return visit.away(PATH)
    ended = await visit.do("ledger.find", {"model": "investigation", "trace_id": name, "limit": 1})
    return await _shown(visit, name, ended["records"][0] if ended["records"] else None)


async def investigation(visit: Visit) -> Response:
    """Show an investigation by its record in the ledger."""
    record = await visit.do("ledger.get", {"id": visit.request.path_params["id"]})
    if record["model"] != "investigation":
        raise NotFoundError("this is a record of something else", field="id", hint=f"see /decisions/{record['id']}")
    return await _shown(visit, record["trace_id"], record)


async def _shown(visit: Visit, name: str, record: dict[str, Any] | None) -> Response:
    """Show an investigation: how it ended, and how it went, as far as its calls are kept."""
    question = (record["content"] or "").strip() if record else ""
    wanted = {"trace_id": name} | ({"question": question} if question else {})
    went = await visit.do("investigations.steps", wanted) if name.strip() else {"steps": [], "agreements": []}
    if not went["steps"] and record is None:
        raise NotFoundError("no evidence is kept under this trace", field="trace_id", hint="it may be gone by age")
    return visit.shown(
        "investigation.html",
        name=name,
        record=record,
        ended=record["detail"].get("answer", {}) if record else {},
        question=question,
        went=went,
        standing=await visit.do("investigations.get", wanted) if went["steps"] else None,
        chart=await visit.look(lambda sure: sure.charts.investigation(name)) if went["steps"] else None,
        needed=await visit.look(lambda sure: sure.investigations.model.proceed_from),
        confirmed={number for one in went["agreements"] for number in one["calls"]},
    )


def address_of(name: str) -> str:
    """Return where the page of a trace is. Its name may hold anything, so it stands in the query."""
    return f"{TRACE}?{urlencode({'trace_id': name})}"


PAGES = (
    Page(PATH, investigations, nav="Investigations"),
    Page(OPEN, open_ones),
    Page(TRACE, trace),
    Page(ENDED, investigation),
)
