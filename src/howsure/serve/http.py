"""The HTTP application: a route for every operation, and health, readiness, metrics and OpenAPI."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as ASGIScope

from howsure.errors import HowsureError, StoreError
from howsure.operation import Scope
from howsure.serve import guard, litellm
from howsure.serve.cors import Cors, parse_origins
from howsure.serve.desk import Caller, Desk, RunResult, check_scope
from howsure.serve.errors import HTTPError
from howsure.serve.gauges import StoreGauges
from howsure.serve.openapi import describe_api
from howsure.serve.operations import OPERATIONS, Operation
from howsure.serve.pools import Pool, UrgentWork
from howsure.serve.requests import (
    JSON_LINES,
    bearer_token,
    check_encoding,
    error_response,
    json_response,
    read_arguments,
    read_body,
)
from howsure.serve.root_path import RootPath, parse_root_path
from howsure.serve.server import DEFAULTS, ServerOptions
from howsure.serve.streaming import Streams
from howsure.serve.tracing import run_in_pool
from howsure.version import __version__

log: logging.Logger = logging.getLogger(__name__)

T = TypeVar("T")
GATE = "responses"
"""The facade of the operations on responses, which somebody waits for."""
MAINTENANCE_INTERVAL = 60.0
"""Seconds."""
READY_TIMEOUT = 5.0
"""Seconds within which /readyz must reach the store."""
FIRST_COUNT = 1.0
"""Seconds that the first scrape of metrics waits for the claims to be counted."""
CALLER = "howsure.who"
"""Key of the ASGI scope under which a mounted application finds its caller."""


class MountedApp(NamedTuple):
    """An application that is served besides the API, such as MCP."""

    path: str
    app: ASGIApp
    lifespan: Callable[[], AbstractAsyncContextManager[Any]]
    """Runs as long as the server."""
    max_body: int
    """Bytes of a request body, if the server does not take less."""


@dataclass(frozen=True)
class Capacity:
    """How large requests may be, how long they may take, and how many run at once."""

    max_body: int = 10_000_000
    """Bytes of a request body."""
    timeout: float = 30.0
    """Seconds for an operation, and for a body to arrive."""
    slow_timeout: float = 600.0
    """Seconds for an operation marked as slow."""
    readers: int = 4
    """Threads for operations that only read."""
    health: int = 2
    """Threads for health and token checks, which everything else waits for."""
    gate: int = 2
    """Threads for operations on responses."""
    pages: int = 2
    """Threads for pages of the dashboard."""
    max_pages: int = 64
    """Pages that are being made or wait for it."""
    writers: int = 2
    """Threads for operations that write: a store lets one write at a time, so more would only wait."""
    slow: int = 4
    """Threads for slow operations, which must not delay the others."""
    streams: int = 4
    """Streamed results at the same time."""


class Service:
    """Runs the operations of a desk in threads, for HTTP requests."""

    def __init__(self, desk: Desk, capacity: Capacity, root_path: str = "") -> None:
        """Start with idle thread pools of this capacity; `root_path` is the path before all paths."""
        self.desk = desk
        self.root_path = root_path
        self.capacity = capacity
        self.streams: Streams = Streams(capacity.streams)
        self.urgent: UrgentWork = UrgentWork()
        self.health: Pool = Pool(capacity.health, "health")
        self.pages: Pool = Pool(capacity.pages, "page", gives_way_to=self.urgent)
        self.gauges: StoreGauges = StoreGauges(desk.sure)
        self._pages_in_work = 0
        self._gate = Pool(capacity.gate, "gate", self.urgent)
        self._readers = Pool(capacity.readers, "read")
        self._writers = Pool(capacity.writers, "write")
        self._slow = Pool(capacity.slow, "slow")

    def close(self) -> None:
        """Wait for the threads to end, and write what is pending."""
        for pool in (self.health, self.pages, self._gate, self._readers, self._writers, self._slow):
            pool.close()
        self.streams.close()
        self.desk.close()

    async def maintain(self) -> None:
        """Maintain the store once a minute until cancelled."""
        while True:
            await asyncio.sleep(MAINTENANCE_INTERVAL)
            await asyncio.get_running_loop().run_in_executor(self._slow.threads, self.desk.maintain)

    async def start(self, work: Callable[[], None], *, wait: float = 0.0) -> None:
        """Run a function in a thread for slow work; wait for it for some seconds at most. Failures are logged."""

        def log_failure() -> None:
            try:
                work()
            except StoreError as error:
                log.warning("%s", error)

        await asyncio.wait({run_in_pool(self._slow.threads, log_failure)}, timeout=wait)

    async def refresh_standing(self, wait: float) -> None:
        """Count all claims in the background if that is due; the first time, wait for it for some seconds at most."""
        standing = self.gauges.standing
        if standing.is_due:
            await self.start(standing.refresh, wait=wait if standing.value is None else 0.0)

    async def authenticate(self, request: Request) -> Caller:
        """Return the caller of a request."""
        secret = bearer_token(request)
        if secret is None:
            return self.desk.authenticate(None)
        caller = await self.check_token(secret)
        request.scope["howsure.caller"] = caller.id
        return caller

    async def check_token(self, secret: str) -> Caller:
        """Return the caller with this token."""
        return await self.health.run(self.desk.authenticate, secret, seconds=self.capacity.timeout, cancel=True)

    async def run(
        self, caller: Caller, operation: Operation, data: Any, key: str | None = None, *, page: bool = False
    ) -> RunResult:
        """Run an operation in a thread for a caller who is authorized; `page` if a page of the dashboard needs it."""
        timeout = self.capacity.slow_timeout if operation.slow else self.capacity.timeout
        return await self._pool(operation, page=page).run(
            self.desk.run, caller, operation, data, key, seconds=timeout, cancel=not operation.changes
        )

    async def write(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function that writes to the store in a thread."""
        return await self._writers.run(work, *arguments, seconds=self.capacity.timeout, cancel=False)

    async def make_page(self, making: Coroutine[Any, Any, T]) -> T:
        """Make a page.

        Raises:
            HTTPError: if too many others are being made.
        """
        if self._pages_in_work >= self.capacity.max_pages:
            making.close()
            raise HTTPError(503, "busy", "too many pages are being made", hint="try again", Retry_After="2")
        self._pages_in_work += 1
        try:
            return await making
        finally:
            self._pages_in_work -= 1

    def _pool(self, operation: Operation, *, page: bool) -> Pool:
        if operation.slow:
            return self._slow
        if operation.facade == GATE:
            return self._gate
        if operation.changes:
            return self._writers
        return self.pages if page else self._readers

    async def receive_body(self, reading: Awaitable[T]) -> T:
        """Wait for a body to be read.

        Raises:
            HTTPError: if it does not arrive in time.
        """
        try:
            return await asyncio.wait_for(reading, self.capacity.timeout)
        except TimeoutError:
            raise HTTPError(408, "timeout", "the body did not arrive in time", Connection="close") from None

    async def respond(self, request: Request, operation: Operation) -> Any:
        """Run the operation that a request asks for; return the response, an ASGI application."""
        request.scope["howsure.operation"] = operation.name
        caller = await self.authenticate(request)
        self.desk.authorize(caller, operation)
        data = await self.receive_body(read_arguments(request, operation, self.capacity.max_body))
        if operation.streams:
            arguments = operation.decode(data)
            if request.method == "HEAD":
                return Response(media_type=JSON_LINES[0])
            return self.streams.open(lambda: self.desk.call(caller, operation, arguments))
        key = request.headers.get("idempotency-key") if operation.changes else None
        result = await self.run(caller, operation, data, key)
        return json_response(result.result, headers={"Idempotency-Replayed": "true"} if result.replayed else None)


class OperationEndpoint:
    """An ASGI application for one path, with an operation for each method."""

    def __init__(self, service: Service, operations: dict[str, Operation]) -> None:
        """Serve these operations, by HTTP method."""
        self._service = service
        self._operations = operations
        self._methods = [*operations, *(["HEAD"] if "GET" in operations else [])]

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        operation = self._operations.get("GET" if request.method == "HEAD" else request.method)
        # Until it is sent: otherwise pages would compute as soon as a decision is made, and the event loop would wait.
        with self._service.urgent if operation and operation.facade == GATE else nullcontext():
            try:
                if operation is None:
                    raise _method_not_allowed(self._methods)
                response = await self._service.respond(request, operation)
            except HowsureError as error:
                response = error_response(error, scope)
            await response(scope, receive, send)


def _method_not_allowed(methods: Iterable[str]) -> HTTPError:
    allowed = ", ".join(methods)
    return HTTPError(405, "not_allowed", "this path does not support this method", hint=allowed, Allow=allowed)


class ServerEndpoint:
    """An ASGI application for a path about the server itself."""

    def __init__(
        self, service: Service, show: Callable[[Service], Awaitable[Response]], scope: Scope | None = None
    ) -> None:
        """Answer with `show`; `scope` is what a caller needs, None if everybody may see it."""
        self._service = service
        self._show = show
        self._scope = scope

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        scope["howsure.operation"] = scope["path"].strip("/")  # the path of the URL could start with that of a Host
        try:
            if request.method not in ("GET", "HEAD"):
                raise _method_not_allowed(("GET", "HEAD"))
            if self._scope is not None:
                check_scope(await self._service.authenticate(request), self._scope)
            response = await self._show(self._service)
        except HowsureError as error:
            response = error_response(error, scope)
        await response(scope, receive, send)


class AuthenticatedApp:
    """A mounted application for callers with a valid token; it finds the caller in the ASGI scope."""

    def __init__(self, service: Service, mounted: MountedApp) -> None:
        """Protect this application."""
        self._service = service
        self._mounted = mounted

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Authenticate a request, receive its body, and pass both on."""
        scope["howsure.operation"] = self._mounted.path.strip("/")
        request, service = Request(scope, receive), self._service
        try:
            scope[CALLER] = await service.authenticate(request)
            check_encoding(request)
            largest = min(service.capacity.max_body, self._mounted.max_body)
            body = await service.receive_body(read_body(request, largest))
        except HowsureError as error:
            await error_response(error, scope)(scope, receive, send)
            return
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return messages.pop() if messages else await receive()

        await self._mounted.app(scope, receive_again, send)


def build_app(desk: Desk, options: ServerOptions = DEFAULTS) -> Starlette:
    """Return the HTTP application of a desk, which runs the operations.

    Raises:
        InputError: if the path or an origin is invalid.
    """
    from howsure.serve import otlp  # it needs the service, which is defined here

    root_path = parse_root_path(options.root_path)
    cors = Cors(parse_origins(options.origins, requires_tokens=desk.requires_tokens))
    service = Service(desk, options.capacity or Capacity(), root_path)
    mounts = tuple(options.mounts(desk))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        guard.start_metrics()
        async with AsyncExitStack() as stack:
            for mounted in mounts:
                await stack.enter_async_context(mounted.lifespan())
            maintenance = asyncio.ensure_future(service.maintain())
            yield
            maintenance.cancel()
        service.close()

    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    # Paths without parameters come first, so that /v1/claims/export is not the claim "export".
    paths = sorted(by_path, key=lambda path: "{" in path)
    app = Starlette(
        routes=[
            *(Route(path, OperationEndpoint(service, by_path[path])) for path in paths),
            *(Route(path, endpoint) for path, endpoint in _server_endpoints(service).items()),
            Route(otlp.PATH, otlp.TracesEndpoint(service)),
            Route(litellm.PATH, litellm.GuardrailEndpoint(service)),
            *(Route(mounted.path, AuthenticatedApp(service, mounted)) for mounted in mounts),
        ],
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.service = service
    app.add_middleware(guard.Guard, requires_tokens=desk.requires_tokens, host_names=options.host_names, cors=cors)
    if root_path:
        app.add_middleware(RootPath, root_path=root_path)
    app.add_exception_handler(HTTPException, _http_error)
    if options.pages:
        from howsure.serve.pages.site import add_pages

        add_pages(app, service)
    return app


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:  # noqa: PLR2004
        return error_response(HTTPError(404, "not_found", "unknown path", hint="see /openapi.json"))
    return error_response(HTTPError(status, "refused", str(error)))


def _server_endpoints(service: Service) -> dict[str, ServerEndpoint]:
    async def health(_: Service) -> Response:
        return json_response({"status": "ok", "version": __version__})

    async def ready(service: Service) -> Response:
        read = service.desk.tokens.any_valid  # any read of the store
        await service.health.run(read, seconds=READY_TIMEOUT, cancel=True)
        return json_response({"status": "ok"})

    gauges = service.gauges

    async def metrics(service: Service) -> Response:
        await service.refresh_standing(FIRST_COUNT)
        text = await service.health.run(gauges.text, seconds=service.capacity.timeout, cancel=True)
        return guard.metrics_response(text)

    async def openapi(service: Service) -> Response:
        servers = {"servers": [{"url": service.root_path}]} if service.root_path else {}
        return json_response(describe_api() | servers)

    return {
        "/healthz": ServerEndpoint(service, health),
        "/readyz": ServerEndpoint(service, ready),
        "/metrics": ServerEndpoint(service, metrics, "read"),
        "/openapi.json": ServerEndpoint(service, openapi, "read"),
    }
