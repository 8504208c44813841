"""The command `howsure janitor`: expire, demote, delete and repair claims."""

import time
from typing import Annotated

import typer

from howsure.cli.output import write_json
from howsure.cli.parameters import parse_duration, parse_moment
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.shapes.encode import encode


def janitor(
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Only show what would be done.")] = False,
    every: Annotated[str | None, typer.Option(metavar="DURATION", help="Repeat after this time: 30m, 1h, 1d.")] = None,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="The moment to act for.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Expire claims by their time to live, demote unread ones, delete those forgotten for 30 days."""
    pause = None if every is None else parse_duration(every)
    with opened_store(store) as sure:
        while True:
            actions = sure.clean(dry_run=dry_run, now=None if now is None else parse_moment(now))
            for action in actions:
                if json:
                    write_json(encode(action) | {"done": not dry_run})
                else:
                    print(f"{'would ' if dry_run else ''}{action.action} {action.id}: {action.reason}")
            if not actions and not json:
                print("nothing to do")
            if pause is None:
                return
            time.sleep(pause)
