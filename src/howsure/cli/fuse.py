"""howsure fuse: learn whom to believe from a table of who says what."""

from typing import TYPE_CHECKING, Annotated

import typer

from howsure.cli.output import console, visible, write_json
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json
from howsure.wording import pluralize

if TYPE_CHECKING:
    from howsure.fusion.api import Fusion

SHOWN = 20
"""Rows of each table that people see."""


def fuse_command(
    votes: Annotated[
        str, typer.Argument(metavar="VOTES", help="Parquet, CSV or JSON Lines with the columns item, source, value.")
    ],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="OUT", help="Where item, value, probability, lower, upper go."),
    ] = None,
    kind: Annotated[str, typer.Option(help="Whether values are open or closed: auto, open or closed.")] = "auto",
    verified: Annotated[
        str | None, typer.Option(metavar="FILE", help="Items whose value is known: columns item, value.")
    ] = None,
    sources_out: Annotated[
        str | None,
        typer.Option("--sources-out", metavar="FILE", help="Where source, reliability, lower, upper, group go."),
    ] = None,
    copies: Annotated[bool, typer.Option(help="Look for sources that copy each other.")] = True,
    json: Json = False,
) -> None:
    """Learn which sources to believe, and how likely each value is. Files are replaced.

    Example: howsure fuse votes.csv --out fused.csv --sources-out sources.csv
    """
    from howsure.fusion.api import fuse
    from howsure.fusion.output import check_output, write_columns

    values_path = None if out is None else check_output(out)
    sources_path = None if sources_out is None else check_output(sources_out, "sources_out")
    with show_progress() as show:
        fusion = fuse(votes, kind=kind, verified=verified, copies=copies, progress=show)  # type: ignore[arg-type]
        if values_path is not None:
            show("writing values", 0, 0)
            write_columns(values_path, fusion.value_columns())
        if sources_path is not None:
            show("writing sources", 0, 0)
            write_columns(sources_path, fusion.source_columns())
    if json:
        _write(fusion, rows=out is None)
    else:
        _print(fusion, rows=out is None)


def _write(fusion: "Fusion", *, rows: bool) -> None:
    """Write the fusion as JSON; without its rows if they are in a file."""
    found = {"kind": fusion.kind, "reason": fusion.reason, "items": len(fusion.best), "sources": len(fusion.sources)}
    if rows:
        found["values"] = [row._asdict() for row in fusion.values]
        found["sources"] = [row._asdict() for row in fusion.sources]
    write_json(found)


def _print(fusion: "Fusion", *, rows: bool) -> None:
    from rich.table import Table

    print(fusion.reason)
    counts = f"{pluralize(len(fusion.best), 'item')}, {pluralize(len(fusion.sources), 'source')}"
    groups = {row.group for row in fusion.sources if row.group is not None}
    copies = sum(row.group is not None for row in fusion.sources)
    print(counts + (f", {copies} of them in {pluralize(len(groups), 'group')} that copy each other" if groups else ""))
    if not rows:
        return
    out = console()
    values = Table(title="likeliest values", title_justify="left")
    for name in ("item", "value", "probability", "interval"):
        values.add_column(name, justify="left" if name in ("item", "value") else "right")
    for row in list(fusion.best.values())[:SHOWN]:
        bounds = f"{row.lower:.2f} - {row.upper:.2f}"
        values.add_row(visible(str(row.item)), visible(str(row.value)), f"{row.probability:.2f}", bounds)
    out.print(values)
    sources = Table(title="most reliable sources", title_justify="left")
    for name in ("source", "reliability", "interval", "group"):
        sources.add_column(name, justify="left" if name == "source" else "right")
    for one in sorted(fusion.sources, key=lambda source: -source.reliability)[:SHOWN]:
        bounds = f"{one.lower:.2f} - {one.upper:.2f}"
        sources.add_row(visible(str(one.source)), f"{one.reliability:.2f}", bounds, str(one.group or ""))
    out.print(sources)
    if len(fusion.best) > SHOWN or len(fusion.sources) > SHOWN:
        print(f"the first {SHOWN} of each; --out and --sources-out write all of them")
