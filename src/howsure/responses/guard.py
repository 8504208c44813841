"""Gate responses in Python code: a context manager and decorators that take the options of `Responses.check`."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from howsure.errors import BlockedError, InputError, shown
from howsure.responses.gate import ResponseDecision

if TYPE_CHECKING:
    from howsure.responses.api import Responses

P = ParamSpec("P")
"""The options of `Responses.check`, without the text."""
Q = ParamSpec("Q")
"""The parameters of a decorated function."""
Returned = TypeVar("Returned", bound=str | tuple[str, Mapping[str, Any]])
Check = Callable[Concatenate["Responses", str | None, P], ResponseDecision]


class Guard(Generic[P]):
    """A response in the making: collects its text and what is known about it, and is decided at the end of the block.

    `with sure.responses.guard(agent="ann") as guard:` sets `guard.text`, and `guard(knowledge=0.9)` adds options.
    Afterwards `guard.reply` is the response, or "I don't know".
    """

    def __init__(self, responses: "Responses", /, *_: P.args, **options: P.kwargs) -> None:
        """Start with the options that are known beforehand."""
        self._responses = responses
        self.options: dict[str, Any] = dict(options)
        """What is known, by the names of the parameters of `check`."""
        self.text: str | None = None
        """The response."""
        self.decision: ResponseDecision | None = None
        """What was decided at the end of the block."""

    def __call__(self, *_: P.args, **options: P.kwargs) -> None:
        """Add options."""
        self.options |= options

    def __enter__(self) -> "Guard[P]":
        """Return the guard itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Decide about the response, unless the block raised an error."""
        if kind is None:
            self.decision = self._responses.check(self.text, **self.options)

    @property
    def reply(self) -> str:
        """What to say: the response if it passed, else "I don't know".

        Raises:
            InputError: if the block has not ended yet.
        """
        if self.decision is None:
            raise InputError("the response has not been checked yet", hint="read `reply` after the with block")
        return (self.text or "") if self.decision.passed else self.decision.message


class Gate:
    """A decorator: what the function returns is sent only if it passes the gate.

    The function, which may be async, returns the response, or the response and a mapping of more options of `check`.
    """

    def __init__(self, responses: "Responses", options: Mapping[str, Any], *, raises: bool) -> None:
        """Check with these options; `raises` says what happens to a response that does not pass."""
        self._responses = responses
        self._options = options
        self._raises = raises

    @overload
    def __call__(self, function: Callable[Q, Awaitable[Returned]]) -> Callable[Q, Coroutine[Any, Any, str]]: ...
    @overload
    def __call__(self, function: Callable[Q, Returned]) -> Callable[Q, str]: ...
    def __call__(self, function: Callable[Q, Any]) -> Callable[Q, Any]:
        """Return the function with the gate behind it."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def gated_async(*arguments: Q.args, **named: Q.kwargs) -> str:
                text, more = _response(await function(*arguments, **named))
                return self._reply(text, await self._responses.acheck(text, **{**self._options, **more}))

            return gated_async

        @functools.wraps(function)
        def gated(*arguments: Q.args, **named: Q.kwargs) -> str:
            text, more = _response(function(*arguments, **named))
            return self._reply(text, self._responses.check(text, **{**self._options, **more}))

        return gated

    def _reply(self, text: str, decision: ResponseDecision) -> str:
        if decision.passed:
            return text
        if self._raises:
            raise BlockedError(decision.reason, decision=decision)
        return decision.message


def _response(returned: Any) -> tuple[str, Mapping[str, Any]]:
    match returned:
        case str():
            return returned, {}
        case (str() as text, Mapping() as options) if isinstance(returned, tuple):
            return text, options
    raise InputError(
        f"the function returned {shown(returned)}", hint="return the response, or the response and a mapping of options"
    )


def guarding(_check: Check[P]) -> Callable[Concatenate["Responses", P], Guard[P]]:
    """Return the method `guard`, with the parameters of `check`."""

    def guard(self: "Responses", /, *arguments: P.args, **options: P.kwargs) -> Guard[P]:
        """Return a context manager that collects what is known about a response and checks it at the end."""
        return Guard(self, *arguments, **options)

    return guard


def gating(_check: Check[P], *, raises: bool) -> Callable[Concatenate["Responses", P], Gate]:
    """Return the method `gate` or `require`, with the parameters of `check`."""

    def gate(self: "Responses", /, *_: P.args, **options: P.kwargs) -> Gate:
        """Return a decorator for functions that return a response."""
        return Gate(self, options, raises=raises)

    return gate
