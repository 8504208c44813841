"""A choice of engine: which one fits the tables, and why."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from howsure.bulk.compiled import available
from howsure.bulk.engines.base import Engine, Taken
from howsure.bulk.engines.duckdb_connection import MEMORY
from howsure.bulk.inputs import Input
from howsure.errors import InputError, UnknownNameError, shown

ENGINES = ("auto", "arrays", "duckdb", "postgres", "spark")
COSTS = {"claims": 125, "evidence": 48, "relations": 60}
"""Bytes of memory that a row of each table takes on its way into arrays, measured."""
GROUPED = 21
"""Bytes that a relation still takes when the evidence is read, which comes after it."""
WORTHWHILE = 5_000_000
"""Rows below which starting a compiler, some two seconds, takes longer than it saves."""
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


@dataclass(frozen=True)
class Choice:
    """An engine that was chosen, and how it is opened."""

    name: str
    why: str
    options: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def opened(self, scratch: Path | None = None) -> Iterator[Engine]:
        """Give the engine, and close it afterwards. In `scratch` it may keep what spares work the next time."""
        engine = self._engine(scratch)
        try:
            yield engine
        finally:
            engine.close()

    def _engine(self, scratch: Path | None) -> Engine:
        if self.name == "arrays":
            from howsure.bulk.engines.arrays import Arrays

            return Arrays(**self.options)
        if self.name == "duckdb":
            from howsure.bulk.engines.duckdb import DuckDb

            return DuckDb(**self.options, scratch=scratch)
        if self.name == "postgres":
            from howsure.bulk.engines.postgres import Postgres

            return Postgres(**self.options)
        from howsure.bulk.engines.spark import Spark

        return Spark(**self.options)


def choose(
    taken: Taken,
    engine: str = "auto",
    *,
    spark: Any = None,
    memory: str | None = None,
    temp: str | None = None,
    disk: str | None = None,
) -> Choice:
    """Return the engine for some tables: the one that is asked for, or the one that fits."""
    if engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    allowed = amount(memory or MEMORY)
    name, why = (engine, "it was asked for") if engine != "auto" else _fitting(taken, spark, allowed)
    if name == "postgres":
        if taken.claims.kind != "postgres":
            hint = "name it as postgresql://...::TABLE"
            raise InputError("the engine postgres scores tables in PostgreSQL", field="claims", hint=hint)
        return Choice(name, why, {"address": taken.claims.place})
    if name == "spark":
        master = spark if isinstance(spark, str) else None
        return Choice(name, why, {"session": None if master else spark, "master": master, "temp": temp})
    return Choice(name, why, {"memory": memory, "temp": temp, "disk": disk})


def _fitting(taken: Taken, spark: Any, allowed: int) -> tuple[str, str]:
    inputs = taken.inputs()
    if spark is not None:
        return "spark", "a Spark session or master was given"
    if any(given.remote for given in inputs.values()):
        return "spark", "a table lies in a file system that Spark reads"
    places = {(given.kind, given.place) for given in inputs.values()}
    if taken.claims.kind == "postgres" and len(places) == 1:
        return "postgres", "all tables are in one PostgreSQL database"
    counts = {role: rows(given) for role, given in inputs.items()}
    if None in counts.values():
        return "duckdb", "how large the tables are is seen only by reading them, and it works beyond memory"
    known = {role: count or 0 for role, count in counts.items()}
    needed = memory_for(**known)
    about = f"{needed / 1e9:.1f} GB for {sum(known.values()):,} rows"
    if needed > allowed:
        return "duckdb", f"arrays would take about {about}, more than the {allowed / 1e9:.1f} GB allowed"
    if sum(known.values()) < WORTHWHILE:
        return "duckdb", "the tables are small"
    if not available():
        return "duckdb", "numba is not installed"
    return "arrays", f"about {about} fit into the {allowed / 1e9:.1f} GB allowed, and a compiled kernel is quicker"


def memory_for(claims: int, evidence: int = 0, relations: int = 0) -> int:
    """Return about how many bytes of memory arrays of so many rows take, at their most.

    >>> memory_for(10_000_000, 30_000_000, 10_000_000)
    2900000000
    """
    late = GROUPED * relations + COSTS["evidence"] * evidence
    return COSTS["claims"] * claims + max(COSTS["relations"] * relations, late)


def rows(given: Input) -> int | None:
    """Return about how many rows a table has, if that can be told without reading it."""
    if given.kind == "frame":
        return int(given.frame.num_rows)
    if given.kind == "parquet":
        from pyarrow import ArrowException, parquet

        try:
            return sum(int(parquet.ParquetFile(file).metadata.num_rows) for file in given.files())
        except (ArrowException, OSError):
            return None  # and what is wrong is told by whoever reads it
    if given.kind in ("csv", "json") and not any(file.endswith(".gz") for file in given.files()):
        width = {"csv": 24, "json": 70}[given.kind]
        return sum(Path(file).stat().st_size for file in given.files()) // width
    return None


def amount(text: str) -> int:
    """Return an amount of memory in bytes.

    >>> amount("3GB"), amount("1.5 GiB")
    (3000000000, 1610612736)
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?I?)B?\s*", text.upper())
    number, unit = (found[1], found[2]) if found else ("", "")
    if number.count(".") > 1 or not number.strip(".") or unit not in _UNITS:
        raise InputError(f"{shown(text)} is no amount of memory", field="memory", hint="like 3GB")
    return int(float(number) * _UNITS[unit])
