"""Estimate the reliability of sources in DuckDB or Spark, for tables of votes that do not fit into memory.

The numbers are those of `howsure.fusion.open_values.fit_open`: each round of expectation maximization is an aggregation
over sources and one over candidates. Closed values are learned by `howsure.bulk.closed_votes`. Copies are not looked
for. The results must fit into memory.
"""

import math
from pathlib import Path
from typing import Any, Literal

from howsure.bulk.closed_votes import learn_closed
from howsure.bulk.vote_tables import Database, FusedTables, bound_values, open_votes
from howsure.bulk.vote_tables import write_number as _number
from howsure.formulas.claim import LEAST_RELIABLE, MOST_RELIABLE, PRIOR_RIGHTS, PRIOR_WRONGS
from howsure.fusion import open_values
from howsure.fusion.intervals import (
    GUESSED_INWARD,
    GUESSED_OUTWARD,
    RELIABILITY_SHARE,
    RELIABILITY_SLACK,
    Z_RELIABILITY,
)
from howsure.fusion.kinds import MOST_VALUES, VoteCounts, decide_kind
from howsure.fusion.open_values import CONVERGED, DEPENDENCE, START
from howsure.progress import Progress, silent

_SHIFT = 6
"""Steps up before the series of psi and psi' are used, as in `howsure.fusion.special`."""


_ITEMS = f"""SELECT item, n, tells, 1 + {_number(DEPENDENCE)} * GREATEST(n - 1, 0) AS divisor
    FROM (SELECT item, SUM(w) AS n, COUNT(DISTINCT source) > 1 AS tells FROM answers GROUP BY item) AS sums"""
_START = f"""SELECT item, value, SUM(w) AS votes, {_number(START)} * SUM(w) / MAX(n) AS q
    FROM answers JOIN items USING (item) GROUP BY item, value"""
_SOURCES = f"""SELECT source, r, n,
        LEAST(GREATEST(({_number(PRIOR_RIGHTS)} + r) / ({_number(PRIOR_RIGHTS + PRIOR_WRONGS)} + n),
                       {_number(LEAST_RELIABLE)}), {_number(MOST_RELIABLE)}) AS p
    FROM (SELECT source, SUM(CASE WHEN tells THEN w * q ELSE 0 END) AS r, SUM(CASE WHEN tells THEN w ELSE 0 END) AS n
          FROM answers JOIN candidates USING (item, value) JOIN items USING (item) GROUP BY source) AS sums"""
_CANDIDATES = """SELECT item, value, votes,
        v * EXP(x - top) / (EXP(-top) + SUM(v * EXP(x - top)) OVER (PARTITION BY item)) AS q
    FROM (SELECT *, LEAST(votes, 1) AS v, GREATEST(MAX(x) OVER (PARTITION BY item), 0) AS top
          FROM (SELECT item, value, SUM(w) AS votes, SUM(w * (LN(p / (1 - p)) + {choices})) / MAX({divisor}) AS x
                FROM answers JOIN sources USING (source) JOIN items USING (item) GROUP BY item, value) AS evidence
         ) AS voiced"""


def _psi_difference(a: str, b: str) -> str:
    """Return SQL of psi(a) - psi(b)."""

    def psi(x: str) -> str:
        z = f"({x} + {_SHIFT})"
        y = f"(1 / ({z} * {z}))"
        series = _number(1 / 132)
        for term in (1 / 240, 1 / 252, 1 / 120, 1 / 12):
            series = f"({_number(term)} - {y} * {series})"
        steps = " + ".join(f"1 / ({x} + {step})" for step in range(_SHIFT))
        return f"(LN({z}) - {_number(0.5)} / {z} - {y} * {series} - ({steps}))"

    return f"({psi(a)} - {psi(b)})"


def _trigamma(x: str) -> str:
    """Return SQL of psi'(x)."""
    z = f"({x} + {_SHIFT})"
    y = f"(1 / ({z} * {z}))"
    series = _number(5 / 66)
    for term in (1 / 30, 1 / 42, 1 / 30, 1 / 6):
        series = f"({_number(term)} - {y} * {series})"
    steps = " + ".join(f"1 / (({x} + {step}) * ({x} + {step}))" for step in range(_SHIFT))
    return f"({steps} + 1 / {z} + {_number(0.5)} * {y} + {y} / {z} * {series})"


_DOUBTS = """SELECT source, SUM(CASE WHEN tells THEN w * q * (1 - q) ELSE 0 END) AS doubt
    FROM answers JOIN candidates USING (item, value) JOIN items USING (item) GROUP BY source"""
_COUNTS = f"""SELECT source, p, {_trigamma("a")} + {_trigamma("b")} AS variance, {_psi_difference("a", "b")} AS centre,
        LEAST(doubt / GREATEST(n * a * b / ((a + b) * (a + b)), {_number(1e-9)}), 1) AS guessed
    FROM (SELECT source, p, n, doubt, r + {_number(PRIOR_RIGHTS)} AS a, n - r + {_number(PRIOR_WRONGS)} AS b
          FROM sources JOIN doubts USING (source)) AS ab"""
_CHANCES = """SELECT item, value, q, variance
    FROM candidates JOIN (SELECT item, value, SUM(w * w * variance) / MAX(divisor * divisor) AS variance
                          FROM answers JOIN counts USING (source) JOIN items USING (item)
                          GROUP BY item, value) AS spread USING (item, value)"""
_BOUNDED_SOURCES = f"""SELECT source, p AS reliability,
        LEAST(1 / (1 + EXP(CASE WHEN centre > 0 THEN inward ELSE outward END - centre)), p) AS lower,
        GREATEST(1 / (1 + EXP(CASE WHEN centre > 0 THEN -outward ELSE -inward END - centre)), p) AS upper
    FROM (SELECT source, p, centre,
                 SQRT(noise + {_number(GUESSED_INWARD**2)} * POWER(guessed, 4)) AS inward,
                 SQRT(noise + {_number(GUESSED_OUTWARD**2)} * POWER(guessed, 4)) AS outward
          FROM (SELECT source, p, centre, guessed, {_number(Z_RELIABILITY**2)} * variance
                       + {_number(RELIABILITY_SLACK**2)} + {_number(RELIABILITY_SHARE**2)} * centre * centre AS noise
                FROM counts) AS noises) AS ways
    ORDER BY source"""


def fuse_votes(
    votes: str | Path,
    *,
    kind: Literal["auto", "open", "closed"] = "open",
    engine: str = "duckdb",
    memory: str | None = None,
    temp: str | None = None,
    spark: Any = None,
    progress: Progress = silent,
) -> FusedTables:
    """Learn the reliability of sources and the probability of values from a Parquet or CSV file.

    Args:
        votes: A file with the columns item, source and value (or task, worker and label).
        kind: Whether values are open or closed; `auto` decides by how many items share a value.
        engine: Where to compute: duckdb or spark.
        memory: Memory limit of DuckDB, such as 3GB; larger work spills to disk.
        temp: Folder to spill to.
        spark: A session of Spark; default: the one of this process, or a new one on this machine.
        progress: Called with how far it has come.

    Raises:
        InputError: if the file is neither Parquet nor CSV, lacks a column, or has weights or kinds; or if the engine is
            unknown.
    """
    database = open_votes(votes, engine, memory, temp, spark)
    try:
        chosen, reason = decide_kind(_count(database), kind)
        learned = learn_open(database, progress) if chosen == "open" else learn_closed(database, progress)
        return learned._replace(kind=chosen, reason=reason)
    finally:
        database.close()


def _count(database: Database) -> VoteCounts:
    """Count what decides whether values are open or closed."""
    query = "SELECT COUNT(DISTINCT item), COUNT(DISTINCT source), COUNT(DISTINCT value) FROM answers"
    items, sources, values = database.rows(query)[0]
    labels: list[Any] = []
    pairs = 0
    if values <= MOST_VALUES:
        labels = [row[0] for row in database.rows("SELECT DISTINCT value FROM answers")]
        pairs = database.rows("SELECT COUNT(*) FROM (SELECT DISTINCT item, value FROM answers) AS pairs")[0][0]
    return VoteCounts(items, sources, values, labels, pairs / max(values, 1))


def learn_open(database: Database, progress: Progress) -> FusedTables:
    """Learn open values from the table `answers`."""
    database.create("items", _ITEMS)
    database.create("candidates", _START)
    choices, rounds = 0.0, 0
    while rounds < open_values.ROUNDS:
        rounds += 1
        if rounds > 1:
            database.create("former", "SELECT source, p AS former_p FROM sources")
        database.create("sources", _SOURCES)
        right, numbers = database.rows("SELECT SUM(r), SUM(n) FROM sources")[0]
        mean = (right + PRIOR_RIGHTS) / (numbers + PRIOR_RIGHTS + PRIOR_WRONGS)
        choices = math.log(max(1.0, 2.0 * (1.0 - mean) / max(mean, 1e-9)))
        progress("learning whom to believe", rounds, open_values.ROUNDS)
        if rounds > 1:
            change = database.rows("SELECT MAX(ABS(p - former_p)) FROM sources JOIN former USING (source)")[0][0]
            if change < CONVERGED:
                break
        database.create("candidates", _CANDIDATES.format(choices=_number(choices), divisor="1"))
    database.create("candidates", _CANDIDATES.format(choices=_number(choices), divisor="divisor"))
    database.create("doubts", _DOUBTS)
    database.create("counts", _COUNTS)
    return FusedTables(database.table(bound_values(_CHANCES)), database.table(_BOUNDED_SOURCES), rounds)
