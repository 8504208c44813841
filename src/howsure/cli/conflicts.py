"""howsure conflicts: which statements cannot, or hardly, both hold?"""

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


def conflicts(
    file: Annotated[str, typer.Argument(help="One statement per line, or a JSON list of them; - for stdin.")],
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0, help="Severity from which a conflict is told.")] = 0.5,
    json: Json = False,
) -> None:
    """Find statements that contradict each other. Exits 1 if there are any."""
    least = decode_as(Unit, threshold, "threshold")
    statements = _read(file)
    with show_progress() as show:
        found = [one for one in detect(statements, show) if at_least(one[3], least)]
    out = console()
    for first, second, kind, severity, reason in sorted(found, key=lambda one: -one[3]):
        if json:
            sides = {"first": statements[first], "second": statements[second]}
            write_json(sides | {"kind": kind, "severity": severity, "reason": reason})
        else:
            out.print(
                Text(f"{severity:.2f} {kind}: {visible(reason)}", style="red" if kind == "contradiction" else "yellow")
            )
            out.print(
                Text(f"  {first + 1}: {visible(statements[first])}\n  {second + 1}: {visible(statements[second])}")
            )
    if not found and not json:
        out.print(f"No conflicts among {len(statements):,} statements.")
    if found:
        raise typer.Exit(REFUSED)


def _read(file: str) -> list[str]:
    with opened(file) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason}", field="file", hint="save it as UTF-8") from None
    if text.lstrip().startswith("["):
        try:
            whole = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError(f"not JSON: {error}", field="file") from None
        return list(decode_as(tuple[str, ...], whole, "statements"))
    return [line.strip() for line in text.split("\n") if line.strip()]
