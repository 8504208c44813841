"""howsure fuse: learn whom to believe from a table of who says what."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from howsure.cli.output import console, write_json
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json
from howsure.errors import InputError, nearest, shown
from howsure.wording import pluralize, visible

if TYPE_CHECKING:
    from howsure.fusion.api import Fusion

ENGINES = ("auto", "arrays", "duckdb", "spark")
LARGE = 1_000_000_000
"""Bytes of a file from which DuckDB is used by itself: arrays take several times as much memory."""
_ONLY_ARRAYS = {"weight", "kind"}
"""Columns that no other engine reads."""
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
    engine: Annotated[
        str, typer.Option(help="Where to compute: auto, arrays (in memory), duckdb or spark (no copies).")
    ] = "auto",
    json: Json = False,
) -> None:
    """Learn which sources to believe, and how likely each value is. Files are replaced.

    Example: howsure fuse votes.csv --out fused.csv --sources-out sources.csv
    """
    from howsure.fusion.api import fuse
    from howsure.fusion.output import parse_output_path, write_columns

    if engine not in ENGINES:
        hint = nearest(engine, ENGINES) or ", ".join(ENGINES)
        raise InputError(f"unknown engine {shown(engine)}", field="engine", hint=hint)
    values_path = None if out is None else parse_output_path(out)
    sources_path = None if sources_out is None else parse_output_path(sources_out, "sources_out")
    _check_different(votes=votes, verified=verified, out=values_path, sources_out=sources_path)
    if engine == "auto":
        engine = _choose_engine(votes, verified=verified)
    if engine != "arrays":
        _fuse_elsewhere(votes, engine, kind, verified, values_path, sources_path, json=json)
        return
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


def _check_different(**paths: str | Path | None) -> None:
    """Raise InputError if a file would be written over one that is read, or over the other one that is written."""
    seen: dict[Path, str] = {}
    for field, path in paths.items():
        if path is None:
            continue
        before = seen.setdefault(Path(path).resolve(), field)
        if before != field and field in ("out", "sources_out"):
            problem = f"{Path(path).name} is also the file of {before}"
            raise InputError(problem, field=field, hint="write to another file")


def _choose_engine(votes: str, *, verified: str | None) -> str:
    """Return duckdb for a file that is too large for arrays, if DuckDB can do what is asked for."""
    path = Path(votes)
    if verified is not None or path.suffix.lower() not in (".parquet", ".csv") or not path.is_file():
        return "arrays"
    if path.stat().st_size <= LARGE or _ONLY_ARRAYS & set(_read_columns(path)):
        return "arrays"
    return "duckdb"


def _read_columns(path: Path) -> list[str]:
    """Return the names of the columns of a file; none if it cannot be read, of which the engine tells."""
    if path.suffix.lower() == ".parquet":
        from pyarrow import ArrowException, parquet

        try:
            return list(parquet.read_schema(path).names)
        except (ArrowException, OSError):
            return []
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return next(csv.reader(file), [])


def _fuse_elsewhere(
    votes: str,
    engine: str,
    kind: str,
    verified: str | None,
    values_path: Path | None,
    sources_path: Path | None,
    *,
    json: bool,
) -> None:
    """Learn inside DuckDB or Spark, and write what was learned."""
    from howsure.bulk.vote_fusion import fuse_votes
    from howsure.fusion.api import KINDS
    from howsure.fusion.output import write_columns

    if kind not in KINDS:
        hint = nearest(kind, KINDS) or ", ".join(KINDS)
        raise InputError(f"unknown kind {shown(kind)}", field="kind", hint=hint)
    if verified is not None:
        raise InputError(f"{engine} reads no verified items", field="verified", hint="use the engine arrays")
    with show_progress() as show:
        found = fuse_votes(votes, kind=kind, engine=engine, progress=show)  # type: ignore[arg-type]
    values, sources = found.values.to_pydict(), found.sources.to_pydict()
    sources["group"] = [None] * len(found.sources)
    if values_path is not None:
        write_columns(values_path, values)
    if sources_path is not None:
        write_columns(sources_path, sources)
    reason = f"{found.reason}; learned by {engine} in {pluralize(found.rounds, 'round')}; copies were not looked for"
    if json:
        answer = {
            "kind": found.kind,
            "reason": reason,
            "items": len(set(values["item"])),
            "sources": len(found.sources),
        }
        if values_path is None:
            answer["values"] = found.values.to_pylist()
            answer["sources"] = [row | {"group": None} for row in found.sources.to_pylist()]
        write_json(answer)
        return
    print(reason)
    print(f"{pluralize(len(set(values['item'])), 'item')}, {pluralize(len(found.sources), 'source')}")
    if values_path is None:
        print("--out and --sources-out write all of them")


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
