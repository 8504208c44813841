"""howsure token: who may come in over HTTP, to do what, and for how long."""

import re
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import console, visible, when, write_json
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError, shown
from howsure.serve.tokens import Tokens, state
from howsure.store.tokens import Token

token = typer.Typer(no_args_is_help=True, help="Make, list and revoke the tokens that howsure serve demands.")

UNITS = {"h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_557_600.0}
STYLES = {"valid": "green", "expired": "yellow", "revoked": "red"}


@token.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what it is for; the history shows it.")],
    scope: Annotated[str, typer.Option(help="What it allows: read, write or admin, each including the one before.")] = (
        "read"
    ),
    expires: Annotated[
        str, typer.Option(metavar="TIME", help="How long it lasts: 12h, 90d, 8w, 1y, or never.")
    ] = "90d",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Make a token, and show it: this once, since only its digest is kept."""
    lasting = _lasting(expires)
    with opened_store(store) as sure:
        made, secret = Tokens(sure.session).create(name, scope, lasting)  # type: ignore[arg-type]
    if json:
        write_json(made._asdict() | {"token": secret})
        return
    print(secret)
    until = "until it is revoked" if made.expires_at is None else f"until {when(made.expires_at)}"
    console(stderr=True).print(
        Text(f"{made.id}: {visible(made.name)} may {made.scope} {until}. Keep it now: it is not shown again.")
    )


@token.command("list")
def list_(store: StoreOption = None, json: Json = False) -> None:
    """List the tokens: for whom, what they allow, until when, and when they were used last."""
    with opened_store(store) as sure:
        found, at = Tokens(sure.session).all(), sure.session.at(None)
    if json:
        for one in found:
            write_json(one._asdict() | {"state": state(one, at)})
        return
    if not found:
        console().print("There is no token. [cyan]howsure token create NAME[/] makes one.")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for title in ("name", "scope", "state", "made", "until", "used"):
        table.add_column(title, overflow="fold")
    for one in found:
        kind = state(one, at)
        cells: Any = (one.id, visible(one.name), one.scope, kind, *map(_when, (one.created_at, *_times(one))))
        table.add_row(*(Text(cell, style=STYLES[kind] if cell == kind else "") for cell in cells))
    console().print(table)


def _times(one: Token) -> tuple[float | None, float | None]:
    return one.expires_at, one.used_at


def _when(at: float | None) -> str:
    return "never" if at is None else when(at)


@token.command()
def revoke(
    which: Annotated[str, typer.Argument(metavar="TOKEN", help="Id or name of the token.")], store: StoreOption = None
) -> None:
    """Let a token allow nothing any more, at once."""
    with opened_store(store) as sure:
        gone = Tokens(sure.session).revoke(which)
    console().print(Text(f"{gone.id} ({visible(gone.name)}) is revoked"))


def _lasting(text: str) -> float | None:
    """Return how many seconds a token lasts."""
    if text == "never":
        return None
    found = re.fullmatch(r"(\d{1,6})([hdwy])", text)
    if found is None:
        raise InputError(f"{shown(text)} is no time to last", field="expires", hint="like 12h, 90d, 8w, 1y, or never")
    return int(found[1]) * UNITS[found[2]]
