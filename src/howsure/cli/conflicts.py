"""The command `howsure conflicts`: find statements that contradict each other."""

from typing import Annotated

import orjson
import typer
from rich.text import Text

from howsure.cli.lines import opened
from howsure.cli.output import REFUSED, console, visible, write_json
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json
from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.shapes import Unit, decode_as
from howsure.syntheses.stages import detect


def find_conflicts(
    file: Annotated[str, typer.Argument(help="One statement per line, or a JSON list of them; - for stdin.")],
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0, help="Report conflicts from this severity.")] = 0.5,
    json: Json = False,
) -> None:
    """Find statements that contradict each other. Exits 1 if there are any."""
    least_severity = decode_as(Unit, threshold, "threshold")
    statements = _read_statements(file)
    with show_progress() as show:
        conflicts = [conflict for conflict in detect(statements, show) if at_least(conflict[3], least_severity)]
    out = console()
    for first, second, kind, severity, reason in sorted(conflicts, key=lambda conflict: -conflict[3]):
        if json:
            sides = {"first": statements[first], "second": statements[second]}
            write_json(sides | {"kind": kind, "severity": severity, "reason": reason})
        else:
            style = "red" if kind == "contradiction" else "yellow"
            out.print(Text(f"{severity:.2f} {kind}: {visible(reason)}", style=style))
            for place in (first, second):
                out.print(Text(f"  {place + 1}: {visible(statements[place])}"))
    if not conflicts and not json:
        out.print(f"No conflicts among {len(statements):,} statements.")
    if conflicts:
        raise typer.Exit(REFUSED)


def _read_statements(file: str) -> list[str]:
    """Read a JSON list of statements, or one statement per line."""
    with opened(file) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason}", field="file", hint="save it as UTF-8") from None
    if text.lstrip().startswith("["):
        try:
            values = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError(f"not JSON: {error}", field="file") from None
        return list(decode_as(tuple[str, ...], values, "statements"))
    return [line.strip() for line in text.split("\n") if line.strip()]
