"""The application: a route for every operation of the table, and the server's own health."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as ASGIScope

from howsure import __version__
from howsure.errors import HowsureError, StoreError
from howsure.operation import Scope
from howsure.serve import request_metrics as measures
from howsure.serve.desk import Answered, Caller, Desk, allowed
from howsure.serve.errors import WebError, answer, refusal
from howsure.serve.guard import Guard
from howsure.serve.openapi import description
from howsure.serve.operations.table import OPERATIONS
from howsure.serve.operations.table import AnyOperation as Operation
from howsure.serve.requests import LINES, bearer, handed_in
from howsure.serve.streaming import Streams

log = logging.getLogger(__name__)


Part = tuple[str, ASGIApp, Callable[[], AbstractAsyncContextManager[Any]]]
"""An application besides the API: its path, the application, and what has to run as long as the server."""
MINUTE = 60.0
CALLER = "howsure.who"
"""Where such an application finds who is calling."""


@dataclass(frozen=True)
class Bounds:
    """What a request may take."""

    body: int = 10_000_000
    """Bytes of a body."""
    seconds: float = 30.0
    """Time for an answer, and for a body to arrive."""
    slow_seconds: float = 600.0
    """Time for an operation that may take minutes."""
    readers: int = 4
    """Operations that only look, at the same time."""
    writers: int = 2
    """Operations that change something: stores let one write at a time, and more would only wait for each other."""
    slow: int = 4
    """Operations that may take minutes, and must not keep the others waiting."""
    streams: int = 4
    """Long answers that are sent at the same time."""


class Web:
    """The operations of a desk, over HTTP."""

    def __init__(self, desk: Desk, bounds: Bounds) -> None:
        """Take the desk, and what requests may take."""
        self.desk = desk
        self.bounds = bounds
        self.streams = Streams(bounds.streams)
        self._readers = ThreadPoolExecutor(bounds.readers, "howsure-read")
        self._writers = ThreadPoolExecutor(bounds.writers, "howsure-write")
        self._slow = ThreadPoolExecutor(bounds.slow, "howsure-slow")

    def close(self) -> None:
        """Let the threads end, and write down what was not yet."""
        for threads in (self._readers, self._writers, self._slow):
            threads.shutdown(wait=True, cancel_futures=True)
        self.streams.close()
        self.desk.close()

    async def tend(self) -> None:
        """See to the store once a minute, for as long as the server runs."""
        while True:
            await asyncio.sleep(MINUTE)
            await asyncio.get_running_loop().run_in_executor(self._slow, self.desk.tend)

    async def within(
        self, seconds: float, work: Callable[..., Any], *given: Any, threads: ThreadPoolExecutor | None = None
    ) -> Any:
        """Do something in a thread, and wait for it so long and no longer."""
        doing = asyncio.get_running_loop().run_in_executor(threads or self._readers, work, *given)
        try:
            return await asyncio.wait_for(doing, seconds)
        except TimeoutError:
            hint = "it may still be done: ask again with the same Idempotency-Key, if you gave one"
            raise WebError(504, "timeout", f"this took longer than {seconds:g} s", hint=hint) from None

    async def caller(self, request: Request) -> Caller:
        """Return who sends a request."""
        secret = bearer(request)
        if secret is None:
            return self.desk.caller(None)
        found: Caller = await self.within(self.bounds.seconds, self.desk.caller, secret)
        request.scope["howsure.caller"] = found.id
        return found

    async def do(self, caller: Caller, operation: Operation, data: Any, key: str | None = None) -> Answered:
        """Do an operation in a thread of its kind, for somebody who may."""
        seconds = self.bounds.slow_seconds if operation.slow else self.bounds.seconds
        threads = self._slow if operation.slow else self._writers if operation.changes else self._readers
        done: Answered = await self.within(seconds, self.desk.do, caller, operation, data, key, threads=threads)
        return done

    async def answer(self, request: Request, operation: Operation) -> Any:
        """Do what a request asks for."""
        request.scope["howsure.operation"] = operation.name
        caller = await self.caller(request)
        self.desk.allow(caller, operation)
        try:
            data = await asyncio.wait_for(handed_in(request, operation, self.bounds.body), self.bounds.seconds)
        except TimeoutError:
            raise WebError(408, "timeout", "the body did not arrive in time", Connection="close") from None
        if operation.streams:
            given = self.desk.read(operation, data)
            if request.method == "HEAD":
                return Response(media_type=LINES[0])
            return self.streams.open(lambda: operation.call(self.desk.view(caller), given))
        key = request.headers.get("idempotency-key") if operation.changes else None
        done = await self.do(caller, operation, data, key)
        return answer(done.answer, headers={"Idempotency-Replayed": "true"} if done.repeated else None)


class Path:
    """What answers at a path: an operation for each method that it takes. It is an ASGI application."""

    def __init__(self, web: Web, operations: dict[str, Operation]) -> None:
        """Take the operations, by method."""
        self._web = web
        self._operations = operations
        self._taken = [*operations, *(["HEAD"] if "GET" in operations else [])]

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        try:
            operation = self._operations.get("GET" if request.method == "HEAD" else request.method)
            if operation is None:
                raise _not_allowed(self._taken)
            found = await self._web.answer(request, operation)
        except HowsureError as error:
            if isinstance(error, StoreError):
                log.warning("request %s: %s", scope["howsure.request"], error)
            found = refusal(error)
        await found(scope, receive, send)


def _not_allowed(taken: Iterable[str]) -> WebError:
    return WebError(405, "not_allowed", "this path takes other methods", hint=", ".join(taken), Allow=", ".join(taken))


def build(
    desk: Desk,
    *,
    names: Iterable[str] = (),
    bounds: Bounds | None = None,
    parts: Iterable[Part] = (),
    pages: bool = False,
) -> Starlette:
    """Return the application, with the dashboard's pages, if they are wanted, and other parts besides the API."""
    web = Web(desk, bounds or Bounds())
    parts = tuple(parts)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        measures.start()
        async with AsyncExitStack() as running:
            for part in parts:
                await running.enter_async_context(part[2]())
            tending = asyncio.ensure_future(web.tend())
            yield
            tending.cancel()
        web.close()

    app = Starlette(lifespan=lifespan)
    app.router.redirect_slashes = False
    app.state.web = web
    app.add_middleware(Guard, guarded=desk.guarded, names=names)
    app.add_exception_handler(HTTPException, _http_error)
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    for path in sorted(by_path, key=lambda path: "{" in path):  # a path that says exactly what it is comes first
        app.router.routes.append(Route(path, Path(web, by_path[path])))
    app.router.routes.extend(Route(path, page) for path, page in _own(web).items())
    app.router.routes.extend(Route(path, Mounted(web, path, part)) for path, part, _ in parts)
    if pages:
        from howsure.serve.pages.site import add

        add(app, web)
    return app


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:  # noqa: PLR2004
        return refusal(WebError(404, "not_found", "there is nothing at this path", hint="/openapi.json tells what is"))
    return refusal(WebError(status, "refused", str(error)))


class Page:
    """A page of the server itself."""

    def __init__(self, web: Web, show: Callable[[Web], Awaitable[Response]], scope: Scope | None = None) -> None:
        """Take what shows it, and what one needs to see it."""
        self._web = web
        self._show = show
        self._scope = scope

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Show the page."""
        request = Request(scope, receive)
        scope["howsure.operation"] = request.url.path.strip("/")
        try:
            if request.method not in ("GET", "HEAD"):
                raise _not_allowed(("GET", "HEAD"))
            if self._scope is not None:
                allowed(await self._web.caller(request), self._scope)
            found = await self._show(self._web)
        except HowsureError as error:
            found = refusal(error)
        await found(scope, receive, send)


class Mounted:
    """Another application, behind the same guard and for the same callers; it finds who is calling in the scope."""

    def __init__(self, web: Web, path: str, app: ASGIApp) -> None:
        """Take the application, and where it is."""
        self._web = web
        self._path = path
        self._app = app

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Pass a request on, if it comes from somebody who may look at least."""
        scope["howsure.operation"] = self._path.strip("/")
        try:
            scope[CALLER] = await self._web.caller(Request(scope, receive))
        except HowsureError as error:
            await refusal(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _own(web: Web) -> dict[str, Page]:
    """Return the pages of the server itself."""

    async def health(_: Web) -> Response:
        return answer({"status": "ok", "version": __version__})

    async def ready(web: Web) -> Response:
        await web.within(5.0, _reach, web.desk)
        return answer({"status": "ok"})

    async def metrics(_: Web) -> Response:
        return measures.page()

    async def openapi(_: Web) -> Response:
        return answer(description())

    return {
        "/healthz": Page(web, health),
        "/readyz": Page(web, ready),
        "/metrics": Page(web, metrics, "read"),
        "/openapi.json": Page(web, openapi, "read"),
    }


def _reach(desk: Desk) -> None:
    with desk.sure.session.database.read() as transaction:
        transaction.value("SELECT 1")
