"""The command `howsure scan`: score every file of a repository, and print the report."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade
from howsure.cli.output import GOOD, NO_JUDGEMENT, REFUSED, complain, console, say, write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption
from howsure.documents.document import Document, Group, Report, SkippedFile
from howsure.documents.scan import Scan
from howsure.errors import HowsureError, InputError, StoreError
from howsure.progress import silent
from howsure.settings import STORE, current
from howsure.shapes.encode import encode
from howsure.sure import Sure
from howsure.sure import open as open_store
from howsure.wording import escape_invisible, pluralize, utc_time, visible


def scan(
    paths: Annotated[list[str] | None, typer.Argument(help="Folders and files; by default the current folder.")] = None,
    fail_under: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Exit 1 if a document scores less, or its score is unknown.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Code and configuration, too, not only prose and data.")
    ] = False,
    changed: Annotated[
        str | None,
        typer.Option(metavar="REF", help="Only files new or changed since a commit, such as main."),
    ] = None,
    pack: Annotated[str | None, typer.Option(help="Pattern pack: a name, or a TOML file.")] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Pattern of files to leave out, as in .gitignore; repeatable."),
    ] = None,
    tests: Annotated[str | None, typer.Option(metavar="FILE", help="Test results as JUnit XML.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write scoring headers into the files.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit 1 if a scoring header is missing or outdated.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --write would change.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Write SARIF 2.1.0.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV.")] = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write an HTML page that opens offline.")
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Record the scan in the store, for the dashboard.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="Documents shown in the table; 0 for all.")] = 20,
    max_size: Annotated[int, typer.Option(min=1, help="Largest size of a file that is read, in bytes.")] = 10_000_000,
    jobs: Annotated[int, typer.Option(min=0, help="Number of processes; 0 for one per core.")] = 0,
    cache: Annotated[bool, typer.Option(help="Read only files that changed since the last scan.")] = True,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="Compute ages at this time; default: now.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Score the documents of a repository by their evidence, and show what needs attention.

    Documents with a reason to open them come first: links that lead nowhere, files, code or parameters that a document
    names but that are gone, parameters that it leaves out, broken front matter, what has expired. A line follows:
    nothing was found on the others, which are sorted by the changes of their code and their age. Trust is the score of
    the evidence; freshness falls from 1 to 0 within a year.

    Exits 1 if a document is below --fail-under, or if --check finds a header that is missing or outdated.

    Example: howsure scan docs --changed main --fail-under 0.5
    """
    _check_options(sum((json, sarif, markdown, csv, diff)), write=write, look=check or diff)
    if record and changed is not None:
        raise InputError("--record needs a scan of all documents; --changed scans a part", hint="choose one")
    with ExitStack() as stack:
        sure = stack.enter_context(_open(stack, store, record=record))
        with show_progress() as progress:
            scanned = sure.documents.scan(
                *(paths or ["."]),
                pack=pack,
                exclude=exclude or (),
                largest=max_size,
                everything=everything,
                changed=changed,
                tests=tests,
                fail_under=fail_under,
                jobs=jobs,
                cache=cache,
                progress=progress,
                now=None if now is None else parse_moment(now),
            )
            report = scanned.report()
            recorded = sure.documents.record(scanned, report) if record else ""
    report, failed = _handle_headers(scanned, report, write=write, check=check, diff=diff)
    quiet = json or sarif or markdown or csv
    if json:
        at = utc_time(report.at).isoformat()
        write_json(encode(report) | {"at": at, "below": len(report.below)})
    elif quiet:
        _write(report, "sarif" if sarif else "markdown" if markdown else "csv")
    elif not diff:
        show(console(), report, limit)
    if html is not None:
        _page(report, Path(html), quiet=quiet)
    if recorded:
        print(visible(f"recorded as {recorded}; howsure serve shows it under Documents"), file=sys.stderr)
    if report.below and not quiet:
        verb = "is" if len(report.below) == 1 else "are"
        complain(f"{len(report.below):,} of {pluralize(len(report.documents), 'document')} {verb} below {fail_under:g}")
    if failed == NO_JUDGEMENT:
        raise typer.Exit(NO_JUDGEMENT)
    if report.below or failed:
        raise typer.Exit(REFUSED)


def _open(stack: ExitStack, store: str | None, *, record: bool) -> Sure:
    """Open the store; an empty one if the default store cannot be opened and is only read for events of documents."""
    try:
        return open_store(store)
    except StoreError as error:
        if store is not None or record or current().find(STORE)[1] != "default":
            raise
        complain(f"{error}; scanning without the events recorded in it")
        folder = stack.enter_context(TemporaryDirectory())
        return open_store(f"{folder}/empty.db")


def _check_options(forms: int, *, write: bool, look: bool) -> None:
    """Raise InputError for options that contradict each other."""
    if forms > 1:
        raise InputError("choose one of --json, --sarif, --markdown, --csv and --diff")
    if write and look:
        raise InputError("--write changes the files; --check and --diff leave them as they are", hint="choose one")


def _handle_headers(scan: Scan, report: Report, *, write: bool, check: bool, diff: bool) -> tuple[Report, int]:
    """Check, write or show the scoring headers; return the report, with header states if checked, and the exit code."""
    if check:
        return _check(scan, report)
    return report, _update(scan, report, write=write) if write or diff else GOOD


def _check(scan: Scan, report: Report) -> tuple[Report, int]:
    """Name the headers that are missing or outdated; return the report with their states, and the exit code."""
    from howsure.documents.header_changes import with_header_states

    report = with_header_states(scan, report)
    documents = {one.path: one for one in report.documents}
    checked = [documents[entry.file.path] for entry in scan.scanned_files]
    wrong = [one for one in checked if one.header in ("missing", "outdated")]
    for one in wrong:
        complain(f"{escape_invisible(one.path)}: its header is {one.header}")
    return report, REFUSED if wrong else GOOD


def _update(scan: Scan, report: Report, *, write: bool) -> int:
    """Write the scoring headers, or print what would change as a diff; return the exit code."""
    from howsure.documents.header_changes import apply_change, changes
    from howsure.replace_file import remove_leftovers

    changed = failures = 0
    if write:
        for folder in {Path(f"{scan.root}/{entry.file.path}").parent for entry in scan.scanned_files}:
            remove_leftovers(folder)
    with show_progress() if write else nullcontext(silent) as progress:
        for change in changes(scan, report, progress):
            if isinstance(change, SkippedFile):
                failures += 1
                complain(f"{escape_invisible(change.path)}: {escape_invisible(change.why)}")
                continue
            if not write:
                _print_diff(change.diff())
                changed += 1
                continue
            try:
                apply_change(scan, change)
                changed += 1
            except HowsureError as error:
                failures += 1
                complain(str(error))
    if write:
        print(visible(f"{pluralize(changed, 'header')} written"), file=sys.stderr)
        return NO_JUDGEMENT if failures else GOOD
    return REFUSED if changed else GOOD


def _print_diff(diff: bytes) -> None:
    """Print a diff; if stdout is not a terminal, byte for byte, so that it can be applied."""
    if sys.stdout.isatty():
        say(diff.decode("utf-8", "replace"), end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(diff)


def _write(report: Report, form: str) -> None:
    if form == "sarif":
        from howsure.documents.report.sarif import to_sarif

        write_json(to_sarif(report))
    elif form == "markdown":
        from howsure.documents.report.markdown import to_markdown

        say(to_markdown(report), end="")
    else:
        from howsure.documents.report.csv import to_csv

        say(to_csv(report), end="")


def _page(report: Report, place: Path, *, quiet: bool) -> None:
    from howsure.charts.treemap import draw_report
    from howsure.datafiles import write_output
    from howsure.documents.report.html import to_html

    write_output(place, to_html(report, draw_report(report)).encode(), "html")
    if not quiet:
        print(visible(f"{place} opens in any browser, without a network"), file=sys.stderr)


_WIDEST, _WIDE, _WIDER, _MIDDLE = 150, 110, 95, 70
"""Terminal widths from which the table has one more column."""
_FOLDERS = 12
_HINTS = 2
"""Hints of a document that are shown."""
_ORDER = " They are sorted by the changes of their code and their age."
_ACTIONS = {
    "none": "",
    "review": "review",
    "human_validation": "validate",
    "refresh_or_remove": "refresh or remove",
    "unknown": "age unknown",
}


def show(out: Console, report: Report, limit: int = 20) -> None:
    """Print a report."""
    if not report.documents:
        out.print(
            "No documents were found here. [cyan]howsure scan FOLDER --all[/] looks at programs and configuration, too."
        )
        _skipped(out, report)
        return
    chosen = report.documents[:limit] if limit else tuple(report.documents)
    if not report.found:
        several = len(report.documents) > 1
        nothing = f"Nothing was found on any document.{_ORDER}" if several else "Nothing was found on this document."
        out.print(Text(nothing, "dim"))
    _show_documents(out, chosen, report.found)
    left = len(report.documents) - len(chosen)
    if left:
        out.print(Text(f"and {left:,} more: --limit 0 shows all", style="dim"))
    out.print()
    if len(report.folders) > 1:
        out.print(_groups("folder", report.folders))
        out.print()
    if report.milestones:
        out.print(_groups("milestone", report.milestones))
        out.print()
    _skipped(out, report)
    due = sum(group.due for group in report.folders)
    score = "unknown" if report.score is None else f"{report.score:.3f}"
    count = f"{len(report.documents):,} document{'s' if len(report.documents) != 1 else ''}"
    line = Text(f"Project score {score}", style=f"bold {shade(report.score or 0.0)}")
    trusted = "unchanged by size, times and inode; --no-cache reads them too"
    reused = f"; {report.reused:,} not read again ({trusted})" if report.reused else ""
    out.print(line.append(f" over {count}, {report.found:,} to open, {due:,} due{reused}, {report.seconds:.2f} s", ""))


def _show_documents(out: Console, documents: Sequence[Document], found: int) -> None:
    """Print a row for each document with what was found on it, and a line after those with a reason to open them."""
    out.print(_table(out.width, [], header=True))
    for number, one in enumerate(documents):
        if number == found > 0:
            out.print(Text(f"\nNothing was found on the others.{_ORDER}\n", style="dim"))
        out.print(_table(out.width, _cells(one, out.width)))
        for words, style in _reasons(one):
            out.print(Padding(Text(visible(words), style=style), (0, 0, 0, 2)))


def _table(width: int, cells: list[Text], *, header: bool = False) -> Table:
    """Return the header of the table or one row of it; all have the same columns, so that reasons fit in between."""
    table = Table(box=None, pad_edge=False, show_header=header, expand=True)
    middle = width >= _MIDDLE
    table.add_column("trust", no_wrap=True, width=16 if middle else 10)
    if width >= _WIDE:
        table.add_column("state", no_wrap=True, width=12)
    if middle:
        table.add_column("fresh", justify="right", no_wrap=True, width=5)
        table.add_column("age", justify="right", no_wrap=True, width=8)
    table.add_column("due", no_wrap=middle, width=17 if middle else 8)
    table.add_column("document", overflow="fold", ratio=3)
    if width >= _WIDER:
        table.add_column("what would raise it", overflow="fold", width=max(21, width // 5))
    if width >= _WIDEST:
        table.add_column("found", overflow="ellipsis", no_wrap=True, ratio=1)
    if cells:
        table.add_row(*cells)
    return table


def _reasons(one: Document) -> Iterator[tuple[str, str]]:
    """Yield what was found on a document, and the style of each text."""
    yield from ((reason, "yellow") for reason in (*one.problems, *one.gaps))
    yield from ((hint, "dim") for hint in one.hints[:_HINTS])
    if one.changed_since and not (one.hints or one.problems or one.gaps):
        named = ", ".join(one.changed_since[:2]) + ", ..." * (len(one.changed_since) > 2)  # noqa: PLR2004
        yield f"{pluralize(len(one.changed_since), 'file')} it tells of changed since: {named}", "dim"


def _cells(one: Document, width: int) -> list[Text]:
    score = 0.0 if one.score is None else one.score
    drawn = Text(bar(score, 10 if width >= _MIDDLE else 4), style=shade(score) if one.score is not None else "dim")
    drawn.append(f" {score:.3f}" if one.score is not None else " ?    ", style="")
    urgent = one.action in ("human_validation", "refresh_or_remove")
    due = Text(_ACTIONS[one.action], style="red" if urgent else "yellow")
    name = Text(visible(one.path).replace("\n", "\N{REPLACEMENT CHARACTER}"))
    if width < _MIDDLE:
        return [drawn, due, name]
    age = Text("?" if one.months is None else f"{one.months:.1f} mo")
    fresh = Text("?" if one.freshness is None else f"{one.freshness:.2f}", style=shade(one.freshness or 0.0))
    if width < _WIDER:
        return [drawn, fresh, age, due, name]
    gains = Text("; ".join(gain.words + (f" +{gain.gain:.3f}" if gain.gain else "") for gain in one.gains[:2]), "dim")
    if width < _WIDE:
        return [drawn, fresh, age, due, name, gains]
    cells = [drawn, Text(f"{one.milestone} {one.state.lower()}"), fresh, age, due, name, gains]
    return [*cells, Text(", ".join(one.categories) or "nothing", style="dim")] if width >= _WIDEST else cells


def _groups(what: str, groups: tuple[Group, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(what, overflow="fold")
    for name in ("documents", "mean", "due", "unknown"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = sorted(groups, key=lambda one: (-one.due, one.score or 0.0))[:_FOLDERS] if what == "folder" else groups
    for group in shown:
        mean = Text("?" if group.score is None else f"{group.score:.3f}", style=shade(group.score or 0.0))
        table.add_row(visible(group.name), f"{group.documents:,}", mean, f"{group.due:,}", f"{group.unknown:,}")
    if len(groups) > len(shown):
        rest = sum(group.documents for group in groups) - sum(group.documents for group in shown)
        table.add_row(Text(f"{len(groups) - len(shown):,} more", style="dim"), f"{rest:,}", "", "", "")
    return table


def _skipped(out: Console, report: Report) -> None:
    for note in report.notes:
        out.print(Text(visible(note), style="yellow"))
    if not report.skipped:
        return
    reasons: dict[str, list[str]] = {}
    for path, why in report.skipped:
        reasons.setdefault(why, []).append(path)
    for why, paths in reasons.items():
        named = ", ".join(visible(path).replace("\n", "\N{REPLACEMENT CHARACTER}") for path in paths[:3])
        more = f" and {len(paths) - 3:,} more" if len(paths) > 3 else ""  # noqa: PLR2004
        out.print(Text(f"skipped: {named}{more}: {visible(why)}", style="dim"))
    out.print()
