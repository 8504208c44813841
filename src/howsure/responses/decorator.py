"""Gating functions: what they answer goes out only if it may."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

from howsure.errors import BlockedError, InputError, shown
from howsure.responses.gate import Assessment


def gated(responses: Any, on_block: Literal["reply", "raise"], given: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return the decorator for functions, asynchronous ones too."""
    if on_block not in ("reply", "raise"):
        raise InputError(f"{shown(on_block)} is neither reply nor raise", field="on_block")

    def decorate(function: Any) -> Any:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def asked_async(*args: Any, **kwargs: Any) -> str:
                text, known = _answer(await function(*args, **kwargs))
                return _reply(text, await responses.acheck(text, **{**given, **known}), on_block)

            return asked_async

        @functools.wraps(function)
        def asked(*args: Any, **kwargs: Any) -> str:
            text, known = _answer(function(*args, **kwargs))
            return _reply(text, responses.check(text, **{**given, **known}), on_block)

        return asked

    return decorate


def _answer(returned: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(returned, str):
        return returned, {}
    if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping):  # noqa: PLR2004
        return returned[0], returned[1]
    raise InputError(f"{shown(returned)} is no answer", hint="a text, or a text and what is known about it")


def _reply(text: str, found: Assessment, on_block: str) -> str:
    if found.decision == "pass":
        return text
    if on_block == "raise":
        raise BlockedError(found.reason, assessment=found)
    return found.message
