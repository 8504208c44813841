"""Documents: what has happened to them. Files are scanned where they are, by the command line."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from howsure.errors import InputError
from howsure.serve.operations.operation import FEW, operation
from howsure.shapes import Unit
from howsure.store import documents as table
from howsure.store.documents import Event
from howsure.store.text_rules import check_name

if TYPE_CHECKING:
    from howsure.sure import Sure

Symbol = Literal["visit", "confirm", "test", "merge", "decay_warning"]
"""What happens to documents."""


@dataclass(frozen=True)
class Place:
    """Which documents."""

    project: str
    """The project that they belong to: as it is set, or the name of its folder."""
    document: str | None = None
    """One document: its path below the project's folder, with /."""


@dataclass(frozen=True)
class Happening:
    """Something that has happened to a document."""

    project: str
    """The project that the document belongs to: as it is set, or the name of its folder."""
    document: str
    """Its path below the project's folder, with /."""
    symbol: Symbol
    """What happened."""
    strength: Unit = 1.0
    """How strongly it was observed: the share of the document's life that moves on."""
    by: str | None = None
    """Who says so; by default the caller."""
    note: str = ""
    """Anything worth keeping with it."""

    def __post_init__(self) -> None:
        """Refuse what names no document."""
        for name in ("project", "document"):
            if not check_name(getattr(self, name), name).strip():
                raise InputError("this field is missing", field=name)


class Events(TypedDict):
    """What has happened to documents, in order."""

    events: list[Event]


@operation(
    "documents.events",
    "GET /v1/documents/events",
    scope="read",
    answer=Events,
    example={"project": "howsure", "document": "docs/api.md"},
    tool=FEW,
)
def events(sure: "Sure", given: Place) -> Any:
    """Return what has happened to the documents of a project, or to one of them, in order."""
    document = None if given.document is None else check_name(given.document, "document")
    with sure.session.database.read() as transaction:
        found = table.of_project(transaction, check_name(given.project, "project"), document)
    return {"events": [event._asdict() for event in found]}


@operation(
    "documents.event",
    "POST /v1/documents/events",
    scope="write",
    answer=Event,
    example={"project": "howsure", "document": "docs/api.md", "symbol": "confirm", "note": "read and found right"},
    tool=FEW,
)
def event(sure: "Sure", given: Happening) -> Any:
    """Record that something has happened to a document: visit, confirm, test, merge or decay_warning."""
    by = check_name(given.by or sure.session.actor, "by")
    at, note = sure.session.at(None), check_name(given.note, "note")
    new = Event(given.project, given.document, at, given.symbol, given.strength, by, note)
    with sure.session.write() as transaction:
        table.add(transaction, new)
    return new._asdict()
