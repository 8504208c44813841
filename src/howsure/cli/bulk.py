"""`howsure bulk`: score whole tables of claims or texts."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from howsure.cli.models import complete_formula
from howsure.cli.output import complain, console, say, write_json
from howsure.cli.parameters import given, moment, parse_parameters
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json
from howsure.errors import InputError, shown
from howsure.wording import pluralize

if TYPE_CHECKING:
    from howsure.bulk.api import Bulk, Scores, Sweep
    from howsure.bulk.engines.base import Counts
    from howsure.bulk.texts import TextScores

bulk = typer.Typer(
    no_args_is_help=True, help="Score whole tables: Parquet, CSV, JSON Lines, Arrow, DuckDB, PostgreSQL."
)

TABLE = "Parquet, CSV, JSON Lines or Arrow; FILE.duckdb::TABLE; postgresql://...::TABLE."
Claims = Annotated[
    str,
    typer.Argument(
        metavar="CLAIMS",
        help=f"Table of claims: {TABLE} Or a howsure store: a SQLite file, a postgresql:// address, an export.",
    ),
]
Mapping = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="COLUMN=FIELD", help="Read a field from a column of another name; repeatable."),
]
Sources = Annotated[
    str | None, typer.Option("--sources", "--evidence", "-e", metavar="TABLE", help="Table of sources of the claims.")
]
Relations = Annotated[
    str | None, typer.Option("--relations", "-r", metavar="TABLE", help="Table of relations between the claims.")
]
Setting = Annotated[
    list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="Set a parameter; repeatable.")
]
Now = Annotated[str | None, typer.Option(metavar="TIME", help="Age the claims to this moment; default: now.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="Use only rows recorded by this moment.")]
Trust = Annotated[float, typer.Option(help="Trust in whoever holds the claims, 0 to 1.")]
Unknown = Annotated[str, typer.Option(help="Rows that refer to unknown claims: report, ignore or refuse.")]
Columns = Annotated[str | None, typer.Option(metavar="A,B,...", help="Columns to write; default: id, sources, steps.")]
Memory = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Memory limit, such as 3GB; larger work spills to disk.")
]
Temp = Annotated[str | None, typer.Option(metavar="FOLDER", help="Folder to spill to.")]
SparkMaster = Annotated[str | None, typer.Option("--spark", metavar="MASTER", help="Address of a Spark master.")]
Replace = Annotated[bool, typer.Option("--replace", help="Replace an existing output.")]


@bulk.command()
def score(
    claims: Claims,
    out: Annotated[str, typer.Option("--out", "-o", metavar="TABLE", help=f"Where the scores go: {TABLE}")],
    sources: Sources = None,
    relations: Relations = None,
    formula: Annotated[
        list[str] | None,
        typer.Option("--formula", "-f", help="Formula; repeatable, or `all`.", autocompletion=complete_formula),
    ] = None,
    parameter: Setting = None,
    now: Now = None,
    as_of: AsOf = None,
    trust: Trust = 1.0,
    engine: Annotated[str, typer.Option(help="auto, arrays, duckdb, postgres or spark.")] = "auto",
    columns: Columns = None,
    mapping: Mapping = None,
    keep: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Columns of the claims to copy to the output."),
    ] = None,
    unknown: Unknown = "report",
    partitions: Annotated[
        int, typer.Option(help="Write a folder of this many files; if interrupted, run the same command to continue.")
    ] = 1,
    replace: Replace = False,
    memory: Memory = None,
    temp: Temp = None,
    spark: SparkMaster = None,
    json: Json = False,
) -> None:
    """Score a table of claims. The output is written atomically.

    Example: howsure bulk score claims.parquet --sources sources.parquet --out scores.parquet
    """
    api = _bulk()

    options = given(
        sources=sources,
        relations=relations,
        formula=formula,
        parameters=parse_parameters(parameter) if parameter else None,
        now=moment(now),
        as_of=moment(as_of),
        columns=_names(columns),
        mapping=_parse_mapping(mapping),
        keep=_names(keep),
        memory=memory,
        temp=temp,
        spark=spark,
    )
    fixed: dict[str, Any] = {"trust": trust, "engine": engine, "partitions": partitions, "replace": replace}
    with show_progress() as show:
        scores = api.score(claims, out=out, unknown=unknown, progress=show, **fixed, **options)  # type: ignore[arg-type]
    if json:
        write_json(_without_table(scores))
    else:
        names = ", ".join(spec.name for spec in scores.specs)
        say(f"{pluralize(scores.rows, 'claim')} by {names} into {scores.out}, in {scores.seconds:.1f} s")
        say(f"engine {scores.engine}: {scores.why}")
    _warn(scores.counts)


def _without_table(scores: "Scores | TextScores") -> dict[str, Any]:
    """Return a result as JSON-ready data; its scores are in the output, not in the table."""
    from howsure.shapes.encode import encode

    return {name: value for name, value in encode(scores).items() if name != "table"}


def _parse_mapping(pairs: list[str] | None) -> dict[str, str] | None:
    """Return the field of each column from COLUMN=FIELD pairs."""
    mapping = {}
    for pair in pairs or []:
        column, equals, field = pair.rpartition("=")
        if not equals or not column or not field:
            raise InputError(f"{shown(pair)} is not COLUMN=FIELD", field="map", hint="such as confidence=contribution")
        mapping[column] = field
    return mapping or None


def _warn(counts: "Counts") -> None:
    """Say what was left out of the scores."""
    for name, columns in counts.unused.items():
        complain(
            f"unused columns of the {name}: {', '.join(columns)} (--map COLUMN=FIELD uses one"
            + (", --keep copies it)" if name == "claims" else ")")
        )
    if counts.without_sources and counts.claims:
        complain(
            "no claim has evidence, so no score says anything: pass --sources TABLE, or map the columns of a table "
            "with one source per claim, such as --map confidence=contribution"
        )
    for name, count in (("sources", counts.unknown_sources), ("relations", counts.unknown_relations)):
        if count:
            verb = "refers" if count == 1 else "refer"
            complain(f"left out {pluralize(count, 'row')} of {name} that {verb} to unknown claims")


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@bulk.command()
def sweep(
    claims: Claims,
    sources: Sources = None,
    relations: Relations = None,
    formula: Annotated[
        list[str] | None,
        typer.Option("--formula", "-f", help="Formula; repeatable, or `all`.", autocompletion=complete_formula),
    ] = None,
    parameter: Setting = None,
    vary: Annotated[
        list[str] | None, typer.Option(metavar="NAME=A,B,...", help="Try several values of a parameter; repeatable.")
    ] = None,
    threshold: Annotated[float, typer.Option(help="Bound that a claim must reach.")] = 0.7,
    bound: Annotated[str, typer.Option(help="Which bound must reach it: lower or upper.")] = "lower",
    leave_out: Annotated[int, typer.Option(help="How many of the largest sources to leave out, one at a time.")] = 10,
    picture: Annotated[str | None, typer.Option(metavar="FILE", help="Draw a chart: .svg, .png or .json.")] = None,
    now: Now = None,
    as_of: AsOf = None,
    trust: Trust = 1.0,
    unknown: Unknown = "report",
    memory: Memory = None,
    temp: Temp = None,
    mapping: Mapping = None,
    json: Json = False,
) -> None:
    """Score a table of claims by many formulas and parameters, and show what would change.

    Example: howsure bulk sweep claims.parquet --sources sources.parquet --formula all --vary boost_factor=0.1,0.2
    """
    api = _bulk()
    if picture is not None:
        _check_picture(picture, claims, sources, relations)

    options = given(
        sources=sources,
        relations=relations,
        formulas=formula,
        parameters=parse_parameters(parameter) if parameter else None,
        vary=_parse_values(vary or []),
        now=moment(now),
        as_of=moment(as_of),
        mapping=_parse_mapping(mapping),
        memory=memory,
        temp=temp,
    )
    fixed: dict[str, Any] = {"threshold": threshold, "bound": bound, "leave_out": leave_out, "trust": trust}
    with show_progress() as show:
        result = api.sweep(claims, unknown=unknown, progress=show, **fixed, **options)  # type: ignore[arg-type]
    if picture is not None:
        from howsure.charts.sweep import sweep_chart

        sweep_chart(result).save(picture)
    if json:
        from howsure.shapes.encode import encode

        write_json(encode(result))
    else:
        _print_sweep(result)
    _warn(result.counts)


def _check_picture(picture: str, *tables: str | None) -> None:
    """Raise InputError if a chart would replace a file that is read."""
    from howsure.bulk.outputs import check_other_file

    for table in tables:
        if table is not None:
            check_other_file(picture, table, "picture")


def _bulk() -> "Bulk":
    """Return what scores tables, with the parameters of the settings."""
    from howsure.bulk.api import Bulk
    from howsure.parameters import check_parameters
    from howsure.settings import FORMULA, current

    settings = current()
    check_parameters(settings)
    return Bulk(settings.value(FORMULA), settings=settings)


def _parse_values(settings: list[str]) -> dict[str, list[Any]]:
    """Return the values of each parameter from NAME=A,B,... pairs."""
    values_of: dict[str, list[Any]] = {}
    for setting in settings:
        name, equals, values = setting.partition("=")
        if not equals or not name or not values:
            raise InputError(f"{shown(setting)} is not NAME=A,B,...", field="vary", hint="such as boost_factor=0.1,0.2")
        try:
            values_of[name] = [float(value) for value in values.split(",")]
        except ValueError:
            raise InputError(f"{shown(values)} are not numbers", field="vary", hint="such as 0.1,0.2") from None
    return values_of


def _print_sweep(sweep: "Sweep") -> None:
    from rich.table import Table

    out = console()
    title = f"{pluralize(sweep.claims, 'claim')}, {sweep.bound} at least {sweep.threshold:g}"
    variants = Table(title=title, title_justify="left")
    for name in ("variant", "reach it", "more", "fewer", "mean", "moved", "furthest"):
        variants.add_column(name, justify="left" if name == "variant" else "right")
    for number, one in enumerate(sweep.variants):
        changes = ("", "", f"{one.mean:.4f}", "", "")
        if number:
            changes = (f"+{one.up:,}", f"-{one.down:,}", f"{one.mean:.4f}", f"{one.moved:.4f}", f"{one.furthest:.2f}")
        variants.add_row(one.name, f"{one.above:,}", *changes)
    out.print(variants)
    if sweep.sources:
        sources = Table(title="without a source", title_justify="left")
        for name in ("source", "claims", "fewer", "more", "moved"):
            sources.add_column(name, justify="left" if name == "source" else "right")
        for impact in sweep.sources:
            counts = (f"{impact.claims:,}", f"-{impact.down:,}", f"+{impact.up:,}", f"{impact.moved:.4f}")
            sources.add_row(impact.source, *counts)
        out.print(sources)
    say(f"read in {sweep.loading:.1f} s, scored in {sweep.scoring:.1f} s")


@bulk.command()
def texts(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=f"Table of texts: {TABLE}")],
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="evidence (the gate's default), response (its policy nlnh), subresult, patterns or document.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="TABLE", help=f"Where the scores go: {TABLE}")],
    column: Annotated[str, typer.Option(help="Column that holds the text.")] = "text",
    context: Annotated[
        str, typer.Option(help="Column that holds what the text was made from: adds grounding and sentences.")
    ] = "",
    keep: Annotated[str, typer.Option(metavar="A,B,...", help="Columns to copy to the output.")] = "id",
    parameter: Setting = None,
    columns: Columns = None,
    replace: Replace = False,
    memory: Memory = None,
    temp: Temp = None,
    spark: SparkMaster = None,
    json: Json = False,
) -> None:
    """Score a column of texts by a model that reads text.

    Example: howsure bulk texts answers.csv evidence --column answer --context passages --out scores.csv
    """
    api = _bulk()

    options = given(
        context=context or None,
        parameters=parse_parameters(parameter) if parameter else None,
        columns=_names(columns),
        memory=memory,
        temp=temp,
        spark=spark,
    )
    kept = _names(keep) or []
    if context and model == "response":
        complain("the composite of response, the gate's policy nlnh, takes no account of the context; evidence does")
    with show_progress() as show:
        scores = api.texts(table, model, column=column, keep=kept, out=out, replace=replace, progress=show, **options)
    if json:
        write_json(_without_table(scores))
    else:
        say(f"{pluralize(scores.rows, 'text')} by {scores.spec.name} into {scores.out}, in {scores.seconds:.1f} s")
