"""Ways to the MCP server: standard input and output, and streamable HTTP."""

import os
import signal
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from howsure.serve.desk import Desk
from howsure.serve.mcp.server import build
from howsure.sure import Sure

PATH = "/mcp"


def stdio(sure: Sure) -> None:
    """Serve the client that has started this process, until it closes our standard input, or by Ctrl-C."""
    # A thread waits for input and cannot be interrupted. What was acknowledged is on the disk, so we may simply go.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

    async def run() -> None:
        server = build(Desk(sure, guarded=False))
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def parts(desk: Desk) -> list[tuple[str, Any, Any]]:
    """Return what a web server adds at /mcp: the path, the application, and what has to run meanwhile.

    Each request stands for itself, so that any of several servers can answer it; the web server has seen to names,
    pages and tokens before, and tells who is calling.
    """
    manager = StreamableHTTPSessionManager(build(desk), json_response=True, stateless=True)
    return [(PATH, Posted(StreamableHTTPASGIApp(manager)), manager.run)]


class Posted:
    """Lets requests through that ask for something. A stream to listen on would stay silent, and open, for ever."""

    def __init__(self, app: ASGIApp) -> None:
        """Take the application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["method"] == "POST":
            await self._app(scope, receive, send)
        else:
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
