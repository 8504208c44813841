"""The table of what has happened to documents."""

from typing import NamedTuple

from howsure.store.database import Transaction


class Event(NamedTuple):
    """Something that has happened to a document."""

    project: str
    """The project that the document belongs to."""
    document: str
    """Its path below the project's root."""
    at: float
    symbol: str
    """What happened: `visit`, `confirm`, `test`, `merge` or `decay_warning`."""
    strength: float
    """How strongly it was observed, from 0 to 1."""
    actor: str
    note: str = ""


_COLUMNS = ", ".join(Event._fields)
_MARKS = ", ".join("?" * len(Event._fields))


def add(transaction: Transaction, event: Event) -> None:
    """Write an event down."""
    transaction.run(f"INSERT INTO document_events ({_COLUMNS}) VALUES ({_MARKS})", event)


def known(transaction: Transaction, event: Event) -> bool:
    """Say whether the same event is there already."""
    same = " AND ".join(f"{name} = ?" for name in Event._fields)
    return bool(transaction.value(f"SELECT 1 FROM document_events WHERE {same}", event))


def of_project(transaction: Transaction, project: str, document: str | None = None) -> list[Event]:
    """Return the events of a project's documents, or of one of them, in the order in which they came."""
    where, parameters = "project = ?", [project]
    if document is not None:
        where, parameters = f"{where} AND document = ?", [project, document]
    query = f"SELECT {_COLUMNS} FROM document_events WHERE {where} ORDER BY at, key"
    return [Event(*row) for row in transaction.rows(query, parameters)]


def forget(transaction: Transaction, project: str, document: str) -> int:
    """Delete what has happened to a document; return how many events that were."""
    return transaction.run("DELETE FROM document_events WHERE project = ? AND document = ?", [project, document])
