"""Async versions of methods."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Self = TypeVar("Self")
P = ParamSpec("P")
R = TypeVar("R")


def asynchronous(
    method: Callable[Concatenate[Self, P], R],
) -> Callable[Concatenate[Self, P], Coroutine[Any, Any, R]]:
    """Return an async version of a method, which runs it in a thread.

    In a class: `aadd = asynchronous(add)`. Type checkers see the parameters and the result of the method.
    """

    @wraps(method)
    async def run(self: Self, /, *arguments: P.args, **named: P.kwargs) -> R:
        import asyncio

        return await asyncio.to_thread(method, self, *arguments, **named)

    run.__name__ = f"a{method.__name__}"
    run.__doc__ = f"Like `{method.__name__}`, without blocking the event loop."
    vars(run).pop("__operation__", None)  # `wraps` copies it, but only the method itself is an operation
    return run
