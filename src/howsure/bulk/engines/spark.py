"""The engine `spark`: any number of claims, on a cluster that people already run."""

import re
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from howsure.bulk.columns import Columns, Family
from howsure.bulk.csv_header import head
from howsure.bulk.engines.base import WHOLE, Part, Reading
from howsure.bulk.engines.duckdb_connection import Duck
from howsure.bulk.engines.sql import Relational
from howsure.bulk.inputs import Input, ending
from howsure.bulk.outputs import Output
from howsure.bulk.plan import about
from howsure.bulk.tables import TABLES
from howsure.errors import HowsureError, InputError, MissingExtraError
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
"""What Spark reads and writes itself."""


class Spark(Relational):
    """Generated SQL on Spark: its own readers and writers, neighbours by joins, lost work done again by Spark."""

    name: ClassVar[str] = "spark"
    dialect: ClassVar[Dialect] = SPARK

    def __init__(self, session: Any = None, master: str | None = None, temp: str | None = None) -> None:
        """Take a session, or the address of a master for one of our own, and a folder that every worker reaches."""
        super().__init__()
        given = session if session is not None else running(master)
        self._started = started(master) if given is None else None
        self.session = aside(given or self._started)
        self._temp = temp
        self._scratch: str | None = None
        self.inferring = False
        self.subject = ("", "")
        """What is being looked at, and its role, as errors tell it."""
        self._kept: dict[str, Any] = {}
        self._named: set[str] = set()

    def take(self, given: Input) -> dict[str, Family]:
        """Make an input readable under the name `raw_` and its role, and return its columns."""
        with told(given.name, given.role):
            frame = self._frame(given)
            self._name(f"raw_{given.role}", frame)
            return {name: family(kind) for name, kind in frame.dtypes}

    def _frame(self, given: Input) -> Any:
        if given.kind in FORMATS:
            options = {"mode": "FAILFAST"} | _options(given)
            frame = self.session.read.options(**options).format(given.kind).load(given.files() or given.place)
            known = TABLES[given.role].columns if given.kind == "json" and given.role in TABLES else ()
            filled: dict[str, Any] = {c.name: c.default for c in known if c.default and c.name in frame.columns}
            return frame.fillna(filled) if filled else frame
        if given.kind == "frame":
            return self.session.createDataFrame(given.frame)
        duck = Duck()  # what Spark does not read goes through memory
        try:
            duck.take(given)
            return self.session.createDataFrame(duck.table(f"SELECT * FROM raw_{given.role}"))
        finally:
            duck.close()

    def _name(self, name: str, frame: Any) -> None:
        frame.createOrReplaceTempView(name)
        self._named.add(name)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all that it gives."""
        with told(*self.subject):
            return [tuple(row) for row in self.session.sql(query).collect()]

    def check(self, role: str, columns: Columns) -> int:
        """Refuse a table with rows that no formula can read; return how many rows there are."""
        self.subject = (columns.name, role)
        found = super().check(role, columns)
        self.subject = ("", "")
        return found

    def view(self, name: str, query: str) -> None:
        """Give a query a name."""
        with told():
            self._name(name, self.session.sql(query))

    def keep(self, name: str, query: str, *, shared: bool = False) -> None:
        """Give a query a name; keep what it gives, once it is computed, if more than one other reads it."""
        with told():
            frame = self.session.sql(query)
            if name in self._kept:
                self._kept.pop(name).unpersist()
            if shared and self.inferring:  # plans that hold each other grow with every level: written down instead
                place = f"{self._folder()}/{name}-{uuid.uuid4().hex[:8]}"
                frame.write.parquet(place)
                frame = self.session.read.parquet(place)
            elif shared:
                self._kept[name] = frame = frame.persist(pyspark.StorageLevel.MEMORY_AND_DISK)
            self._name(name, frame)

    def _folder(self) -> str:
        """Return where work is written down; on a cluster only the user knows a folder that every worker reaches."""
        if self._scratch is None:
            if self._temp is None and not self.session.sparkContext.master.startswith("local"):
                problem = "derived claims need a folder on the way that every worker reaches"
                raise InputError(problem, field="temp", hint="give one")
            name = f"howsure-bulk-{uuid.uuid4().hex[:8]}"
            self._scratch = f"{self._temp or tempfile.gettempdir()}/{name}"
        return self._scratch

    def check_inferences(self) -> None:
        """See whether any claim was derived from others, and refuse chains that are too long or closed."""
        self.inferring = True
        super().check_inferences()
        self.inferring = self.depth > 0

    def score(self, reading: Reading, columns: list[str]) -> Any:
        """Return the chosen columns of every claim as an Arrow table, in the memory of the driver."""
        self.prepare(reading, columns, self.taken.progress)
        with told():
            return self.session.table("bulk_scored").toArrow()

    def write(
        self, reading: Reading, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the chosen columns of every claim; return how many rows. A file is a folder, as Spark has it."""
        if part.of > 1:
            raise InputError("Spark parts its output itself", field="partitions", hint="leave it out")
        self.prepare(reading, columns, progress)
        progress("scoring and writing", 0, 0)
        if output.kind in FORMATS:
            with told(output.name, "out"):
                return write_folder(self.session, self.session.table("bulk_scored"), output)
        duck = Duck()
        try:
            duck.connection.register("bulk_scores", self.session.table("bulk_scored").toArrow())
            return duck.pour("SELECT * FROM bulk_scores", output, about(reading), progress)
        finally:
            duck.close()

    def close(self) -> None:
        """Let go of what was kept; stop the session if it is our own."""
        for frame in self._kept.values():
            frame.unpersist()
        for name in self._named:
            self.session.catalog.dropTempView(name)
        if self._scratch is not None:
            path, system = _hadoop(self.session, self._scratch)
            system.delete(path, True)
        if self._started is not None:
            self._started.stop()


def _options(given: Input) -> dict[str, Any]:
    """Return how Spark reads a file as everybody else does."""
    if given.kind == "csv":
        separator = head(given).separator if given.files() else ","
        form = {"header": True, "sep": separator, "escape": '"', "enforceSchema": False, "columnPruning": False}
        return {**form, "encoding": "UTF-8", "multiLine": False}
    lines = any(ending(Path(file)) != ".json" for file in given.files() or [given.place])
    return {"multiLine": not lines} if given.kind == "json" else {}


def running(master: str | None) -> Any:
    """Return the session that runs in this process, if there is any; there cannot be another beside it."""
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    if found is not None and master is not None and found.sparkContext.master != master:
        problem = f"this process runs Spark on {found.sparkContext.master} already"
        raise InputError(problem, field="spark", hint="stop it first, or give that session")
    return found


def aside(session: Any) -> Any:
    """Return a session beside another: the same Spark and settings, but names and a time zone of its own."""
    found = session.newSession()
    for name, value in session.conf.getAll.items():
        if session.conf.isModifiable(name):
            found.conf.set(name, value)
    found.conf.set("spark.sql.session.timeZone", "UTC")
    return found


def started(master: str | None) -> Any:
    """Return a session of our own: on a master, or on all cores of this machine."""
    from pyspark.sql import SparkSession

    try:
        return SparkSession.builder.appName("howsure").master(master or "local[*]").getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise HowsureError(
            f"Spark did not start: {reason}", hint="it needs Java 17, and a master that answers"
        ) from error


def write_folder(session: Any, frame: Any, output: Output) -> int:
    """Write a frame into a folder that gets its name when all of it is there; return how many rows."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as f

    seen = Observation()
    path, system = _hadoop(session, output.place)
    if system.exists(path) and not output.replace:
        raise output.occupied()
    hidden, _ = _hadoop(session, f"{path.getParent() or '.'}/.{path.getName()}.{uuid.uuid4().hex[:8]}")
    try:
        writer = frame.observe(seen, f.count(f.lit(1)).alias("rows")).write
        writer = writer.option("header", True) if output.kind == "csv" else writer
        writer.format(output.kind).save(hidden.toString())
        old, _ = _hadoop(session, f"{hidden.toString()}.old")
        if system.exists(path):
            system.rename(path, old)
        if not system.rename(hidden, path):
            system.rename(old, path)
            raise InputError(f"{output.name} could not be given its name", field="out")
        system.delete(old, True)
        return int(seen.get["rows"])
    finally:
        system.delete(hidden, True)


def _hadoop(session: Any, place: str) -> tuple[Any, Any]:
    """Return a path and the file system it lies in, be it on this machine or not."""
    path = session._jvm.org.apache.hadoop.fs.Path(place)  # noqa: SLF001 - the only way to rename and delete folders
    return path, path.getFileSystem(session._jsc.hadoopConfiguration())  # noqa: SLF001


def family(kind: str) -> Family:
    """Return the family of a type of Spark.

    >>> family("decimal(18,3)"), family("bigint"), family("array<string>")
    ('number', 'whole', 'other')
    """
    return "number" if kind.startswith("decimal") else _FAMILIES.get(kind, "other")


@contextmanager
def told(what: str = "", field: str = "") -> Iterator[None]:
    """Turn an error of Spark into one of ours."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        problem = _reason(error)
        raise InputError(f"{what}: {problem}" if what else f"Spark: {problem}", field=field) from error


def _reason(error: Exception) -> str:
    """Return what Spark says went wrong, in a line: the innermost of its named errors, if there is one."""
    said = error.getMessage() if isinstance(error, PySparkException) else str(error)
    named = re.findall(r"\[[A-Z][A-Z_.0-9]+\] ([^\n]*)", f"{said}")
    return str(named[-1] if named else said).partition("SQLSTATE")[0].strip().partition("\n")[0]
