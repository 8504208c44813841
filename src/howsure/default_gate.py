"""`howsure.gate`: the gate for responses on the default store, without opening anything first."""

import atexit
import os
import threading
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Generator, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, overload

from howsure.responses.api import Responses
from howsure.responses.gate import ResponseDecision
from howsure.responses.guard import Gate, Part, Q, Returned
from howsure.settings import STORE, current

if TYPE_CHECKING:
    from howsure.sure import Sure

P = ParamSpec("P")
"""The options of `Responses.check`, without the text."""


class DefaultStore:
    """The store of the settings, opened when it is first needed and kept open until the program ends."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._lock = threading.Lock()
        self._open: dict[tuple[int, str], Sure] = {}

    def responses(self) -> Responses:
        """Return the gate on the default store of this process."""
        # A child process opens its own connection: SQLite's must not cross a fork.
        key = os.getpid(), str(current().value(STORE))
        with self._lock:
            if key not in self._open:
                from howsure.sure import open as open_store

                self._open[key] = open_store()
                atexit.register(self._open[key].close)
            return self._open[key].responses


class DefaultGate(Generic[P]):
    """Decides whether a response may be sent, and records the decision in the default store."""

    def __init__(self, _check: Callable[Concatenate[Responses, str | None, P], ResponseDecision]) -> None:
        """Take the options of `Responses.check`, for their types."""
        self._store = DefaultStore()

    @overload
    def __call__(self, response: str, /, *_: P.args, **options: P.kwargs) -> ResponseDecision: ...
    @overload
    def __call__(self, response: Iterator[Part], /, *_: P.args, **options: P.kwargs) -> Generator[str]: ...
    @overload
    def __call__(self, response: AsyncIterable[Part], /, *_: P.args, **options: P.kwargs) -> AsyncGenerator[str]: ...
    @overload
    def __call__(self, response: None = None, /, *_: P.args, **options: P.kwargs) -> Gate: ...
    @overload
    def __call__(self, response: Callable[Q, AsyncGenerator[Any]], /) -> Callable[Q, AsyncGenerator[str]]: ...
    @overload
    def __call__(self, response: Callable[Q, Generator[Any]], /) -> Callable[Q, Generator[str]]: ...
    @overload
    def __call__(self, response: Callable[Q, Awaitable[Returned]], /) -> Callable[Q, Coroutine[Any, Any, str]]: ...
    @overload
    def __call__(self, response: Callable[Q, Returned], /) -> Callable[Q, str]: ...
    def __call__(self, response: Any = None, /, *_: Any, **options: Any) -> Any:
        """Gate a text, a stream of texts, or what a function returns; options are those of `sure.responses.check`.

        A text gives a decision. A stream gives the same parts when all are there and have passed, else what to say
        instead. A function, sync or async, gives a function that returns the response if it passes, else what to say
        instead. Without a response, this is a decorator: `@howsure.gate(agent="ann")`.

        Raises:
            InputError: if an option is invalid.
            StoreError: if the decision cannot be recorded, unless `on_ledger_error` is "allow".
        """
        if isinstance(response, str):
            return self._store.responses().check(response, **options)
        gate = Gate(self._store.responses, options, raises=False)
        if response is None:
            return gate
        if callable(response):
            return gate(response)
        if isinstance(response, AsyncIterable):
            return gate.astream(response)
        return gate.stream(response)


gate = DefaultGate(Responses.check)
"""The object that `howsure.gate` refers to."""
