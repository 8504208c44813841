"""Gate responses in Python code: a context manager and decorators that take the options of `Responses.check`."""

import functools
import inspect
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
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
Returned = TypeVar("Returned", bound=str | tuple[str | None, Mapping[str, Any]] | None)
Part = str | Mapping[str, Any]
"""A part of a response that is streamed: text, or more options of `check`."""
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

    The function returns the response, or the response and a mapping of more options of `check`. None instead of a
    response, as some clients return, is an empty one, which does not pass. The function may be async, and it may
    yield the response in parts; a mapping among the parts adds options. Parts are held back until the whole response
    is decided.
    """

    def __init__(self, responses: "Callable[[], Responses]", options: Mapping[str, Any], *, raises: bool) -> None:
        """Check with these options.

        Args:
            responses: Returns what decides, when the first response is there.
            options: Options of `check`.
            raises: Whether a response that does not pass is an error, or replaced by "I don't know".
        """
        self._responses = responses
        self._options = options
        self._raises = raises

    @overload
    def __call__(self, function: Callable[Q, AsyncIterator[Part]]) -> Callable[Q, AsyncGenerator[str]]: ...
    @overload
    def __call__(self, function: Callable[Q, Iterator[Part]]) -> Callable[Q, Generator[str]]: ...
    @overload
    def __call__(self, function: Callable[Q, Awaitable[Returned]]) -> Callable[Q, Coroutine[Any, Any, str]]: ...
    @overload
    def __call__(self, function: Callable[Q, Returned]) -> Callable[Q, str]: ...
    def __call__(self, function: Callable[Q, Any]) -> Callable[Q, Any]:
        """Return the function with the gate behind it."""
        if inspect.isasyncgenfunction(function):

            @functools.wraps(function)
            def gated_async_stream(*arguments: Q.args, **named: Q.kwargs) -> AsyncGenerator[str]:
                return self.astream(function(*arguments, **named))

            return gated_async_stream

        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def gated_stream(*arguments: Q.args, **named: Q.kwargs) -> Generator[str]:
                return self.stream(function(*arguments, **named))

            return gated_stream

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def gated_async(*arguments: Q.args, **named: Q.kwargs) -> str:
                text, more = _response(await function(*arguments, **named))
                return self._reply(text, await self._responses().acheck(text, **{**self._options, **more}))

            return gated_async

        @functools.wraps(function)
        def gated(*arguments: Q.args, **named: Q.kwargs) -> str:
            text, more = _response(function(*arguments, **named))
            return self._reply(text, self._responses().check(text, **{**self._options, **more}))

        return gated

    def stream(self, parts: "Iterable[Part]") -> Generator[str]:
        """Yield the parts of a response when all are there and have passed, else what to say instead."""
        held = HeldResponse(self._options)
        for part in parts:
            held.add(part)
        yield from held.release(self._reply, self._responses().check(held.text, **held.options))

    async def astream(self, parts: "AsyncIterable[Part]") -> AsyncGenerator[str]:
        """Do the same as `stream` for parts that arrive asynchronously."""
        held = HeldResponse(self._options)
        async for part in parts:
            held.add(part)
        for part in held.release(self._reply, await self._responses().acheck(held.text, **held.options)):
            yield part

    def _reply(self, text: str, decision: ResponseDecision) -> str:
        if decision.passed:
            return text
        if self._raises:
            raise BlockedError(decision.reason, decision=decision)
        return decision.message


class HeldResponse:
    """The parts of a response that is not decided yet."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Start without parts, with the options that are known beforehand."""
        self.options = dict(options)
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """The response so far."""
        return "".join(self._parts)

    def add(self, part: "Part") -> None:
        """Keep a part of the text, or add options.

        Raises:
            InputError: if it is neither.
        """
        match part:
            case str():
                self._parts.append(part)
            case Mapping():
                self.options |= part
            case _:
                raise InputError(f"the stream gave {shown(part)}", hint="give texts, or a mapping of options")

    def release(self, reply: Callable[[str, ResponseDecision], str], decision: ResponseDecision) -> Iterator[str]:
        """Return the parts if the response passed, else the one text to say instead."""
        text = self.text
        said = reply(text, decision)
        return iter(self._parts if said == text else [said])


def _response(returned: Any) -> tuple[str, Mapping[str, Any]]:
    match returned:
        case str() | None:
            return returned or "", {}
        case (str() | None as text, Mapping() as options) if isinstance(returned, tuple):
            return text or "", options
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
        return Gate(lambda: self, options, raises=raises)

    return gate
