"""`howsure sql`: print the SQL of a formula."""

import re
from typing import Annotated

import typer

from howsure.cli.models import complete_formula
from howsure.cli.output import show
from howsure.cli.parameters import parse_parameters
from howsure.cli.stores import Json
from howsure.formulas.scoring import with_parameters
from howsure.settings import current
from howsure.sql.dialect import DIALECTS
from howsure.sql.dialect import dialect as find_dialect
from howsure.store.session import claim_formula

STORES = ("sqlite", "postgres")
"""Dialects of the databases that hold stores."""
_PART = re.compile(r", (\w+(?: \(\w+\))?) AS \((?=SELECT|WITH)")


def sql(
    formula: Annotated[
        str, typer.Argument(metavar="FORMULA", help="Formula for claims.", autocompletion=complete_formula)
    ],
    dialect: Annotated[str, typer.Option("--dialect", "-d", help=f"{', '.join(DIALECTS)}.")] = "sqlite",
    tables: Annotated[
        bool,
        typer.Option(
            "--tables", help="Read tables of bulk scoring: claims, sources, relations. Default for duckdb and spark."
        ),
    ] = False,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="Set a parameter; repeatable.")
    ] = None,
    json: Json = False,
) -> None:
    """Print the SQL that computes the interval of every claim: of a howsure store, or of bulk tables.

    Example: howsure sql noisy_or --dialect postgres
    """
    chosen = with_parameters(claim_formula(formula, current()), parse_parameters(parameter or ()))
    written = find_dialect(dialect)
    if tables or dialect not in STORES:
        from howsure.graph.table_queries import statement
    else:
        from howsure.store.views import statement
    # A line for each part, so that people can read it.
    text = _PART.sub(r",\n\1 AS (", statement(chosen, written)) + ";"
    show({"formula": formula, "dialect": dialect, "sql": text}, json=json, line=text)
