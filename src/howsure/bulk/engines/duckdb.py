"""The engine `duckdb`: tables of any size on one machine, spilling to disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from howsure.bulk.columns import Casts, Family, TableColumns
from howsure.bulk.engines.base import WHOLE, Part
from howsure.bulk.engines.duckdb_connection import DuckDbConnection, quote_text
from howsure.bulk.engines.sql import SqlEngine, describe_run
from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.bulk.tables import REFERENCES
from howsure.graph.sql import ReadOptions
from howsure.graph.table_queries import MOST_TYPES, DuckDbTableQueries, TableQueries
from howsure.progress import Progress, silent
from howsure.sql.dialect import DUCKDB, Dialect

if TYPE_CHECKING:
    from howsure.bulk.id_index import IdIndex

MANY_SOURCES, MANY_RELATIONS = 14, 8
"""Rows per claim from which the exact deduplication of rows is faster than hashing them to bits first."""
MOST_BITS = 1_000_000_000
"""Longest string of bits that DuckDB aggregates."""


class DuckDb(SqlEngine):
    """Runs generated SQL in DuckDB."""

    name: ClassVar[str] = "duckdb"
    dialect: ClassVar[Dialect] = DUCKDB
    casts: ClassVar[Casts] = Casts(
        text="CAST({0} AS VARCHAR)",
        whole="CAST({0} AS BIGINT)",
        number="CAST({0} AS DOUBLE)",
        read_number="TRY_CAST({0} AS DOUBLE)",
        moment="EPOCH({0})",
        read_moment="EPOCH(TRY_CAST({0} AS TIMESTAMPTZ))",
    )

    def __init__(
        self,
        memory: str | None = None,
        temp: str | Path | None = None,
        disk: str | None = None,
        scratch: Path | None = None,
    ) -> None:
        """Take the memory limit, the folder to spill to, and how much may be spilled.

        Intermediate results are kept in `scratch`, if given, for the next run with the same tables and options.
        """
        super().__init__()
        self.connection: DuckDbConnection = DuckDbConnection(memory, temp, disk)
        self.scratch = scratch
        self.id_range: range | None = None
        """The ids of claims, if they are all whole numbers of a range."""
        self.id_index: IdIndex | None = None
        """Index of the ids of claims, if they are whole numbers without large gaps."""
        self._source_types: list[str] = []
        self._prepared: tuple[ReadOptions, list[str]] | None = None

    def register(self, table: Input) -> dict[str, Family]:
        """Make an input readable as `raw_<role>`; return its columns."""
        return self.connection.register(table)

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all rows."""
        return self.connection.run(query)

    def create_view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""
        self.connection.run(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}")

    def create_table(self, name: str, query: str, *, shared: bool = False) -> None:  # noqa: ARG002 - for other engines
        """Materialize the result of a query under a name."""
        if self.scratch is None:
            self.connection.run(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}", *self.current)
            return
        file = self.scratch / f"{name}.parquet"
        if not file.exists():
            self.connection.write(query, Output("parquet", str(file)), {}, self.current[1])
        self.create_view(name, f"SELECT * FROM read_parquet({quote_text(str(file))})")

    def check_rows(self, role: str, columns: TableColumns) -> int:
        """Return the number of rows of a table; raise InputError if a row breaks a rule."""
        with self._without_statistics(columns.name, role):
            count = super().check_rows(role, columns)
            if role == "sources":
                types = self.fetch(f"SELECT DISTINCT source_type FROM bulk_sources LIMIT {MOST_TYPES + 1}")
                self._source_types = sorted(row[0] for row in types)
        return count

    @contextmanager
    def _without_statistics(self, name: str, role: str) -> Iterator[None]:
        """Make DuckDB look at every cell: the minimum and maximum that Parquet stores per column leave out NaN."""
        self.connection.run("SET disabled_optimizers = 'statistics_propagation,filter_pushdown'")
        self.connection.subject = (name, role)
        try:
            yield
        finally:
            self.connection.subject = ("", "")
            self.connection.run("SET disabled_optimizers = ''")

    def check_ids(self) -> None:
        """Raise InputError if two claims have the same id; index ids that are whole numbers."""
        size = self.fetch("SELECT COUNT(*) FROM bulk_claims")[0][0]
        if self.whole_ids and size:
            self.tables.progress("checking that ids are unique", 0, 0)
            self.index_ids(size, *self.fetch("SELECT MIN(id), MAX(id) FROM bulk_claims")[0])
        if self.id_range is None and self.id_index is None:
            super().check_ids()

    def index_ids(self, size: int, low: int, high: int) -> None:
        """Find out which whole numbers are ids, unless they are too sparse or one occurs twice."""
        if size == high - low + 1 <= MOST_BITS:
            # One bit for each id, set by all cores: 17 ms of work for a million, without loading numpy and Arrow.
            bits = f"SELECT BIT_COUNT(BITSTRING_AGG(id, {low}, {high})) FROM bulk_claims"
            if self.fetch(bits)[0][0] == size:
                self.id_range = range(low, high + 1)
                return
        self.number_ids(size, low, high)

    def number_ids(self, size: int, low: int, high: int) -> None:
        """Number the claims by an index of their ids, if numpy is installed."""
        if find_spec("numpy"):
            from howsure.bulk.id_index import index_ids

            self.id_index = index_ids(self.ids(), size, low, high)

    def ids(self) -> Iterator[Any]:
        """Yield the ids of all claims, which are whole numbers, in batches."""
        from howsure.bulk.id_index import column_values

        for batch in self.connection.batches("SELECT id FROM bulk_claims"):
            yield column_values(batch.column(0), "BIGINT")

    def check_unknown(self) -> None:
        """Count the rows that refer to unknown claims; with `unknown="refuse"`, raise InputError if there are any."""
        known = self.id_range or self.id_index
        if known is None or self.tables.unknown == "ignore":
            super().check_unknown()
            return
        for role, ends in REFERENCES.items():
            if role in self.columns:
                self.tables.progress(f"looking for unknown claims in {self.columns[role].name}", 0, 0)
                setattr(self.counts, f"unknown_{role}", self._count_unknown(known, role, ends))
        self.refuse_unknown()

    def refuse_unknown(self) -> None:
        """Raise InputError, naming one, if there are unknown claims and they are to be refused."""
        if self.tables.unknown == "refuse" and (self.counts.unknown_sources or self.counts.unknown_relations):
            super().check_unknown()

    def _count_unknown(self, known: "range | IdIndex", role: str, ends: tuple[str, ...]) -> int:
        if not isinstance(known, range):
            return known.count_unknown(self.connection.batches(f"SELECT {', '.join(ends)} FROM bulk_{role}"))
        # A comparison with constants, because Parquet's statistics then let DuckDB skip nearly all row groups.
        outside = " OR ".join(f"{column} < {known.start} OR {column} >= {known.stop}" for column in ends)
        return int(self.fetch(f"SELECT COUNT(*) FROM bulk_{role} WHERE {outside}")[0][0])

    def locate(self, role: str, columns: TableColumns, column: str, condition: str) -> tuple[str, Any]:  # noqa: ARG002
        """Return file and number of the first row that meets a condition, and its value of a column."""
        table: Input | None = getattr(self.tables, role)
        name = self.dialect.quoted(column)
        if table is not None and table.kind == "parquet":
            rows = self.connection.reader_of(table, numbered=True)
            query = f"SELECT filename, file_row_number, {name} FROM {rows} WHERE {condition} ORDER BY 1, 2 LIMIT 1"
            (file, row, value) = self.fetch(query)[0]
            return f"row {row + 1}" if len(table.files()) == 1 else f"{Path(file).name}, row {row + 1}", value
        self.connection.run("SET preserve_insertion_order = true")
        numbered = f"SELECT row_number() OVER () AS bulk_row, * FROM raw_{role}"
        query = f"SELECT bulk_row, {name} FROM ({numbered}) WHERE {condition} ORDER BY bulk_row LIMIT 1"
        row, value = self.fetch(query)[0]
        self.connection.run("SET preserve_insertion_order = false")
        return f"row {row}", value

    def queries(self, options: ReadOptions) -> TableQueries:
        """Return the writer of the chain of queries."""
        claims = max(self.counts.claims, 1)
        return DuckDbTableQueries(
            options,
            types=self._source_types,
            many_sources=self.counts.sources > MANY_SOURCES * claims,
            many_relations=self.counts.relations > MANY_RELATIONS * claims,
        )

    def prepare(self, options: ReadOptions, columns: list[str], progress: Progress) -> None:
        """Run the chain of queries, unless the last run was for the same options and columns."""
        if self._prepared != (options, columns):
            self._prepared = None
            super().prepare(options, columns, progress)
            self._prepared = (options, columns)

    def score(self, options: ReadOptions, columns: list[str]) -> Any:
        """Return the wanted columns of every claim as an Arrow table."""
        self.prepare(options, self.computed(columns), self.tables.progress)
        return self.connection.table(self.result(columns))

    def write(
        self, options: ReadOptions, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the wanted columns of a part of the claims atomically; return the number of rows."""
        computed = self.computed(columns)
        needed = computed if "id" in computed or part.of == 1 else ["id", *computed]
        self.prepare(options, needed, progress)
        some = "" if part.of == 1 else f" WHERE hash(s.id) % {part.of} = {part.number}"
        query = self.result(columns) + some
        return self.connection.write(query, output, describe_run(options), progress)

    def close(self) -> None:
        """Close the database and delete its temporary folder."""
        self.connection.close()
