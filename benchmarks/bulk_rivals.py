"""Hand-written alternatives to bulk scoring, tuned as hard. Each runs in its own process."""

import time
from pathlib import Path
from typing import Any

from benchmarks.bulk_data import LIVES, MEMORY, NOW, TYPES, Watch, load_arrays, places, session
from benchmarks.timing import best

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
    """Score by hand-written SQL, from Parquet to Parquet; duplicates are found by bits, in one word."""
    watch = Watch()  # as in `one_shot`, what is imported counts
    import duckdb

    claims, sources, relations = (f"'{place}'" for place in places(folder).values())
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
            FROM {sources} WHERE contribution > 0) GROUP BY claim""")
        connection.execute(f"""CREATE TEMP TABLE again AS SELECT claim, product(1 - c) AS doubt, max(c) AS strongest,
            count(DISTINCT source_type) AS types, count(*) AS n FROM (SELECT claim, source_type, source_id,
            max(contribution) AS c FROM {sources} WHERE contribution > 0
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
    """Score by hand-written SQL over tables in memory, whose duplicates were removed before."""
    import duckdb

    claims, sources, relations = (f"'{place}'" for place in places(folder).values())
    with duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = '{folder}/spill'")
        connection.execute(f"CREATE TABLE claims AS FROM {claims}")
        connection.execute(f"""CREATE TABLE sources AS SELECT claim, any_value({BITS}) AS b, max(contribution) AS c
            FROM {sources} WHERE contribution > 0 GROUP BY claim, source_type, source_id""")
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
                max(c) AS strongest, bit_count(bit_or(b)) AS types FROM sources GROUP BY claim) AS x
                ON x.claim = id)""")
            lent = f"""SELECT claim, {SUMS} FROM (SELECT a.claim, a.s, a.strength * n.lends AS x FROM acts AS a
                JOIN base AS n ON n.id = a.neighbour WHERE n.lends IS NOT NULL) GROUP BY claim"""
            steps = STEPS.format(lent=lent)
            connection.execute(f"CREATE OR REPLACE TABLE scores AS SELECT id, lower, upper FROM ({steps})")

        seconds, _ = best(score, 2)
        connection.execute(f"COPY scores TO '{folder}/duckdb_resident.parquet' (FORMAT parquet)")
    return {"seconds": seconds, "out": "duckdb_resident.parquet"}


def naive(folder: Path) -> dict[str, Any]:
    """Score claim by claim in plain Python, over lists in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    tables = load_arrays(folder)
    sources = tables.sources.rows
    starts, numbers, types = sources.starts.tolist(), sources.numbers.tolist(), tables.types.tolist()
    stale, standing = tables.stale_at.tolist(), tables.active.tolist()
    lives = [list(LIVES.values())[tier] for tier in tables.tiers.tolist()]
    supports, against = tables.relations.supports, tables.relations.contradictions
    near, near_starts, near_by = (x.tolist() for x in (supports.others, supports.starts, supports.numbers))
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
    parquet.write_table(pa.table({"id": tables.ids, "lower": lower, "upper": upper}), folder / "naive.parquet")
    return {"seconds": seconds, "out": "naive.parquet"}


def spark_by_hand(folder: Path) -> dict[str, Any]:
    """Score by Spark SQL written by hand."""
    spark = session(folder)
    watch = Watch()
    spark.sql("""SELECT claim, exp(sum(ln(1 - c))) AS doubt, max(c) AS strongest,
        count(DISTINCT source_type) AS types, count(*) AS n
        FROM (SELECT claim, source_type, source_id, max(contribution) AS c FROM given_sources
        WHERE contribution > 0 GROUP BY claim, source_type, source_id) GROUP BY claim""").createOrReplaceTempView(
        "folded"
    )
    tiers = " ".join(f"WHEN '{tier}' THEN {life}D" for tier, life in LIVES.items())
    age = f"coalesce(power(0.5D, least(greatest({NOW}D - stale_at, 0D) / CASE tier {tiers} END, 200D)), 1D)"
    base = spark.sql(f"""SELECT *, CASE WHEN counts THEN staleness * (1 - doubt) END AS lends FROM (
        SELECT id, coalesce(doubt, 1D) AS doubt, coalesce(strongest, 0D) AS strongest, coalesce(types, 0) AS types,
        coalesce(n, 0) AS n, status IN ('active', 'challenged') AS counts, {age} AS staleness
        FROM given_claims LEFT JOIN folded ON claim = id)""")
    base.persist().createOrReplaceTempView("base")
    spark.sql("""SELECT a.claim, sum(CASE WHEN s THEN strength * lends END) AS support,
        sum(CASE WHEN NOT s THEN strength * lends END) AS contradiction FROM (
        SELECT claim, neighbour, s, max(strength) AS strength FROM (
        SELECT target AS claim, source AS neighbour, strength, kind = 'supports' AS s FROM given_relations
        WHERE kind IN ('supports', 'contradicts') UNION ALL
        SELECT source, target, strength, false FROM given_relations WHERE kind = 'contradicts')
        GROUP BY claim, neighbour, s) AS a JOIN base AS n ON n.id = a.neighbour WHERE n.lends IS NOT NULL
        GROUP BY a.claim""").createOrReplaceTempView("lent")
    steps = STEPS.format(lent="SELECT * FROM lent").replace("::DOUBLE", "D")
    spark.sql(steps).write.mode("overwrite").parquet(str(folder / "spark_by_hand.parquet"))
    measured = watch.read()
    spark.stop()
    return measured | {"out": "spark_by_hand.parquet"}
