"""The last part of the demo: the dashboard, on a temporary sample store."""

import sys
import tempfile
import threading
import time
import urllib.request
from typing import TYPE_CHECKING

from rich.console import Console

from howsure.cli.sample import fill
from howsure.errors import HowsureError, MissingExtraError
from howsure.sure import open as open_store

if TYPE_CHECKING:
    from howsure.sure import Sure

TIMEOUT = 30.0
"""Seconds within which the dashboard must answer."""


def dashboard(out: Console) -> None:
    """Serve the dashboard on sample data: until Ctrl-C on a terminal, otherwise only for one request."""
    from howsure.serve.server import serve

    def invite(url: str) -> None:
        out.print(f"The dashboard, on sample data: [bold cyan]{url}/[/] (Ctrl-C ends it)")

    with (
        tempfile.TemporaryDirectory(prefix="howsure-demo-") as folder,
        open_store(f"{folder}/demo.db") as sure,
    ):
        fill(sure, time.time())
        try:
            if not sys.stdout.isatty():
                out.print(_try_dashboard(sure))
                return
            serve(sure, port=0, pages=True, on_start=invite)
            out.print("\nThe sample is deleted. [cyan]howsure serve[/] shows your own store.")
        except MissingExtraError as error:
            out.print(f"Skipping the dashboard: {error}")


def _try_dashboard(sure: "Sure") -> str:
    """Serve in a thread, load the first page, and return what to print about it."""
    from howsure.serve.server import bind, make_server, url_of

    server = make_server(sure, pages=True)
    with bind("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            deadline = time.monotonic() + TIMEOUT
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise HowsureError("the dashboard did not start", hint="howsure doctor shows what is missing")
                time.sleep(0.01)
            url = url_of(listening)
            no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with no_proxy.open(f"{url}/", timeout=TIMEOUT) as response:
                page = response.read()
        finally:
            server.should_exit = True
            thread.join(TIMEOUT)
    if b"How sure are we" not in page:
        raise HowsureError("the dashboard does not show the expected page")
    return f"The dashboard answers at {url}/ ({len(page):,} bytes); on a terminal it stays until Ctrl-C."
