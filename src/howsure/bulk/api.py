"""Score whole tables of claims or texts, by any formula, on the engine that fits."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from howsure.bulk.choose import EngineName, choose
from howsure.bulk.columns import result_columns
from howsure.bulk.engines.base import WHOLE, Counts, Tables, Unknown
from howsure.bulk.inputs import Input, parse_input
from howsure.bulk.one_table import SOURCE_FIELDS, check_mapping
from howsure.bulk.outputs import Output, check_not_read, parse_output
from howsure.bulk.resume import write_partitions
from howsure.bulk.several import score_by_each
from howsure.bulk.stores import HIDDEN, KEPT, is_store, store_files, store_inputs
from howsure.bulk.sweep import Sweep, run_sweep, sweep_variants
from howsure.errors import InputError, shown
from howsure.formulas.catalog import DEFAULT_FORMULA
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.scoring import with_parameters
from howsure.formulas.spec import ModelSpec
from howsure.graph.sql import ReadOptions
from howsure.progress import Progress, silent
from howsure.settings import Settings
from howsure.shapes import Count, Moment, Unit, Within, decode_as
from howsure.store.session import claim_formula

if TYPE_CHECKING:  # loaded by the method that needs it: patterns and processes are two thirds of this module's imports
    from howsure.bulk.texts import TextScores

_Processes = Annotated[int, Within(1, 1024)]
_Partitions = Annotated[int, Within(1, 1_000_000)]

log: logging.Logger = logging.getLogger(__name__)

__all__ = ["Bulk", "Scores", "Sweep", "score", "sweep", "texts"]


@dataclass(frozen=True)
class Scores:
    """The result of scoring a table of claims."""

    rows: int
    """How many claims were scored."""
    engine: str
    """The engine that scored them."""
    why: str
    """Why this engine was chosen."""
    counts: Counts
    """How many rows the tables have, and how many refer to unknown claims."""
    spec: ModelSpec
    """Formula, version and parameters; of the first, if there are several."""
    specs: tuple[ModelSpec, ...]
    """The same of every formula."""
    now: float
    """The moment to which the claims were aged."""
    seconds: float
    """How long it took."""
    out: str = ""
    """Where the scores were written; empty if nowhere."""
    table: Any = None
    """The scores as an Arrow table, if they were not written anywhere."""


class Bulk:
    """Bulk scoring with a default formula and clock.

    A table is a path (Parquet, CSV, JSON Lines, Arrow), `FILE.duckdb::TABLE`, `postgresql://...::TABLE`, a frame of
    pandas, polars or pyarrow, or a list of records. A howsure store (a SQLite file, a `postgresql://` address or an
    export) can be passed instead of a table of claims; it brings its sources and relations.
    """

    def __init__(
        self,
        formula: str | ClaimFormula = DEFAULT_FORMULA,
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
    ) -> None:
        """Take the formula and the clock that are used unless a call passes others, and settings with parameters."""
        self.formula = formula
        self.clock = clock
        self.settings = settings

    def score(
        self,
        claims: Any,
        *,
        sources: Any = None,
        relations: Any = None,
        out: str | Path | None = None,
        formula: str | ClaimFormula | Sequence[str | ClaimFormula] | None = None,
        parameters: Mapping[str, Any] | None = None,
        now: float | None = None,
        as_of: float | None = None,
        trust: float = 1.0,
        engine: EngineName = "auto",
        columns: Sequence[str] | None = None,
        mapping: Mapping[str, str] | None = None,
        keep: Sequence[str] | None = None,
        unknown: Unknown = "report",
        partitions: int = 1,
        replace: bool = False,
        spark: Any = None,
        memory: str | None = None,
        temp: str | None = None,
        disk: str | None = None,
        progress: Progress = silent,
    ) -> Scores:
        """Score a table of claims by the tables of their sources and relations.

        Without a table of sources, a table of claims with the column `contribution` has one source in each row, named
        by `source` (TYPE:ID) or by `source_type` and `source_id`.

        Args:
            claims: The claims, or a store.
            sources: Their sources.
            relations: The relations between them.
            out: Where to write the scores; without it they are in the result's `table`.
            formula: The formula, by name or as an object; "all" or several score by each, with `<formula>_lower` and
                `<formula>_upper` in one result.
            parameters: Parameters to change in every formula that has them.
            now: The moment to which claims are aged; by default `as_of`, or the clock.
            as_of: Use only rows that were recorded by this moment.
            trust: Trust in whoever holds the claims, from 0 to 1.
            engine: The engine; `auto` chooses one.
            columns: The columns of the result; by default id, sources and every step of the formula, or the bounds if
                there are several formulas.
            mapping: Columns of the tables that hold a field of another name, such as `{"confidence": "contribution"}`.
            keep: Columns of the claims to copy to the result; by default none, or of a store statement, namespace,
                tier and status.
            unknown: What to do about rows that refer to unknown claims: report, ignore or refuse.
            partitions: Write a folder of this many files; an interrupted run continues where it stopped.
            replace: Replace an existing output.
            spark: A Spark session, or the address of a Spark master.
            memory: Memory limit, such as "3GB"; larger work spills to disk.
            temp: Folder to spill to; for Spark, a folder that every worker can reach.
            disk: How much may be spilled, such as "100GB".
            progress: Called with the stage, and how much of it is done.

        Raises:
            InputError: if a table has a row that cannot be scored, or an option is invalid.
        """
        started = time.perf_counter()
        variants = self._formulas(formula, parameters)
        options = self._options(variants[0], now, as_of, trust)
        tables = _tables(claims, sources, relations, unknown, progress, mapping, keep, options.as_of)
        listed = None if columns is None else _list(columns, "columns")
        wanted = result_columns(options.formula, listed, tables.keep)
        parts = int(decode_as(_Partitions, partitions, "partitions"))
        output = (
            None if out is None else _output(out, replace, (*tables.inputs().values(), *store_files(claims)), parts)
        )
        choice = choose(tables, engine, spark=spark, memory=memory, temp=temp, disk=disk)
        table = None
        if len(variants) > 1:
            moment = options.now
            rows, counts, table = score_by_each(choice, tables, options, variants, listed, output, parts, temp)
        elif output is not None and parts > 1:
            fixed = now is not None or as_of is not None
            rows, counts, moment = write_partitions(choice, tables, options, wanted, output, parts, fixed_moment=fixed)
        else:
            moment = options.now
            with choice.open() as opened:
                counts = opened.load(tables, options.as_of)
                log.info("loaded %s after %.1f s", counts, time.perf_counter() - started)
                if output is None:
                    table = opened.score(options, wanted)
                    rows = len(table)
                else:
                    rows = opened.write(options, wanted, output, WHOLE, progress)
        log.info("scored %d rows after %.1f s", rows, time.perf_counter() - started)
        return Scores(
            rows=rows,
            engine=choice.name,
            why=choice.why,
            counts=counts,
            spec=options.formula.spec,
            specs=tuple(variant.spec for variant in variants),
            now=moment,
            seconds=time.perf_counter() - started,
            out="" if output is None else output.name,
            table=table,
        )

    def sweep(
        self,
        claims: Any,
        *,
        sources: Any = None,
        relations: Any = None,
        formulas: Sequence[str | ClaimFormula] | None = None,
        parameters: Mapping[str, Any] | None = None,
        vary: Mapping[str, Sequence[Any]] | None = None,
        threshold: float = 0.7,
        bound: Literal["lower", "upper"] = "lower",
        leave_out: int = 10,
        now: float | None = None,
        as_of: float | None = None,
        trust: float = 1.0,
        mapping: Mapping[str, str] | None = None,
        unknown: Unknown = "report",
        memory: str | None = None,
        temp: str | None = None,
        progress: Progress = silent,
    ) -> Sweep:
        """Score a table of claims by several formulas, and by every combination of varied parameters.

        The tables are read once and kept as arrays. The first formula, with nothing varied, is the one that the others
        are compared with.

        Args:
            claims: The claims, or a store.
            sources: Their sources.
            relations: The relations between them.
            formulas: The formulas, by name or as objects; "all" stands for every formula.
            parameters: Parameters to change in every formula that has them.
            vary: Values to try for each parameter.
            threshold: The bound that a claim must reach.
            bound: Which bound must reach it.
            leave_out: How many of the sources that contribute most to leave out, one at a time, to see their impact.
            now: The moment to which claims are aged; by default `as_of`, or the clock.
            as_of: Use only rows that were recorded by this moment.
            trust: Trust in whoever holds the claims, from 0 to 1.
            mapping: Columns of the tables that hold a field of another name.
            unknown: What to do about rows that refer to unknown claims: report, ignore or refuse.
            memory: Memory limit of DuckDB, which reads the tables.
            temp: Folder to spill to.
            progress: Called with the stage, and how much of it is done.

        Raises:
            InputError: if a table has a row that cannot be scored, or an option is invalid.
        """
        chosen = [self.formula] if formulas is None else _list(formulas, "formulas")
        tried: dict[str, Sequence[Any]] = {name: _list(values, f"vary.{name}") for name, values in (vary or {}).items()}
        variants = sweep_variants(chosen, dict(parameters or {}), tried, self.settings)
        options = self._options(variants[0].formula, now, as_of, trust)
        return run_sweep(
            _tables(claims, sources, relations, unknown, progress, mapping, (), options.as_of),
            options,
            variants,
            threshold=decode_as(Unit, threshold, "threshold"),
            bound=decode_as(Literal["lower", "upper"], bound, "bound"),
            leave_out=int(decode_as(Count, leave_out, "leave_out")),
            memory=memory,
            temp=temp,
        )

    def texts(
        self,
        table: Any,
        model: str,
        *,
        column: str = "text",
        context: str = "",
        keep: Sequence[str] = ("id",),
        out: str | Path | None = None,
        parameters: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        replace: bool = False,
        processes: int | None = None,
        spark: Any = None,
        memory: str | None = None,
        temp: str | None = None,
        progress: Progress = silent,
    ) -> "TextScores":
        """Score a column of texts by a model that reads text: evidence, response, subresult, patterns or document.

        `evidence` is the gate's default policy, `response` its policy nlnh. Both leave out what only a ledger knows,
        history and fits. Other columns of the table that are named like fields of the model's input are used as such.

        Args:
            table: The table.
            model: Name of the model.
            column: The column that holds the text.
            context: The column that holds what the text was made from; adds the columns `grounding`, the support, and
                `sentences`, a JSON list of each sentence's finding, support and text. By words alone. With `evidence`
                it is a factor of the composite, as in the gate; the composite of `response` takes no account of it.
            keep: Columns to copy to the result.
            out: Where to write the scores; without it they are in the result's `table`.
            parameters: Parameters of the model to change.
            columns: Row fields and steps to compute; by default every step.
            replace: Replace an existing output.
            processes: How many processes to use for large tables; by default one per core.
            spark: A Spark session, or the address of a Spark master.
            memory: Memory limit of DuckDB, which reads and writes the tables.
            temp: Folder to spill to.
            progress: Called with the stage, and how much of it is done.

        Raises:
            InputError: if a row cannot be scored, or an option is invalid.
        """
        from howsure.bulk.texts import TextScores, score_texts, text_scorer

        started = time.perf_counter()
        scorer = text_scorer(model, parameters, column, keep, columns, self.settings, context)
        workers = None if processes is None else int(decode_as(_Processes, processes, "processes"))
        input_table = parse_input(table, "texts")
        output = None if out is None else _output(out, replace, [input_table])
        if spark is not None:
            from howsure.bulk.engines.spark import score_texts_on_spark

            rows, scores = score_texts_on_spark(input_table, scorer, output, spark)
        else:
            rows, scores = score_texts(
                input_table, scorer, output, processes=workers, memory=memory, temp=temp, progress=progress
            )
        return TextScores(
            rows=rows,
            engine="arrays" if spark is None else "spark",
            spec=scorer.model.spec,
            seconds=time.perf_counter() - started,
            out="" if output is None else output.name,
            table=scores,
        )

    def _formulas(
        self, formula: str | ClaimFormula | Sequence[str | ClaimFormula] | None, parameters: Mapping[str, Any] | None
    ) -> list[ClaimFormula]:
        """Return the formulas to score by, with their parameters."""
        wanted = self.formula if formula is None else formula
        if isinstance(wanted, str) and wanted != "all":
            return [with_parameters(claim_formula(wanted, self.settings), parameters or {})]
        if isinstance(wanted, ClaimFormula):
            return [with_parameters(wanted, parameters or {})]
        several: Any = ["all"] if wanted == "all" else wanted
        if not isinstance(several, list | tuple) or not all(isinstance(one, str | ClaimFormula) for one in several):
            raise InputError(f"{shown(formula)} is not a formula", field="formula", hint="pass a name or a formula")
        return [variant.formula for variant in sweep_variants(several, dict(parameters or {}), {}, self.settings)]

    def _options(self, formula: ClaimFormula, now: float | None, as_of: float | None, trust: float) -> ReadOptions:
        moment = now if now is not None else as_of if as_of is not None else self.clock()
        return ReadOptions(
            formula=formula,
            now=decode_as(Moment, moment, "now"),
            trust=decode_as(Unit, trust, "trust"),
            as_of=None if as_of is None else decode_as(Moment, as_of, "as_of"),
        )


def _tables(
    claims: Any,
    sources: Any,
    relations: Any,
    unknown: str,
    progress: Progress,
    mapping: Mapping[str, str] | None,
    keep: Sequence[str] | None,
    as_of: float | None,
) -> Tables:
    fields = dict(mapping or {})
    check_mapping(fields)
    if stored := is_store(claims):
        if sources is not None or relations is not None or fields:
            field = "sources" if sources is not None else "relations" if relations is not None else "mapping"
            raise InputError("a store brings its own sources and relations", field=field, hint="leave it out")
        progress("reading the store", 0, 0)
        inputs = store_inputs(claims, as_of)
    else:
        if claims is None:
            raise InputError("there is no table of claims", field="claims", hint="a file, a frame, rows or a store")
        given = {"claims": claims, "sources": sources, "relations": relations}
        inputs = {role: parse_input(table, role) for role, table in given.items() if table is not None}
    copied = tuple(dict.fromkeys((KEPT if stored else ()) if keep is None else _list(keep, "keep")))
    used = (*fields, *(SOURCE_FIELDS if sources is None else ()))
    inputs = {role: replace(table, extra=used if role == "claims" else tuple(fields)) for role, table in inputs.items()}
    inputs["claims"] = replace(inputs["claims"], keep=copied)
    return Tables(
        **inputs,
        unknown=decode_as(Unknown, unknown, "unknown"),
        mapping=fields,
        keep=copied,
        hidden=HIDDEN if stored else (),
        progress=progress,
    )


def _list(given: Any, field: str) -> list[Any]:
    """Return the elements of a list; raise InputError for a text or a number, which are easily passed instead."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{shown(given)} is not a list", field=field, hint=f"[{given!r}]")
    return list(given)


def _output(out: str | Path, replace: bool, inputs: Iterable[Input], parts: int = 1) -> Output:
    if parts > 1 and not Path(out).suffix:
        hint = f"its suffix names the type of its files: {Path(out).name}.parquet"
        raise InputError(f"the folder {shown(Path(out).name)} of partitions has no suffix", field="out", hint=hint)
    output = parse_output(out, replace=replace)
    check_not_read(output, inputs)
    output.check()
    if parts > 1 and not output.is_file:
        raise InputError("only files can be written in partitions", field="partitions", hint="write to a file")
    return output


_DEFAULT = Bulk()
score, sweep, texts = _DEFAULT.score, _DEFAULT.sweep, _DEFAULT.texts
"""The methods of `Bulk`, with the default formula and the system clock."""
