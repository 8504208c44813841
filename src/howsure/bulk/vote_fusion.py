"""Learn whom to believe about open values inside DuckDB, for tables of votes that do not fit into memory.

The numbers are those of `howsure.fusion.open_values.fit_open`: each round of expectation maximization is an aggregation
over sources and one over candidates. Copies are not looked for, and there are no intervals.
"""

import math
from pathlib import Path
from typing import Any, NamedTuple

from howsure.bulk.engines.duckdb_connection import DuckDbConnection, quote_text
from howsure.errors import InputError
from howsure.fusion.open_values import (
    CONVERGED,
    DEPENDENCE,
    HIGHEST,
    LOWEST,
    PRIOR_RIGHT,
    PRIOR_WRONG,
    ROUNDS,
    START,
)
from howsure.progress import Progress, silent

_READERS = {".parquet": "read_parquet({})", ".csv": "read_csv({}, all_varchar = true)"}
_ANSWERS = """CREATE TEMP TABLE answers AS SELECT *, 1.0::DOUBLE / COUNT(*) OVER (PARTITION BY item, source) AS w
    FROM (SELECT DISTINCT item, source, value FROM {votes}
          WHERE item IS NOT NULL AND source IS NOT NULL AND value IS NOT NULL)"""
_ITEMS = """CREATE TEMP TABLE items AS SELECT item, SUM(w) AS n, COUNT(DISTINCT source) > 1 AS tells
    FROM answers GROUP BY item"""
_START = """CREATE TEMP TABLE candidates AS SELECT item, value, SUM(w) AS votes, {start} * SUM(w) / ANY_VALUE(n) AS q
    FROM answers JOIN items USING (item) GROUP BY item, value"""
_SOURCES = """CREATE OR REPLACE TEMP TABLE sources AS
    SELECT source, LEAST(GREATEST(({right} + r) / ({right} + {wrong} + n), {lowest}), {highest}) AS p, r, n
    FROM (SELECT source, SUM(CASE WHEN tells THEN w * q ELSE 0 END) AS r, SUM(CASE WHEN tells THEN w ELSE 0 END) AS n
          FROM answers JOIN candidates USING (item, value) JOIN items USING (item) GROUP BY source)"""
_CANDIDATES = """CREATE OR REPLACE TEMP TABLE candidates AS
    SELECT item, value, votes, v * EXP(x - top) / (EXP(-top) + SUM(v * EXP(x - top)) OVER (PARTITION BY item)) AS q
    FROM (SELECT *, LEAST(votes, 1) AS v, GREATEST(MAX(x) OVER (PARTITION BY item), 0) AS top
          FROM (SELECT item, value, SUM(w) AS votes,
                       SUM(w * (LN(p / (1 - p)) + {choices})) / ANY_VALUE({damping}) AS x
                FROM answers JOIN sources USING (source) JOIN items AS i USING (item) GROUP BY item, value))"""


class FusedTables(NamedTuple):
    """What was learned, as Arrow tables."""

    values: Any
    """Columns item, value, probability."""
    sources: Any
    """Columns source, reliability."""
    rounds: int


def fuse_votes(
    votes: str | Path, *, memory: str | None = None, temp: str | None = None, progress: Progress = silent
) -> FusedTables:
    """Learn the reliability of sources and the probability of open values from a Parquet or CSV file.

    Args:
        votes: A file with the columns item, source and value.
        memory: Memory limit, such as 3GB; larger work spills to disk.
        temp: Folder to spill to.
        progress: Called with how far it has come.

    Raises:
        InputError: if the file is neither Parquet nor CSV.
    """
    reader = _READERS.get(Path(votes).suffix.lower())
    if reader is None:
        raise InputError(f"{Path(votes).name} is neither Parquet nor CSV", field="votes", hint="convert it first")
    connection = DuckDbConnection(memory, temp, None)
    try:
        connection.run(_ANSWERS.format(votes=reader.format(quote_text(str(votes)))))
        connection.run(_ITEMS)
        connection.run(_START.format(start=START))
        limits = {"right": PRIOR_RIGHT, "wrong": PRIOR_WRONG, "lowest": LOWEST, "highest": HIGHEST}
        choices, rounds = 0.0, 0
        while rounds < ROUNDS:
            rounds += 1
            if rounds > 1:
                connection.run("CREATE OR REPLACE TEMP TABLE former AS SELECT source, p AS old FROM sources")
            connection.run(_SOURCES.format(**limits))
            right, numbers = connection.run("SELECT SUM(r), SUM(n) FROM sources")[0]
            mean = (right + PRIOR_RIGHT) / (numbers + PRIOR_RIGHT + PRIOR_WRONG)
            choices = math.log(max(1.0, 2.0 * (1.0 - mean) / max(mean, 1e-9)))
            progress("learning whom to believe", rounds, ROUNDS)
            if rounds > 1:
                change = connection.run("SELECT MAX(ABS(p - old)) FROM sources JOIN former USING (source)")[0][0]
                if change < CONVERGED:
                    break
            connection.run(_CANDIDATES.format(choices=repr(choices), damping="1"))
        damping = f"1 + {DEPENDENCE} * GREATEST(i.n - 1, 0)"
        connection.run(_CANDIDATES.format(choices=repr(choices), damping=damping))
        values = connection.table("SELECT item, value, q AS probability FROM candidates ORDER BY item, q DESC, value")
        sources = connection.table("SELECT source, p AS reliability FROM sources ORDER BY source")
        return FusedTables(values, sources, rounds)
    finally:
        connection.close()
