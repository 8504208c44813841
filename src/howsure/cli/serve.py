"""howsure serve: the store over HTTP, as a dashboard and as an API."""

import logging
import sys
from importlib import import_module
from typing import Annotated

import typer

from howsure.cli.stores import StoreOption, opened_store
from howsure.errors import InputError


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; any but this machine's own demands tokens.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any.")] = 8765,
    tokens: Annotated[bool, typer.Option("--tokens", help="Demand tokens of this machine, too, as behind a proxy.")] = (
        False
    ),
    name: Annotated[
        list[str] | None, typer.Option("--name", metavar="HOST", help="A name that the server goes by; repeatable.")
    ] = None,
    rate: Annotated[float, typer.Option(help="Requests a second for each token and operation; 0 for any.")] = 50.0,
    no_pages: Annotated[bool, typer.Option("--no-pages", help="Leave the dashboard out: the API alone.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not log each request.")] = False,
    store: StoreOption = None,
) -> None:
    """Serve the store over HTTP until Ctrl-C: a dashboard for people, an API for programs.

    Without tokens, it serves this machine alone.
    """
    if rate < 0:
        raise InputError(f"{rate:g} is no rate", field="rate", hint="requests a second; 0 for any")
    log_requests(quiet=quiet)
    # Doors do not know each other: this one only opens the other, by name.
    server = import_module("howsure.serve.server")
    with opened_store(store) as sure:

        def started(address: str) -> None:
            print(f"howsure serves {sure.session.database.address} at {address} (Ctrl-C ends it)", flush=True)
            if not no_pages:
                print(f"{address}/ is the dashboard", flush=True)
            print(f"{address}/openapi.json describes the API", flush=True)

        given = {"names": name or (), "rate": rate or None, "pages": not no_pages}
        server.serve(sure, host, port, tokens=tokens, started=started, **given)
        print("howsure has ended", flush=True)


def log_requests(*, quiet: bool) -> None:
    """Log each request on stderr, unless nobody wants to see it."""
    access = logging.getLogger("howsure.access")
    access.propagate = False
    if not quiet:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        access.addHandler(handler)
        access.setLevel(logging.INFO)
