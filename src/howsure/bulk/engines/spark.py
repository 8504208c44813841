"""The engine `spark`: score tables and texts of any size on a Spark cluster."""

import re
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from howsure.bulk.columns import Casts, Family, TableColumns
from howsure.bulk.engines.base import WHOLE, Part
from howsure.bulk.engines.duckdb_connection import DuckDbConnection
from howsure.bulk.engines.sql import SqlEngine, describe_run
from howsure.bulk.inputs import Input, csv_header, file_type
from howsure.bulk.outputs import Output
from howsure.bulk.tables import SCHEMAS
from howsure.bulk.texts import TextScorer, check_text_columns
from howsure.errors import HowsureError, InputError, MissingExtraError
from howsure.graph.sql import ReadOptions
from howsure.progress import Progress, silent
from howsure.sql.dialect import SPARK, Dialect

try:
    import pyspark
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
except ImportError as error:  # pragma: no cover - the development environment has it
    raise MissingExtraError("spark", "scoring on Spark") from error

_FAMILIES: dict[str, Family] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "whole"),
    **dict.fromkeys(("float", "double"), "number"),
    **dict.fromkeys(("timestamp", "timestamp_ntz", "date"), "moment"),
    **dict.fromkeys(("string", "void"), "text"),
}
FORMATS = ("parquet", "csv", "json")
"""Formats that Spark itself reads and writes."""


class Spark(SqlEngine):
    """Runs generated SQL on Spark. Work that is lost with a worker is repeated by Spark."""

    name: ClassVar[str] = "spark"
    dialect: ClassVar[Dialect] = SPARK
    casts: ClassVar[Casts] = Casts(
        text="CAST({0} AS STRING)",
        whole="CAST({0} AS BIGINT)",
        number="CAST({0} AS DOUBLE)",
        read_number="TRY_CAST({0} AS DOUBLE)",
        moment="UNIX_MICROS(CAST({0} AS TIMESTAMP)) / 1000000.0D",
        read_moment="UNIX_MICROS(TRY_CAST({0} AS TIMESTAMP)) / 1000000.0D",
    )

    def __init__(self, session: Any = None, master: str | None = None, temp: str | None = None) -> None:
        """Take a session or the address of a master, and a folder that every worker can reach.

        Without either, the session of this process is used, or a new one on this machine.
        """
        super().__init__()
        existing = session if session is not None else running_session(master)
        self._started = start_session(master) if existing is None else None
        self.session: Any = separate_session(existing or self._started)
        self._temp = temp
        self._scratch: str | None = None
        self.has_derived: bool = False
        self.subject: tuple[str, str] = ("", "")
        """Name and role of the table that is being checked, for error messages."""
        self._persisted: dict[str, Any] = {}
        self._views: set[str] = set()

    def register(self, table: Input) -> dict[str, Family]:
        """Make an input readable as `raw_<role>`; return its columns."""
        with translate_errors(table.name, table.role):
            frame = self._frame(table)
            self._create_view(f"raw_{table.role}", frame)
            return {name: type_family(kind) for name, kind in frame.dtypes}

    def _frame(self, table: Input) -> Any:
        if table.kind in FORMATS:
            options = {"mode": "FAILFAST"} | _read_options(table)
            frame = self.session.read.options(**options).format(table.kind).load(table.files() or table.place)
            known = SCHEMAS[table.role].columns if table.kind == "json" and table.role in SCHEMAS else ()
            defaults: dict[str, Any] = {c.name: c.default for c in known if c.default and c.name in frame.columns}
            return frame.fillna(defaults) if defaults else frame
        if table.kind == "frame":
            return self.session.createDataFrame(table.frame)
        duck = DuckDbConnection()  # other formats are read into the driver's memory
        try:
            duck.register(table)
            return self.session.createDataFrame(duck.table(f"SELECT * FROM raw_{table.role}"))
        finally:
            duck.close()

    def _create_view(self, name: str, frame: Any) -> None:
        frame.createOrReplaceTempView(name)
        self._views.add(name)

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all rows."""
        with translate_errors(*self.subject):
            return [tuple(row) for row in self.session.sql(query).collect()]

    def check_rows(self, role: str, columns: TableColumns) -> int:
        """Return the number of rows of a table; raise InputError if a row breaks a rule."""
        self.subject = (columns.name, role)
        count = super().check_rows(role, columns)
        self.subject = ("", "")
        return count

    def create_view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""
        with translate_errors():
            self._create_view(name, self.session.sql(query))

    def create_table(self, name: str, query: str, *, shared: bool = False) -> None:
        """Name a query; its result is kept once it is computed if more than one later query reads it."""
        with translate_errors():
            frame = self.session.sql(query)
            if name in self._persisted:
                self._persisted.pop(name).unpersist()
            if shared and self.has_derived:
                # Written to files, because query plans that contain each other would double with every depth.
                place = f"{self._folder()}/{name}-{uuid.uuid4().hex[:8]}"
                frame.write.parquet(place)
                frame = self.session.read.parquet(place)
            elif shared:
                self._persisted[name] = frame = frame.persist(pyspark.StorageLevel.MEMORY_AND_DISK)
            self._create_view(name, frame)

    def _folder(self) -> str:
        """Return the folder for intermediate results; on a cluster, the user must pass one that workers reach."""
        if self._scratch is None:
            if self._temp is None and not self.session.sparkContext.master.startswith("local"):
                problem = "scoring derived claims on a cluster needs a folder that every worker can reach"
                raise InputError(problem, field="temp", hint="pass one as temp")
            name = f"howsure-bulk-{uuid.uuid4().hex[:8]}"
            self._scratch = f"{self._temp or tempfile.gettempdir()}/{name}"
        return self._scratch

    def check_derivations(self) -> None:
        """Find derived claims; raise InputError if a chain of them is too long or closed."""
        self.has_derived = True
        super().check_derivations()
        self.has_derived = self.depth > 0

    def score(self, options: ReadOptions, columns: list[str]) -> Any:
        """Return the wanted columns of every claim as an Arrow table, in the driver's memory."""
        self.prepare(options, self.computed(columns), self.tables.progress)
        with translate_errors():
            return self.session.sql(self.result(columns)).toArrow()

    def write(
        self, options: ReadOptions, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the wanted columns of every claim as a folder of files, atomically; return the number of rows."""
        if part.of > 1:
            raise InputError("Spark partitions its output itself", field="partitions", hint="leave it out")
        self.prepare(options, self.computed(columns), progress)
        progress("scoring and writing", 0, 0)
        with translate_errors(output.name, "out"):
            result = self.session.sql(self.result(columns))
            if output.kind in FORMATS:
                return write_folder(self.session, result, output)
        return _write_elsewhere(result.toArrow(), output, describe_run(options), progress)

    def close(self) -> None:
        """Drop views and intermediate results; stop the session if this engine started it."""
        for frame in self._persisted.values():
            frame.unpersist()
        for name in self._views:
            self.session.catalog.dropTempView(name)
        if self._scratch is not None:
            path, system = _hadoop(self.session, self._scratch)
            system.delete(path, True)
        if self._started is not None:
            self._started.stop()


def _write_elsewhere(table: Any, output: Output, about: dict[str, Any], progress: Progress) -> int:
    """Write an Arrow table to an output that Spark does not write; return the number of rows."""
    duck = DuckDbConnection()
    try:
        duck.connection.register("bulk_scores", table)
        return duck.write("SELECT * FROM bulk_scores", output, about, progress)
    finally:
        duck.close()


def _read_options(table: Input) -> dict[str, Any]:
    """Return the options with which Spark reads a file as the other engines do."""
    if table.kind == "csv":
        separator = csv_header(table).separator if table.files() else ","
        form = {"header": True, "sep": separator, "escape": '"', "enforceSchema": False, "columnPruning": False}
        return {**form, "encoding": "UTF-8", "multiLine": False}
    lines = any(file_type(Path(file)) != ".json" for file in table.files() or [table.place])
    return {"multiLine": not lines} if table.kind == "json" else {}


def running_session(master: str | None) -> Any:
    """Return the session of this process, or None. A process can have only one.

    Raises:
        InputError: if it runs on another master than the given one.
    """
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None and master is not None and session.sparkContext.master != master:
        problem = f"Spark is already running in this process on {session.sparkContext.master}"
        raise InputError(problem, field="spark", hint="stop it first, or pass that session")
    return session


def separate_session(session: Any) -> Any:
    """Return a session with the same Spark and settings, but its own views and UTC as its time zone."""
    separate = session.newSession()
    for name, value in session.conf.getAll.items():
        if session.conf.isModifiable(name):
            separate.conf.set(name, value)
    separate.conf.set("spark.sql.session.timeZone", "UTC")
    return separate


def start_session(master: str | None) -> Any:
    """Start a session on a master, or on all cores of this machine.

    Raises:
        HowsureError: if Spark does not start.
    """
    from pyspark.sql import SparkSession

    try:
        return SparkSession.builder.appName("howsure").master(master or "local[*]").getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise HowsureError(
            f"Spark did not start: {reason}", hint="it needs Java 17, and a master that can be reached"
        ) from error


def write_folder(session: Any, frame: Any, output: Output) -> int:
    """Write a frame to a folder atomically; return the number of rows."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as f

    observation = Observation()
    path, system = _hadoop(session, output.place)
    if system.exists(path) and not output.replace:
        raise output.already_exists()
    hidden, _ = _hadoop(session, f"{path.getParent() or '.'}/.{path.getName()}.{uuid.uuid4().hex[:8]}")
    try:
        writer = frame.observe(observation, f.count(f.lit(1)).alias("rows")).write
        writer = writer.option("header", True) if output.kind == "csv" else writer
        writer.format(output.kind).save(hidden.toString())
        old, _ = _hadoop(session, f"{hidden.toString()}.old")
        if system.exists(path):
            system.rename(path, old)
        if not system.rename(hidden, path):
            system.rename(old, path)
            raise InputError(f"{output.name} could not be renamed into place", field="out")
        system.delete(old, True)
        return int(observation.get["rows"])
    finally:
        system.delete(hidden, True)


def _hadoop(session: Any, place: str) -> tuple[Any, Any]:
    """Return a Hadoop path and its file system, local or remote."""
    path = session._jvm.org.apache.hadoop.fs.Path(place)  # noqa: SLF001 - Spark has no public API to rename and delete folders
    return path, path.getFileSystem(session._jsc.hadoopConfiguration())  # noqa: SLF001


def type_family(kind: str) -> Family:
    """Return the family of a Spark type.

    >>> type_family("decimal(18,3)"), type_family("bigint"), type_family("array<string>")
    ('number', 'whole', 'other')
    """
    return "number" if kind.startswith("decimal") else _FAMILIES.get(kind, "other")


@contextmanager
def translate_errors(table: str = "", field: str = "") -> Iterator[None]:
    """Raise Spark's errors as InputErrors that name the table."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        problem = _reason(error)
        raise InputError(f"{table}: {problem}" if table else f"Spark: {problem}", field=field) from error


def _reason(error: Exception) -> str:
    """Return Spark's message in one line: the innermost of its named errors, such as [CAST_INVALID_INPUT]."""
    message = error.getMessage() if isinstance(error, PySparkException) else str(error)
    named = re.findall(r"\[[A-Z][A-Z_.0-9]+\] ([^\n]*)", f"{message}")
    return str(named[-1] if named else message).partition("SQLSTATE")[0].strip().partition("\n")[0]


def score_texts_on_spark(table: Input, scorer: TextScorer, output: Output | None, spark: Any) -> tuple[int, Any]:
    """Score a table of texts on a session or master; return the number of rows, and the table if there is no output."""
    master = spark if isinstance(spark, str) else None
    engine = Spark(None if master else spark, master)
    try:
        check_text_columns(engine.register(table), table.name, scorer.texts, scorer.keep)
        frame = engine.session.table("raw_texts")
        copied = [f"`{name}` {dict(frame.dtypes)[name]}" for name in scorer.keep]
        added = ["`grounding` double", "`sentences` string"] if scorer.context else []
        schema = ", ".join([*copied, *(f"`{name}` double" for name in scorer.columns), *added])
        with translate_errors(table.name, "texts"):
            scored = frame.mapInArrow(_BatchScorer(scorer), schema)
            if output is not None and output.kind in FORMATS:
                return write_folder(engine.session, scored, output), None
            scores = scored.toArrow()
        if output is None:
            return len(scores), scores
        return _write_elsewhere(scores, output, {"spec": scorer.model.spec._asdict()}, silent), None
    finally:
        engine.close()


class _BatchScorer:
    """Scores the batches of one partition, on a worker."""

    def __init__(self, scorer: TextScorer) -> None:
        self.scorer = scorer

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        first = 0
        for batch in batches:
            yield self.scorer(batch, first)
            first += len(batch)
