"""Import outcomes from files of CSV, JSON Lines and Parquet."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from howsure.datafiles import parse_record, read_rows
from howsure.errors import InputError, nearest
from howsure.files import new_id
from howsure.ledger.outcome_reports import PART, OutcomeInput, OutcomeWriter, ReportCounts
from howsure.progress import Progress
from howsure.shapes import decode
from howsure.store.session import Session

_MOST_COLUMNS = 100
"""Columns that are not read, of which the report tells."""
_COLUMNS = frozenset({"id", *OutcomeInput.__dataclass_fields__})


@dataclass(frozen=True)
class ImportedOutcomes:
    """What an import of outcomes did."""

    recorded: int
    """Outcomes that were new."""
    unchanged: int
    """Outcomes that were known already."""
    unmatched: int
    """Lines whose id, task or trace no decision has."""
    invalid: int
    """Lines that could not be read."""
    errors: list[str]
    """What was wrong with unmatched and invalid lines; at most 100."""
    ignored: list[str]
    """Columns that were not read; at most 100."""

    @property
    def failed(self) -> int:
        """How many lines had no effect."""
        return self.unmatched + self.invalid


def import_outcomes(session: Session, writer: OutcomeWriter, path: Path, progress: Progress) -> ImportedOutcomes:
    """Import the outcomes of a file; see `Ledger.import_outcomes`."""
    counts = ReportCounts()
    run = new_id("i", session.at(None))
    columns: set[str] = set()
    records = read_rows(path)
    while part := _take(records, counts):
        with session.write() as transaction:
            for number, record in part:
                try:
                    content = _select(parse_record(record), columns)
                    report = decode(OutcomeInput, content)
                except InputError as error:
                    counts.fail(error, number)
                    continue
                counts.write(writer, transaction, report, number, "file", file=run)
        progress("importing outcomes", part[-1][0], 0)
    ignored = [f"{name} ({nearest(name, _COLUMNS)})" for name in sorted(columns - _COLUMNS)][:_MOST_COLUMNS]
    return ImportedOutcomes(counts.recorded, counts.unchanged, counts.unmatched, counts.invalid, counts.errors, ignored)


def _take(records: Iterator[tuple[int, Any]], counts: ReportCounts) -> list[tuple[int, Any]]:
    """Return the next part of a file; what cannot be read after some lines ends it with an error."""
    part: list[tuple[int, Any]] = []
    try:
        for item in records:
            part.append(item)
            if len(part) == PART:
                break
    except InputError as error:
        if not part and not counts.recorded and not counts.unchanged and not counts.errors:
            raise
        counts.fail(error, f"after line {part[-1][0]}" if part else "the rest of the file")
    return part


def _select(record: Any, columns: set[str]) -> dict[str, Any]:
    """Return the columns of a record that are read, and note the others."""
    if not isinstance(record, dict):
        raise InputError("the line is not an object", hint='like {"id": "a0...", "outcome": "right"}')
    if None in record:  # where csv keeps them
        raise InputError("there are more cells than columns")
    if len(columns) < _MOST_COLUMNS:
        columns.update(record)
    return {name: _plain(value) for name, value in record.items() if name in _COLUMNS and value not in (None, "")}


def _plain(value: Any) -> Any:
    """Return a value of a Parquet file as JSON has it."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    return value
