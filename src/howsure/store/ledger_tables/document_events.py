"""The table of events of documents."""

from typing import NamedTuple

from howsure.store.backends.database import Transaction


class DocumentEvent(NamedTuple):
    """An event of a document."""

    project: str
    """The project of the document."""
    document: str
    """Path below the root of the project."""
    at: float
    symbol: str
    """What happened: `visit`, `confirm`, `test`, `merge` or `decay_warning`."""
    strength: float
    """How strongly it was observed, from 0 to 1."""
    actor: str
    note: str = ""


_COLUMNS = ", ".join(DocumentEvent._fields)
_MARKS = ", ".join("?" * len(DocumentEvent._fields))


def add(transaction: Transaction, event: DocumentEvent) -> None:
    """Insert an event."""
    transaction.run(f"INSERT INTO document_events ({_COLUMNS}) VALUES ({_MARKS})", event)


def known(transaction: Transaction, event: DocumentEvent) -> bool:
    """Return whether an equal event is stored already."""
    same = " AND ".join(f"{name} = ?" for name in DocumentEvent._fields)
    return bool(transaction.value(f"SELECT 1 FROM document_events WHERE {same}", event))


def of_project(transaction: Transaction, project: str, document: str | None = None) -> list[DocumentEvent]:
    """Return the events of a project, or of one document, in order of time."""
    where, parameters = "project = ?", [project]
    if document is not None:
        where, parameters = f"{where} AND document = ?", [project, document]
    query = f"SELECT {_COLUMNS} FROM document_events WHERE {where} ORDER BY at, key"
    return [DocumentEvent(*row) for row in transaction.rows(query, parameters)]
