"""Texts in bulk: a column of responses, sub-results or documents, scored by the table."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from howsure.bulk.inputs import taken
from howsure.bulk.outputs import Output, aimed
from howsure.bulk.text_reader import FIELDS, Reader
from howsure.errors import InputError, UnknownNameError, nearest
from howsure.formulas.model import row_and_steps
from howsure.formulas.scoring import build
from howsure.formulas.spec import Spec
from howsure.progress import Progress, silent

_BATCH = 10_000
"""Rows that one process reads at a time."""
_FEW = 20_000
"""Rows that are read sooner than processes are started."""


@dataclass(frozen=True)
class TextScores:
    """What became of a table of texts."""

    rows: int
    engine: str
    spec: Spec
    seconds: float
    out: str = ""
    table: Any = None
    """The scores as an Arrow table, if they were not written anywhere."""

    def as_dict(self) -> dict[str, Any]:
        """Return all but the table as JSON-ready data."""
        about = {"rows": self.rows, "engine": self.engine, "seconds": self.seconds, "out": self.out}
        return about | {"spec": self.spec._asdict()}


def texts(
    table: Any,
    model: str,
    *,
    column: str = "text",
    keep: Sequence[str] = ("id",),
    out: Any = None,
    parameters: Mapping[str, Any] | None = None,
    columns: Sequence[str] | None = None,
    replace: bool = False,
    processes: int | None = None,
    spark: Any = None,
    memory: str | None = None,
    temp: str | None = None,
    progress: Progress = silent,
) -> TextScores:
    """Score a column of texts by a model that reads text: response, subresult, patterns or document.

    Other columns that are called like fields of the model's input are used as these. The result has the columns to
    keep, and every step, or those that are asked for. On Spark, give a session or a master.
    """
    started = time.perf_counter()
    if model not in FIELDS:
        raise UnknownNameError("model of texts", model, FIELDS)
    built = build(model, parameters)
    given = taken(table, "texts")
    output = None if out is None else aimed(out, replace=replace)
    if output is not None:
        output.check()
    steps = _chosen(built, columns, keep)

    def finish(engine: str, rows: int, found: Any) -> TextScores:
        written = output.name if output else ""
        return TextScores(rows, engine, built.spec, time.perf_counter() - started, written, found)

    if spark is not None:
        from howsure.bulk.engines.spark_texts import score_texts

        rows, found = score_texts(given, Reader(built, column, list(keep), steps), output, spark)
        return finish("spark", rows, found)
    from howsure.bulk.engines.duckdb_connection import Duck

    source, sink = Duck(memory, temp), Duck(memory, temp)
    try:
        _check(source.take(given), given.name, column, keep)
        for duck in (source, sink):
            duck.run("SET preserve_insertion_order = true")  # errors name rows, and people compare files
        total = int(source.run("SELECT COUNT(*) FROM raw_texts")[0][0])
        reader = Reader(built, column, list(keep), steps)
        batches = _scored(source, reader, total, processes, progress)
        rows, found = _poured(sink, batches, output, {"spec": built.spec._asdict()})
    finally:
        source.close()
        sink.close()
    return finish("arrays", rows, found)


def _chosen(model: Any, columns: Sequence[str] | None, keep: Sequence[str]) -> list[str]:
    row, steps = row_and_steps(type(model))
    known = [*row._fields, *steps._fields]
    for name in columns or ():
        if name not in known:
            raise InputError(f"there is no column {name!r}", field="columns", hint=nearest(name, known))
    found = list(dict.fromkeys(steps._fields if columns is None else columns))
    for name in found:
        if name in keep:
            raise InputError(f"{name} is a column to keep and one to compute", field="keep", hint="choose one of them")
    return found


def _check(found: Mapping[str, str], name: str, column: str, keep: Sequence[str]) -> None:
    for wanted in (column, *keep):
        if wanted not in found:
            raise InputError(f"{name} has no column {wanted}", field="texts", hint=f"found: {', '.join(found)}")
    if found[column] != "text":
        raise InputError(f"{name}: the column {column} does not hold text", field="texts")


def _scored(source: Any, reader: Reader, total: int, processes: int | None, progress: Progress) -> Iterator[Any]:
    """Give scored batches in order: by this process where there are few rows, else by several."""
    batches = source.connection.sql("SELECT * FROM raw_texts").to_arrow_reader(_BATCH)
    if total <= _FEW or processes == 1:
        done = 0
        for batch in batches:
            progress("reading texts", done, total)
            yield reader(batch, done)
            done += len(batch)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting: deque[Any] = deque()
        first = done = 0
        for batch in batches:
            waiting.append(pool.submit(reader, batch, first))
            first += len(batch)
            if len(waiting) > 2 * (processes or 4):
                scored = waiting.popleft().result()
                done += len(scored)
                progress("reading texts", done, total)
                yield scored
        while waiting:
            yield waiting.popleft().result()


def _poured(sink: Any, batches: Iterator[Any], output: Output | None, about: dict[str, Any]) -> tuple[int, Any]:
    import pyarrow as pa

    first = next(batches, None)
    if first is None:
        raise InputError("there are no texts", field="texts")
    rest = pa.RecordBatchReader.from_batches(first.schema, _joined(first, batches))
    if output is None:
        table = rest.read_all()
        return len(table), table
    sink.connection.register("bulk_scores", rest)
    return sink.pour("SELECT * FROM bulk_scores", output, about, silent), None


def _joined(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest
