"""Choose the engine that fits the tables."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from howsure.bulk.engines.base import Engine, Tables
from howsure.bulk.engines.duckdb_connection import MEMORY
from howsure.bulk.inputs import Input
from howsure.errors import InputError, UnknownNameError, shown
from howsure.graph.compiler import has_compiler

log: logging.Logger = logging.getLogger(__name__)

EngineName = Literal["auto", "arrays", "duckdb", "postgres", "spark"]
COSTS = {"claims": 125, "sources": 48, "relations": 60}
"""Bytes of memory that a row of each table takes while arrays are built, measured."""
GROUPED = 21
"""Bytes that a relation still takes when the sources are read, which come after the relations."""
WORTHWHILE = 5_000_000
"""With fewer rows, loading the compiler (about two seconds) takes longer than it saves."""
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


@dataclass(frozen=True)
class EngineChoice:
    """The engine that was chosen, why, and the options to open it with."""

    name: str
    why: str
    options: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def open(self, scratch: Path | None = None) -> Iterator[Engine]:
        """Yield the engine and close it afterwards.

        With `scratch`, another run may go on with its parts; it may keep intermediate results for that run there.
        """
        engine = self._create(scratch)
        try:
            yield engine
        finally:
            engine.close()

    def _create(self, scratch: Path | None) -> Engine:
        # Imported here, because each engine needs libraries that may not be installed.
        if self.name == "arrays":
            from howsure.bulk.engines.arrays import Arrays

            return Arrays(**self.options, ordered=scratch is not None)
        if self.name == "duckdb":
            from howsure.bulk.engines.duckdb import DuckDb

            return DuckDb(**self.options, scratch=scratch)
        if self.name == "postgres":
            from howsure.bulk.engines.postgres import Postgres

            return Postgres(**self.options)
        from howsure.bulk.engines.spark import Spark

        return Spark(**self.options)


def choose(
    tables: Tables,
    engine: EngineName = "auto",
    *,
    spark: Any = None,
    memory: str | None = None,
    temp: str | None = None,
    disk: str | None = None,
) -> EngineChoice:
    """Return the requested engine, or for `auto` the one that fits the tables.

    Raises:
        InputError: if there is no such engine, or it cannot read the tables.
    """
    if engine not in get_args(EngineName):
        raise UnknownNameError("engine", engine, get_args(EngineName))
    limit = parse_size(memory or MEMORY)
    name, why = (engine, "requested") if engine != "auto" else _best(tables, spark, limit)
    log.info("engine %s: %s", name, why)
    if name == "postgres":
        if tables.claims.kind != "postgres":
            hint = "write postgresql://...::TABLE"
            raise InputError("the engine postgres needs tables in PostgreSQL", field="claims", hint=hint)
        return EngineChoice(name, why, {"address": tables.claims.place})
    if name == "spark":
        master = spark if isinstance(spark, str) else None
        return EngineChoice(name, why, {"session": None if master else spark, "master": master, "temp": temp})
    return EngineChoice(name, why, {"memory": memory, "temp": temp, "disk": disk})


def _best(tables: Tables, spark: Any, limit: int) -> tuple[str, str]:
    inputs = tables.inputs()
    if spark is not None:
        return "spark", "a Spark session or master was given"
    if any(table.remote for table in inputs.values()):
        return "spark", "a table is in a remote file system"
    places = {(table.kind, table.place) for table in inputs.values()}
    if tables.claims.kind == "postgres" and len(places) == 1:
        return "postgres", "all tables are in one PostgreSQL database"
    counts = {role: estimate_rows(table) for role, table in inputs.items()}
    if None in counts.values():
        return "duckdb", "the size of the tables is unknown before they are read, and duckdb can spill to disk"
    known = {role: count or 0 for role, count in counts.items()}
    needed = memory_for(**known)
    about = f"{needed / 1e9:.1f} GB for {sum(known.values()):,} rows"
    if needed > limit:
        return "duckdb", f"arrays would need about {about}, more than the limit of {limit / 1e9:.1f} GB"
    if sum(known.values()) < WORTHWHILE:
        return "duckdb", "the tables are small"
    if not has_compiler():
        return "duckdb", "numba is not installed"
    return "arrays", f"about {about} fit into the limit of {limit / 1e9:.1f} GB, and a compiled kernel is faster"


def memory_for(claims: int, sources: int = 0, relations: int = 0) -> int:
    """Return about how many bytes of memory building arrays takes at its peak.

    >>> memory_for(10_000_000, 30_000_000, 10_000_000)
    2900000000
    """
    late = GROUPED * relations + COSTS["sources"] * sources
    return COSTS["claims"] * claims + max(COSTS["relations"] * relations, late)


def estimate_rows(table: Input) -> int | None:
    """Return about how many rows a table has; None if that is unknown without reading it."""
    if table.kind == "frame":
        return int(table.frame.num_rows)
    if table.kind == "parquet":
        from pyarrow import ArrowException, parquet

        try:
            return sum(int(parquet.ParquetFile(file).metadata.num_rows) for file in table.files())
        except (ArrowException, OSError):
            return None  # the engine that reads it reports the error
    if table.kind in ("csv", "json") and not any(file.endswith(".gz") for file in table.files()):
        # Typical bytes per row.
        width = {"csv": 24, "json": 70}[table.kind]
        return sum(Path(file).stat().st_size for file in table.files()) // width
    return None


def parse_size(text: str) -> int:
    """Return an amount of memory in bytes.

    >>> parse_size("3GB"), parse_size("1.5 GiB")
    (3000000000, 1610612736)
    """
    match = re.fullmatch(r"([0-9.]++)\s*+([KMGT]?I?)B?", text.strip().upper())
    number, unit = (match[1], match[2]) if match else ("", "")
    if number.count(".") > 1 or not number.strip(".") or unit not in _UNITS:
        raise InputError(f"{shown(text)} is not an amount of memory", field="memory", hint="such as 3GB")
    return int(float(number) * _UNITS[unit])
