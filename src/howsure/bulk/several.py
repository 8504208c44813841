"""Score a table by several formulas into one result, with the columns of each under its name."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from howsure.bulk.choose import EngineChoice
from howsure.bulk.columns import OWN, result_columns
from howsure.bulk.engines.base import WHOLE, Counts, Tables
from howsure.bulk.engines.duckdb_connection import DuckDbConnection, quote_text, temporary_folder
from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.errors import InputError
from howsure.formulas.claim import ClaimFormula
from howsure.graph.sql import ReadOptions
from howsure.sql.dialect import DUCKDB

BOUNDS = ["id", "sources", "lower", "upper"]
"""The columns by each formula, unless others are wanted."""


def score_by_each(
    choice: EngineChoice,
    tables: Tables,
    options: ReadOptions,
    formulas: Sequence[ClaimFormula],
    columns: list[str] | None,
    output: Output | None,
    parts: int,
    temp: str | None,
) -> tuple[int, Counts, Any]:
    """Score tables by several formulas; return the number of rows, the counts, and the table if there is no output.

    The scores by each formula are written to a temporary file, and joined by id at the end, so that they need not fit
    into memory.

    Raises:
        InputError: if the result is to be written in partitions, two formulas have the same name, or one
            of them does not have one of the columns.
    """
    if parts > 1:
        problem = "only one formula can be written in partitions"
        raise InputError(problem, field="partitions", hint="run it once for each formula")
    names = [formula.name for formula in formulas]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        hint = "run it once for each, or compare them by sweep"
        raise InputError(f"two of the formulas are called {twice}", field="formula", hint=hint)
    wanted = [result_columns(formula, columns or BOUNDS) for formula in formulas]
    first = result_columns(formulas[0], columns or BOUNDS, tables.keep)
    with temporary_folder(temp) as folder:
        files = []
        with choice.open() as engine:
            counts = engine.load(tables, options.as_of)
            for number, formula in enumerate(formulas):
                kept = tables.keep if number == 0 else ()
                listed = [*dict.fromkeys(["id", *wanted[number]]), *kept]
                place = str(Path(folder) / f"{number}.parquet")
                engine.write(
                    replace(options, formula=formula), listed, Output("parquet", place), WHOLE, tables.progress
                )
                files.append(Input("scores", "parquet", place).files())
        query = _joined(names, wanted, first, files)
        connection = DuckDbConnection(temp=temp)
        try:
            if output is None:
                table = connection.table(query)
                return len(table), counts, table
            specs = [formula.spec._asdict() for formula in formulas]
            about = {"specs": specs, "now": options.now, "trust": options.trust}
            return connection.write(query, output, about, tables.progress), counts, None
        finally:
            connection.close()


def _joined(names: list[str], wanted: list[list[str]], first: list[str], files: list[list[str]]) -> str:
    """Write the join of the scores by each formula: columns that no formula computes once, the others of each."""
    common = [name for name in first if name in OWN or name not in wanted[0]]
    columns = [f"t0.{DUCKDB.quoted(name)}" for name in common]
    for number, (formula, listed) in enumerate(zip(names, wanted, strict=True)):
        own = [name for name in listed if name not in OWN]
        columns += [f"t{number}.{DUCKDB.quoted(name)} AS {DUCKDB.quoted(f'{formula}_{name}')}" for name in own]
    readers = [f"read_parquet([{', '.join(map(quote_text, paths))}]) t{n}" for n, paths in enumerate(files)]
    joins = "".join(f" JOIN {reader} ON t{n}.id = t0.id" for n, reader in enumerate(readers[1:], start=1))
    return f"SELECT {', '.join(columns)} FROM {readers[0]}{joins}"
