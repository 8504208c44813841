"""Ask a model behind any OpenAI-compatible endpoint."""

import asyncio
import importlib.util
import os
import threading
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from howsure.errors import InputError, MissingExtraError
from howsure.judge.attempts import Attempts, RetryPolicy
from howsure.judge.background import BackgroundLoop
from howsure.judge.budget import Budget, current
from howsure.judge.endpoint import Address, Endpoint, RequestForm, check_base_url, parse_header
from howsure.judge.question import Answer, Failure, Question
from howsure.redaction import SecretFilter

if TYPE_CHECKING:
    from concurrent.futures import Future


class _Connection(NamedTuple):
    """What is open while a judge is in use."""

    loop: BackgroundLoop
    endpoint: Endpoint
    slots: asyncio.Semaphore
    """Limits how many questions are asked at the same time."""


class ChatJudge:
    """Asks a model by chat completions.

    Threads and event loops may share it, and then share its limit of concurrent questions. Close it, or use it in a
    `with` block; questions that are being asked then come back as `cancelled` failures.
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
        max_bytes: int = 10_000_000,
    ) -> None:
        """Set where the model is, and the limits.

        Args:
            base_url: Address of the endpoint, like `https://api.openai.com/v1` or `http://localhost:11434/v1`.
            model: Name of the model there.
            key: Key of the endpoint, if it needs one. It is never shown.
            time_limit: Seconds for one question with all its retries, not counting the wait for a free slot.
            retries: How often a question is retried after too many requests, a server error or a lost connection.
            concurrency: Questions that are asked at the same time; others wait for a free slot.
            backoff: Seconds to wait before the first retry; each further wait is twice as long.
            longest_wait: Seconds that the endpoint may ask to wait before a retry.
            headers: Further headers. Like the key, they are never shown.
            extra: Further fields of the request, like `{"max_tokens": 2000}`.
            max_bytes: Bytes of a reply that are read at most.
        """
        for name, number, least in (
            ("time_limit", time_limit, 1e-9),
            ("retries", retries, 0),
            ("concurrency", concurrency, 1),
            ("backoff", backoff, 0),
            ("longest_wait", longest_wait, 0),
            ("max_bytes", max_bytes, 1),
        ):
            if not number >= least:
                raise InputError(f"{number} is too small", field=name)
        if not model:
            raise InputError("the name of a model is required", field="model")
        if importlib.util.find_spec("openai") is None:
            raise MissingExtraError("judge", "asking a language model")
        sent = {name: parse_header(value, "headers") for name, value in (headers or {}).items()}
        self._address = Address(
            check_base_url(base_url), model, parse_header(key or "", "key"), sent, dict(extra or {}), max_bytes
        )
        self._time_limit, self._concurrency = time_limit, concurrency
        self._policy = RetryPolicy(retries, backoff, longest_wait)
        self._redact = SecretFilter(self._address.key, sent)
        self._form = RequestForm()
        self._lock = threading.Lock()
        self._connection: _Connection | None = None
        self._closed = False

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._address.model

    def __repr__(self) -> str:
        """Show where the model is, never the key."""
        return self._redact(f"ChatJudge({self._address.base_url!r}, {self._address.model!r})")

    def ask(self, question: Question) -> Answer | Failure:
        """Ask a question and wait for the result."""
        asked = self._start(question)
        if isinstance(asked, Failure):
            return asked
        try:
            return asked.result()
        except BaseException:  # Ctrl-C: nobody waits for the result any more
            asked.cancel()
            raise

    async def aask(self, question: Question) -> Answer | Failure:
        """Ask a question without blocking the event loop. If the task is cancelled, so is the request."""
        asked = self._start(question)
        return asked if isinstance(asked, Failure) else await asyncio.wrap_future(asked)

    def close(self) -> None:
        """Close all connections. Questions that are being asked, and later ones, come back as `cancelled` failures."""
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.loop.stop()

    def __enter__(self) -> Self:
        """Return the judge itself."""
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
            if self._connection is None or self._connection.loop.process != os.getpid():  # none yet, or after a fork
                self._connection = self._open()
            return self._connection.loop.submit(self._ask(question, self._connection, budget))

    def _open(self) -> _Connection:
        endpoint = Endpoint(self._address, self._redact)
        loop = BackgroundLoop("howsure-judge", endpoint.close)
        # A judge that is not closed is closed when it is garbage-collected or the program ends.
        weakref.finalize(self, loop.stop)
        return _Connection(loop, endpoint, asyncio.Semaphore(self._concurrency))

    async def _ask(self, question: Question, connection: _Connection, budget: Budget | None) -> Answer | Failure:
        attempts = Attempts(question, connection.endpoint, self._policy, self._form, budget, self._redact)
        connection.endpoint.open()
        left = budget.seconds_left() if budget else None
        try:
            async with asyncio.timeout(left), connection.slots:
                return await self._run_timed(attempts)
        except TimeoutError:
            return attempts.failure("budget", "the seconds of the budget ran out while the question was asked")
        except asyncio.CancelledError:
            if not self._closed:
                raise
            return attempts.failure("cancelled", "the judge was closed while the question was asked")

    async def _run_timed(self, attempts: Attempts) -> Answer | Failure:
        attempts.form = self._form
        try:
            async with asyncio.timeout(self._time_limit):
                result = await attempts.run(self._time_limit)
        except TimeoutError:
            return attempts.failure("timeout", f"{self._address.base_url} sent no answer within {self._time_limit:g} s")
        if result.ok:
            self._form = attempts.form  # later questions start with the form that worked
        return result
