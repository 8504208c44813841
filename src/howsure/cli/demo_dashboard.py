"""The end of the demo: the dashboard, on a sample store that is gone afterwards."""

import sys
import tempfile
import threading
import time
import urllib.request
from importlib import import_module
from typing import Any

from rich.console import Console

from howsure.cli.sample import fill
from howsure.errors import HowsureError, MissingExtraError
from howsure.sure import open as open_store

PATIENCE = 30.0
"""Seconds within which the dashboard has to be there."""


def dashboard(out: Console) -> None:
    """Serve the dashboard on sample data: until Ctrl-C on a terminal, else just long enough to see it answer."""
    # Doors do not know each other: this one only opens the other, by name.
    server = import_module("howsure.serve.server")
    with (
        tempfile.TemporaryDirectory(prefix="howsure-demo-") as folder,
        open_store(f"{folder}/demo.db") as sure,
    ):
        fill(sure, time.time())
        try:
            if not sys.stdout.isatty():
                out.print(_seen(server, sure))
                return
            server.serve(sure, port=0, pages=True, started=lambda address: out.print(_INVITATION.format(address)))
            out.print("\nThe sample is gone. [cyan]howsure serve[/] shows your own store.")
        except MissingExtraError as error:
            out.print(f"The dashboard is left out: {error}")


_INVITATION = "The dashboard, on a sample: [bold cyan]{}/[/] (Ctrl-C ends it)"


def _seen(server: Any, sure: Any) -> str:
    """Serve in a thread, look at the first page, and tell of it."""
    running = server.make(sure, pages=True)
    with server.bound("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            until = time.monotonic() + PATIENCE
            while not running.started:
                if not thread.is_alive() or time.monotonic() > until:
                    raise HowsureError("the dashboard has not started", hint="howsure doctor looks for what is missing")
                time.sleep(0.01)
            address = server.address(listening)
            straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is on this machine
            with straight.open(f"{address}/", timeout=PATIENCE) as answer:
                page = answer.read()
        finally:
            running.should_exit = True
            thread.join(PATIENCE)
    if b"How sure are we" not in page:
        raise HowsureError("the dashboard does not show what it should")
    return f"The dashboard answers at {address}/ ({len(page):,} bytes); on a terminal it stays until Ctrl-C."
