"""Transports of the MCP server: standard input and output, and streamable HTTP."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCNotification
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from howsure.serve.desk import Desk
from howsure.serve.http import MountedApp
from howsure.serve.mcp.server import build_server
from howsure.sure import Sure

PATH = "/mcp"
MAX_BODY = 4 * 1024 * 1024
"""Bytes of a request. The SDK takes no more either, but does not answer in JSON."""


def serve_stdio(sure: Sure) -> None:
    """Serve the client that started this process, until it closes standard input or sends Ctrl-C."""
    # The thread that waits for input cannot be interrupted. Acknowledged writes are on disk, so exiting is safe.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

    async def run() -> None:
        server = build_server(Desk(sure, requires_tokens=False))
        async with stdio_server() as (reader, writer), answering_malformed(reader, writer) as messages:
            await server.run(messages, writer, server.create_initialization_options())

    anyio.run(run)


@asynccontextmanager
async def answering_malformed(reader: Any, writer: Any) -> AsyncIterator[Any]:
    """Yield the stream of the valid messages of a client; malformed ones are answered with an error.

    The SDK hands them on as exceptions, and its server drops those: the client would wait forever. A request whose id
    is null or a fraction is a notification to the SDK.
    """
    send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def forward() -> None:
        async with send:
            async for message in reader:
                if isinstance(message, Exception):
                    await writer.send(SessionMessage(_malformed(message)))
                elif _lacks_id(message.message):
                    await writer.send(SessionMessage(_invalid("a request needs an id: a text or a whole number")))
                else:
                    await send.send(message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(forward)
        yield receive
        tasks.cancel_scope.cancel()


def _malformed(error: Exception) -> JSONRPCError:
    """Return the error response to a message that is not JSON, or not a message of JSON-RPC."""
    kinds = [str(one["type"]) for one in error.errors()] if isinstance(error, ValidationError) else []
    if "json_invalid" in kinds:
        return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=PARSE_ERROR, message="invalid JSON"))
    return _invalid("not a message of JSON-RPC 2.0: an object with jsonrpc, method, and an id if it is a request")


def _invalid(problem: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=INVALID_REQUEST, message=problem))


def _lacks_id(message: Any) -> bool:
    return isinstance(message, JSONRPCNotification) and not message.method.startswith("notifications/")


def http_mounts(desk: Desk) -> list[MountedApp]:
    """Return the MCP server as an application at /mcp of the HTTP server.

    It is stateless, so that any of several servers can answer a request. The HTTP server checks the Host, Origin and
    token before, and passes the caller on.
    """
    manager = StreamableHTTPSessionManager(build_server(desk), json_response=True, stateless=True)
    return [MountedApp(PATH, PostOnly(StreamableHTTPASGIApp(manager)), manager.run, MAX_BODY)]


class PostOnly:
    """Allows only POST requests: a GET would open an event stream that stays silent forever."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["method"] == "POST":
            await self._app(scope, receive, send)
        else:
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
