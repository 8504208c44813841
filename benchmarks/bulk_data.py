"""The tables and the stopwatch of the bulk benchmarks."""

import os
import resource
import time
from pathlib import Path
from typing import Any

NOW = 1_800_000_000.0
MEMORY = "3GB"
TABLES = ("claims", "sources", "relations")
TYPES = ("agent_assertion", "direct_load", "extraction", "inference", "user_input")
LIVES = {"ephemeral": 14_400.0, "task": 259_200.0, "project": 2_419_200.0, "persistent": 15_778_800.0}


class Watch:
    """Measures elapsed time and the CPU time of all cores since it was created."""

    def __init__(self) -> None:
        """Start."""
        self.started = time.perf_counter()
        self.worked = self._work()

    @staticmethod
    def _work() -> float:
        """Return the CPU seconds of this process and of its Java child process so far."""
        own = resource.getrusage(resource.RUSAGE_SELF)
        total = own.ru_utime + own.ru_stime
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if int(fields[1]) == os.getpid() and "java" in stat.with_name("comm").read_text():
                total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return total

    def read(self) -> dict[str, Any]:
        """Return what was measured."""
        return {"seconds": time.perf_counter() - self.started, "cpu": self._work() - self.worked}


def make(size: int, folder: Path) -> None:
    """Write the tables: `size` claims with three sources and one relation each, unordered, with some duplicates."""
    import duckdb

    chosen = "{0}[(1 + hash(range, {1}) % {2})::BIGINT]"
    tiers, types = chosen.format(list(LIVES), 0, 4), chosen.format(list(TYPES), 5, 5)
    unit = "((hash(range, {0}) % 1000000) / 1e6)"
    queries = {
        "claims": f"""SELECT range AS id, {tiers} AS tier,
            CASE WHEN hash(range, 1) % 4 = 0 THEN NULL ELSE {NOW} + 864000.0 * ({unit.format(2)} - 0.7) END AS stale_at,
            CASE hash(range, 3) % 50 WHEN 0 THEN 'deprecated' WHEN 1 THEN 'challenged' ELSE 'active' END AS status
            FROM range({size})""",
        "sources": f"""SELECT (hash(range, 4) % {size})::BIGINT AS claim, {types} AS source_type,
            's' || (hash(range, 6) % 5000) AS source_id, round({unit.format(7)} * 0.95, 6) AS contribution
            FROM range({3 * size})""",
        "relations": f"""SELECT CASE WHEN hash(range, 8) % 2 = 0 THEN 'supports' ELSE 'contradicts' END AS kind,
            range AS source, (range + 1 + (hash(range, 9) % {size - 1})::BIGINT) % {size} AS target,
            round({unit.format(10)}, 6) AS strength FROM range({size})""",
    }
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        for name, query in queries.items():
            connection.execute(f"COPY ({query}) TO '{folder}/{name}.parquet' (FORMAT parquet)")


def places(folder: Path) -> dict[str, Any]:
    """Return where the tables are."""
    return {name: folder / f"{name}.parquet" for name in TABLES}


def load_arrays(folder: Path) -> Any:
    """Return the tables as arrays in memory."""
    from howsure.bulk.engines.arrays import Arrays
    from howsure.bulk.engines.base import Tables
    from howsure.bulk.inputs import parse_input

    arrays = Arrays(MEMORY, folder)
    given: Any = {name: parse_input(place, name) for name, place in places(folder).items()}
    arrays.load(Tables(**given))
    arrays.close()
    return arrays.arrays


def session(folder: Path, *, read: bool = True) -> Any:
    """Return a local Spark session that has read the tables of a folder once."""
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master("local[*]").config("spark.driver.memory", "8g").config("spark.ui.enabled", "false")
    )
    builder = builder.config("spark.local.dir", str(folder / "spark")).config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "32")  # for two to sixteen cores; 200 are for clusters
    found = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    for name, place in places(folder).items() if read else ():
        found.read.parquet(str(place)).createOrReplaceTempView(f"given_{name}")
        found.table(f"given_{name}").count()  # warm up, for both alternatives
    return found
