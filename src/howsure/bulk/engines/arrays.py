"""The engine `arrays`: tables as arrays in memory, scored by a compiled kernel, again and again."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from howsure.bulk.claim_arrays import INFERENCE, Held, count_types, depths
from howsure.bulk.engines.base import WHOLE, Counts, Part, Reading, Taken
from howsure.bulk.engines.duckdb import DuckDb
from howsure.bulk.known_ids import KINDS, flat
from howsure.bulk.outputs import Output
from howsure.bulk.passes import Room, passes, pieces
from howsure.bulk.plan import about
from howsure.bulk.tables import TIERS
from howsure.errors import MissingExtraError
from howsure.graph.python import DEEPEST
from howsure.progress import Progress, silent

try:
    import numpy as np
    import pyarrow as pa

    from howsure.bulk.csr import grouped
except ImportError as error:  # pragma: no cover - the development environment has it
    raise MissingExtraError("arrays,duckdb", "scoring arrays") from error


class Arrays(DuckDb):
    """Arrays in memory. DuckDB reads and checks the tables, and writes the result."""

    name: ClassVar[str] = "arrays"

    def __init__(self, memory: str | None = None, temp: str | Path | None = None, disk: str | None = None) -> None:
        """Say how much memory DuckDB may use beside the arrays."""
        super().__init__(memory, temp, disk)
        self.held: Held
        self.room = Room()
        self._claims: dict[str, Any] = {}
        self._names: dict[str, Any] = {}
        self._groups: dict[str, Any] = {}

    def load(self, taken: Taken) -> Counts:
        """Take the tables in, check them, and put them into arrays."""
        counts = super().load(taken)
        self.held = self._hold()
        self._claims, self._names, self._groups, self.known = {}, {}, {}, None
        self.duck.run("DROP TABLE bulk_named")
        if self.held.depths is not None and (deep := np.flatnonzero(self.held.depths > DEEPEST)).size:
            self.too_deep(self.held.ids[int(deep[0])].as_py())
        return counts

    def check_ids(self) -> None:
        """Fetch the claims, and refuse those of the same id."""
        windows = [name for name in ("valid_from", "valid_until") if name in self.columns["claims"].found]
        tiers = " ".join(f"WHEN '{tier}' THEN {number}" for number, tier in enumerate(TIERS))
        columns = ["id", f"CASE tier {tiers} END AS tier", "stale_at"]
        columns += ["status IN ('active', 'challenged') AS standing", *windows]
        self.taken.progress("reading claims", 0, 0)
        self.view("bulk_plain", f"SELECT {', '.join(columns)} FROM bulk_claims")
        kinds = {"tier": "UTINYINT", "stale_at": "DOUBLE", "standing": "UTINYINT"} | dict.fromkeys(windows, "DOUBLE")
        empty = {"stale_at": "'nan'", "valid_from": "'-inf'", "valid_until": "'inf'"}
        pieces: list[Any] = []
        self._claims = self._fetch("bulk_plain", "claims", kinds, empty, ids=pieces)
        self._claims["standing"] = self._claims["standing"].view(np.bool_)
        self._claims["ids"] = pa.chunked_array(pieces, pieces[0].type if pieces else pa.int64()).combine_chunks()
        super().check_ids()

    def ids(self) -> Iterator[Any]:
        """Give the ids of all claims, in the order of their numbers."""
        yield flat(self._claims["ids"], "BIGINT")

    def check_unknown(self) -> None:
        """Fetch relations and evidence by the numbers of their claims, and group them."""
        size = len(self._claims["tier"])
        self.taken.progress("reading relations", 0, 0)
        what = "CASE kind WHEN 'supports' THEN 1 WHEN 'contradicts' THEN 2 WHEN 'derived_from' THEN 3 ELSE 0 END"
        related = f"SELECT source, target, {what} AS kind, strength FROM bulk_relations"
        kinds = {"kind": "UTINYINT", "strength": "DOUBLE"}
        rows = self._numbered(related, "relations", ("source", "target"), kinds)
        self._count("relations", (rows["source"] < 0) | (rows["target"] < 0))
        with ThreadPoolExecutor(1) as aside:  # while the evidence is read
            grouping = aside.submit(self._neighbours, rows, size)
            rows = self._spoken()
            self._groups = grouping.result()
        self._count("evidence", rows["claim"] < 0)
        self._groups |= {"inferred": None}
        if self._groups["derivations"] is not None:
            inferences = self._names["type_of"][rows["source"]] == self._names["inference"]
            self._groups["inferred"] = np.zeros(size, bool)  # be it that the entry counts for nothing
            self._groups["inferred"][rows["claim"][inferences & (rows["claim"] >= 0)]] = True
        self.taken.progress("grouping", 0, 0)
        sources = grouped(rows["claim"], rows["source"], rows["contribution"], size, above=0.0)
        self._groups |= {"sources": sources, "types": count_types(sources, self._names["type_of"])}
        if self.taken.unknown == "refuse" and (self.counts.unknown_evidence or self.counts.unknown_relations):
            super().check_unknown()  # says which

    def _spoken(self) -> dict[str, Any]:
        """Fetch the evidence, with the numbers of its sources, which are numbered by type and id."""
        self.taken.progress("reading evidence", 0, 0)
        place = "CAST(row_number() OVER (ORDER BY source_type, source_id) - 1 AS INTEGER) AS place"
        distinct = "SELECT DISTINCT source_type, source_id FROM bulk_evidence"
        self.keep("bulk_named", f"SELECT source_type, source_id, {place} FROM ({distinct}) AS d")
        types = self.rows("SELECT source_type, COUNT(*), MIN(place) FROM bulk_named GROUP BY source_type ORDER BY 3")
        kinds = [row[0] for row in types]
        self._names = {
            "names": self.duck.table("SELECT source_type, source_id FROM bulk_named ORDER BY place"),
            "type_of": np.repeat(np.arange(len(types), dtype=np.int32), [row[1] for row in types]),
            "inference": kinds.index(INFERENCE) if INFERENCE in kinds else -1,
        }
        spoken = (
            "SELECT e.claim AS claim, s.place AS source, contribution FROM bulk_evidence e JOIN bulk_named s "
            "ON s.source_type = e.source_type AND s.source_id = e.source_id"
        )
        return self._numbered(spoken, "evidence", ("claim",), {"source": "INTEGER", "contribution": "DOUBLE"})

    def _count(self, role: str, lost: Any) -> None:
        if role in self.columns and self.taken.unknown != "ignore":
            setattr(self.counts, f"unknown_{role}", int(np.count_nonzero(lost)))

    def _neighbours(self, rows: dict[str, Any], size: int) -> dict[str, Any]:
        """Group the relations that act, each by the claim that it acts on."""
        source, target, kind, strength = (rows.pop(name) for name in ("source", "target", "kind", "strength"))
        inferences = kind == 3  # noqa: PLR2004
        derivations = grouped(source, target, strength, size, chosen=inferences) if inferences.any() else None
        if derivations is not None and not len(derivations.others):
            derivations = None
        return {
            "supports": grouped(target, source, strength, size, chosen=kind == 1),
            "contradictions": grouped(target, source, strength, size, chosen=kind == 2, both=True),  # noqa: PLR2004
            "derivations": derivations,
            "depths": None if derivations is None else depths(derivations),
        }

    def check_inferences(self) -> None:
        """Do nothing: inferences are followed in the arrays."""

    def _numbered(self, query: str, role: str, ends: tuple[str, ...], kinds: dict[str, str]) -> dict[str, Any]:
        """Fetch rows with the numbers of their claims in the place of ids; -1 for claims that are not there."""
        names = ", ".join(f"r.{name}" for name in kinds)
        if self.known is None:
            places = column(np.arange(len(self._claims["ids"]), dtype=np.int64))
            ids = pa.table([self._claims["ids"], places], ["id", "place"])
            self.duck.connection.register("bulk_ids", ids)
            found = ", ".join(f"COALESCE(i_{end}.place, -1) AS {end}" for end in ends)
            joins = " ".join(f"LEFT JOIN bulk_ids i_{end} ON i_{end}.id = r.{end}" for end in ends)
            place = f"(SELECT {found}, {names} FROM ({query}) AS r {joins})"
            return self._fetch(place, role, dict.fromkeys(ends, "INTEGER") | kinds, {})
        return self._fetch(f"({query})", role, dict.fromkeys(ends, "BIGINT") | kinds, {}, ends)

    def _fetch(
        self,
        place: str,
        role: str,
        kinds: dict[str, str],
        empty: dict[str, str],
        ends: tuple[str, ...] = (),
        ids: list[Any] | None = None,
    ) -> dict[str, Any]:
        """Return columns of numbers as arrays; what is empty becomes 0, or what is said; ids become their places.

        While one batch is copied, the next is read. `ids` collects the ids of claims, as they are.
        """
        listed = ", ".join(
            f"CAST(COALESCE({name}, {empty.get(name, '0')}) AS {kind}) AS {name}" for name, kind in kinds.items()
        )
        size = int(self.duck.run(f"SELECT COUNT(*) FROM bulk_{role}")[0][0])
        found = {name: np.empty(size, np.int32 if name in ends else KINDS[kind]) for name, kind in kinds.items()}

        def copy(batch: Any, first: int) -> None:
            for name, array in found.items():
                values = flat(batch.column(name), kinds[name])
                placed = self.known.find(values) if name in ends and self.known is not None else values
                array[first : first + len(batch)] = placed

        first = 0
        last: Future[None] | None = None
        with ThreadPoolExecutor(1) as aside:
            for batch in self.duck.reader(f"SELECT {'' if ids is None else 'id, '}{listed} FROM {place}"):
                if last is not None:
                    last.result()
                last = aside.submit(copy, batch, first)
                first += len(batch)
                if ids is not None:
                    ids.append(batch.column("id"))
            if last is not None:
                last.result()
        return found

    def _hold(self) -> Held:
        return Held(
            ids=self._claims["ids"],
            tiers=self._claims["tier"],
            stale_at=self._claims["stale_at"],
            standing=self._claims["standing"],
            valid_from=self._claims.get("valid_from"),
            valid_until=self._claims.get("valid_until"),
            **self._names,
            **self._groups,
        )

    def score(self, reading: Reading, columns: list[str]) -> Any:
        """Return the chosen columns of every claim as an Arrow table."""
        own = self._own()
        found = passes(self.held, reading, [name for name in columns if name not in own], self.room)
        return pa.table([own[name] if name in own else column(found[name]) for name in columns], columns)

    def write(
        self, reading: Reading, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the chosen columns of a part of the claims; return how many rows."""
        each = -(-len(self.held) // part.of)
        first = min(part.number * each, len(self.held))
        last = min(first + each, len(self.held))
        progress("scoring", 0, 0)
        self.duck.connection.register("bulk_scores", self._reader(reading, columns, first, last))
        return self.duck.pour("SELECT * FROM bulk_scores", output, about(reading), progress)

    def _reader(self, reading: Reading, columns: list[str], first: int, last: int) -> Any:
        """Return a reader of Arrow batches that scores claims as they are read."""
        own = self._own()
        kinds = [own[name].type if name in own else pa.float64() for name in columns]
        schema = pa.schema(list(zip(columns, kinds, strict=True)))

        def batches() -> Iterator[Any]:
            start = first
            wanted = [name for name in columns if name not in own]
            for piece in pieces(self.held, reading, wanted, self.room, first, last):
                size = len(next(iter(piece.values()))) if piece else last - first
                listed = [column(piece[n]) if n in piece else own[n].slice(start, size) for n in columns]
                yield pa.record_batch(listed, schema=schema)
                start += size

        return pa.RecordBatchReader.from_batches(schema, batches())

    def _own(self) -> dict[str, Any]:
        """Return the columns that no formula computes."""
        none = np.zeros(len(self.held), np.int64)
        return {
            "id": self.held.ids,
            "sources": column(self.held.sources.sizes()),
            "depth": column(none if self.held.depths is None else self.held.depths),
        }


def column(numbers: Any) -> Any:
    """Return an array as a column of Arrow, where it lies; its own way would load pandas."""
    kind = pa.int64() if numbers.dtype == np.int64 else pa.float64()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])
