"""The commands `howsure store` and `howsure janitor`."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.models import complete_formula
from howsure.cli.output import REFUSED, complain, console, say, show, write_json
from howsure.cli.parameters import parse_duration, parse_moment, parse_parameters
from howsure.cli.stores import CreateOption, Json, StoreOption
from howsure.settings import STORE, current
from howsure.shapes.encode import encode
from howsure.store import check as checking
from howsure.store import transfer
from howsure.store import views as interval_views
from howsure.store.backends.database import connect
from howsure.store.backends.schema import migrate as migrate_schema
from howsure.sure import open as open_store
from howsure.wording import pluralize

store = typer.Typer(no_args_is_help=True, help="Check, back up, restore, migrate and measure the store.")


@store.command()
def check(
    store: StoreOption = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="First repair what follows from the rest: sums and folds.")
    ] = False,
    json: Json = False,
) -> None:
    """Check the store for damage. Exits 1 if there is any.

    Example: howsure store check --repair
    """
    with open_store(store) as sure:
        repaired = checking.repair(sure.session) if repair else []
        problems = [*checking.check(sure.session), *sure.fits.check()]
        address = sure.session.database.address
    if json:
        more = {"repaired": repaired} if repair else {}
        write_json({"address": address, "sound": not problems, "problems": problems} | more)
    else:
        for line in repaired:
            say(line)
        for problem in problems:
            say(problem)
        say(f"{address}: {pluralize(len(problems), 'problem')}" if problems else f"{address} is sound")
    if problems:
        raise typer.Exit(REFUSED)


@store.command()
def backup(
    file: Annotated[Path, typer.Argument(help="Where to; .db for a SQLite file, else JSON Lines.")],
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Write a backup. The store can be used meanwhile.

    Example: howsure store backup backup.db
    """
    with open_store(store) as sure:
        transfer.backup(sure.session, file)
        left_out = transfer.count_left_out(sure.session)
    size = file.stat().st_size
    more = {"left_out": left_out} if left_out else {}
    show({"file": str(file), "bytes": size} | more, json=json, line=f"{file}: {size:,} bytes")
    if left_out:
        complain(f"left out, since a backup gives no access: {_name_counts(left_out)}")


@store.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    store: StoreOption = None,
    create: CreateOption = False,
    json: Json = False,
) -> None:
    """Fill an empty store from a backup, all or nothing. If that fails, no new store is left behind.

    Example: howsure store restore backup.db --store new.db
    """
    address = store or current().value(STORE)
    with transfer.remove_if_failed(address), open_store(store, create=create) as sure:
        report = transfer.restore(sure.session, file)
    if json:
        show(report, json=True)
    else:
        print_import(report)


def print_import(report: transfer.ImportReport) -> None:
    """Print what was imported, and what a backup or an export leaves out."""
    counts = encode(report)
    left_out = counts.pop("left_out")
    say(", ".join(f"{count:,} {name}" for name, count in counts.items()))
    if left_out:
        names = _name_counts(left_out)
        complain(f"not restored, since a backup gives no access: {names} (howsure token create, howsure peer add)")


def _name_counts(counts: Mapping[str, int]) -> str:
    """Return counts with their names: 2 tokens and 1 peer."""
    return " and ".join(pluralize(count, name.removesuffix("s")) for name, count in counts.items())


@store.command()
def migrate(store: StoreOption = None, create: CreateOption = False, json: Json = False) -> None:
    """Bring the tables up to the version of this program. Opening a store does the same.

    Example: howsure store migrate
    """
    address, origin = (store, "") if store else current().find(STORE)
    database = connect(address, create=create or origin == "default")
    try:
        before, after = migrate_schema(database)
    finally:
        database.close()
    line = f"schema {after}, as before" if before == after else f"schema {before} -> {after}"
    show({"before": before, "after": after}, json=json, line=line)


@store.command()
def views(
    formula: Annotated[
        list[str] | None,
        typer.Option("--formula", "-f", help="Formula; repeatable. Default: all.", autocompletion=complete_formula),
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="Set a parameter; repeatable.")
    ] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Drop the views instead.")] = False,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Create a view per formula that gives any SQL client the interval of each claim: intervals_noisy_or, ...

    Example: howsure store views --formula all
    """
    from howsure.bulk.sweep import sweep_variants

    with open_store(store) as sure:
        variants = sweep_variants(formula or ["all"], parse_parameters(parameter or ()), {}, sure.settings)
        if drop:
            names = interval_views.drop(sure.session)
        else:
            names = interval_views.create(sure.session, [variant.formula for variant in variants])
    done = "dropped" if drop else "created"
    show({done: names}, json=json, line=f"{done} {', '.join(names) or 'no view'}")


@store.command()
def embed(
    prune: Annotated[bool, typer.Option("--prune", help="Delete the vectors of other embedders afterwards.")] = False,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Make the vectors of claims that have none, so that they can be found by meaning.

    It can be stopped at any time: what was made stays, and the next call goes on there.

    Example: howsure store embed
    """
    from howsure.cli.progress import show_progress

    with open_store(store) as sure, show_progress() as progress:
        report = sure.claims.embed(prune=prune, progress=progress)
    deleted = f", {pluralize(report.deleted, 'vector')} of others deleted" if prune else ""
    line = f"{pluralize(report.embedded, 'claim')} embedded by {report.embedder}{deleted}"
    show(report, json=json, line=f"{line}\n{report.search}" if report.search else line)


@store.command("stats")
def stats_(store: StoreOption = None, json: Json = False) -> None:
    """Show how much the store holds.

    Example: howsure store stats
    """
    with open_store(store) as sure:
        stats = encode(checking.stats(sure.session))
    if json:
        write_json(stats)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in stats.items():
        shown = ", ".join(f"{k} {v:,}" for k, v in value.items()) if isinstance(value, dict) else value
        table.add_row(Text(name), Text(f"{shown:,}" if isinstance(shown, int) else str(shown)))
    console().print(table)


def janitor(
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Only show what would be done.")] = False,
    every: Annotated[str | None, typer.Option(metavar="DURATION", help="Repeat after this time: 30m, 1h, 1d.")] = None,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="The moment to act for.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Expire claims by their time to live, demote unread ones, delete those forgotten for 30 days.

    Example: howsure janitor --dry-run
    """
    pause = None if every is None else parse_duration(every)
    with open_store(store) as sure:
        while True:
            actions = sure.clean(dry_run=dry_run, now=None if now is None else parse_moment(now))
            for action in actions:
                if json:
                    write_json(encode(action) | {"done": not dry_run})
                else:
                    say(f"{'would ' if dry_run else ''}{action.action} {action.id}: {action.reason}")
            if not actions and not json:
                say("nothing to do")
            if pause is None:
                return
            time.sleep(pause)
