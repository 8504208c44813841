"""howsure review: list the documents that are due, and write validations into files."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import REFUSED, console, visible, write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.documents.review import list_due, write_validation
from howsure.errors import InputError


def review(
    paths: Annotated[list[str] | None, typer.Argument(help="Folders and files; by default the current folder.")] = None,
    validate: Annotated[bool, typer.Option("--validate", help="Mark the named files as validated today.")] = False,
    by: Annotated[str | None, typer.Option(help="Who validated them; by default you.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also content and code, not only data.")] = False,
    within: Annotated[int, typer.Option(min=0, help="Also documents that are due within this many days.")] = 0,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="Compute ages at this time; default: now.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """List the documents that are due for review, the most urgent first, or mark them as validated.

    Exits 1 if anything is due.
    """
    with opened_store(store) as sure:
        at = sure.session.at(None if now is None else parse_moment(now))
        today = datetime.fromtimestamp(at, UTC).date()
        if validate:
            _validate(paths or [], by or sure.session.actor, today)
            return
        with show_progress() as progress:
            report = sure.documents.scan(*(paths or ["."]), progress=progress, now=at).report()
    limit = today + timedelta(days=within) if within else None
    due = list_due(report.documents, kinds=("data", "content", "code") if every else ("data",), until=limit)
    if json:
        write_json([one.as_dict() for one in due], pretty=True)
    elif not due:
        counted = sum(one.kind == "data" or every for one in report.documents)
        console().print(f"Nothing is due: {counted:,} {'documents' if every else 'data files'} were looked at.")
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


def _validate(paths: list[str], by: str, today: date) -> None:
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
        console().print(Text(f"{visible(str(changed))}: validated by {visible(by)}"))
