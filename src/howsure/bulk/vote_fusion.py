"""Learn whom to believe about open values inside DuckDB or Spark, for tables of votes that do not fit into memory.

The numbers are those of `howsure.fusion.open_values.fit_open`: each round of expectation maximization is an aggregation
over sources and one over candidates. Copies are not looked for. The results must fit into memory.
"""

import math
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from howsure.bulk.engines.duckdb_connection import DuckDbConnection, quote_text
from howsure.errors import InputError, nearest, shown
from howsure.fusion.intervals import LARGEST, SHARED_MISTAKES, TOO_STRONG, TOO_WEAK, Z_RELIABILITY, Z_SOURCES
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
from howsure.fusion.votes import NAMES
from howsure.progress import Progress, silent

ENGINES = ("duckdb", "spark")
_READERS = {".parquet": "read_parquet({})", ".csv": "read_csv({}, all_varchar = true)"}
_SHIFT = 6
"""Steps up before the series of psi and psi' are used, as in `howsure.fusion.special`."""


def _number(number: float) -> str:
    """Write a number so that every database reads a DOUBLE, where 0.1 would be a DECIMAL."""
    return f"{number:.17e}"


_ANSWERS = """SELECT *, CAST(1 AS DOUBLE) / COUNT(*) OVER (PARTITION BY item, source) AS w
    FROM (SELECT DISTINCT {item} AS item, {source} AS source, {value} AS value FROM {votes}) AS distinct_votes
    WHERE CAST(item AS STRING) <> '' AND CAST(source AS STRING) <> '' AND CAST(value AS STRING) <> ''"""
_ITEMS = f"""SELECT item, n, tells, 1 + {_number(DEPENDENCE)} * GREATEST(n - 1, 0) AS divisor
    FROM (SELECT item, SUM(w) AS n, COUNT(DISTINCT source) > 1 AS tells FROM answers GROUP BY item) AS sums"""
_START = f"""SELECT item, value, SUM(w) AS votes, {_number(START)} * SUM(w) / MAX(n) AS q
    FROM answers JOIN items USING (item) GROUP BY item, value"""
_SOURCES = f"""SELECT source, r, n,
        LEAST(GREATEST(({_number(PRIOR_RIGHT)} + r) / ({_number(PRIOR_RIGHT + PRIOR_WRONG)} + n), {_number(LOWEST)}),
              {_number(HIGHEST)}) AS p
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


_COUNTS = f"""SELECT source, p, {_trigamma("a")} + {_trigamma("b")} AS variance, {_psi_difference("a", "b")} AS centre
    FROM (SELECT source, p, r + {_number(PRIOR_RIGHT)} AS a, n - r + {_number(PRIOR_WRONG)} AS b FROM sources) AS ab"""
_BOUNDED_VALUES = f"""SELECT item, value, q AS probability,
        LEAST(GREATEST(1 / (1 + EXP(below - x)) - {_number(SHARED_MISTAKES)}, 0), q) AS lower,
        GREATEST(LEAST(1 / (1 + EXP(-above - x)) + {_number(SHARED_MISTAKES)}, 1), q) AS upper
    FROM (SELECT item, value, q, x, CASE WHEN x > 0 THEN inward ELSE outward END AS below,
                 CASE WHEN x > 0 THEN outward ELSE inward END AS above
          FROM (SELECT *, SQRT({_number(Z_SOURCES**2)} * variance + {_number(TOO_STRONG**2)} * x * x) AS inward,
                       SQRT({_number(Z_SOURCES**2)} * variance + {_number(TOO_WEAK**2)} * x * x) AS outward
                FROM (SELECT item, value, q, variance, LEAST(GREATEST(LN(GREATEST(q, 1e-300))
                             - LN(GREATEST(1 - q, 1e-300)), {-LARGEST}), {LARGEST}) AS x
                      FROM ({{chances}}) AS chances) AS odds) AS ways) AS sides
    ORDER BY item, probability DESC, lower DESC, value"""
_OPEN_CHANCES = """SELECT item, value, q, variance
    FROM candidates JOIN (SELECT item, value, SUM(w * w * variance) / MAX(divisor * divisor) AS variance
                          FROM answers JOIN counts USING (source) JOIN items USING (item)
                          GROUP BY item, value) AS spread USING (item, value)"""
_BOUNDED_SOURCES = f"""SELECT source, p AS reliability,
        LEAST(1 / (1 + EXP({_number(Z_RELIABILITY)} * SQRT(variance) - centre)), p) AS lower,
        GREATEST(1 / (1 + EXP(-{_number(Z_RELIABILITY)} * SQRT(variance) - centre)), p) AS upper
    FROM counts ORDER BY source"""


class FusedTables(NamedTuple):
    """What was learned, as Arrow tables."""

    values: Any
    """Columns item, value, probability, lower, upper."""
    sources: Any
    """Columns source, reliability, lower, upper."""
    rounds: int


class _Database(Protocol):
    """Where the queries run."""

    def read(self, votes: Path) -> tuple[str, list[str]]:
        """Return what to select from to read a file, and its columns."""

    def create(self, name: str, query: str) -> None:
        """Compute a query once and keep its result as a table, replacing the one before."""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""

    def table(self, query: str) -> Any:
        """Run a query and return its result as an Arrow table."""

    def close(self) -> None:
        """Release what was opened."""


class _DuckDb:
    def __init__(self, memory: str | None, temp: str | None) -> None:
        self._connection = DuckDbConnection(memory, temp, None)
        self.rows, self.table, self.close = self._connection.run, self._connection.table, self._connection.close

    def read(self, votes: Path) -> tuple[str, list[str]]:
        place = _READERS[votes.suffix.lower()].format(quote_text(str(votes)))
        return place, [row[0] for row in self.rows(f"DESCRIBE SELECT * FROM {place}")]

    def create(self, name: str, query: str) -> None:
        self.rows(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")


class _Spark:
    def __init__(self, session: Any, temp: str | None) -> None:
        from howsure.bulk.engines.spark import Spark

        self._engine = Spark(session, temp=temp)
        self.rows, self.close = self._engine.fetch, self._engine.close

    def read(self, votes: Path) -> tuple[str, list[str]]:
        reader = self._engine.session.read
        path = str(votes.resolve())
        if votes.suffix.lower() == ".csv":
            frame = reader.options(header=True, multiLine=True, escape='"', mode="FAILFAST").csv(path)
        else:
            frame = reader.parquet(path)
        frame.createOrReplaceTempView("raw_votes")
        return "raw_votes", frame.columns

    def create(self, name: str, query: str) -> None:
        # A checkpoint, because plans that contain each other would double with every round.
        self._engine.session.sql(query).localCheckpoint().createOrReplaceTempView(name)

    def table(self, query: str) -> Any:
        return self._engine.session.sql(query).toArrow()


def fuse_votes(
    votes: str | Path,
    *,
    engine: str = "duckdb",
    memory: str | None = None,
    temp: str | None = None,
    spark: Any = None,
    progress: Progress = silent,
) -> FusedTables:
    """Learn the reliability of sources and the probability of open values from a Parquet or CSV file.

    Args:
        votes: A file with the columns item, source and value (or task, worker and label).
        engine: Where to compute: duckdb or spark.
        memory: Memory limit of DuckDB, such as 3GB; larger work spills to disk.
        temp: Folder to spill to.
        spark: A session of Spark; default: the one of this process, or a new one on this machine.
        progress: Called with how far it has come.

    Raises:
        InputError: if the file is neither Parquet nor CSV, lacks a column, or has weights or kinds; or if the engine is
            unknown.
    """
    if engine not in ENGINES:
        hint = nearest(engine, ENGINES) or "duckdb or spark"
        raise InputError(f"unknown engine {shown(engine)}", field="engine", hint=hint)
    path = Path(votes)
    if path.suffix.lower() not in _READERS:
        raise InputError(f"{path.name} is neither Parquet nor CSV", field="votes", hint="convert it first")
    if not path.exists():
        raise InputError(f"cannot read {path}: there is no such file", field="votes")
    database: _Database = _DuckDb(memory, temp) if engine == "duckdb" else _Spark(spark, temp)
    try:
        place, columns = database.read(path)
        database.create("answers", _ANSWERS.format(votes=place, **_find_columns(columns)))
        return _learn(database, progress)
    finally:
        database.close()


def _find_columns(columns: list[str]) -> dict[str, str]:
    """Return the name of each column that is needed."""
    for name in ("weight", "kind"):
        if name in columns:
            problem = f"the column {name!r} is not read by this engine"
            raise InputError(problem, field=name, hint="leave it out, or use the engine arrays")
    found = {field: next((name for name in names if name in columns), "") for field, names in NAMES.items()}
    for field, name in found.items():
        if not name:
            hint = "columns are item, source and value, or task, worker and label"
            raise InputError(f"the votes have no column {field!r}", field=field, hint=hint)
    return found


def _learn(database: _Database, progress: Progress) -> FusedTables:
    database.create("items", _ITEMS)
    database.create("candidates", _START)
    choices, rounds = 0.0, 0
    while rounds < ROUNDS:
        rounds += 1
        if rounds > 1:
            database.create("former", "SELECT source, p AS former_p FROM sources")
        database.create("sources", _SOURCES)
        right, numbers = database.rows("SELECT SUM(r), SUM(n) FROM sources")[0]
        if right is None:
            raise InputError("no row has an item, a source and a value", field="votes", hint="at least one row")
        mean = (right + PRIOR_RIGHT) / (numbers + PRIOR_RIGHT + PRIOR_WRONG)
        choices = math.log(max(1.0, 2.0 * (1.0 - mean) / max(mean, 1e-9)))
        progress("learning whom to believe", rounds, ROUNDS)
        if rounds > 1:
            change = database.rows("SELECT MAX(ABS(p - former_p)) FROM sources JOIN former USING (source)")[0][0]
            if change < CONVERGED:
                break
        database.create("candidates", _CANDIDATES.format(choices=_number(choices), divisor="1"))
    database.create("candidates", _CANDIDATES.format(choices=_number(choices), divisor="divisor"))
    database.create("counts", _COUNTS)
    return FusedTables(
        database.table(_BOUNDED_VALUES.format(chances=_OPEN_CHANCES)), database.table(_BOUNDED_SOURCES), rounds
    )
