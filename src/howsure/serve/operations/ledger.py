"""The ledger: what was decided, what became of it, and how agents have done."""

import base64
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import orjson

from howsure.errors import InputError
from howsure.ledger.decision import READ, Record, as_record, conditions
from howsure.ledger.statistics import By, Statistics
from howsure.operation import Tool
from howsure.serve.operations.operation import FEW, operation
from howsure.shapes import Count, Moment, Within, decode_as
from howsure.store.decisions import Outcome as OutcomeName
from howsure.store.text_rules import check_name

if TYPE_CHECKING:
    from howsure.sure import Sure

ID = "a01a3185c50009f3a2b4c5d6e7f80"


@dataclass(frozen=True)
class Wanted:
    """Which decisions are looked for. Everything given has to hold."""

    agent: str | None = None
    """Name of the agent."""
    agent_type: str | None = None
    """Type of the agent."""
    project: str | None = None
    """The project."""
    task_id: str | None = None
    """The task."""
    trace_id: str | None = None
    """The trace or session."""
    model: str | None = None
    """The model that decided."""
    decision: str | None = None
    """What was decided: pass, block, review, proceed, ..."""
    since: Moment | None = None
    """At this moment or later, in seconds since 1970."""
    until: Moment | None = None
    """At this moment or earlier."""
    judged: bool | None = None
    """Whether its outcome is known."""

    def wanted(self) -> dict[str, Any]:
        """Return what is looked for."""
        names = Wanted.__dataclass_fields__
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Listing(Wanted):
    """Which decisions are looked for, and how many at once."""

    limit: Annotated[int, Within(1, 1000)] = 50
    """How many on one page."""
    cursor: str | None = None
    """Read on from the page before."""


@dataclass(frozen=True)
class DecisionId:
    """Which decision."""

    id: str
    """Id of the decision."""


@dataclass(frozen=True)
class Outcome(DecisionId):
    """What became of an answer."""

    outcome: OutcomeName
    """Whether it was right, wrong, or had to be corrected."""
    by: str | None = None
    """Who says so; by default the caller."""
    note: str = ""
    """Why, or how that is known."""


@dataclass(frozen=True)
class Outcomes:
    """What became of many answers."""

    outcomes: list[Any]
    """Each with id, outcome, by and note; or the body as JSON Lines, one per line."""


@dataclass(frozen=True)
class Purging:
    """What is taken away for good: all that fits, or everything."""

    id: str | None = None
    """One decision."""
    agent: str | None = None
    """All of an agent."""
    trace_id: str | None = None
    """All of a trace or session, with its evidence."""
    task_id: str | None = None
    """All of a task."""
    before: Moment | None = None
    """All before this moment, in seconds since 1970."""
    everything: bool = False
    """All there is."""


@dataclass(frozen=True)
class Window:
    """Whose decisions are counted, and from when to when."""

    since: Moment | None = None
    """From this moment on, in seconds since 1970; by default the last seven days."""
    until: Moment | None = None
    """Up to this moment; by default the present."""
    by: By | None = None
    """What to tell apart by."""
    model: str = "response"
    """The model that decided."""
    agent: str | None = None
    """Name of the agent."""
    agent_type: str | None = None
    """Type of the agent."""
    project: str | None = None
    """The project."""
    task_id: str | None = None
    """The task."""


class Page(TypedDict):
    """Some of the decisions that were found, the newest first."""

    records: list[Record]
    cursor: str | None
    """Hand it in to read on; null at the end."""


class Told(TypedDict):
    """An outcome that was taken."""

    id: str
    outcome: OutcomeName


class Taken(TypedDict):
    """How many outcomes were taken, and what was wrong with the rest."""

    taken: int
    errors: list[str]


class Purged(TypedDict):
    """How many decisions are gone."""

    purged: int


@operation("ledger.find", "GET /v1/ledger", scope="read", answer=Page, example={"agent": "patcher-1"}, tool=FEW)
def find(sure: "Sure", given: Listing) -> Any:
    """Return decisions, the newest first."""
    where, parameters = conditions(given.wanted())
    if given.cursor is not None:
        at, key = _unpacked(given.cursor)
        parameters |= {"cursor_at": at, "cursor_key": key}
        beyond = "(a.at < :cursor_at OR (a.at = :cursor_at AND a.key < :cursor_key))"
        where = f"{where} AND {beyond}" if where else f"WHERE {beyond}"
    keys = f"SELECT a.key, a.at FROM decisions a {where} ORDER BY a.at DESC, a.key DESC LIMIT {given.limit + 1}"
    with sure.session.database.read() as transaction:
        places = transaction.rows(keys, parameters)
        chosen = ", ".join(str(int(key)) for key, _ in places[: given.limit]) or "-1"
        rows = transaction.rows(f"{READ} WHERE a.key IN ({chosen}) ORDER BY a.at DESC, a.key DESC")
    more = len(places) > given.limit
    return {
        "records": [dict(vars(as_record(row))) for row in rows],  # whole as they are: copying every part takes long
        "cursor": _packed(*reversed(places[given.limit - 1])) if more else None,
    }


def _packed(at: float, key: int) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([at, key])).decode().rstrip("=")


def _unpacked(cursor: str) -> tuple[float, int]:
    try:
        at, key = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return decode_as(Moment, at, "cursor"), decode_as(Count, key, "cursor")
    except (ValueError, TypeError, InputError):
        raise InputError("this is no cursor of ours", field="cursor", hint="use it as it was given") from None


@operation("ledger.get", "GET /v1/ledger/{id}", scope="read", answer=Record, example={"id": ID}, tool=FEW)
def get(sure: "Sure", given: DecisionId) -> Any:
    """Return one decision, with the numbers that led to it and its outcome."""
    return dict(vars(sure.ledger.get(given.id)))


@operation(
    "ledger.records",
    "GET /v1/ledger/records",
    scope="read",
    answer=Record,
    example={"agent": "patcher-1"},
    tool=FEW,
    streams=True,
    slow=True,
)
def records(sure: "Sure", given: Wanted) -> Iterator[dict[str, Any]]:
    """Give decisions from the oldest on, one by one."""
    conditions(given.wanted())  # what cannot be looked for is told before the answer begins
    return (dict(vars(record)) for record in sure.ledger.records(**given.wanted()))


@operation(
    "ledger.outcome",
    "POST /v1/ledger/{id}/outcome",
    scope="write",
    answer=Told,
    example={"id": ID, "outcome": "right", "note": "still runs"},
    tool=Tool(
        "record_outcome",
        "Record an outcome",
        "Once it is known whether an answer that check_response judged was right, wrong or had to be corrected, say "
        "so by the `id` of the decision. Confidence is only worth as much as the outcomes that are known.",
    ),
)
def outcome(sure: "Sure", given: Outcome) -> Any:
    """Say what became of an answer: right, wrong or corrected. What is said last counts."""
    sure.ledger.outcome(given.id, given.outcome, by=given.by, note=given.note)
    return {"id": given.id, "outcome": given.outcome}


@operation(
    "ledger.outcomes",
    "POST /v1/ledger/outcomes",
    scope="write",
    answer=Taken,
    example={"outcomes": [{"id": ID, "outcome": "corrected"}]},
    tool=FEW,
    lines="outcomes",
    slow=True,
)
def outcomes(sure: "Sure", given: Outcomes) -> Any:
    """Say what became of many answers; tells how many were taken, and what was wrong with the rest."""
    taken, errors = sure.ledger.outcomes(enumerate(given.outcomes, start=1))
    return {"taken": taken, "errors": errors}


@operation(
    "ledger.purge",
    "POST /v1/ledger/purge",
    scope="admin",
    answer=Purged,
    example={"agent": "patcher-1"},
    tool="nothing that cannot be undone is a tool",
    slow=True,
)
def purge(sure: "Sure", given: Purging) -> Any:
    """Take decisions away for good, their text and outcomes too. Nothing given: nothing gone."""
    wanted = asdict(given)
    everything = wanted.pop("everything")
    return {"purged": sure.ledger.purge(everything=everything or None, **wanted)}


@operation(
    "stats",
    "GET /v1/statistics",
    scope="read",
    answer=Statistics,
    example={"by": "agent"},
    tool="the resource howsure://statistics is this",
)
def stats(sure: "Sure", given: Window) -> Any:
    """Return how agents have done: totals, success, trend, and how far their confidence can be believed."""
    wanted = {name: check_name(value, name) if isinstance(value, str) else value for name, value in vars(given).items()}
    return sure.stats(**wanted).as_dict()
