"""howsure investigate: score runs of agents step by step."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.agents.traces import parse_traces, read_content
from howsure.cli.draw import bar, shade, sparkline
from howsure.cli.output import REFUSED, console, write_json
from howsure.cli.parameters import STDIN, open_input
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption
from howsure.investigations.replay import Replay, replay
from howsure.shapes.encode import encode
from howsure.sure import open as open_store
from howsure.wording import visible

BAR, TOOL = 20, 24
"""Columns of a bar and of the name of a tool."""
REASONS = 3
"""Reasons of the chance of success that are printed."""
OTHERS = 10
"""Further targets that are named at most."""


def investigate(
    file: Annotated[
        str, typer.Argument(help="JSON Lines of tool calls, a transcript, messages or trajectories; - for stdin.")
    ],
    agent: Annotated[str, typer.Option(help="Name of the agent, for the ledger.")] = "",
    record: Annotated[bool, typer.Option("--record", help="Record the result of each run in the ledger.")] = False,
    brief: Annotated[bool, typer.Option("--brief", "-b", help="One line for each run, without its steps.")] = False,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Score agent runs after each step. Exits 1 if a run ends with the advice to recover or stop.

    Example: howsure investigate run.jsonl --brief --record --agent patcher-1
    """
    with open_input(file) as stream:
        content = read_content(stream)
    name = "stdin" if file == STDIN else Path(file).stem
    refused = False
    out = console()
    with open_store(store) as sure, show_progress() as show:
        for number, trace in enumerate(parse_traces(content, name), start=1):
            inquiry = sure.investigations.start(trace.question, agent=agent, trace_id=trace.id[:1000])
            result = replay(trace, inquiry)
            show("judging runs", number, 0)
            refused |= result.score["decision"] != "proceed"
            if record:
                inquiry.close()
            if json:
                write_json(_as_json(result))
            elif brief:
                out.print(_line(result))
            else:
                _draw(out, result)
    if refused:
        raise typer.Exit(REFUSED)


def _as_json(result: Replay) -> dict[str, Any]:
    """Return a run as JSON-ready data: the fields of its score, and its steps and agreements."""
    return {
        **encode(result.score),
        "warnings": _warnings(result),
        "id": result.trace.id,
        "calls": len(result.trace.calls),
        "evidence": sum(step.evidence for step in result.steps),
        "unknown": result.unknown,
        "agreements": encode(result.agreements),
        "steps": encode(result.steps),
    }


def _warnings(result: Replay) -> list[str]:
    return [*result.score["warnings"], *result.trace.warnings]


def _line(result: Replay) -> Text:
    score = result.score["score"]
    text = Text(f"{score:.2f} ", style=shade(score)).append(f"{result.score['band']:<9}", style="")
    text.append(f" {sparkline([step.score for step in result.steps][:40])} ", style="dim")
    return text.append(visible(result.trace.id))


def _draw(out: Console, result: Replay) -> None:
    """Draw a run as a timeline of scores. In a narrow terminal only names and targets are cut."""
    out.print(Text(visible(result.trace.id), style="bold"))
    bars = BAR if out.width >= 80 else BAR * 2 // 5  # noqa: PLR2004
    left = out.width - len(str(len(result.steps))) - bars - len("0.00") - 4 * len("  ")
    tools = [Text(_one_line(step.tool)) for step in result.steps]
    for tool in tools:
        tool.truncate(max(min(TOOL, left // 2), 0), overflow="ellipsis")
    left -= max((tool.cell_len for tool in tools), default=0)
    table = Table(box=None, pad_edge=False, show_header=False)
    for number in range(5):
        table.add_column(no_wrap=True, justify="right" if number in (0, 2) else "left")
    for step, tool in zip(result.steps, tools, strict=True):
        drawn = Text(bar(step.score, bars), style=shade(step.score))
        target = Text(_one_line(step.target)) if step.evidence else Text("no evidence", style="dim")
        target.truncate(max(left, 0), overflow="ellipsis")
        table.add_row(Text(str(step.number), style="dim"), drawn, f"{step.score:.2f}", tool, target)
    out.print(table)
    _print_result(out, result)


def _one_line(text: str) -> str:
    """Return a text on one line, with control characters made visible."""
    return " ".join(visible(text[:1000]).split())


def _print_result(out: Console, result: Replay) -> None:
    """Print the decision, the chance of success, further targets on which the evidence agrees, and warnings."""
    score = result.score
    out.print(Text(f"{score['decision']}: {visible(score['reason'])}", style=shade(score["score"])))
    out.print(Text(f"chance of success {score['chance']:.2f}, {score['chance_basis']}:"))
    for reason in score["chance_reasons"][:REASONS]:
        line = f"  {reason['adds']:+.2f} {reason['words']}"
        out.print(Text(line, style="dim", no_wrap=True, overflow="ellipsis"))
    others = [one.target for one in result.agreements if one.target != score["converging_target"]]
    if others:
        more = f" and {len(others) - OTHERS:,} more" if len(others) > OTHERS else ""
        out.print(Text(f"also agreed on: {_one_line(', '.join(others[:OTHERS]))}{more}"))
    for warning in _warnings(result):
        out.print(Text(f"warning: {visible(warning)}", style="yellow"))
    out.print()
