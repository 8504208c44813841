"""howsure peer: other stores, which a federated query asks."""

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import GOOD, REFUSED, complain, console, visible, when, write_json
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError
from howsure.shapes.encode import encode
from howsure.store.peers import Peer

peer = typer.Typer(no_args_is_help=True, help="Register, list, test and remove the stores that federated queries ask.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the peer.")]


@peer.command()
def add(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where its server is, like https://howsure.example.")],
    trust: Annotated[float, typer.Option(help="How far what it tells is trusted, 0 to 1.")],
    name: Annotated[str | None, typer.Option(help="How to call it; default: its host.")] = None,
    token_env: Annotated[
        str | None, typer.Option(metavar="VARIABLE", help="Environment variable that holds the token it demands.")
    ] = None,
    token_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="File that holds the token it demands.")
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds that a whole exchange may take.")] = 5.0,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Register a peer. Of its token only the place is kept."""
    with opened_store(store) as sure:
        added = sure.peers.add(
            url, trust=trust, name=name, token_env=token_env, token_file=token_file, time_limit=time_limit
        )
    if added.token and added.url.startswith("http:") and not _own_machine(added.url):
        complain("a token that travels over http can be read on the way: https is better")
    if json:
        write_json(encode(added))
    else:
        console().print(Text(f"{added.name} at {added.url} is a peer, trusted {added.trust:g}"))


def _own_machine(url: str) -> bool:
    """Say whether an address is this machine's own; one that cannot be looked up is not."""
    from urllib.parse import urlsplit

    from howsure.serve.server import is_loopback

    try:
        return is_loopback(urlsplit(url).hostname or "")
    except InputError:
        return False


@peer.command("list")
def list_(store: StoreOption = None, json: Json = False) -> None:
    """List the peers: where they are, how far they are trusted, when they last answered, or why they did not."""
    with opened_store(store) as sure:
        found = sure.peers.all()
    if json:
        for one in found:
            write_json(encode(one))
        return
    if not found:
        console().print("No peers yet. [cyan]howsure peer add URL --trust 0.8[/] registers one.")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "address", "trust", "token", "within", "answered", "failed"):
        table.add_column(title, overflow="fold")
    for one in found:
        table.add_row(*(Text(visible(cell)) for cell in _cells(one)))
    console().print(table)


def _cells(one: Peer) -> tuple[Any, ...]:
    answered = "never" if one.seen_at is None else when(one.seen_at)
    failed = "never" if one.failed_at is None else f"{when(one.failed_at)} {one.failure}"
    return one.name, one.url, f"{one.trust:g}", one.token or "none", f"{one.time_limit:g} s", answered, failed


@peer.command()
def remove(name: Name, store: StoreOption = None) -> None:
    """Take a peer out: it is not asked any more."""
    with opened_store(store) as sure:
        gone = sure.peers.remove(name)
    console().print(Text(f"{gone.name} at {gone.url} was removed"))


@peer.command("test")
def try_(name: Name, store: StoreOption = None, json: Json = False) -> None:
    """Ask a peer for a claim, whatever claim, and say what came; exits 1 if nothing did that could be taken."""
    with opened_store(store) as sure:
        result = sure.peers.test(name)
    if json:
        write_json(encode(result))
    else:
        reason = f": {result.reason}" if result.reason else ""
        console().print(Text(visible(f"{result.name} {result.status} in {result.milliseconds:g} ms{reason}")))
    raise typer.Exit(GOOD if result.status == "answered" else REFUSED)
