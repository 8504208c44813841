"""Twins: for every method of a class one whose name starts with an a, which does not block the event loop."""

from collections.abc import Callable
from functools import wraps
from typing import Any


def add_twins(owner: type) -> None:
    """Give every public method of a class its asynchronous twin."""
    for name, method in list(vars(owner).items()):
        if not name.startswith("_"):
            setattr(owner, f"a{name}", _asynchronous(method))


def _asynchronous(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    async def run(*arguments: Any, **named: Any) -> Any:
        import asyncio

        return await asyncio.to_thread(method, *arguments, **named)

    run.__doc__ = f"Like `{method.__name__}`, without blocking the event loop."
    return run
