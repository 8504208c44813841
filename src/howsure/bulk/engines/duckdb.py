"""The engine `duckdb`: tables of any size on one machine, from files, beyond memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from howsure.bulk.columns import Columns, Family
from howsure.bulk.engines.base import WHOLE, Part, Reading
from howsure.bulk.engines.duckdb_connection import Duck, text
from howsure.bulk.engines.sql import Relational
from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.bulk.plan import NEIGHBOURS, SOURCES, Plan, Stage, about
from howsure.formulas.folds import Fold
from howsure.progress import Progress, silent
from howsure.sql.dialect import DUCKDB, Dialect
from howsure.sql.statement import fold

if TYPE_CHECKING:
    from howsure.bulk.known_ids import Known

CROWD = 8
"""Rows per claim from which it is quicker to look at every one for being the same as another."""
MOST_TYPES = 64
"""Types of source that fit as bits in one number."""


class DuckDb(Relational):
    """Generated SQL inside DuckDB."""

    name: ClassVar[str] = "duckdb"
    dialect: ClassVar[Dialect] = DUCKDB

    def __init__(
        self,
        memory: str | None = None,
        temp: str | Path | None = None,
        disk: str | None = None,
        scratch: Path | None = None,
    ) -> None:
        """Say how much memory may be used, where the rest goes, and how much of it may go there.

        In `scratch`, results on the way are kept from one run to the next.
        """
        super().__init__()
        self.duck = Duck(memory, temp, disk)
        self.scratch = scratch
        self.known: Known | None = None
        """Where ids stand, if they are whole numbers without great gaps."""
        self._types: list[str] = []
        self._ready: tuple[Reading, list[str]] | None = None

    def take(self, given: Input) -> dict[str, Family]:
        """Make an input readable under the name `raw_` and its role, and return its columns."""
        return self.duck.take(given)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all that it gives."""
        return self.duck.run(query)

    def view(self, name: str, query: str) -> None:
        """Give a query a name."""
        self.duck.run(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}")

    def keep(self, name: str, query: str, *, shared: bool = False) -> None:  # noqa: ARG002 - all is kept
        """Give a query a name, and keep what it gives."""
        if self.scratch is None:
            self.duck.run(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}", *self.doing)
            return
        kept = self.scratch / f"{name}.parquet"
        if not kept.exists():
            self.duck.pour(query, Output("parquet", str(kept)), {}, self.doing[1])
        self.view(name, f"SELECT * FROM read_parquet({text(str(kept))})")

    def check(self, role: str, columns: Columns) -> int:
        """Refuse a table with rows that no formula can read; return how many rows there are."""
        with self._careful(columns.name, role):
            count = super().check(role, columns)
            if role == "evidence":
                found = self.rows(f"SELECT DISTINCT source_type FROM bulk_evidence LIMIT {MOST_TYPES + 1}")
                self._types = sorted(row[0] for row in found)
        return count

    @contextmanager
    def _careful(self, name: str, role: str) -> Iterator[None]:
        """Let DuckDB look at every cell: what Parquet says of its columns leaves NaN out."""
        self.duck.run("SET disabled_optimizers = 'statistics_propagation,filter_pushdown'")
        self.duck.subject = (name, role)
        try:
            yield
        finally:
            self.duck.subject = ("", "")
            self.duck.run("SET disabled_optimizers = ''")

    def check_ids(self) -> None:
        """Refuse claims of the same id; see where ids that are whole numbers stand."""
        size = self.rows("SELECT COUNT(*) FROM bulk_claims")[0][0]
        if self.whole_ids and size and find_spec("numpy"):
            from howsure.bulk.known_ids import known

            self.taken.progress("looking for ids that are there twice", 0, 0)
            low, high = self.rows("SELECT MIN(id), MAX(id) FROM bulk_claims")[0]
            self.known = known(self.ids(), size, low, high)
        if self.known is None:
            super().check_ids()

    def ids(self) -> Iterator[Any]:
        """Give the ids of all claims, which are whole numbers, in batches."""
        from howsure.bulk.known_ids import flat

        for batch in self.duck.reader("SELECT id FROM bulk_claims"):
            yield flat(batch.column(0), "BIGINT")

    def check_unknown(self) -> None:
        """Count evidence and relations that speak of claims which are not there; refuse them if that is wanted."""
        if self.known is None or self.taken.unknown == "ignore":
            super().check_unknown()
            return
        for role, ends in (("evidence", ("claim",)), ("relations", ("source", "target"))):
            if role in self.columns:
                self.taken.progress(f"looking for unknown claims in {self.columns[role].name}", 0, 0)
                setattr(self.counts, f"unknown_{role}", self._lost(self.known, role, ends))
        if self.taken.unknown == "refuse" and (self.counts.unknown_evidence or self.counts.unknown_relations):
            super().check_unknown()  # says which

    def _lost(self, known: "Known", role: str, ends: tuple[str, ...]) -> int:
        """Return how many rows name a claim that is not there."""
        if known.gapless:  # files tell between which numbers their columns lie, so that most need not be read
            outside = " OR ".join(map(known.outside, ends))
            return int(self.rows(f"SELECT COUNT(*) FROM bulk_{role} WHERE {outside}")[0][0])
        return known.lost(self.duck.reader(f"SELECT {', '.join(ends)} FROM bulk_{role}"))

    def where(self, role: str, columns: Columns, column: str, condition: str) -> tuple[str, Any]:  # noqa: ARG002
        """Return file and row of the first row that meets a condition, and what a column holds there."""
        given: Input = getattr(self.taken, role)
        name = self.dialect.quoted(column)
        if given.kind == "parquet":
            place = self.duck.place(given, numbered=True)
            query = f"SELECT filename, file_row_number, {name} FROM {place} WHERE {condition} ORDER BY 1, 2 LIMIT 1"
            (file, row, value) = self.rows(query)[0]
            return f"row {row + 1}" if len(given.files()) == 1 else f"{Path(file).name}, row {row + 1}", value
        self.duck.run("SET preserve_insertion_order = true")
        numbered = f"SELECT row_number() OVER () AS bulk_row, * FROM raw_{role}"
        query = f"SELECT bulk_row, {name} FROM ({numbered}) WHERE {condition} ORDER BY bulk_row LIMIT 1"
        row, value = self.rows(query)[0]
        self.duck.run("SET preserve_insertion_order = false")
        return f"row {row}", value

    def plan(self, reading: Reading) -> Plan:
        """Return the writer of queries for a reading."""
        claims = max(self.counts.claims, 1)
        return DuckPlan(
            reading,
            types=self._types,
            crowded=self.counts.evidence > CROWD * claims,
            tangled=self.counts.relations > CROWD * claims,
        )

    def prepare(self, reading: Reading, columns: list[str], progress: Progress) -> None:
        """Run the chain, unless it was run for the same reading just before."""
        if self._ready != (reading, columns):
            self._ready = None
            super().prepare(reading, columns, progress)
            self._ready = (reading, columns)

    def score(self, reading: Reading, columns: list[str]) -> Any:
        """Return the chosen columns of every claim as an Arrow table."""
        self.prepare(reading, columns, self.taken.progress)
        return self.duck.table("SELECT * FROM bulk_scored")

    def write(
        self, reading: Reading, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the chosen columns of a part of the claims; return how many rows."""
        both = columns if "id" in columns or part.of == 1 else ["id", *columns]
        self.prepare(reading, both, progress)
        listed = ", ".join(map(self.dialect.quoted, columns))
        some = "" if part.of == 1 else f" WHERE hash(id) % {part.of} = {part.number}"
        query = f"SELECT {listed} FROM bulk_scored{some}"
        return self.duck.pour(query, output, about(reading), progress)

    def close(self) -> None:
        """Let go of the database and its folder."""
        self.duck.close()


class DuckPlan(Plan):
    """The plan for DuckDB, where looking for rows that are the same costs more than all the rest.

    Nearly always there are none within a claim. Each row sets one of 64 bits, chosen by a hash of what may be the same;
    a claim with as many bits as rows has none twice, for certain. Only the others are looked at again, exactly.
    """

    def __init__(self, reading: Reading, *, types: list[str], crowded: bool, tangled: bool) -> None:
        """Take the types of source that there are, and whether claims have many sources, or many neighbours."""
        super().__init__(reading, DUCKDB)
        self.types = types
        self.crowded = crowded or len(types) > MOST_TYPES
        self.tangled = tangled

    def folding(self) -> Iterator[Stage]:
        """Give the queries that fold the sources of each claim into `bulk_folded`."""
        if self.crowded:
            yield from super().folding()
            return
        types = " ".join(f"WHEN '{_escaped(name)}' THEN {1 << bit}::UBIGINT" for bit, name in enumerate(self.types))
        kind = f"CASE source_type {types} END" if types else "NULL::UBIGINT"
        spread = f"SELECT claim, contribution AS c, {kind} AS bulk_type, {_bit('source_type, source_id')} AS bulk_bit"
        yield Stage("bulk_spread", f"{spread} FROM bulk_evidence WHERE contribution > 0", kept=False)
        names = ["bulk_sources", *(["bulk_types"] if self.counts_types() else []), *self.of_sources()]
        counted = "BIT_COUNT(BIT_OR(bulk_type)) AS bulk_types, " if self.counts_types() else ""
        first = f"SELECT claim, COUNT(*) AS bulk_sources, {counted}{self._folds(self.of_sources(), {'sources': 'c'})}"
        yield Stage("bulk_first", f"{first}{_TWICE} FROM bulk_spread GROUP BY claim", told=SOURCES)
        again = "SELECT * FROM bulk_evidence WHERE claim IN (SELECT claim FROM bulk_first WHERE bulk_twice)"
        independent = f"({self.independent(f'({again})')}) AS i"
        yield Stage("bulk_again", self.folded(independent), told=SOURCES)
        yield Stage("bulk_folded", self._together("bulk_first", "bulk_again", names), kept=False)

    def lending(self) -> Iterator[Stage]:
        """Give the queries that fold what neighbours lend into `bulk_lent`."""
        if self.tangled:
            yield from super().lending()
            return
        yield Stage("bulk_acts", self.acts(), kept=False)
        near = (
            "SELECT p.claim AS claim, p.strength * n.bulk_lends AS lent, p.kind = 'supports' AS supports, "
            f"{_bit('p.neighbour, p.kind')} AS bulk_bit "
            "FROM bulk_acts p JOIN bulk_base n ON n.bulk_id = p.neighbour WHERE n.bulk_lends IS NOT NULL"
        )
        yield Stage("bulk_near", near, kept=False)
        lent = {
            "supports": "CASE WHEN supports THEN lent END",
            "contradictions": "CASE WHEN NOT supports THEN lent END",
        }
        folded = self._folds(self.of_neighbours(), lent)
        first = f"SELECT claim, {folded}{_TWICE} FROM bulk_near GROUP BY claim"
        yield Stage("bulk_lent_first", first, told=NEIGHBOURS)
        again = "SELECT * FROM bulk_acts WHERE claim IN (SELECT claim FROM bulk_lent_first WHERE bulk_twice)"
        yield Stage("bulk_lent_again", self.lent(f"({self.pairs(f'({again})')})"), told=NEIGHBOURS)
        names = list(self.of_neighbours())
        yield Stage("bulk_lent", self._together("bulk_lent_first", "bulk_lent_again", names), kept=False)

    def _folds(self, folds: dict[str, Fold], numbers: dict[str, str]) -> str:
        return "".join(
            f"{fold(by, numbers[by.over], self.dialect)} AS {self.quoted(name)}, " for name, by in folds.items()
        )

    def _together(self, first: str, again: str, names: list[str]) -> str:
        listed = ", ".join(["claim", *map(self.quoted, names)])
        return f"SELECT {listed} FROM {first} WHERE NOT bulk_twice UNION ALL SELECT {listed} FROM {again}"


_TWICE = "BIT_COUNT(BIT_OR(bulk_bit)) < COUNT(*) AS bulk_twice"


def _bit(columns: str) -> str:
    return f"1::UBIGINT << (HASH({columns}) & 63)"


def _escaped(name: str) -> str:
    return name.replace("'", "''")
