"""howsure plot: draw charts as SVG, PNG or Vega-Lite.

Most commands are built from the methods of `Charts`. By hand are only those whose Python parameters have no form on the
command line: a trace or report as an object, any number of paths.
"""

import inspect
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from howsure.charts.api import Charts
from howsure.charts.chart import WIDTH, Chart, check_path
from howsure.cli.from_operations import (
    Reader,
    command_line,
    make_option,
    read_arguments,
    standard_options,
    with_signature,
)
from howsure.cli.output import write_json
from howsure.cli.parameters import given, moment, parse_duration
from howsure.cli.stores import Json, StoreOption
from howsure.errors import InputError
from howsure.sure import open as open_store
from howsure.wording import visible

if TYPE_CHECKING:
    from howsure.agents.traces import Trace
    from howsure.sure import Sure

plot = typer.Typer(no_args_is_help=True, invoke_without_command=True, help="Draw charts, as a file or as data.")

Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="A .svg, .png or .json file to write; default: JSON to a pipe, a temporary .svg file on a terminal.",
    ),
]
Dark = Annotated[bool, typer.Option("--dark", help="Use colours for dark pages.")]
Width = Annotated[int | None, typer.Option(metavar="N", help=f"Width in pixels; default: {WIDTH}.")]

BY_HAND = ("investigation", "synthesis", "documents")
"""Methods of `Charts` whose commands are written below."""
GENERATED = tuple(
    method
    for name, method in vars(Charts).items()
    if inspect.isfunction(method) and name[0] != "_" and name not in BY_HAND
)
"""Methods of `Charts` that become commands."""
EXAMPLES = {
    "claims": "plot claims cache --tier project --out claims.svg",
    "sources": "plot sources --out sources.svg",
    "copies": "plot copies --out copies.svg",
    "waterfall": "plot waterfall ID --out steps.svg",
    "formulas": "plot formulas ID --out formulas.svg",
    "relations": "plot relations ID --out relations.svg",
    "life": "plot life ID --future 30d --out life.svg",
    "decisions": "plot decisions --agent patcher-1 --last 30d --out decisions.svg",
    "reliability": "plot reliability --last 90d --out reliability.svg",
    "scores": "plot scores --agent patcher-1 --out scores.svg",
}
"""A call of each command that is built from a method."""
ARGUMENTS = ("text", "claim")
"""Parameters that are arguments; all others are options."""
DURATIONS = {
    "past": Reader(parse_duration, "DURATION", "How far back, like 12h or 30d; default: all of it."),
    "future": Reader(parse_duration, "DURATION", "How far ahead, like 12h or 30d."),
}
"""Parameters in seconds that are written like 30d."""


def _list_charts(wanted: bool) -> None:
    if wanted:
        for command in plot.registered_commands:
            summary = (command.callback.__doc__ or "").strip().partition("\n")[0].rstrip(".")
            print(f"{command.name or getattr(command.callback, '__name__', ''):<14} {summary}")
        raise typer.Exit


@plot.callback()
def common(
    list_: Annotated[
        bool, typer.Option("--list", callback=_list_charts, is_eager=True, help="List the charts, and exit.")
    ] = False,
) -> None:
    """Draw charts, as a file or as data."""


def draw(
    make: "Callable[[Sure], Chart]", out: str | None, dark: bool, width: int | None, store: str | None, json: bool
) -> None:
    """Draw a chart and write it to a file; say which.

    Without `out` it is written as JSON to stdout, or to a temporary SVG file if stdout is a terminal.
    """
    if out is not None:
        if json:
            raise InputError("--out already says where to write", field="json", hint="--out chart.json writes JSON")
        check_path(Path(out))  # before the work, which may take long
    with open_store(store) as sure:
        chart = make(sure)
    if out is None:
        if json or sys.stdout is None or not sys.stdout.isatty():
            write_json(chart.standalone(dark=dark, width=width))
            return
        out = str(Path(tempfile.mkdtemp(prefix="howsure-")) / f"{chart.name}.svg")
    path = chart.save(out, dark=dark, width=width)
    print(f"{path}: {visible(chart.about)}", file=sys.stderr)


def _command(method: Callable[..., Chart]) -> Callable[..., None]:
    """Return the command of a chart: its parameters, and how to write it.

    A time window (`since`, `until`) is given as its length and its end: `--last 30d --now TIME`.
    """
    readers = {name: reader for name, reader in DURATIONS.items() if name in inspect.signature(method).parameters}

    def run(out: str | None, dark: bool, width: int | None, store: str | None, json: bool, **values: Any) -> None:
        last = values.pop("last", None)
        length = None if last is None else parse_duration(last, "last")
        arguments = read_arguments(method, values, readers)

        def make(sure: "Sure") -> Chart:
            if length is not None:
                arguments["since"] = sure.session.at(arguments.get("until")) - length
            return method(sure.charts, **arguments)

        draw(make, out, dark, width, store, json)

    options = command_line(method, arguments=ARGUMENTS, readers=readers, window="30d, for reliability 90d")
    options += [make_option("out", Out), make_option("dark", Dark, default=False), make_option("width", Width)]
    options += standard_options()
    return with_signature(run, options, method, EXAMPLES.get(method.__name__, ""))


for generated in GENERATED:
    plot.command()(_command(generated))


@plot.command()
def investigation(
    run: Annotated[str | None, typer.Argument(metavar="TRACE", help="Id of a trace or a decision.")] = None,
    file: Annotated[str | None, typer.Option(metavar="FILE", help="A file of traces, as for investigate.")] = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Draw how confident an investigation was after each step.

    Example: howsure plot investigation --file run.jsonl --out steps.svg
    """
    if run is None and file is None:
        raise InputError("which investigation?", field="trace", hint="pass a trace, an id, or --file FILE")
    chosen = run if file is None else _read_trace(Path(file), run)
    draw(lambda sure: sure.charts.investigation(chosen or ""), out, dark, width, store, json)


def _read_trace(file: Path, name: str | None) -> "Trace":
    """Return the trace of that name from a file, or the first one."""
    from howsure.agents.traces import read_traces

    for trace in read_traces(file):
        if name in (None, trace.id):
            return trace
    raise InputError(f"{file} has no trace {name!r}", field="trace", hint="howsure investigate --brief lists them")


@plot.command()
def synthesis(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Id of a synthesis in the ledger.")],
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Draw the confidence, weight and conflicts of a synthesis's sub-results.

    Example: howsure plot synthesis ID --out synthesis.svg
    """
    draw(lambda sure: sure.charts.synthesis(id_), out, dark, width, store, json)


@plot.command()
def documents(
    paths: Annotated[list[str] | None, typer.Argument(help="Folders and files; default: where you are.")] = None,
    pack: Annotated[str | None, typer.Option(help="Pattern pack: a name or a TOML file.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="GLOB", help="Leave these out; repeatable.")] = None,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="Compute ages at this moment.")] = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Draw the documents of a repository as a tree map by score.

    Example: howsure plot documents docs --out documents.svg
    """
    options = given(pack=pack, exclude=exclude, now=moment(now))
    draw(lambda sure: sure.charts.documents(*paths or (), **options), out, dark, width, store, json)
