"""howsure investigate: how sure were agents, step by step?"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.agents.traces import parse_traces
from howsure.cli.draw import bar, shade, sparkline
from howsure.cli.lines import STDIN, opened
from howsure.cli.output import REFUSED, console, visible, write_json
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.investigations.replay import Scored, scored

BAR, TOOL = 20, 24
"""Columns of a bar, and of the name of a tool."""
OTHERS = 10
"""Further targets that are named."""


def investigate(
    file: Annotated[
        str, typer.Argument(help="JSON Lines of tool calls, a transcript, messages or trajectories; - for stdin.")
    ],
    agent: Annotated[str, typer.Option(help="Name of the agent, for the ledger.")] = "",
    record: Annotated[bool, typer.Option("--record", help="Write the end of each run into the ledger.")] = False,
    brief: Annotated[bool, typer.Option("--brief", "-b", help="One line for each run, without its steps.")] = False,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Score runs of agents, after each step. Exits 1 if one ends where it should recover or stop."""
    with opened(file) as stream:
        content = stream.read()
    name = "stdin" if file == STDIN else Path(file).stem
    refused = False
    out = console()
    with opened_store(store) as sure, show_progress() as show:
        for number, trace in enumerate(parse_traces(content, name), start=1):
            inquiry = sure.investigations.start(trace.question, agent=agent, trace_id=trace.id[:1000])
            found = scored(trace, inquiry)
            show("judging runs", number, 0)
            refused |= found.score["decision"] != "proceed"
            if record:
                inquiry.close()
            if json:
                write_json(found.as_dict())
            elif brief:
                out.print(_line(found))
            else:
                _draw(out, found)
    if refused:
        raise typer.Exit(REFUSED)


def _line(found: Scored) -> Text:
    score = found.score["score"]
    text = Text(f"{score:.2f} ", style=shade(score)).append(f"{found.score['band']:<9}", style="")
    text.append(f" {sparkline([step.score for step in found.steps][:40])} ", style="dim")
    return text.append(visible(found.trace.id))


def _draw(out: Console, found: Scored) -> None:
    """Draw a run as a timeline: the score after each step. In a narrow terminal, only names and targets are cut."""
    out.print(Text(visible(found.trace.id), style="bold"))
    bars = BAR if out.width >= 80 else BAR * 2 // 5  # noqa: PLR2004
    left = out.width - len(str(len(found.steps))) - bars - len("0.00") - 4 * len("  ")
    tools = [Text(_shown(step.tool)) for step in found.steps]
    for tool in tools:
        tool.truncate(max(min(TOOL, left // 2), 0), overflow="ellipsis")
    left -= max((tool.cell_len for tool in tools), default=0)
    table = Table(box=None, pad_edge=False, show_header=False)
    for number in range(5):
        table.add_column(no_wrap=True, justify="right" if number in (0, 2) else "left")
    for step, tool in zip(found.steps, tools, strict=True):
        drawn = Text(bar(step.score, bars), style=shade(step.score))
        target = Text(_shown(step.target)) if step.evidence else Text("no evidence", style="dim")
        target.truncate(max(left, 0), overflow="ellipsis")
        table.add_row(Text(str(step.number), style="dim"), drawn, f"{step.score:.2f}", tool, target)
    out.print(table)
    _tell(out, found)


def _shown(text: str) -> str:
    """Return a text as it is shown on one line."""
    return " ".join(visible(text[:1000]).split())


def _tell(out: Console, found: Scored) -> None:
    """Tell how a run ended, on what else the evidence agrees, and what to beware of."""
    score = found.score
    out.print(Text(f"{score['decision']}: {visible(score['reason'])}", style=shade(score["score"])))
    others = [one.target for one in found.agreements if one.target != score["converging_target"]]
    if others:
        more = f" and {len(others) - OTHERS:,} more" if len(others) > OTHERS else ""
        out.print(Text(f"also agreed on: {_shown(', '.join(others[:OTHERS]))}{more}"))
    for warning in score["warnings"]:
        out.print(Text(f"warning: {visible(warning)}", style="yellow"))
    out.print()
