"""The commands `howsure peer`: other stores, which a federated query asks."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rich.table import Table
from rich.text import Text

from howsure.claims.federation.page import PeerReport
from howsure.claims.federation.peers import Peers
from howsure.cli.from_operations import command, group
from howsure.cli.output import GOOD, REFUSED, complain, console, when
from howsure.errors import InputError
from howsure.store.peers import Peer
from howsure.wording import visible


def _print_peers(peers: list[Peer], _: Mapping[str, Any]) -> None:
    if not peers:
        console().print("No peers yet. [cyan]howsure peer add URL --trust 0.8[/] registers one.")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "address", "trust", "token", "within", "answered", "failed"):
        table.add_column(title, overflow="fold")
    for one in peers:
        table.add_row(*(Text(visible(cell)) for cell in _cells(one)))
    console().print(table)


def _cells(one: Peer) -> tuple[str, ...]:
    answered = "never" if one.seen_at is None else when(one.seen_at)
    failed = "never" if one.failed_at is None else f"{when(one.failed_at)} {one.failure}"
    return one.name, one.url, f"{one.trust:g}", one.token or "none", f"{one.time_limit:g} s", answered, failed


def _warn_of_http(added: Peer) -> int:
    if added.token and added.url.startswith("http:") and not _is_this_machine(added.url):
        complain("a token that travels over http can be read on the way: https is better")
    return GOOD


def _is_this_machine(url: str) -> bool:
    """Return whether an address is this machine's own; one that cannot be looked up is not."""
    from urllib.parse import urlsplit

    from howsure.serve.server import is_loopback

    try:
        return is_loopback(urlsplit(url).hostname or "")
    except InputError:
        return False


def _tested(report: PeerReport, _: Mapping[str, Any]) -> str:
    reason = f": {report.reason}" if report.reason else ""
    return f"{report.name} {report.status} in {report.milliseconds:g} ms{reason}"


peer = group(
    "peer",
    "Register, list, test and remove the stores that federated queries ask.",
    {
        "add": partial(
            command,
            "peers",
            Peers.add,
            example="peer add https://howsure.example --trust 0.8 --token-env PEER_TOKEN",
            say=lambda added, _: f"{added.name} at {added.url} is a peer, trusted {added.trust:g}",
            exit_code=_warn_of_http,
        ),
        "list": partial(command, "peers", Peers.all, example="peer list", say=_print_peers),
        "remove": partial(
            command,
            "peers",
            Peers.remove,
            example="peer remove howsure.example",
            say=lambda removed, _: f"{removed.name} at {removed.url} was removed",
        ),
        "test": partial(
            command,
            "peers",
            Peers.test,
            example="peer test howsure.example",
            say=_tested,
            exit_code=lambda report: GOOD if report.status == "answered" else REFUSED,
        ),
    },
)
