"""Bulk scoring: whole tables of claims, or of texts, by any formula, on whichever engine fits."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from howsure.bulk.choose import Choice, choose
from howsure.bulk.engines.base import Counts, Part, Reading, Unknown
from howsure.bulk.outputs import Output, aimed
from howsure.bulk.plan import chosen
from howsure.bulk.reading import read_by, take
from howsure.bulk.resume import in_parts
from howsure.bulk.sweep import Sweep, sweep
from howsure.bulk.texts import texts
from howsure.errors import InputError
from howsure.formulas.catalog import DEFAULT_FORMULA
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.spec import Spec
from howsure.progress import Progress, silent
from howsure.shapes import Count, decode_as

__all__ = ["Bulk", "Scores", "Sweep", "score", "sweep", "texts"]


@dataclass(frozen=True)
class Scores:
    """What became of a table of claims."""

    rows: int
    """How many claims were scored."""
    engine: str
    """Where."""
    why: str
    """Why there."""
    counts: Counts
    """How much was read, and how much of it spoke of claims that are not there."""
    spec: Spec
    """Model, version and parameters."""
    now: float
    """The moment at which age counted."""
    seconds: float
    out: str = ""
    """Where the scores were written to."""
    table: Any = None
    """The scores as an Arrow table, if they were not written anywhere."""

    def as_dict(self) -> dict[str, Any]:
        """Return all but the table as JSON-ready data."""
        about = {"rows": self.rows, "engine": self.engine, "why": self.why, "seconds": self.seconds, "out": self.out}
        return about | {"counts": vars(self.counts), "spec": self.spec._asdict(), "now": self.now}


def score(
    claims: Any,
    *,
    evidence: Any = None,
    relations: Any = None,
    out: Any = None,
    formula: str | ClaimFormula = DEFAULT_FORMULA,
    parameters: Mapping[str, Any] | None = None,
    now: float | None = None,
    as_of: float | None = None,
    trust: float = 1.0,
    engine: str = "auto",
    columns: Sequence[str] | None = None,
    unknown: Unknown = "report",
    partitions: int = 1,
    replace: bool = False,
    spark: Any = None,
    memory: str | None = None,
    temp: str | None = None,
    disk: str | None = None,
    progress: Progress = silent,
    clock: Callable[[], float] = time.time,
) -> Scores:
    """Score a table of claims by the tables of their evidence and relations.

    Each table is a path (Parquet, CSV, JSON Lines, Arrow), `FILE.duckdb::TABLE`, `postgresql://...::TABLE`, a frame of
    pandas, polars or pyarrow, or a list of records. Scores go to `out`, likewise, or into the result's `table`.
    With `partitions`, `out` is a folder of so many files, and a run that was interrupted goes on where it was.
    """
    started = time.perf_counter()
    reading = read_by(formula, parameters, now, as_of, trust, clock)
    given = take(claims, evidence, relations, as_of, unknown, progress)
    listed = chosen(reading, None if columns is None else list(columns))
    parts = int(decode_as(Count, partitions, "partitions"))
    output = None if out is None else _aim(out, replace, parts)
    choice = choose(given, engine, spark=spark, memory=memory, temp=temp, disk=disk)
    finish = partial(_finish, choice, reading, started)
    if output is not None and parts > 1:
        pinned = now is not None or as_of is not None
        rows, counts, at = in_parts(choice, given, reading, listed, output, parts, pinned=pinned)
        return finish(rows, counts, now=at, out=output.name)
    with choice.opened() as opened:
        counts = opened.load(given)
        if output is None:
            table = opened.score(reading, listed)
            return finish(len(table), counts, table=table)
        return finish(opened.write(reading, listed, output, Part(), progress), counts, out=output.name)


def _finish(
    choice: Choice,
    reading: Reading,
    started: float,
    rows: int,
    counts: Counts,
    *,
    now: float | None = None,
    out: str = "",
    table: Any = None,
) -> Scores:
    return Scores(
        rows=rows,
        engine=choice.name,
        why=choice.why,
        counts=counts,
        spec=reading.formula.spec,
        now=reading.now if now is None else now,
        seconds=time.perf_counter() - started,
        out=out,
        table=table,
    )


def _aim(out: Any, replace: bool, parts: int) -> Output:
    output = aimed(out, replace=replace)
    output.check()
    if parts > 1 and not output.is_file:
        raise InputError("only files are written in parts", field="partitions", hint="write to a file, or leave it out")
    return output


class Bulk:
    """Bulk scoring with a store's own formula and clock."""

    def __init__(self, formula: str | ClaimFormula, clock: Callable[[], float] = time.time) -> None:
        """Take what holds where a call says nothing."""
        self.formula = formula
        self.clock = clock

    def score(self, claims: Any, **options: Any) -> Scores:
        """Score a table of claims; see `score`."""
        given: dict[str, Any] = {"formula": self.formula, "clock": self.clock} | options
        return score(claims, **given)

    def sweep(self, claims: Any, **options: Any) -> Sweep:
        """Score a table of claims in many ways; see `sweep`."""
        given: dict[str, Any] = {"formulas": [self.formula], "clock": self.clock} | options
        return sweep(claims, **given)

    def texts(self, table: Any, model: str, **options: Any) -> Any:
        """Score a column of texts; see `texts`."""
        return texts(table, model, **options)
