"""howsure token: create, list and revoke access tokens."""

import re
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import console, visible, when, write_json
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError, shown
from howsure.serve.tokens import Tokens, token_state

token = typer.Typer(no_args_is_help=True, help="Create, list and revoke the access tokens of howsure serve.")

SECONDS = {"h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_557_600.0}
STYLES = {"valid": "green", "expired": "yellow", "revoked": "red"}


@token.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what it is for; shown in the history.")],
    scope: Annotated[str, typer.Option(help="What it allows: read, write or admin; each includes those before.")] = (
        "read"
    ),
    expires: Annotated[
        str, typer.Option(metavar="TIME", help="How long it is valid: 12h, 90d, 8w, 1y, or never.")
    ] = "90d",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Create a token and print it. It is shown only once: the store keeps a digest."""
    lifetime = _parse_lifetime(expires)
    with opened_store(store) as sure:
        created, secret = Tokens(sure.session).create(name, scope, lifetime)  # type: ignore[arg-type]
    if json:
        write_json(created._asdict() | {"token": secret})
        return
    print(secret)
    until = "until it is revoked" if created.expires_at is None else f"until {when(created.expires_at)}"
    console(stderr=True).print(
        Text(f"{created.id}: {visible(created.name)} may {created.scope} {until}. Save it now: it is not shown again.")
    )


@token.command("list")
def list_(store: StoreOption = None, json: Json = False) -> None:
    """List the tokens with their scope, expiry and last use."""
    with opened_store(store) as sure:
        tokens, now = Tokens(sure.session).all(), sure.session.at(None)
    if json:
        for one in tokens:
            write_json(one._asdict() | {"state": token_state(one, now)})
        return
    if not tokens:
        console().print("There are no tokens. Create one with [cyan]howsure token create NAME[/].")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for title in ("name", "scope", "state", "created", "expires", "last used"):
        table.add_column(title, overflow="fold")
    for one in tokens:
        state = token_state(one, now)
        times = [_format_time(at) for at in (one.created_at, one.expires_at, one.used_at)]
        table.add_row(one.id, Text(visible(one.name)), one.scope, Text(state, style=STYLES[state]), *times)
    console().print(table)


def _format_time(at: float | None) -> str:
    return "never" if at is None else when(at)


@token.command()
def revoke(
    which: Annotated[str, typer.Argument(metavar="TOKEN", help="Id or name of the token.")], store: StoreOption = None
) -> None:
    """Revoke a token. It is refused from this moment on."""
    with opened_store(store) as sure:
        revoked = Tokens(sure.session).revoke(which)
    console().print(Text(f"{revoked.id} ({visible(revoked.name)}) is revoked"))


def _parse_lifetime(text: str) -> float | None:
    """Return the seconds of a lifetime such as 90d; None for `never`."""
    if text == "never":
        return None
    match = re.fullmatch(r"(\d{1,6})([hdwy])", text)
    if match is None:
        raise InputError(f"invalid lifetime {shown(text)}", field="expires", hint="like 12h, 90d, 8w, 1y, or never")
    return int(match[1]) * SECONDS[match[2]]
