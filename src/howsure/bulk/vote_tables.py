"""Tables of votes inside DuckDB or Spark: reading them, tables in between, and the intervals of what was learned."""

from pathlib import Path
from typing import Any, NamedTuple, Protocol

from howsure.bulk.engines.duckdb_connection import DuckDbConnection, quote_text
from howsure.errors import InputError, nearest, shown
from howsure.fusion.intervals import LARGEST, SHARED_MISTAKES, TOO_STRONG, TOO_WEAK, Z_SOURCES
from howsure.fusion.kinds import ValueKind
from howsure.fusion.votes import NAMES

ENGINES = ("duckdb", "spark")
_READERS = {".parquet": "read_parquet({})", ".csv": "read_csv({}, all_varchar = true)"}
_ANSWERS = """SELECT *, CAST(1 AS DOUBLE) / COUNT(*) OVER (PARTITION BY item, source) AS w
    FROM (SELECT DISTINCT {item} AS item, {source} AS source, {value} AS value FROM {votes}) AS distinct_votes
    WHERE CAST(item AS STRING) <> '' AND CAST(source AS STRING) <> '' AND CAST(value AS STRING) <> ''"""


def write_number(number: float) -> str:
    """Write a number so that every database reads a DOUBLE, where 0.1 would be a DECIMAL."""
    return f"{number:.17e}"


_NOISE = f"{write_number(Z_SOURCES**2)} * variance"
_BOUNDED = f"""SELECT item, value, q AS probability,
        LEAST(GREATEST(1 / (1 + EXP(below - x)) - {write_number(SHARED_MISTAKES)}, 0), q) AS lower,
        GREATEST(LEAST(1 / (1 + EXP(-above - x)) + {write_number(SHARED_MISTAKES)}, 1), q) AS upper
    FROM (SELECT item, value, q, x, CASE WHEN x > 0 THEN inward ELSE outward END AS below,
                 CASE WHEN x > 0 THEN outward ELSE inward END AS above
          FROM (SELECT *, SQRT({_NOISE} + {write_number(TOO_STRONG**2)} * x * x) AS inward,
                       SQRT({_NOISE} + {write_number(TOO_WEAK**2)} * x * x) AS outward
                FROM (SELECT item, value, q, variance, LEAST(GREATEST(LN(GREATEST(q, 1e-300))
                             - LN(GREATEST(1 - q, 1e-300)), {-LARGEST}), {LARGEST}) AS x
                      FROM ({{chances}}) AS chances) AS odds) AS ways) AS sides
    ORDER BY item, probability DESC, lower DESC, value"""


def bound_values(chances: str) -> str:
    """Return the query of values with their intervals.

    Args:
        chances: Query of item, value, probability q, and the variance of its log odds.
    """
    return _BOUNDED.format(chances=chances)


class FusedTables(NamedTuple):
    """What was learned, as Arrow tables."""

    values: Any
    """Columns item, value, probability, lower, upper."""
    sources: Any
    """Columns source, reliability, lower, upper."""
    rounds: int
    kind: ValueKind = "open"
    """Whether values were taken as open or closed."""
    reason: str = ""
    """Why, in words."""


class Database(Protocol):
    """Where the queries run."""

    def read(self, votes: Path) -> tuple[str, list[str]]:
        """Return what to select from to read a file, and its columns."""

    def create(self, name: str, query: str) -> None:
        """Compute a query once and keep its result as a table, replacing the one before."""

    def put(self, name: str, table: Any) -> None:
        """Keep an Arrow table as a table, replacing the one before."""

    def drop(self, name: str) -> None:
        """Forget a table."""

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

    def put(self, name: str, table: Any) -> None:
        self._connection.connection.register("put_table", table)
        self.create(name, "SELECT * FROM put_table")
        self._connection.connection.unregister("put_table")

    def drop(self, name: str) -> None:
        self.rows(f"DROP TABLE {name}")


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

    def put(self, name: str, table: Any) -> None:
        self._engine.session.createDataFrame(table.to_pandas()).createOrReplaceTempView(name)

    def drop(self, name: str) -> None:
        self._engine.session.catalog.dropTempView(name)

    def table(self, query: str) -> Any:
        return self._engine.session.sql(query).toArrow()


def open_votes(votes: str | Path, engine: str, memory: str | None, temp: str | None, spark: Any) -> Database:
    """Read a file of votes into the table `answers`: item, source, value, and weight w.

    Raises:
        InputError: if the file is neither Parquet nor CSV, lacks a column, or has weights or kinds; or if the engine is
            unknown.
    """
    if engine not in ENGINES:
        raise InputError(f"unknown engine {shown(engine)}", field="engine", hint=nearest(engine, ENGINES))
    path = Path(votes)
    if path.suffix.lower() not in _READERS:
        raise InputError(f"{path.name} is neither Parquet nor CSV", field="votes", hint="convert it first")
    if not path.exists():
        raise InputError(f"cannot read {path}: there is no such file", field="votes")
    database: Database = _DuckDb(memory, temp) if engine == "duckdb" else _Spark(spark, temp)
    try:
        _read_answers(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _read_answers(database: Database, path: Path) -> None:
    place, columns = database.read(path)
    database.create("answers", _ANSWERS.format(votes=place, **_find_columns(columns)))
    if not database.rows("SELECT item FROM answers LIMIT 1"):
        raise InputError("no row has an item, a source and a value", field="votes", hint="at least one row")


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
