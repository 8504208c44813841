"""howsure patterns: list pattern packs, and show what they find in a file."""

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.lines import opened
from howsure.cli.output import REFUSED, console, visible, write_json
from howsure.cli.stores import Json
from howsure.documents.api import load_pack
from howsure.documents.facts import decode_text
from howsure.documents.headers import edit as headers
from howsure.documents.tree import document_kind, project_path
from howsure.errors import InputError
from howsure.settings import PACK, current
from howsure.text.patterns import Matcher, get_matcher, load_builtin_pack, pack_names

patterns = typer.Typer(no_args_is_help=True, help="List pattern packs, and show what they find in a file.")

_Pack = Annotated[
    str | None, typer.Option(help="Pattern pack: a name, or a TOML file; by default the one in the settings.")
]


@patterns.command("list")
def list_(json: Json = False) -> None:
    """List the built-in packs."""
    found = [{"name": name, "patterns": len(load_builtin_pack(name).patterns)} for name in pack_names()]
    if json:
        write_json(found, pretty=True)
        return
    for one in found:
        console().print(Text(f"{one['name']}: {one['patterns']} patterns"))


@patterns.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a pack, or a TOML file.")] = "",
    json: Json = False,
) -> None:
    """Show the patterns of a pack, with category, milestone and weight."""
    chosen = load_pack(name or current().value(PACK)).patterns
    if json:
        write_json([vars(one) for one in chosen], pretty=True)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("pattern", "category", "milestone", "weight"):
        table.add_column(column, justify="right" if column == "weight" else "left", overflow="fold")
    for one in chosen:
        whole = " (whole word)" if one.whole_word else ""
        table.add_row(Text(repr(one.pattern) + whole), one.category, one.milestone, f"{one.weight:g}")
    console().print(table)


@patterns.command("test")
def look(
    file: Annotated[str, typer.Argument(help="The file to search; - for stdin.")],
    pack: _Pack = None,
    unique: Annotated[bool, typer.Option("--unique", help="Only the first match of each pattern.")] = False,
    json: Json = False,
) -> None:
    """Show the patterns found in a file, with line, column and weight. Exits 1 if none is found."""
    chosen = load_pack(pack if pack is not None else current().value(PACK)).patterns
    with opened(file) as stream:
        data: bytes = stream.read()
    text, header = _read(file, data)
    found = _places(get_matcher(chosen), text, header, unique=unique)
    if json:
        write_json(found, pretty=True)
    else:
        _table(found)
    if not found:
        raise typer.Exit(REFUSED)


def _read(file: str, data: bytes) -> tuple[str, slice]:
    """Return a file's text as a scan reads it, and the position of its scoring header, which is not searched."""
    text, _, _ = decode_text(data)
    if text is None:
        raise InputError("it is binary", field=visible(file))
    text = text.removeprefix("\ufeff")
    style = None if file == "-" else headers.header_style(file, in_data=document_kind(project_path(file)) == "data")
    rest = text if style is None else (decode_text(headers.remove(data, style))[0] or "").removeprefix("\ufeff")
    start = next((place for place, (one, other) in enumerate(zip(text, rest, strict=False)) if one != other), len(rest))
    return text, slice(start, start + len(text) - len(rest))


def _places(looking: Matcher, text: str, header: slice, *, unique: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    line, line_start, read = 1, 0, 0
    seen = set()
    rest = text[: header.start] + text[header.stop :]
    for match in sorted(looking.find(rest), key=lambda one: (one.start, one.end)):
        start = match.start if match.start < header.start else match.start + header.stop - header.start
        line += text.count("\n", read, start)
        line_start = max(line_start, text.rfind("\n", 0, start) + 1) if start > read else line_start
        read = start
        if unique and match.pattern.pattern in seen:
            continue
        seen.add(match.pattern.pattern)
        about = {"pattern": match.pattern.pattern, "category": match.pattern.category}
        place = {"line": line, "column": start - line_start + 1}
        found.append(about | {"milestone": match.pattern.milestone, "weight": match.pattern.weight} | place)
    return found


def _table(found: list[dict[str, Any]]) -> None:
    out = console()
    if not found:
        out.print("No pattern was found.")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("line", "column", "pattern", "category", "milestone", "weight"):
        table.add_column(column, justify="right" if column in ("line", "column", "weight") else "left", overflow="fold")
    for one in found:
        named = Text(visible(repr(one["pattern"])))
        about = (one["category"], one["milestone"], f"{one['weight']:g}")
        table.add_row(f"{one['line']}", f"{one['column']}", named, *about)
    out.print(table)
    weights = {one["pattern"]: one["weight"] for one in found}
    out.print(Text(f"{len(weights)} patterns at {len(found):,} places, worth {sum(weights.values()):.4f}"))
