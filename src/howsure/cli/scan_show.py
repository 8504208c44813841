"""Print the report of a scan: the most urgent documents, folders, milestones and the project score."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade
from howsure.cli.output import visible
from howsure.documents.document import Document, Group, Report

_WIDEST, _WIDE, _WIDER, _MIDDLE = 150, 110, 95, 70
"""Terminal widths from which the table has one more column."""
_FOLDERS = 12
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
        out.print("No documents were found here. [cyan]howsure scan FOLDER[/] looks at pages, programs and data.")
        _skipped(out, report)
        return
    chosen = report.documents[:limit] if limit else tuple(report.documents)
    out.print(_table(chosen, out.width))
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
    out.print(line.append(f" over {count}, {due:,} due; {report.reused:,} not read again, {report.seconds:.2f} s", ""))


def _table(documents: Sequence[Document], width: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("score", no_wrap=True)
    if width >= _WIDE:
        table.add_column("state", no_wrap=True)
    if width >= _MIDDLE:
        table.add_column("age", justify="right", no_wrap=True)
    table.add_column("due", no_wrap=width >= _MIDDLE)
    table.add_column("document", overflow="fold", ratio=3)
    if width >= _WIDER:
        table.add_column("what would raise it", overflow="fold", ratio=2, min_width=19)
    if width >= _WIDEST:
        table.add_column("found", overflow="ellipsis", no_wrap=True, ratio=1)
    for one in documents:
        table.add_row(*_cells(one, width))
    return table


def _cells(one: Document, width: int) -> list[Text]:
    score = 0.0 if one.score is None else one.score
    drawn = Text(bar(score, 10 if width >= _MIDDLE else 4), style=shade(score) if one.score is not None else "dim")
    drawn.append(f" {score:.3f}" if one.score is not None else " ?    ", style="")
    urgent = one.action in ("human_validation", "refresh_or_remove")
    due = Text(_ACTIONS[one.action], style="red" if urgent else "yellow")
    name = Text(visible(one.path).replace("\n", "\N{REPLACEMENT CHARACTER}"))
    for problem in one.problems:
        name.append(f"\n{visible(problem)}", style="yellow")
    if width < _MIDDLE:
        return [drawn, due, name]
    age = Text("?" if one.months is None else f"{one.months:.1f} mo")
    if width < _WIDER:
        return [drawn, age, due, name]
    gains = Text("; ".join(gain.words + (f" +{gain.gain:.3f}" if gain.gain else "") for gain in one.gains[:2]), "dim")
    if width < _WIDE:
        return [drawn, age, due, name, gains]
    cells = [drawn, Text(f"{one.milestone} {one.state.lower()}"), age, due, name, gains]
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
