"""howsure ledger: what was decided, out and in."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import NO_JUDGEMENT, complain, console, visible, when, write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError
from howsure.ledger.decision import Record

ledger = typer.Typer(no_args_is_help=True, help="List, show, export, import and purge what was decided.")

Agent = Annotated[str | None, typer.Option(help="Only this agent.")]
Trace = Annotated[str | None, typer.Option(help="Only this trace or session.")]
Task = Annotated[str | None, typer.Option(help="Only this task.")]


def _as_dict(record: Record) -> dict[str, object]:
    return dict(vars(record))


@ledger.command("list")
def list_(
    agent: Agent = None,
    trace: Trace = None,
    task: Task = None,
    decision: Annotated[str | None, typer.Option(help="Only this decision: pass, block, review, ...")] = None,
    model: Annotated[str | None, typer.Option(help="Only this model.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 20,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """List decisions, the newest first."""
    with opened_store(store) as sure:
        found = sure.ledger.find(agent=agent, trace_id=trace, task_id=task, decision=decision, model=model, limit=limit)
    if json:
        for record in found:
            write_json(_as_dict(record))
        return
    out = console()
    if not found:
        out.print("Nothing was decided yet. [cyan]howsure gate --agent NAME FILE[/] judges an answer.")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for name in ("when", "agent", "score", "decision", "outcome"):
        table.add_column(name, overflow="fold")
    for record in found:
        style = {"block": "red", "review": "yellow", "pass": "green"}.get(record.decision, "")
        cells = (record.id, when(record.at), record.agent, f"{record.score:.2f}", record.decision, record.outcome or "")
        table.add_row(*(Text(visible(cell), style=style if cell == record.decision else "") for cell in cells))
    out.print(table)


@ledger.command()
def show(id_: Annotated[str, typer.Argument(metavar="ID")], store: StoreOption = None, json: Json = False) -> None:
    """Show one decision with all that led to it."""
    with opened_store(store) as sure:
        record = sure.ledger.get(id_)
    if json:
        write_json(_as_dict(record), pretty=True)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    answer = record.detail.get("answer", {})
    rows = {"id": record.id, "when": when(record.at), "model": f"{record.model} {record.spec.get('version')}"}
    rows |= {"agent": record.agent, "type": record.agent_type, "project": record.project, "task": record.task_id}
    rows |= {"decision": record.decision, "score": f"{record.score:.4f}", "reason": str(answer.get("reason", ""))}
    rows |= {"text": record.content or "(not kept)", "outcome": record.outcome or "unknown"}
    for name, value in rows.items():
        table.add_row(name, Text(visible(value)))
    console().print(table)


@ledger.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Where to; one file of JSON Lines for each day.")],
    store: StoreOption = None,
) -> None:
    """Write everything as the source document's files: confidences-YYYY-MM-DD.jsonl."""
    with opened_store(store) as sure:
        print(f"{sure.ledger.export(folder):,} written")


@ledger.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="Such a file, or a folder of them.")],
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Read such files, each up to its first bad line. What is there already is left as it is."""
    with opened_store(store) as sure:
        taken, errors = sure.ledger.import_(path)
    if json:
        write_json({"imported": taken, "errors": errors})
    else:
        print(f"{taken:,} imported")
    for error in errors:
        complain(error)
    if errors:
        raise typer.Exit(NO_JUDGEMENT)


@ledger.command()
def purge(
    id_: Annotated[str | None, typer.Option("--id", help="One decision.")] = None,
    agent: Agent = None,
    trace: Trace = None,
    task: Task = None,
    before: Annotated[str | None, typer.Option(metavar="TIME", help="All before this moment.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All there is.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Take decisions away for good, their text and outcomes too."""
    wanted = {"id": id_, "agent": agent, "trace_id": trace, "task_id": task}
    wanted |= {"before": None if before is None else parse_moment(before, "before")}  # type: ignore[dict-item]
    if not everything and not any(value is not None for value in wanted.values()):
        raise InputError("nothing says what to purge", hint="--id, --agent, --trace, --task, --before or --everything")
    with opened_store(store) as sure:
        if not yes:
            count = len(sure.ledger.find(limit=None, **wanted))
            typer.confirm(f"Take {count:,} decisions away for good?", abort=True)
        print(f"{sure.ledger.purge(everything=everything or None, **wanted):,} purged")
