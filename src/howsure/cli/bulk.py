"""howsure bulk: whole tables of claims or texts, scored at once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from howsure.cli.claim import given, moment
from howsure.cli.output import complain, console, write_json
from howsure.cli.parameters import parse_parameters
from howsure.cli.progress import show_progress
from howsure.cli.score import complete_formula
from howsure.cli.stores import Json
from howsure.errors import InputError, shown

if TYPE_CHECKING:
    from howsure.bulk.api import Scores, Sweep

bulk = typer.Typer(
    no_args_is_help=True, help="Score whole tables: Parquet, CSV, JSON Lines, Arrow, DuckDB, PostgreSQL."
)

TABLE = "Parquet, CSV, JSON Lines or Arrow; FILE.duckdb::TABLE; postgresql://...::TABLE."
Claims = Annotated[str, typer.Argument(metavar="CLAIMS", help=f"Table of claims: {TABLE}")]
Evidence = Annotated[str | None, typer.Option("--evidence", "-e", metavar="TABLE", help="Table of their sources.")]
Relations = Annotated[str | None, typer.Option("--relations", "-r", metavar="TABLE", help="Table of their relations.")]
Setting = Annotated[
    list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="Set a parameter; repeatable.")
]
Now = Annotated[str | None, typer.Option(metavar="TIME", help="Age the evidence to this moment; default: now.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="Only what was recorded by then counts.")]
Trust = Annotated[float, typer.Option(help="How far whoever holds the claims is trusted, 0 to 1.")]
Unknown = Annotated[str, typer.Option(help="Rows about claims that are not there: report, ignore or refuse.")]
Columns = Annotated[str | None, typer.Option(metavar="A,B,...", help="Columns to write; default: id and every step.")]
Memory = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Memory to stay within, like 3GB; the rest goes on disk.")
]
Temp = Annotated[str | None, typer.Option(metavar="FOLDER", help="Where work that does not fit into memory goes.")]
SparkMaster = Annotated[str | None, typer.Option("--spark", metavar="MASTER", help="Address of a Spark master.")]
Replace = Annotated[bool, typer.Option("--replace", help="Take the place of what is there.")]


@bulk.command()
def score(
    claims: Claims,
    out: Annotated[str, typer.Option("--out", "-o", metavar="TABLE", help=f"Where the scores go: {TABLE}")],
    evidence: Evidence = None,
    relations: Relations = None,
    formula: Annotated[
        str | None, typer.Option("--formula", "-f", help="Formula to score by.", autocompletion=complete_formula)
    ] = None,
    parameter: Setting = None,
    now: Now = None,
    as_of: AsOf = None,
    trust: Trust = 1.0,
    engine: Annotated[str, typer.Option(help="auto, arrays, duckdb, postgres or spark.")] = "auto",
    columns: Columns = None,
    unknown: Unknown = "report",
    partitions: Annotated[
        int, typer.Option(help="Write a folder of so many files; if interrupted, the same command goes on.")
    ] = 1,
    replace: Replace = False,
    memory: Memory = None,
    temp: Temp = None,
    spark: SparkMaster = None,
    json: Json = False,
) -> None:
    """Score a table of claims. The output appears when it is whole."""
    from howsure.bulk import api as engines

    options = given(
        evidence=evidence,
        relations=relations,
        formula=formula,
        parameters=parse_parameters(parameter) if parameter else None,
        now=moment(now),
        as_of=moment(as_of),
        columns=_listed(columns),
        memory=memory,
        temp=temp,
        spark=spark,
    )
    fixed: dict[str, Any] = {"trust": trust, "engine": engine, "partitions": partitions, "replace": replace}
    with show_progress() as show:
        found = engines.score(claims, out=out, unknown=unknown, progress=show, **fixed, **options)  # type: ignore[arg-type]
    if json:
        write_json(found.as_dict())
    else:
        print(f"{found.rows:,} claims by {found.spec.name} into {found.out}, in {found.seconds:.1f} s")
        print(f"engine {found.engine}: {found.why}")
    _tell_unknown(found)


def _tell_unknown(found: "Scores | Sweep") -> None:
    for what, count in (("evidence", found.counts.unknown_evidence), ("relations", found.counts.unknown_relations)):
        if count:
            rows = "1 row" if count == 1 else f"{count:,} rows"
            complain(f"{what} name claims that are not there in {rows}: left out")


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@bulk.command()
def sweep(
    claims: Claims,
    evidence: Evidence = None,
    relations: Relations = None,
    formula: Annotated[
        list[str] | None,
        typer.Option("--formula", "-f", help="Formula; repeatable, or `all`.", autocompletion=complete_formula),
    ] = None,
    parameter: Setting = None,
    vary: Annotated[
        list[str] | None, typer.Option(metavar="NAME=A,B,...", help="Try several values of a parameter; repeatable.")
    ] = None,
    threshold: Annotated[float, typer.Option(help="What a claim has to reach.")] = 0.7,
    bound: Annotated[str, typer.Option(help="The bound that has to reach it: lower or upper.")] = "lower",
    sources: Annotated[int, typer.Option(help="How many sources to try without, one at a time.")] = 10,
    picture: Annotated[str | None, typer.Option(metavar="FILE.svg", help="Draw a picture.")] = None,
    now: Now = None,
    as_of: AsOf = None,
    trust: Trust = 1.0,
    unknown: Unknown = "report",
    memory: Memory = None,
    temp: Temp = None,
    json: Json = False,
) -> None:
    """Score a table of claims in many ways, and tell what would change. The tables are read once."""
    from howsure.bulk import api as engines

    options = given(
        evidence=evidence,
        relations=relations,
        formulas=formula,
        parameters=parse_parameters(parameter) if parameter else None,
        vary=_varied(vary or []),
        now=moment(now),
        as_of=moment(as_of),
        memory=memory,
        temp=temp,
    )
    fixed: dict[str, Any] = {"threshold": threshold, "bound": bound, "sources": sources, "trust": trust}
    with show_progress() as show:
        found = engines.sweep(claims, unknown=unknown, progress=show, **fixed, **options)  # type: ignore[arg-type]
    if picture is not None:
        try:
            Path(picture).write_text(found.picture())
        except OSError as error:
            raise InputError(f"{picture} could not be written: {error.strerror}", field="picture") from error
    if json:
        write_json(found.as_dict())
    else:
        _show_sweep(found)
    _tell_unknown(found)


def _varied(settings: list[str]) -> dict[str, list[Any]]:
    """Read NAME=A,B,... pairs."""
    found: dict[str, list[Any]] = {}
    for setting in settings:
        name, equals, values = setting.partition("=")
        if not equals or not name or not values:
            raise InputError(f"{shown(setting)} is not NAME=A,B,...", field="vary", hint="like boost_factor=0.1,0.2")
        try:
            found[name] = [float(value) for value in values.split(",")]
        except ValueError:
            raise InputError(f"{shown(values)} are not numbers", field="vary", hint="like 0.1,0.2") from None
    return found


def _show_sweep(found: "Sweep") -> None:
    from rich.table import Table

    out = console()
    readings = Table(title=f"{found.claims:,} claims, {found.bound} at least {found.threshold:g}", title_justify="left")
    for name in ("reading", "reach it", "more", "fewer", "mean", "moved", "furthest"):
        readings.add_column(name, justify="left" if name == "reading" else "right")
    for number, one in enumerate(found.variants):
        changes = ("", "", f"{one.mean:.4f}", "", "")
        if number:
            changes = (f"+{one.up:,}", f"-{one.down:,}", f"{one.mean:.4f}", f"{one.moved:.4f}", f"{one.furthest:.2f}")
        readings.add_row(one.name, f"{one.above:,}", *changes)
    out.print(readings)
    if found.sources:
        sources = Table(title="without a source", title_justify="left")
        for name in ("source", "speaks for", "fewer", "more", "moved"):
            sources.add_column(name, justify="left" if name == "source" else "right")
        for weight in found.sources:
            counts = (f"{weight.claims:,}", f"-{weight.down:,}", f"+{weight.up:,}", f"{weight.moved:.4f}")
            sources.add_row(weight.source, *counts)
        out.print(sources)
    print(f"read in {found.loading:.1f} s, scored in {found.scoring:.1f} s")


@bulk.command()
def texts(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=f"Table of texts: {TABLE}")],
    model: Annotated[str, typer.Argument(metavar="MODEL", help="response, subresult, patterns or document.")],
    out: Annotated[str, typer.Option("--out", "-o", metavar="TABLE", help=f"Where the scores go: {TABLE}")],
    column: Annotated[str, typer.Option(help="Column that holds the text.")] = "text",
    keep: Annotated[str, typer.Option(metavar="A,B,...", help="Columns to keep as they are.")] = "id",
    parameter: Setting = None,
    columns: Columns = None,
    replace: Replace = False,
    memory: Memory = None,
    temp: Temp = None,
    spark: SparkMaster = None,
    json: Json = False,
) -> None:
    """Score a column of texts by a model that reads text."""
    from howsure.bulk import api as engines

    options = given(
        parameters=parse_parameters(parameter) if parameter else None,
        columns=_listed(columns),
        memory=memory,
        temp=temp,
        spark=spark,
    )
    kept = _listed(keep) or []
    with show_progress() as show:
        found = engines.texts(
            table, model, column=column, keep=kept, out=out, replace=replace, progress=show, **options
        )
    if json:
        write_json(found.as_dict())
    else:
        print(f"{found.rows:,} texts by {found.spec.name} into {found.out}, in {found.seconds:.1f} s")
