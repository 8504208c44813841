"""howsure serve: the HTTP API and the dashboard."""

import logging
import math
import sys
import time
from typing import Annotated

import typer

from howsure.cli.output import say
from howsure.cli.stores import CreateOption, StoreOption
from howsure.errors import InputError
from howsure.sure import open as open_store

HostOption = Annotated[
    str, typer.Option("--host", help="Address to listen on; if other machines can reach it, tokens are required.")
]
PortOption = Annotated[int, typer.Option("--port", help="Port to listen on; 0 for any free port.")]
TokensOption = Annotated[
    bool, typer.Option("--tokens", help="Require tokens on this machine, too, for example behind a proxy.")
]
NameOption = Annotated[
    list[str] | None, typer.Option("--name", metavar="HOST", help="Host name of the server; repeatable.")
]


def serve(
    file: Annotated[str | None, typer.Argument(metavar="STORE", help="The store, as by --store.")] = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
    tokens: TokensOption = False,
    name: NameOption = None,
    rate: Annotated[
        float | None,
        typer.Option(help="Requests per second, per token and operation; 0 for no limit; default: 50. Needs tokens."),
    ] = None,
    root_path: Annotated[
        str, typer.Option("--root-path", metavar="PATH", help="Path below which a proxy offers it, like /howsure.")
    ] = "",
    cors: Annotated[
        list[str] | None,
        typer.Option("--cors", metavar="ORIGIN", help="Origin whose pages may call the API; repeatable; * for all."),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy",
            metavar="ADDRESS",
            help="Proxy whose X-Forwarded-For names the client, for login limits and the log; repeatable.",
        ),
    ] = None,
    no_pages: Annotated[bool, typer.Option("--no-pages", help="Serve only the API, without the dashboard.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not log requests.")] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Change nothing: for a backup, or for an audience that only looks.")
    ] = False,
    store: StoreOption = None,
    create: CreateOption = False,
) -> None:
    """Serve the store over HTTP until Ctrl-C: a dashboard for people and an API for programs.

    Without tokens, only this machine can connect.

    Example: howsure serve --read-only backup.db
    """
    from howsure.serve import server
    from howsure.serve.limits import RATE

    if rate and rate > 0 and not tokens and server.is_loopback(host):
        hint = "add --tokens; without them, only you can connect"
        raise InputError("a rate is of a token, and no token is required", field="rate", hint=hint)
    if rate is not None and not 0 <= rate < math.inf:
        raise InputError(f"invalid rate {rate:g}", field="rate", hint="requests per second; 0 for no limit")
    if file is not None and store is not None:
        raise InputError("the store is given twice", field="store", hint="as an argument, or by --store")
    root = root_path.rstrip("/")
    log_requests(quiet=quiet)
    with open_store(file or store, read_only=read_only, create=create) as sure:

        def print_urls(url: str) -> None:
            how = ", read-only" if sure.session.database.read_only else ""
            say(f"howsure serves {sure.session.database.address}{how} at {url} (Ctrl-C ends it)", flush=True)
            if not no_pages:
                say(f"{url}{root}/ is the dashboard, {url}{root}/docs the API to try out", flush=True)
            say(f"{url}{root}/openapi.json describes the API", flush=True)

        server.serve(
            sure,
            host,
            port,
            server.ServerOptions(
                tokens=tokens,
                host_names=name or (),
                rate=RATE if rate is None else rate or None,
                pages=not no_pages,
                root_path=root_path,
                origins=cors or (),
                trusted_proxies=trusted_proxy or (),
            ),
            on_start=print_urls,
        )
        say("howsure has stopped", flush=True)


def log_requests(*, quiet: bool) -> None:
    """Log each request on stderr, unless `quiet`."""
    access = logging.getLogger("howsure.access")
    access.propagate = False
    if not quiet:
        handler = logging.StreamHandler(sys.stderr)
        written = logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%SZ")
        written.converter = time.gmtime
        handler.setFormatter(written)
        access.addHandler(handler)
        access.setLevel(logging.INFO)
