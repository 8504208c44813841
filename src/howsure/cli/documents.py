"""The commands `howsure document`, `howsure review` and `howsure patterns`."""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.cli import output
from howsure.cli.draw import bar, shade
from howsure.cli.from_operations import command, group
from howsure.cli.output import MORE, REFUSED, console, renders, when, write_json, write_json_lines, writes
from howsure.cli.parameters import open_input, parse_moment
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption
from howsure.documents.api import Documents, load_pack
from howsure.documents.content.facts import decode_text
from howsure.documents.document import Document
from howsure.documents.headers import edit as headers
from howsure.documents.lifecycle import next_milestone
from howsure.documents.recorded_scans import ScanPage
from howsure.documents.repository.tree import document_kind, project_path
from howsure.documents.review import list_due, write_validation
from howsure.errors import InputError
from howsure.formulas.automaton import STATES, Automaton, Case
from howsure.formulas.document import Document as DocumentModel
from howsure.parameters import configured
from howsure.settings import PACK, current
from howsure.shapes.encode import encode
from howsure.store.ledger_tables.document_events import DocumentEvent
from howsure.sure import open as open_store
from howsure.text.patterns import Matcher, get_matcher, load_builtin_pack, pack_names
from howsure.wording import pluralize, utc_time, visible

_HEIGHTS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
_Now = Annotated[str | None, typer.Option(metavar="TIME", help="Time of the event, or for which ages hold.")]


def event(
    path: Annotated[str, typer.Argument(help="The document.")],
    symbol: Annotated[str, typer.Argument(help="visit, confirm, test, merge or decay_warning.")],
    strength: Annotated[float, typer.Option(min=0.0, max=1.0, help="How strongly it was observed, from 0 to 1.")] = 1.0,
    by: Annotated[str | None, typer.Option(help="Who observed it; by default you.")] = None,
    note: Annotated[str, typer.Option(help="Anything worth recording with it.")] = "",
    now: _Now = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Record an event of a document.

    Example: howsure document event docs/api.md confirm --note 'read and found right'
    """
    with open_store(store) as sure:
        at = None if now is None else parse_moment(now)
        sure.documents.event(path, symbol, strength=strength, by=by, note=note, now=at)
        events = sure.documents.events(path)
    life = _automaton().score(Case(tuple((one.symbol, one.strength) for one in events)))
    if json:
        write_json({"events": [one._asdict() for one in events], "life": life.answer})
    else:
        console().print(Text(f"{visible(path)}: {life['state']}, {life['milestone']}, +{life['gain']:.3f} so far"))


def show_document(
    path: Annotated[str, typer.Argument(help="The document.")],
    pack: Annotated[str | None, typer.Option(help="Pattern pack: a name, or a TOML file.")] = None,
    tests: Annotated[str | None, typer.Option(metavar="FILE", help="Test results as JUnit XML.")] = None,
    now: _Now = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Show a document's score, its parts, and its life cycle as a timeline.

    Example: howsure document show docs/api.md
    """
    with open_store(store) as sure:
        at = None if now is None else parse_moment(now)
        found = sure.documents.show(path, pack=pack, tests=tests, now=at)
        events = [one for one in sure.documents.events(path) if at is None or one.at <= at]
    if json:
        life = [{"at": one.at, **one._asdict()} for one in events]
        write_json(encode(found) | {"events": life})
        return
    out = console()
    _head(out, found)
    _timeline(out, events)
    _parts(out, found)


@writes(ScanPage)
def scan_lines(page: ScanPage) -> Iterator[Any]:
    """Write a scan per line, and the cursor last."""
    yield from page.scans
    if page.cursor is not None:
        yield {"cursor": page.cursor}


@renders(ScanPage)
def print_scans(page: ScanPage) -> None:
    """Print recorded scans as a table."""
    out = console()
    if not page.scans:
        out.print("No scans are recorded. [cyan]howsure scan --record[/] records one.")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("id", "when", "project", "score", "documents", "due"):
        table.add_column(name, no_wrap=name in ("id", "when"), overflow="fold")
    for one in page.scans:
        score = "unknown" if one.score is None else f"{one.score:.3f}"
        cells = (one.id, when(one.at), visible(one.project), score, f"{one.documents:,}", f"{one.due:,}")
        table.add_row(*map(Text, cells))
    out.print(table)
    if page.cursor is not None:
        out.print(Text(f"\n{MORE}", style="dim"), soft_wrap=True)


document = group(
    "document",
    "Record events of a document, show its score, and list recorded scans.",
    {
        "event": lambda: event,
        "show": lambda: show_document,
        "scans": partial(
            command, "documents", Documents.list_scans, example="document scans --project howsure", arguments=()
        ),
    },
)


def _head(out: Console, found: Document) -> None:
    score = 0.0 if found.score is None else found.score
    told = "unknown" if found.score is None else f"{score:.3f}"
    out.print(Text(bar(score, 20), style=shade(score)).append(f" {told}  {visible(found.path)}", style="bold"))
    out.print(Text(visible(found.reason)))
    for problem in found.problems:
        out.print(Text(f"! {visible(problem)}", style="yellow"))
    due = f", by {found.due.isoformat()}" if found.due and found.action != "none" else ""
    action = {"none": "nothing", "unknown": "unknown, as its age is"}.get(found.action, found.action.replace("_", " "))
    out.print(Text(f"Due: {action}{due}"))
    if found.authors:
        out.print(Text(f"Changed by {visible(', '.join(found.authors))}", style="dim"))


def _timeline(out: Console, events: list[DocumentEvent]) -> None:
    out.print()
    if not events:
        out.print(Text("No events are recorded yet: howsure document event PATH visit", style="dim"))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("when", "event", "by", "state", ""):
        table.add_column(name, no_wrap=name != "by", overflow="fold")
    walked: list[tuple[str, float]] = []
    for one in events:
        walked.append((one.symbol, one.strength))
        life = _automaton().score(Case(tuple(walked)))
        day = utc_time(one.at).strftime("%Y-%m-%d")
        strength = "" if one.strength == 1.0 else f" x {one.strength:g}"
        shares = "".join(_share(life["distribution"][state]) for state in STATES)
        note = f" ({visible(one.note)})" if one.note else ""
        table.add_row(
            day,
            Text(f"{one.symbol}{strength}"),
            Text(f"{visible(one.actor)}{note}"),
            Text(f"{life['state']} +{life['gain']:.3f}"),
            Text(shares, style="cyan"),
        )
    out.print(table)
    last = _automaton().score(Case(tuple(walked)))
    out.print(Text(f"Next milestone: {next_milestone(last['state'])}", style="dim"))


def _automaton() -> Automaton:
    """Return the automaton of documents, with the parameters of the settings."""
    return configured(DocumentModel, current()).automaton()


def _share(probability: float) -> str:
    """Return a probability as a bar of one character."""
    return _HEIGHTS[min(int(probability * len(_HEIGHTS)), len(_HEIGHTS) - 1)] if probability else "\u00b7"


def _parts(out: Console, found: Document) -> None:
    out.print()
    table = Table(box=None, pad_edge=False, show_header=False)
    names = ("base", "compounded", "validation", "pattern_match", "refactoring", "integration", "new_files", "ageing")
    for name in (*names, "boost", "bonus", "automaton_gain"):
        number = found.steps[name]
        if found.kind != "data" and (number or name in ("base", "compounded")):
            table.add_row(
                name.replace("_", " "), f"{number:+.4f}" if name not in ("base", "compounded") else f"{number:.4f}"
            )
    out.print(table)
    for gain in found.gains:
        out.print(Text(f"+{gain.gain:.3f}  {gain.words}", style="green"))


def review(
    paths: Annotated[list[str] | None, typer.Argument(help="Folders and files; by default the current folder.")] = None,
    validate: Annotated[bool, typer.Option("--validate", help="Mark the named files as validated today.")] = False,
    by: Annotated[str | None, typer.Option(help="Who validated them; by default you.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also content and code, not only data.")] = False,
    within: Annotated[int, typer.Option(min=0, max=36_500, help="Also those that are due within this many days.")] = 0,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="Compute ages at this time; default: now.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """List the documents that are due for review, the most urgent first, or mark them as validated.

    Exits 1 if anything is due.

    Example: howsure review docs --all --within 30
    """
    with open_store(store) as sure:
        at = sure.session.at(None if now is None else parse_moment(now))
        today = utc_time(at).date()
        if validate:
            _validate(paths or [], by or sure.session.actor, today, json=json)
            return
        with show_progress() as progress:
            report = sure.documents.scan(*(paths or ["."]), progress=progress, now=at).report()
    limit = today + timedelta(days=within) if within else None
    due = list_due(report.documents, kinds=("data", "content", "code") if every else ("data",), until=limit)
    if json:
        write_json_lines(encode(one) for one in due)
    elif not due:
        counted = sum(one.kind == "data" or every for one in report.documents)
        console().print(f"Nothing is due: looked at {pluralize(counted, 'document' if every else 'data file')}.")
    else:
        table = Table(box=None, pad_edge=False)
        for name in ("due", "age", "confidence", "action", "document"):
            table.add_column(name, no_wrap=name != "document", overflow="fold")
        for one in due:
            late = one.due is not None and one.due < today
            age = "?" if one.months is None else f"{one.months:.1f} mo"
            score = "?" if one.score is None else f"{one.score:.3f}"
            table.add_row(
                Text(one.due.isoformat() if one.due else "unknown", style="red" if late else ""),
                age,
                score,
                one.action.replace("_", " "),
                Text("\n".join([visible(one.path), *one.problems])),
            )
        console().print(table)
        console().print(Text("howsure review --validate FILE --by NAME writes that a file was validated", style="dim"))
    if due:
        raise typer.Exit(REFUSED)


def _validate(paths: list[str], by: str, today: date, *, json: bool) -> None:
    if not paths:
        raise InputError("no file is given", field="paths", hint="howsure review --validate FILE...")
    for path in paths:
        if Path(path).is_dir():
            raise InputError(f"{path} is a folder", field="paths", hint="name the files that were validated")
    for path in paths:
        try:
            changed = write_validation(Path(path), by, today)
        except InputError as error:
            raise error.under(visible(path)) from None
        result = {"path": str(changed), "by": by, "date": today.isoformat()}
        output.show(result, json=json, line=f"{changed}: validated by {by}")


patterns = typer.Typer(no_args_is_help=True, help="List pattern packs, and show what they find in a file.")

_Pack = Annotated[
    str | None, typer.Option(help="Pattern pack: a name, or a TOML file; by default the one in the settings.")
]


@patterns.command("list")
def list_(json: Json = False) -> None:
    """List the built-in packs.

    Example: howsure patterns list
    """
    found = [{"name": name, "patterns": len(load_builtin_pack(name).patterns)} for name in pack_names()]
    if json:
        write_json_lines(found)
        return
    for one in found:
        console().print(Text(f"{one['name']}: {one['patterns']} patterns"))


@patterns.command("show")
def show_pack(
    name: Annotated[str, typer.Argument(help="Name of a pack, or a TOML file.")] = "",
    json: Json = False,
) -> None:
    """Show the patterns of a pack, with category, milestone and weight.

    Example: howsure patterns show default
    """
    chosen = load_pack(name or current().value(PACK)).patterns
    if json:
        write_json_lines(vars(one) for one in chosen)
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
    """Show the patterns found in a file, with line, column and weight. Exits 1 if none is found.

    Example: howsure patterns test docs/api.md --unique
    """
    chosen = load_pack(pack if pack is not None else current().value(PACK)).patterns
    with open_input(file) as stream:
        data: bytes = stream.read()
    text, header = _read(file, data)
    found = _places(get_matcher(chosen), text, header, unique=unique)
    if json:
        write_json_lines(found)
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
    several, places = pluralize(len(weights), "pattern"), pluralize(len(found), "place")
    out.print(Text(f"{several} at {places}, worth {sum(weights.values()):.4f}"))
