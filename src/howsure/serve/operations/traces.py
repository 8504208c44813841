"""Traces: which investigations there are, and how each went, call by call."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from howsure.errors import InputError
from howsure.investigations.api import Inquiry
from howsure.investigations.evidence import looked_at
from howsure.serve.operations.investigations import Trace
from howsure.serve.operations.operation import FEW, operation
from howsure.shapes import Within
from howsure.store import tool_calls as table

if TYPE_CHECKING:
    from howsure.sure import Sure


@dataclass(frozen=True)
class Listing:
    """Which traces are looked for, and how many at once."""

    closed: bool | None = None
    """Only those that have come to an end and stand in the ledger, or only those that are still open."""
    limit: Annotated[int, Within(1, 1000)] = 50
    """How many on one page."""
    cursor: str | None = None
    """Read on from the page before."""


class Kept(TypedDict):
    """A trace under which evidence was recorded."""

    trace_id: str
    calls: int
    """How many calls are kept, those that are no evidence included."""
    first_at: float
    last_at: float
    id: str | None
    """By this the ledger knows how it ended; null while it is open."""


class Traces(TypedDict):
    """Some of the traces, the latest first."""

    traces: list[Kept]
    cursor: str | None
    """Hand it in to read on; null at the end."""


class Step(TypedDict):
    """A call that counts as evidence, and how sure the investigation was after it."""

    number: int
    tool: str
    category: str
    """search, read, verification, discovery, git or ci."""
    target: str
    results: int
    passed: bool | None
    """Whether a build or test run passed."""
    error: str | None
    recovery: bool
    """Whether it was made to recover from weak evidence."""
    score: float
    band: str
    decision: str


class Agreement(TypedDict):
    """A target on which independent evidence agrees."""

    target: str
    categories: list[str]
    calls: list[int]
    """The calls that found it, counted from 1."""


class Steps(TypedDict):
    """How an investigation went."""

    steps: list[Step]
    agreements: list[Agreement]
    """What independent evidence agrees on, what closes the most doubt first."""


@operation(
    "investigations.traces",
    "GET /v1/investigations/traces",
    scope="read",
    answer=Traces,
    example={"closed": False},
    tool=FEW,
)
def traces(sure: "Sure", given: Listing) -> Any:
    """Return the traces under which evidence was recorded, the latest first."""
    before = None if given.cursor is None else _key(given.cursor)
    with sure.session.database.read() as transaction:
        found = table.list_traces(transaction, given.limit + 1, before, closed=given.closed)
    more = len(found) > given.limit
    shown = [one._asdict() for one in found[: given.limit]]
    cursor = str(shown[-1]["last"]) if more else None
    return {"traces": [{name: one[name] for name in Kept.__annotations__} for one in shown], "cursor": cursor}


def _key(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):  # noqa: PLR2004 - as large as keys become
        raise InputError("this is no cursor of ours", field="cursor", hint="use it as it was given")
    return int(cursor)


@operation(
    "investigations.steps",
    "GET /v1/investigations/steps",
    scope="read",
    answer=Steps,
    example={"trace_id": "session-1"},
    tool="record_evidence tells how sure it is after each call",
)
def steps(sure: "Sure", given: Trace) -> Any:
    """Return how an investigation went: every call that counts, how sure it was after it, and what agrees."""
    inquiry = looked_at(sure.ledger, sure.investigations.model, given.trace_id, given.question)
    again, found = Inquiry(given.question, model=inquiry.model), []
    for number, call in enumerate(inquiry.calls, start=1):
        again.add(call)
        now = again.score
        category = inquiry.model.tools.get(call.tool, "").partition(".")[0]
        made = {name: getattr(call, name) for name in ("tool", "target", "results", "passed", "error", "recovery")}
        standing = {name: now[name] for name in ("score", "band", "decision")}
        found.append({"number": number, "category": category} | made | standing)
    agreed = [
        {"target": one.target, "categories": list(one.categories), "calls": list(one.calls)}
        for one in inquiry.agreements()
    ]
    return {"steps": found, "agreements": agreed}
