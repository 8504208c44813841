"""Keep the trace of a caller, so that events of OpenTelemetry carry its id."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def run_in_pool(
    pool: ThreadPoolExecutor, work: Callable[P, R], *arguments: P.args, **named: P.kwargs
) -> "asyncio.Future[R]":
    """Run a function in a thread of a pool with the context variables of the caller, such as the current span.

    `asyncio.to_thread` does that too, but only in the default pool; `run_in_executor` does not.
    """
    context = copy_context()
    return asyncio.get_running_loop().run_in_executor(pool, lambda: context.run(work, *arguments, **named))


@contextmanager
def caller_trace(headers: Mapping[str, str]) -> Iterator[None]:
    """Continue the trace that a `traceparent` header names.

    Does nothing if the OpenTelemetry SDK is not loaded, or if a span is current already: then the server is
    instrumented, and that span is a child of the caller's.
    """
    if "traceparent" not in headers or "opentelemetry.sdk" not in sys.modules:
        yield
        return
    from opentelemetry import context, trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if trace.get_current_span().get_span_context().is_valid:
        yield
        return
    token = context.attach(TraceContextTextMapPropagator().extract(headers))
    try:
        yield
    finally:
        context.detach(token)
