"""howsure stats: how agents do."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade, sparkline
from howsure.cli.janitor import duration
from howsure.cli.output import console, visible, write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.ledger.statistics import DecisionGroup, LedgerStatistics
from howsure.shapes.encode import encode


def stats(
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    agent_type: Annotated[str | None, typer.Option(help="Only agents of this type.")] = None,
    project: Annotated[str | None, typer.Option(help="Only this project.")] = None,
    task: Annotated[str | None, typer.Option(help="Only this task.")] = None,
    model: Annotated[str | None, typer.Option(help="Only decisions of this model; default: response.")] = None,
    by: Annotated[str, typer.Option(help="Group by agent, agent_type, project, task_id or model.")] = "agent",
    last: Annotated[str, typer.Option(metavar="DURATION", help="How far back: 24h, 7d.")] = "7d",
    now: Annotated[str | None, typer.Option(metavar="TIME", help="End of the window; default: now.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Show how well agents do: totals, success, blocked responses, trend, and how well scores match outcomes."""
    with opened_store(store) as sure:
        until = sure.session.at(None if now is None else parse_moment(now))
        group_by: Any = by  # `stats` checks it
        found = sure.ledger.stats(
            since=until - duration(last, "last"),
            until=until,
            by=group_by,
            model=model or (None if by == "model" else "response"),
            agent=agent,
            agent_type=agent_type,
            project=project,
            task_id=task,
        )
    if json:
        write_json(encode(found), pretty=True)
    else:
        show(console(), found, by, last)


def show(out: Console, statistics: LedgerStatistics, by: str, last: str) -> None:
    """Print statistics for people."""
    if not statistics.all.total:
        out.print(f"No decisions in the last {last}. [cyan]howsure gate --agent NAME FILE[/] checks a response.")
        return
    group = statistics.all
    out.print(
        Text(
            f"{group.total:,} decisions in {last}: {group.met:,} met their threshold ({_share(group.success_rate)}), "
        ).append(
            f"{group.blocked:,} blocked, {group.reviewed:,} to review; mean confidence {group.mean_confidence:.2f}"
        )
    )
    days = [day.mean_confidence for day in statistics.days]
    if len(days) > 1:
        out.print(Text(f"Mean confidence {statistics.days[0].day} to {statistics.days[-1].day}: {sparkline(days)}"))
        most = max(day.total for day in statistics.days)
        out.print(Text(f"Decisions a day, up to {most:,}: {sparkline([day.total / most for day in statistics.days])}"))
    if statistics.groups:
        out.print()
        out.print(_table(statistics.groups, by, out.width))
    out.print()
    _calibration(out, statistics)


def _table(groups: tuple[DecisionGroup, ...], by: str, width: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(by.replace("_", " "), overflow="fold")
    names = ["total", "met", "blocked", "review", "confidence", "needed", "right"]
    wide = width >= 90  # noqa: PLR2004
    for name in names if wide else names[:3]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("success", no_wrap=True)
    for group in groups[:50]:
        rate = group.success_rate or 0.0
        cells = [f"{group.total:,}", f"{group.met:,}", f"{group.blocked:,}", f"{group.reviewed:,}"]
        cells += [f"{group.mean_confidence:.2f}", "" if group.threshold is None else f"{group.threshold:.2f}"]
        cells += [f"{group.right:,}/{group.outcomes:,}" if group.outcomes else "unknown"]
        shown = Text(bar(rate, 10), style=shade(rate)).append(f" {rate:.0%}", style="")
        table.add_row(Text(visible(group.name) or "(none)"), *(cells if wide else cells[:3]), shown)
    return table


def _calibration(out: Console, statistics: LedgerStatistics) -> None:
    known = statistics.calibration
    if not known.outcomes:
        out.print(
            "No outcome is known yet. [cyan]howsure outcome ID right[/] reports one; confidence is unproven until then."
        )
        return
    out.print(
        Text(f"{known.right:,} of {known.outcomes:,} responses with a known outcome were right. ").append(
            f"Brier score {known.brier:.3f} (0 is perfect), expected calibration error {known.expected_error:.3f}."
        )
    )


def _share(rate: float | None) -> str:
    return "none" if rate is None else f"{rate:.0%}"
