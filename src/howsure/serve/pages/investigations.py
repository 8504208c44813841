"""The pages about investigations: open ones, closed ones, and the tool calls of each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.charts.chart import Chart
from howsure.errors import InputError, NotFoundError
from howsure.investigations.inquiry import ChanceReason
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import PageQuery, show_decisions
from howsure.serve.pages.request import PageRequest
from howsure.shapes import Unit, decode
from howsure.shapes.encode import encode

if TYPE_CHECKING:
    from howsure.sure import Sure

PATH, OPEN, TRACE, CLOSED = "/investigations", "/investigations/open", "/investigations/trace", "/investigations/{id}"
DECISIONS = (("", "Any"), ("proceed", "Proceed"), ("recover", "Recover"), ("stop", "Stop"))
MAX_OPEN, MAX_ROWS = 5, 20
"""Open traces on the first page, and on the page of open traces."""
MAX_STEPS, MAX_AGREEMENTS = 500, 10
"""Tool calls, and targets that evidence agrees on, on the page of an investigation."""
COMMANDS = ("howsure hook install", "howsure investigate run.jsonl --record")


@dataclass(frozen=True)
class RecordedChance:
    """The chance of success as a decision or a state holds it."""

    chance: Unit
    chance_basis: str
    chance_reasons: tuple[ChanceReason, ...]


async def investigations(request: PageRequest) -> Response:
    """Show some open investigations, and the closed ones."""

    async def list_open() -> dict[str, Any]:
        return await _list_open(request, {"limit": MAX_OPEN})

    return await show_decisions(
        request,
        "investigation",
        PATH,
        decisions=DECISIONS,
        commands=COMMANDS,
        trace_url=trace_url,
        open=list_open,
    )


async def open_investigations(request: PageRequest) -> Response:
    """Show all open investigations."""
    query = PageQuery(request, "investigations.traces", ())
    page = await _list_open(request, query.arguments | {"limit": query.limit(MAX_ROWS, MAX_ROWS)})
    more = query.url(OPEN, cursor=page["cursor"]) if page["cursor"] else ""
    first = "cursor" not in query.arguments
    return request.render(
        "open_investigations.html", page=page, more=more, first=first, commands=COMMANDS, trace_url=trace_url
    )


async def _list_open(request: PageRequest, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return open traces, each with its current state."""
    page: dict[str, Any] = await request.run("investigations.traces", arguments | {"closed": False})

    def standing(sure: "Sure") -> list[dict[str, Any]]:
        return [encode(sure.investigations.get(one["trace_id"])) for one in page["traces"]]

    standings = await request.read(standing)
    traces = [one | {"standing": now} for one, now in zip(page["traces"], standings, strict=True)]
    return {"traces": traces, "cursor": page["cursor"]}


async def trace(request: PageRequest) -> Response:
    """Show an investigation by its trace id."""
    name = request.http.query_params.get("trace_id", "")
    if not name.strip():
        return request.redirect(PATH)
    closed = await request.run("ledger.find", {"model": "investigation", "trace_id": name, "limit": 1})
    return await _show(request, name, closed["decisions"][0] if closed["decisions"] else None)


async def investigation(request: PageRequest) -> Response:
    """Show a closed investigation by the id of its decision."""
    record = await request.run("ledger.get", {"decision_id": request.http.path_params["id"]})
    if record["model"] != "investigation":
        raise NotFoundError("this is not an investigation", field="id", hint=f"see /decisions/{record['id']}")
    return await _show(request, record["trace_id"], record)


async def _show(request: PageRequest, name: str, record: dict[str, Any] | None) -> Response:
    """Show an investigation: its result if it is closed, and its tool calls if they are kept."""
    question = (record["content"] or "").strip() if record else ""
    replay = await request.read(lambda sure: _replay(sure, name, question)) if name.strip() else None
    if replay is None and record is None:
        raise NotFoundError("no tool calls are kept for this trace", field="trace_id", hint="old ones are deleted")
    result = record["detail"].get("answer", {}) if record else {}
    return request.render(
        "investigation.html",
        name=name,
        record=record,
        result=result,
        question=question,
        replay=replay,
        standing=replay.standing if replay else None,
        chance=_read_chance(result) or _read_chance(replay.standing if replay else {}),
        threshold=await request.read(lambda sure: sure.investigations.model.proceed_from),
    )


@dataclass(frozen=True)
class ShownReplay:
    """What a page shows of the tool calls of an investigation."""

    standing: dict[str, Any]
    """Its state after the last call."""
    steps: list[dict[str, Any]]
    """The first steps."""
    hidden: int
    """How many steps are not shown."""
    agreements: list[dict[str, Any]]
    """What independent evidence agrees on, at most ten targets."""
    confirmed: set[int]
    """Numbers of the calls that found any such target."""
    chart: Chart


def _replay(sure: "Sure", name: str, question: str) -> ShownReplay | None:
    """Read the tool calls of a trace once; return None if none is kept that counts."""
    from howsure.charts.investigation import draw_inquiry

    replayed = sure.investigations.replay(name, question=question)
    inquiry, standings = replayed.inquiry, replayed.standings
    if not standings:
        return None
    agreements = inquiry.agreements()
    return ShownReplay(
        encode(inquiry.state),
        encode(replayed.steps(MAX_STEPS)),
        max(0, len(standings) - MAX_STEPS),
        encode(agreements[:MAX_AGREEMENTS]),
        {number for one in agreements for number in one.calls},
        draw_inquiry(inquiry, standings),
    )


def _read_chance(answer: dict[str, Any]) -> RecordedChance | None:
    """Return the chance of success in an answer, or None if it has none, as imported and old decisions."""
    try:
        return decode(RecordedChance, {name: answer.get(name) for name in RecordedChance.__annotations__})
    except InputError:
        return None


def trace_url(name: str) -> str:
    """Return the address of a trace's page. Its id may hold any character, so it is in the query."""
    return f"{TRACE}?{urlencode({'trace_id': name})}"


PAGES = (
    Page(PATH, investigations, nav="Investigations"),
    Page(OPEN, open_investigations),
    Page(TRACE, trace),
    Page(CLOSED, investigation),
)
