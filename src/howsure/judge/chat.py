"""A judge behind any OpenAI-compatible endpoint."""

import asyncio
import importlib.util
import os
import threading
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from howsure.errors import InputError, MissingExtraError
from howsure.judge.budget import Budget, current
from howsure.judge.endpoint import Address, Endpoint, Form
from howsure.judge.loop import Background
from howsure.judge.question import Answer, Failure, Question
from howsure.judge.redaction import Redactor, checked_address, checked_header
from howsure.judge.retries import Asking, Patience

if TYPE_CHECKING:
    from concurrent.futures import Future


class _Line(NamedTuple):
    """What is open while a judge is in use: a thread, a client, and the places at the endpoint."""

    background: Background
    endpoint: Endpoint
    places: asyncio.Semaphore


class ChatJudge:
    """Asks a model by chat completions.

    It may be used by many threads and event loops at once; all share its places at the endpoint. Close it, or use it in
    a `with` block; what is under way then comes back as a `cancelled` failure.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str | None = None,
        *,
        time_limit: float = 60.0,
        retries: int = 2,
        concurrency: int = 4,
        backoff: float = 0.5,
        longest_wait: float = 30.0,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
        largest: int = 10_000_000,
    ) -> None:
        """Say where the model is.

        Args:
            base_url: Address of the endpoint, like `https://api.openai.com/v1` or `http://localhost:11434/v1`.
            model: Name of the model there.
            key: Key of the endpoint, if it wants one. It is never shown.
            time_limit: Seconds for one question, with all that is tried again, from the moment it has a place.
            retries: Times that a request is sent again after too many requests, a fault there, or a lost connection.
            concurrency: Questions that are put at the same time; others wait for a place.
            backoff: Seconds of the first wait before a request is sent again; each further one is twice as long.
            longest_wait: Seconds that the endpoint may ask to wait before that.
            headers: Further headers. Like the key, they are never shown.
            extra: Further fields of the request, like `{"max_tokens": 2000}`.
            largest: Bytes of an answer that are read.
        """
        for name, number, least in (
            ("time_limit", time_limit, 1e-9),
            ("retries", retries, 0),
            ("concurrency", concurrency, 1),
            ("backoff", backoff, 0),
            ("longest_wait", longest_wait, 0),
            ("largest", largest, 1),
        ):
            if not number >= least:
                raise InputError(f"{number} is too small", field=name)
        if not model:
            raise InputError("a model is needed", field="model")
        if importlib.util.find_spec("openai") is None:
            raise MissingExtraError("judge", "asking a language model")
        sent = {name: checked_header(value, "headers") for name, value in (headers or {}).items()}
        self._address = Address(
            checked_address(base_url), model, checked_header(key or "", "key"), sent, dict(extra or {}), largest
        )
        self._time_limit, self._concurrency = time_limit, concurrency
        self._patience = Patience(retries, backoff, longest_wait)
        self._redacted = Redactor(self._address.key, sent)
        self._form = Form()
        self._lock = threading.Lock()
        self._line: _Line | None = None
        self._closed = False

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._address.model

    def __repr__(self) -> str:
        """Return where the model is, and never the key."""
        return self._redacted(f"ChatJudge({self._address.base_url!r}, {self._address.model!r})")

    def ask(self, question: Question) -> Answer | Failure:
        """Put a question, and wait for what comes back."""
        asked = self._start(question)
        if isinstance(asked, Failure):
            return asked
        try:
            return asked.result()
        except BaseException:  # Ctrl-C: nobody waits for it any more
            asked.cancel()
            raise

    async def aask(self, question: Question) -> Answer | Failure:
        """Put a question without blocking the event loop. If the task is cancelled, so is the request."""
        asked = self._start(question)
        return asked if isinstance(asked, Failure) else await asyncio.wrap_future(asked)

    def close(self) -> None:
        """Close all connections. Questions under way, and later ones, come back as `cancelled` failures."""
        with self._lock:
            self._closed = True
            line, self._line = self._line, None
        if line is not None:
            line.background.stop()

    def __enter__(self) -> Self:
        """Use it, and close it in the end."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _start(self, question: Question) -> "Future[Answer | Failure] | Failure":
        budget = current()
        with self._lock:
            if self._closed:
                return Failure("cancelled", "the judge is closed")
            if self._line is None or self._line.background.process != os.getpid():
                self._line = self._open()
            return self._line.background.submit(self._asked(question, self._line, budget))

    def _open(self) -> _Line:
        endpoint = Endpoint(self._address, self._redacted)
        background = Background("howsure-judge", endpoint.close)
        # A judge that nobody closed is closed when it is forgotten, or at the end of the program.
        weakref.finalize(self, background.stop)
        return _Line(background, endpoint, asyncio.Semaphore(self._concurrency))

    async def _asked(self, question: Question, line: _Line, budget: Budget | None) -> Answer | Failure:
        asking = Asking(question, line.endpoint, self._patience, self._form, budget, self._redacted)
        line.endpoint.open()
        left = budget.seconds_left() if budget else None
        try:
            async with asyncio.timeout(left), line.places:
                return await self._timed(asking)
        except TimeoutError:
            return asking.failure("budget", "the seconds of the budget ran out while the question was put")
        except asyncio.CancelledError:
            if not self._closed:
                raise
            return asking.failure("cancelled", "the judge was closed while the question was put")

    async def _timed(self, asking: Asking) -> Answer | Failure:
        asking.form = self._form
        try:
            async with asyncio.timeout(self._time_limit):
                found = await asking.run(self._time_limit)
        except TimeoutError:
            return asking.failure("timeout", f"{self._address.base_url} gave no answer within {self._time_limit:g} s")
        if found.ok:
            self._form = asking.form  # what worked is what is tried first from now on
        return found
