"""howsure investigate: how sure were agents, step by step?"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade, sparkline
from howsure.cli.lines import STDIN, opened
from howsure.cli.output import REFUSED, console, visible, write_json
from howsure.cli.progress import progress
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.engine.scored import Scored, scored
from howsure.engine.traces import traces_in

BAR = 20


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
    with opened_store(store) as sure, progress("runs") as show:
        for number, trace in enumerate(traces_in(content, name), start=1):
            inquiry = sure.investigations.start(trace.question, agent=agent, trace_id=trace.id[:1000])
            found = scored(trace, inquiry)
            show(number)
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
    """Draw a run as a timeline: the score after each step."""
    out.print(Text(visible(found.trace.id), style="bold"))
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    table.add_column(overflow="ellipsis", no_wrap=True, ratio=1)
    for step in found.steps:
        drawn = Text(bar(step.score, BAR if out.width >= 80 else 8), style=shade(step.score))  # noqa: PLR2004
        target = Text(visible(step.target), style="" if step.evidence else "dim")
        if not step.evidence:
            target = Text("no evidence", style="dim")
        table.add_row(str(step.number), drawn, Text(f"{step.score:.2f}"), Text(visible(step.tool[:24])), target)
    out.print(table)
    score = found.score
    out.print(Text(f"{score['decision']}: {visible(score['reason'])}", style=shade(score["score"])))
    for warning in score["warnings"]:
        out.print(Text(f"warning: {visible(warning)}", style="yellow"))
    out.print()
