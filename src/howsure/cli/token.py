"""The commands `howsure token`: create, list and revoke access tokens."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rich.table import Table
from rich.text import Text

from howsure.cli.from_operations import Reader, command, group
from howsure.cli.output import console, when, write_json, writes
from howsure.cli.parameters import parse_duration
from howsure.cli.stores import Json, StoreOption
from howsure.errors import InputError
from howsure.serve.tokens import NewToken, Tokens, token_state
from howsure.shapes.encode import encode
from howsure.sure import open as open_store
from howsure.wording import visible

STYLES = {"valid": "green", "expired": "yellow", "revoked": "red"}


@writes(NewToken)
def new_token_lines(new: NewToken) -> Iterator[Any]:
    """Write the token with its secret, which is not stored."""
    yield encode(new.token) | {"token": new.secret}


def _print_secret(new: NewToken, _: Mapping[str, Any]) -> None:
    created = new.token
    print(new.secret)
    until = "until it is revoked" if created.expires_at is None else f"until {when(created.expires_at)}"
    may = "do everything" if created.scope == "admin" else created.scope
    console(stderr=True).print(
        Text(f"{created.id}: {visible(created.name)} may {may} {until}. Save it now: it is not shown again.")
    )


def _parse_lifetime(text: str, _: str) -> float | None:
    """Return the seconds of a lifetime such as 90d; None for `never`."""
    if text == "never":
        return None
    try:
        return parse_duration(text, "expires")
    except InputError as error:
        error.hint = "like 12h, 90d, 8w, 1y, or never"
        raise


def list_(store: StoreOption = None, json: Json = False) -> None:
    """List the tokens with their scope, expiry and last use.

    Example: howsure token list
    """
    with open_store(store) as sure:
        tokens, now = Tokens(sure.session).all(), sure.session.at(None)
    if json:
        for one in tokens:
            write_json(encode(one) | {"state": token_state(one, now)})
        return
    if not tokens:
        console().print("There are no tokens. Create one with [cyan]howsure token create NAME[/].")
        return
    out = console()
    shown = len("2027-01-15 08:00:00Z" if out.width >= 100 else "2027-01-15")  # noqa: PLR2004 - else only the day
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for title in ("name", "scope", "state", "created", "expires", "last used"):
        table.add_column(title, overflow="fold")
    for one in tokens:
        state = token_state(one, now)
        times = ["never" if at is None else when(at)[:shown] for at in (one.created_at, one.expires_at, one.used_at)]
        table.add_row(one.id, Text(visible(one.name)), one.scope, Text(state, style=STYLES[state]), *times)
    out.print(table)


token = group(
    "token",
    "Create, list and revoke the access tokens of howsure serve.",
    {
        "create": partial(
            command,
            lambda sure: Tokens(sure.session),
            Tokens.create,
            example="token create dashboard --scope read --expires 90d",
            arguments=("name",),
            names={"lifetime": "--expires"},
            readers={
                "lifetime": Reader(
                    _parse_lifetime, "TIME", "How long it is valid: 12h, 90d, 8w, 1y, or never; default: 90d."
                )
            },
            defaults={"lifetime": parse_duration("90d")},
            say=_print_secret,
        ),
        "list": lambda: list_,
        "revoke": partial(
            command,
            lambda sure: Tokens(sure.session),
            Tokens.revoke,
            example="token revoke dashboard",
            say=lambda revoked, _: f"{revoked.id} ({revoked.name}) is revoked",
        ),
    },
)
