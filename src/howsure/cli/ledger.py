"""howsure ledger: list, show, export, import and purge decisions."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import NO_JUDGEMENT, complain, console, visible, when, write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError
from howsure.ledger.decision import Decision
from howsure.shapes.encode import encode

ledger = typer.Typer(no_args_is_help=True, help="List, show, export, import and purge decisions.")

Agent = Annotated[str | None, typer.Option(help="Only this agent.")]
Trace = Annotated[str | None, typer.Option(help="Only this trace.")]
Task = Annotated[str | None, typer.Option(help="Only this task.")]


@ledger.command("list")
def list_(
    agent: Agent = None,
    trace: Trace = None,
    task: Task = None,
    decision: Annotated[str | None, typer.Option(help="Only this decision: pass, block, review, ...")] = None,
    model: Annotated[str | None, typer.Option(help="Only this model.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """List decisions, the newest first."""
    with opened_store(store) as sure:
        decisions = sure.ledger.find(
            agent=agent, trace_id=trace, task_id=task, decision=decision, model=model, limit=limit
        ).decisions
    if json:
        for one in decisions:
            write_json(encode(one))
        return
    out = console()
    if not decisions:
        out.print("No decisions yet. [cyan]howsure gate --agent NAME FILE[/] checks a response.")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for name in ("when", "agent", "score", "decision", "outcome"):
        table.add_column(name, overflow="fold")
    for one in decisions:
        style = {"block": "red", "review": "yellow", "pass": "green"}.get(one.decision, "")
        cells = (one.id, when(one.at), one.agent, f"{one.score:.2f}", one.decision, one.outcome or "")
        table.add_row(*(Text(visible(cell), style=style if cell == one.decision else "") for cell in cells))
    out.print(table)


@ledger.command()
def show(id_: Annotated[str, typer.Argument(metavar="ID")], store: StoreOption = None, json: Json = False) -> None:
    """Show one decision with everything that led to it."""
    with opened_store(store) as sure:
        decision = sure.ledger.get(id_)
    if json:
        write_json(encode(decision), pretty=True)
        return
    console().print(_details(decision))


def _details(decision: Decision) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    rows = {"id": decision.id, "when": when(decision.at), "model": f"{decision.model} {decision.spec.get('version')}"}
    rows |= {
        "agent": decision.agent,
        "type": decision.agent_type,
        "project": decision.project,
        "task": decision.task_id,
    }
    rows |= {
        "decision": decision.decision,
        "score": f"{decision.score:.4f}",
        "reason": str(decision.answer.get("reason", "")),
    }
    rows |= {"text": decision.content or "(not kept)", "outcome": decision.outcome or "unknown"}
    for name, value in rows.items():
        table.add_row(name, Text(visible(value)))
    return table


@ledger.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Where to write one file of JSON Lines per day.")],
    store: StoreOption = None,
) -> None:
    """Write all decisions as JSON Lines, one file per day: confidences-YYYY-MM-DD.jsonl."""
    with opened_store(store) as sure:
        print(f"{sure.ledger.export(folder):,} written")


@ledger.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="An exported file, or a folder of them.")],
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Import exported files, each up to its first invalid line. Decisions that are already stored are not changed."""
    with opened_store(store) as sure:
        result = sure.ledger.import_(path)
    if json:
        write_json(encode(result))
    else:
        print(f"{result.imported:,} imported")
    for error in result.errors:
        complain(error)
    if result.errors:
        raise typer.Exit(NO_JUDGEMENT)


@ledger.command()
def purge(
    id_: Annotated[str | None, typer.Option("--id", help="One decision.")] = None,
    agent: Agent = None,
    trace: Trace = None,
    task: Task = None,
    before: Annotated[str | None, typer.Option(metavar="TIME", help="All decisions before this time.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All decisions.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete decisions for good, with their texts and outcomes."""
    moment = None if before is None else parse_moment(before, "before")
    conditions: Any = {"decision_id": id_, "agent": agent, "trace_id": trace, "task_id": task, "before": moment}
    if not everything and all(value is None for value in conditions.values()):
        hint = "--id, --agent, --trace, --task, --before or --everything"
        raise InputError("no option says what to purge", hint=hint)
    with opened_store(store) as sure:
        if not yes:
            count = sure.ledger.purge(**conditions, everything=everything, dry_run=True).purged
            typer.confirm(f"Delete {count:,} decisions for good?", abort=True)
        print(f"{sure.ledger.purge(**conditions, everything=everything).purged:,} purged")
