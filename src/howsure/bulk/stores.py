"""A howsure store as tables for bulk scoring: a SQLite file, a PostgreSQL store, or an export."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from howsure.bulk.inputs import SEPARATOR, SUFFIXES, Input, file_type
from howsure.bulk.tables import SCHEMAS
from howsure.datafiles import parse_record, read_records
from howsure.errors import InputError, MissingExtraError
from howsure.files import is_file
from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.sql import interval_query, invalid_now
from howsure.sql.dialect import POSTGRES, Dialect
from howsure.store.backends.database import POSTGRES_PREFIXES, Database, connect, inline
from howsure.store.backends.schema import migrate

KEPT = ("statement", "namespace", "tier", "status")
"""Columns of a store that are in the result by default."""
HIDDEN = ("forgotten",)
"""Claims of these statuses are not in the result."""
SQLITE_ADDRESS = "sqlite:///"
_SQLITE = b"SQLite format 3\0"
_TEXTS = ("statement", "subject", "predicate", "object", "namespace", "tier", "status")
_MOMENTS = ("created_at", "stale_at", "expires_at", "valid_from", "valid_until", "accessed_at")
_BATCH = 50_000


def is_store(value: Any) -> bool:
    """Return whether a value names a store: a SQLite file, a postgresql:// address without a table, or an export."""
    if not isinstance(value, str | Path):
        return False
    text = str(value)
    if text.startswith((*POSTGRES_PREFIXES, SQLITE_ADDRESS)):
        return SEPARATOR not in text
    path = Path(text)
    if not is_file(path):
        return False
    try:
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                return True
    except OSError:
        return False  # whoever reads the table reports the error
    return SUFFIXES.get(file_type(path)) == "json" and _is_export(path)


def store_files(value: Any) -> list[Input]:
    """Return the file of a store as an input; empty if a value is not a store in a file."""
    if not is_store(value) or str(value).startswith(POSTGRES_PREFIXES):
        return []
    return [Input("claims", "json", str(value).removeprefix(SQLITE_ADDRESS))]


def _is_export(path: Path) -> bool:
    try:
        record = next((parse_record(record) for _, record in read_records(path)), None)
    except (InputError, OSError, EOFError):
        return False  # whoever reads the table reports the error
    return isinstance(record, dict) and "howsure" in record and "claims" in record


def store_inputs(value: str | Path, as_of: float | None) -> dict[str, Input]:
    """Return the tables of a store, by role. PostgreSQL is read later, by the engine; other stores are read here.

    Raises:
        InputError: if it is not a store, or an export is damaged.
        StoreError: if the store cannot be read.
    """
    text = str(value)
    if text.startswith(POSTGRES_PREFIXES):
        with _opened(connect(text, read_only=True)):
            queries = table_queries(POSTGRES, as_of)
        return {role: Input(role, "postgres", text, query=query, of_store=True) for role, query in queries.items()}
    if text.startswith(SQLITE_ADDRESS) or SUFFIXES.get(file_type(Path(text))) != "json":
        with _opened(connect(text, read_only=True)) as database:
            return _read(database, as_of)
    from howsure.store.transfer import import_records  # late: scoring files needs none of it

    # Imported, because that checks every record, and then it is read as every store is.
    with tempfile.TemporaryDirectory(prefix="howsure-bulk-") as folder, _opened(connect(f"{folder}/i.db")) as database:
        with database.write(large=True) as transaction:
            import_records(transaction, read_records(Path(text)))
        return _read(database, as_of)


@contextmanager
def _opened(database: Database) -> Iterator[Database]:
    try:
        migrate(database)
        yield database
    finally:
        database.close()


def table_queries(dialect: Dialect, as_of: float | None) -> dict[str, str]:
    """Write the queries that read the tables of a store with the columns of bulk scoring.

    An invalidated source stays, without a contribution: a derived claim with a source of type `inference` is assessed
    by those alone, valid or not.
    """
    past = as_of is not None
    status = interval_query(NoisyOr(), dialect, derived=False, past=past).status("c")
    columns = ", ".join(f"c.{name} AS {name}" for name in (*_TEXTS, *_MOMENTS) if name != "status")
    same = "v.source_type = s.source_type AND v.source_id = s.source_id"
    invalid = f"EXISTS (SELECT 1 FROM invalidations v WHERE {same} AND {invalid_now(past=past)})"
    queries = {
        "claims": f"SELECT c.id AS id, {columns}, {status} AS status FROM claims c"
        + (" WHERE c.created_at <= :as_of" if past else ""),
        "sources": "SELECT c.id AS claim, s.source_type AS source_type, s.source_id AS source_id, "
        f"CASE WHEN {invalid} THEN NULL ELSE s.contribution END AS contribution, s.recorded_at AS recorded_at, "
        "w.weight AS weight, w.variance AS variance, COALESCE(w.copy_group, '') AS copy_group "
        "FROM sources s JOIN claims c ON c.key = s.claim LEFT JOIN source_weights w "
        "ON w.source_type = s.source_type AND w.source_id = s.source_id",
        "relations": "SELECT r.kind AS kind, a.id AS source, b.id AS target, r.strength AS strength, "
        "r.recorded_at AS recorded_at, r.removed_at AS removed_at "
        "FROM relations r JOIN claims a ON a.key = r.source JOIN claims b ON b.key = r.target",
    }
    values = {} if as_of is None else {"as_of": dialect.number(as_of)}
    return {role: inline(query, values) for role, query in queries.items()}


def _read(database: Database, as_of: float | None) -> dict[str, Input]:
    """Read the tables of a store into memory, all at one moment."""
    names = {role: [column.name for column in schema.columns] for role, schema in SCHEMAS.items()}
    names["claims"] = ["id", *(name for name in (*_TEXTS, *_MOMENTS) if name != "status"), "status"]
    with database.read() as transaction:
        return {
            role: Input(role, "frame", frame=_frame(transaction.stream(query), names[role]), of_store=True)
            for role, query in table_queries(database.dialect, as_of).items()
        }


def _frame(rows: Iterator[Any], names: Sequence[str]) -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "scoring a store") from error
    numbers = (*_MOMENTS, "contribution", "weight", "variance", "strength", "recorded_at", "removed_at")
    schema = pa.schema([(name, pa.float64() if name in numbers else pa.string()) for name in names])
    batches = []
    while some := list(islice(rows, _BATCH)):
        columns = zip(schema, zip(*some, strict=True), strict=True)
        batches.append(pa.record_batch([pa.array(cells, field.type) for field, cells in columns], schema=schema))
    return pa.Table.from_batches(batches, schema)
