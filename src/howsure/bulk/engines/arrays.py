"""The engine `arrays`: loads tables into arrays once, and scores them with a compiled kernel as often as needed."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from howsure.bulk.engines.base import WHOLE, Counts, Part, Tables
from howsure.bulk.engines.duckdb import DuckDb
from howsure.bulk.engines.duckdb_connection import quote_text
from howsure.bulk.engines.sql import describe_run
from howsure.bulk.id_index import NUMPY_TYPES, column_values
from howsure.bulk.outputs import Output
from howsure.errors import MissingExtraError
from howsure.formulas.claim import IN_USE, UNKNOWN_VARIANCE, UNKNOWN_WEIGHT
from howsure.formulas.decay import TIERS
from howsure.formulas.derived import DEEPEST
from howsure.graph.sql import ReadOptions
from howsure.progress import Progress, silent

try:
    import numpy as np
    import pyarrow as pa

    from howsure.graph.arrays import (
        RELATION_NUMBERS,
        Buffers,
        ClaimArrays,
        RelationGroups,
        group_relations,
        score_claims,
        score_in_pieces,
    )
    from howsure.graph.groups import SourceGroups, count_types, group_rows
except ImportError as error:  # pragma: no cover - the development environment has it
    raise MissingExtraError("arrays,duckdb", "scoring arrays") from error


class Arrays(DuckDb):
    """Scores arrays in memory. DuckDB reads and checks the tables, and writes the result."""

    name: ClassVar[str] = "arrays"

    def __init__(
        self,
        memory: str | None = None,
        temp: str | Path | None = None,
        disk: str | None = None,
        *,
        ordered: bool = False,
    ) -> None:
        """Set DuckDB's memory limit, the folder to spill to, and how much may be spilled.

        With `ordered`, claims have the order of their table, so that a part of them is the same in every run.
        """
        super().__init__(memory, temp, disk)
        self._ordered = ordered
        self.arrays: ClaimArrays
        self.buffers = Buffers()
        self.shown: Any = None
        """Whether each claim is in the result; None if all are."""
        self._claims: dict[str, Any] = {}
        self._parts: dict[str, Any] = {}

    def load(self, tables: Tables, as_of: float | None = None) -> Counts:
        """Read and check the tables, and build the arrays."""
        counts = super().load(tables, as_of)
        claims = self._claims
        windows: dict[str, Any] = {name: claims.get(name) for name in ("valid_from", "valid_until")}
        self.arrays = ClaimArrays(**claims | windows | self._parts)
        self._claims, self._parts, self.id_index = {}, {}, None
        self.connection.run("DROP TABLE bulk_named")
        depths = self.arrays.relations.depths
        if depths is not None and (deep := np.flatnonzero(depths > DEEPEST)).size:
            self.too_deep(self.arrays.ids[int(deep[0])].as_py())
        return counts

    def check_ids(self) -> None:
        """Fetch the claims; raise InputError if two have the same id."""
        windows = [name for name in ("valid_from", "valid_until") if name in self.columns["claims"].families]
        tiers = " ".join(f"WHEN '{tier}' THEN {number}" for number, tier in enumerate(TIERS))
        columns = ["id", f"CASE tier {tiers} END AS tiers", "stale_at"]
        columns += [f"status IN {IN_USE} AS active", *windows]
        self.tables.progress("reading claims", 0, 0)
        types = {"tiers": "UTINYINT", "stale_at": "DOUBLE", "active": "UTINYINT"} | dict.fromkeys(windows, "DOUBLE")
        if self.tables.hidden:
            columns.append(f"status NOT IN ({', '.join(map(quote_text, self.tables.hidden))}) AS shown")
            types["shown"] = "UTINYINT"
        self.create_view("bulk_plain", f"SELECT {', '.join(columns)} FROM bulk_claims")
        defaults = {"stale_at": "'nan'", "valid_from": "'-inf'", "valid_until": "'inf'"}
        ids: list[Any] = []
        self.connection.run(f"SET preserve_insertion_order = {self._ordered}")
        self._claims = self._fetch_arrays("bulk_plain", "claims", types, defaults, ids=ids)
        self.connection.run("SET preserve_insertion_order = false")
        self._claims["active"] = self._claims["active"].view(np.bool_)
        self.shown = self._claims.pop("shown").view(np.bool_) if self.tables.hidden else None
        self._claims["ids"] = pa.chunked_array(ids, ids[0].type if ids else pa.int64()).combine_chunks()
        super().check_ids()

    def index_ids(self, size: int, low: int, high: int) -> None:
        """Number the claims, which arrays need."""
        self.number_ids(size, low, high)

    def ids(self) -> Iterator[Any]:
        """Yield the ids of all claims, in the order of their numbers."""
        yield column_values(self._claims["ids"], "BIGINT")

    def check_unknown(self) -> None:
        """Fetch relations and sources with the numbers of their claims, group them, and count unknown claims."""
        size = len(self._claims["tiers"])
        self.tables.progress("reading relations", 0, 0)
        kinds = " ".join(f"WHEN '{kind}' THEN {number}" for kind, number in RELATION_NUMBERS.items())
        query = f"SELECT source, target, CASE kind {kinds} ELSE 0 END AS kind, strength FROM bulk_relations"
        rows = self._fetch_numbered(
            query, "relations", ("source", "target"), {"kind": "UTINYINT", "strength": "DOUBLE"}
        )
        self._count("relations", (rows["source"] < 0) | (rows["target"] < 0))
        with ThreadPoolExecutor(1) as worker:  # group the relations while the sources are read
            grouping = worker.submit(self._group_relations, rows, size)
            names, rows = self._fetch_sources()
            relations = grouping.result()
        self._count("sources", rows["claim"] < 0)
        inferred = None
        if relations.derivations is not None:
            inferences = names["type_of"][rows["source"]] == names["inference"]
            inferred = np.zeros(size, bool)
            inferred[rows["claim"][inferences & (rows["claim"] >= 0)]] = True
        self.tables.progress("grouping", 0, 0)
        sources = _group_sources(rows, size)
        types = count_types(sources.rows, names["type_of"])
        self._parts = names | {"sources": sources, "types": types, "relations": relations, "inferred": inferred}
        self.refuse_unknown()

    @staticmethod
    def _group_relations(rows: dict[str, Any], size: int) -> RelationGroups:
        # Taken out of the dictionary, so that the memory of the rows is free while the sources are grouped.
        source, target, kind, strength = (rows.pop(name) for name in ("source", "target", "kind", "strength"))
        return group_relations(source, target, kind, strength, size)

    def _fetch_sources(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fetch the sources; return their names, and rows with their numbers. Sources are numbered by type and id."""
        self.tables.progress("reading sources", 0, 0)
        place = "CAST(row_number() OVER (ORDER BY source_type, source_id) - 1 AS INTEGER) AS place"
        distinct = "SELECT DISTINCT source_type, source_id FROM bulk_sources"
        self.create_table("bulk_named", f"SELECT source_type, source_id, {place} FROM ({distinct}) AS d")
        types = self.fetch("SELECT source_type, COUNT(*), MIN(place) FROM bulk_named GROUP BY source_type ORDER BY 3")
        type_names = [row[0] for row in types]
        names = {
            "source_names": self.connection.table("SELECT source_type, source_id FROM bulk_named ORDER BY place"),
            "type_of": np.repeat(np.arange(len(types), dtype=np.int32), [row[1] for row in types]),
            "inference": type_names.index("inference") if "inference" in type_names else -1,
        }
        learned, joined, types_of = "", "", {"source": "INTEGER", "contribution": "DOUBLE"}
        if self._has_weights():
            learned, joined = self._learned_columns()
            types_of |= {"weight": "DOUBLE", "variance": "DOUBLE", "copy_group": "DOUBLE"}
        query = (
            f"SELECT e.claim AS claim, s.place AS source, contribution{learned} FROM bulk_sources e JOIN bulk_named s "
            f"ON s.source_type = e.source_type AND s.source_id = e.source_id{joined}"
        )
        return names, self._fetch_numbered(query, "sources", ("claim",), types_of)

    def _has_weights(self) -> bool:
        """Return whether the sources have a column of learned numbers."""
        columns = self.columns.get("sources")
        return columns is not None and not {"weight", "variance", "copy_group"}.isdisjoint(columns.families)

    @staticmethod
    def _learned_columns() -> tuple[str, str]:
        """Write the columns of learned numbers, and the join that numbers the copy groups."""
        columns = (
            f", COALESCE(e.weight, {UNKNOWN_WEIGHT!r}) AS weight"
            f", COALESCE(e.variance, {UNKNOWN_VARIANCE!r}) AS variance, COALESCE(g.place, -1) AS copy_group"
        )
        groups = (
            "SELECT copy_group, row_number() OVER (ORDER BY copy_group) - 1 AS place FROM "
            "(SELECT DISTINCT copy_group FROM bulk_sources WHERE copy_group <> '') AS d"
        )
        return columns, f" LEFT JOIN ({groups}) AS g ON g.copy_group = e.copy_group"

    def _count(self, role: str, unknown: Any) -> None:
        if role in self.columns and self.tables.unknown != "ignore":
            setattr(self.counts, f"unknown_{role}", int(np.count_nonzero(unknown)))

    def check_derivations(self) -> None:
        """Do nothing: `load` checks the depths in the arrays."""

    def _fetch_numbered(self, query: str, role: str, ends: tuple[str, ...], types: dict[str, str]) -> dict[str, Any]:
        """Fetch rows with the numbers of claims in place of their ids; -1 for unknown claims."""
        names = ", ".join(f"r.{name}" for name in types)
        if self.id_index is None:
            places = to_column(np.arange(len(self._claims["ids"]), dtype=np.int64))
            ids = pa.table([self._claims["ids"], places], ["id", "place"])
            self.connection.connection.register("bulk_ids", ids)
            numbers = ", ".join(f"COALESCE(i_{end}.place, -1) AS {end}" for end in ends)
            joins = " ".join(f"LEFT JOIN bulk_ids i_{end} ON i_{end}.id = r.{end}" for end in ends)
            rows = f"(SELECT {numbers}, {names} FROM ({query}) AS r {joins})"
            return self._fetch_arrays(rows, role, dict.fromkeys(ends, "INTEGER") | types, {})
        return self._fetch_arrays(f"({query})", role, dict.fromkeys(ends, "BIGINT") | types, {}, ends)

    def _fetch_arrays(
        self,
        rows: str,
        role: str,
        types: dict[str, str],
        defaults: dict[str, str],
        ends: tuple[str, ...] = (),
        ids: list[Any] | None = None,
    ) -> dict[str, Any]:
        """Return columns as arrays. NULL becomes 0 or the column's default; ids in `ends` become numbers of claims.

        The chunks of the column `id` are appended to `ids`, if given. One thread copies a batch while the next is read.
        """
        listed = ", ".join(
            f"CAST(COALESCE({name}, {defaults.get(name, '0')}) AS {kind}) AS {name}" for name, kind in types.items()
        )
        size = int(self.fetch(f"SELECT COUNT(*) FROM bulk_{role}")[0][0])
        arrays = {name: np.empty(size, np.int32 if name in ends else NUMPY_TYPES[kind]) for name, kind in types.items()}

        def copy(batch: Any, first: int) -> None:
            for name, array in arrays.items():
                values = column_values(batch.column(name), types[name])
                numbered = self.id_index.find(values) if name in ends and self.id_index is not None else values
                array[first : first + len(batch)] = numbered

        first = 0
        copying: Future[None] | None = None
        with ThreadPoolExecutor(1) as worker:
            for batch in self.connection.batches(f"SELECT {'' if ids is None else 'id, '}{listed} FROM {rows}"):
                if copying is not None:
                    copying.result()
                copying = worker.submit(copy, batch, first)
                first += len(batch)
                if ids is not None:
                    ids.append(batch.column("id"))
            if copying is not None:
                copying.result()
        return arrays

    def score(self, options: ReadOptions, columns: list[str]) -> Any:
        """Return the wanted columns of every claim as an Arrow table."""
        own, computed = self._own_columns(), self.computed(columns)
        numbers = score_claims(self.arrays, options, [name for name in computed if name not in own], self.buffers)
        table = pa.table([own[name] if name in own else to_column(numbers[name]) for name in computed], computed)
        if not self.joins_claims:
            return table
        self.connection.connection.register("bulk_scores", table)
        return self.connection.table(self.result(columns, "bulk_scores"))

    def write(
        self, options: ReadOptions, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the wanted columns of a part of the claims atomically; return the number of rows."""
        size = -(-len(self.arrays) // part.of)
        first = min(part.number * size, len(self.arrays))
        last = min(first + size, len(self.arrays))
        progress("scoring", 0, 0)
        reader = self._reader(options, self.computed(columns), first, last)
        self.connection.connection.register("bulk_scores", reader)
        query = self.result(columns, "bulk_scores")
        return self.connection.write(query, output, describe_run(options), progress)

    def _reader(self, options: ReadOptions, columns: list[str], first: int, last: int) -> Any:
        """Return a reader of Arrow batches that scores claims as they are read."""
        own = self._own_columns()
        types = [own[name].type if name in own else pa.float64() for name in columns]
        schema = pa.schema(list(zip(columns, types, strict=True)))

        def batches() -> Iterator[Any]:
            start = first
            wanted = [name for name in columns if name not in own]
            for piece in score_in_pieces(self.arrays, options, wanted, self.buffers, first, last):
                size = len(next(iter(piece.values()))) if piece else last - first
                listed = [to_column(piece[n]) if n in piece else own[n].slice(start, size) for n in columns]
                yield pa.record_batch(listed, schema=schema)
                start += size

        return pa.RecordBatchReader.from_batches(schema, batches())

    def _own_columns(self) -> dict[str, Any]:
        """Return the columns that no formula computes."""
        depths = self.arrays.relations.depths
        return {
            "id": self.arrays.ids,
            "sources": to_column(self.arrays.sources.rows.sizes()),
            "depth": to_column(np.zeros(len(self.arrays), np.int64) if depths is None else depths),
        }


def _group_sources(rows: dict[str, Any], size: int) -> SourceGroups:
    """Group the sources that count by claim, with their learned numbers if there are any."""
    claims, sources, counts = rows["claim"], rows["source"], rows["contribution"] > 0.0
    grouped = group_rows(claims, sources, rows["contribution"], size, above=0.0)
    if "weight" not in rows:
        return SourceGroups(grouped, None, None, None)
    learned = [
        group_rows(claims, sources, rows[name], size, mask=counts, above=-np.inf).numbers
        for name in ("weight", "variance", "copy_group")
    ]
    return SourceGroups(grouped, *learned)


def to_column(numbers: Any) -> Any:
    """Return an array as an Arrow column, without copying. Arrow's own `pa.array` would import pandas."""
    kind = pa.int64() if numbers.dtype == np.int64 else pa.float64()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])
