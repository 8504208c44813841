"""Learning: many claims at once, from JSON Lines, CSV or Parquet."""

import csv
import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import orjson

from howsure.core.shape import decode
from howsure.engine.adding import ClaimInput, add_one, prepared
from howsure.engine.notebook import Notebook
from howsure.errors import InputError, MissingExtraError
from howsure.store import claims as table
from howsure.store.claims import NewClaim
from howsure.store.database import Transaction

CHUNK = 5000
"""Claims that are written in one transaction."""
BATCH = 250
"""Claims that are prepared at once: few enough to be gone before Python looks for what to collect."""
Conflicts = Literal["flag", "quiet", "reject"]
"""What to do with a claim that gives a known subject and predicate another object: relate the two as contradicting,
say nothing, or leave it out."""
_NUMBERS = ("contribution", "stale_at", "ttl", "valid_from", "valid_until")


@dataclass
class Learned:
    """What became of the claims that were read."""

    read: int = 0
    created: int = 0
    corroborated: int = 0
    conflicting: int = 0
    """Claims that contradict what was known."""
    rejected: int = 0
    """Of those, claims that were left out."""
    failed: int = 0
    errors: list[str] = None  # type: ignore[assignment]
    """What was wrong with the first of those that failed."""

    def __post_init__(self) -> None:
        """Start without errors."""
        self.errors = []

    def fail(self, number: int, error: InputError) -> None:
        """Count a claim that could not be read."""
        self.failed += 1
        if len(self.errors) < 20:  # noqa: PLR2004 - enough to see what is wrong
            error.line = number
            self.errors.append(str(error))


def learn(
    notebook: Notebook,
    records: Iterable[tuple[int, Any]],
    trust: float = 1.0,
    conflicts: Conflicts = "flag",
    progress: Callable[[int], None] = lambda _: None,
) -> Learned:
    """Add claims in bulk. `trust` scales every contribution; what cannot be read is counted and told."""
    if not 0.0 <= trust <= 1.0:
        raise InputError(f"{trust} is not between 0 and 1", field="trust")
    learned = Learned()
    stream = iter(records)
    while chunk := list(islice(stream, CHUNK)):  # read before the transaction begins: the input may be slow
        with notebook.writing() as transaction, _without_collecting():
            for start in range(0, len(chunk), BATCH):
                given = list(_decoded(chunk[start : start + BATCH], trust, learned))
                _write(transaction, notebook, given, conflicts, learned)
        learned.read += len(chunk)
        progress(learned.read)
    return learned


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep Python from looking through every claim of a chunk again and again for cycles, of which there are none."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _decoded(chunk: list[tuple[int, Any]], trust: float, learned: Learned) -> Iterator[ClaimInput]:
    for number, record in chunk:
        try:
            if isinstance(record, InputError):
                raise record
            given = decode(ClaimInput, record)
        except InputError as error:
            learned.fail(number, error)
            continue
        if trust < 1.0:
            entries = tuple(
                replace(e, contribution=(0.5 if e.contribution is None else e.contribution) * trust)
                for e in given.provenance
            )
            share = (0.5 if given.contribution is None else given.contribution) * trust if given.source else None
            given = replace(given, provenance=entries, contribution=share)
        yield given


def _write(
    transaction: Transaction, notebook: Notebook, given: list[ClaimInput], conflicts: Conflicts, learned: Learned
) -> None:
    """Write one chunk: what is new in bulk, what is known one by one."""
    at = notebook.clock()
    new: dict[tuple[str, str], NewClaim] = {}
    triples: set[tuple[str, str]] = set()
    later: list[ClaimInput] = []
    made = [(one, prepared(one, at)) for one in given]
    known = _known(transaction, [claim for _, claim in made])
    for one, claim in made:
        place = (claim.namespace, claim.statement_key)
        triple = (claim.namespace, claim.triple_key or "")
        if (
            place in known
            or place in new
            or (claim.triple_key and (triple in known or triple in triples))
            or (claim.subject is not None and claim.predicate is not None and conflicts != "quiet")
        ):
            later.append(one)
        else:
            new[place] = claim
            triples.add(triple)
    keys = table.insert(transaction, list(new.values()))
    events = [(key, at, notebook.actor, "created", "active", "learned") for key in keys.values()]
    transaction.load("events", table.EVENTS, events)
    learned.created += len(new)
    for one in later:
        _write_one(transaction, notebook, one, conflicts, learned, at)


def _write_one(
    transaction: Transaction, notebook: Notebook, one: ClaimInput, conflicts: Conflicts, learned: Learned, at: float
) -> None:
    others: list[int] = []
    if one.subject is not None and one.predicate is not None and conflicts != "quiet":
        query = (
            "SELECT key FROM claims WHERE namespace = ? AND subject = ? AND predicate = ? AND object <> ? "
            "AND status IN ('active', 'challenged')"
        )
        others = [row[0] for row in transaction.rows(query, [one.namespace, one.subject, one.predicate, one.object])]
    learned.conflicting += bool(others)
    if others and conflicts == "reject":
        learned.rejected += 1
        return
    added = add_one(transaction, one, at, notebook.actor)
    if added.outcome == "created":
        learned.created += 1
    else:
        learned.corroborated += 1
    key = transaction.value("SELECT key FROM claims WHERE id = ?", [added.id])
    for other in others if added.outcome == "created" else []:
        table.relate(transaction, "contradicts", key, other, 1.0, at)
        table.record(transaction, other, at, notebook.actor, "contradicted", f"by {added.id}, which was learned")


def _known(transaction: Transaction, claims: list[NewClaim]) -> set[tuple[str, str]]:
    """Return (namespace, key) of statements and triples that the store holds already."""
    found: set[tuple[str, str]] = set()
    by_namespace: dict[str, set[str]] = {}
    for claim in claims:
        by_namespace.setdefault(claim.namespace, set()).update({claim.statement_key, claim.triple_key or ""} - {""})
    for namespace, keys in by_namespace.items():
        waiting = sorted(keys)
        for start in range(0, len(waiting), 400):
            some = waiting[start : start + 400]
            marks = ", ".join("?" * len(some))
            for column in ("statement_key", "triple_key"):
                query = (
                    f"SELECT {column} FROM claims WHERE namespace = ? AND {column} IN ({marks}) "
                    "AND status <> 'forgotten'"
                )
                found |= {(namespace, row[0]) for row in transaction.rows(query, [namespace, *some])}
    return found


def read_records(path: Path) -> Iterator[tuple[int, Any]]:
    """Give the records of a JSON Lines, CSV or Parquet file, each with its number."""
    kind = path.suffix.lower()
    if kind == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = enumerate(csv.DictReader(file), start=2)
            while True:
                try:
                    number, row = next(rows)
                except StopIteration:
                    return
                except (UnicodeDecodeError, csv.Error) as error:
                    raise InputError(f"{path.name} is no CSV in UTF-8: {error}", hint="save it as UTF-8") from error
                yield number, _from_cells(row)
    elif kind == ".parquet":
        yield from _parquet(path)
    else:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _from_json(line)


def _from_json(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return InputError(f"not JSON: {error.msg} at position {error.pos}", hint="one object per line")


def _from_cells(row: dict[Any, Any]) -> Any:
    """Return a record from cells of text: empty ones are left out, numbers are read."""
    record: dict[str, Any] = {}
    for name, text in row.items():
        if name is None:
            return InputError("there are more cells than columns")
        if text:
            try:
                record[name] = float(text) if name in _NUMBERS and text != "never" else text
            except ValueError:
                return InputError(f"{text!r} is not a number", field=name)
    kind, name = record.pop("source_type", None), record.pop("source_id", None)
    if kind is not None and name is not None:
        record["source"] = f"{kind}:{name}"
    return record


def _parquet(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        from pyarrow import parquet
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "reading Parquet") from error
    try:
        batches = parquet.ParquetFile(path).iter_batches(batch_size=CHUNK)
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                yield number, {name: value for name, value in row.items() if value is not None}
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} is no Parquet file: {error}") from error
