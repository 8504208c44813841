"""Cache answers: the same question to the same model is asked once, also by concurrent callers."""

import asyncio
import contextlib
import logging
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from howsure.errors import InputError
from howsure.files import atomic_write
from howsure.judge.budget import current
from howsure.judge.question import Answer, Failure, Judge, Question
from howsure.judge.schema import problems

log: logging.Logger = logging.getLogger(__name__)

_NOT_SHARED = ("budget", "cancelled")
"""Failures that concern only the caller who asked, not those who wait for the same answer."""


class AnswerStore:
    """Answers by key: the most recent in memory, and all of them in a folder, if there is one."""

    def __init__(self, size: int, folder: str | Path | None) -> None:
        """Set how many answers to keep in memory, and the folder."""
        if size < 0:
            raise InputError(f"{size} is less than 0", field="size")
        self._size, self._lock = size, threading.Lock()
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        self._folder = Path(folder) if folder is not None else None
        if self._folder is not None:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"cannot create {self._folder}: {error.strerror}", field="folder") from None

    def recent(self, key: str, question: Question) -> Answer | None:
        """Return an answer from memory, or None."""
        with self._lock:
            content = self._recent.get(key)
            if content is not None:
                self._recent.move_to_end(key)
        return None if content is None else _decode(content, question)

    def find(self, key: str, question: Question) -> Answer | None:
        """Return an answer from memory or the folder, or None; files that are damaged or do not fit are ignored."""
        result = self.recent(key, question)
        if result is not None or self._folder is None:
            return result
        try:
            content = (self._folder / f"{key}.json").read_bytes()
        except OSError:
            return None
        result = _decode(content, question)
        if result is not None:
            self._remember(key, content)
        return result

    def put(self, key: str, answer: Answer) -> None:
        """Store an answer; only in memory if the folder cannot be written."""
        content = orjson.dumps({"value": answer.value, "model": answer.model})
        self._remember(key, content)
        if self._folder is not None:
            with contextlib.suppress(OSError), atomic_write(self._folder / f"{key}.json") as part:
                part.write_bytes(content)

    def _remember(self, key: str, content: bytes) -> None:
        with self._lock:
            self._recent[key] = content
            self._recent.move_to_end(key)
            while len(self._recent) > self._size:
                self._recent.popitem(last=False)


def _decode(content: bytes, question: Question) -> Answer | None:
    try:
        data = orjson.loads(content)
        answer = Answer(data["value"], str(data["model"]), attempts=0, tokens_in=0, tokens_out=0, cached=True)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    if problems(question.fitting, answer.value):
        return None
    log.info("%s: answered from the cache", question.task)
    return answer


class _Flight(NamedTuple):
    """A question that one caller is asking, and others may wait for."""

    landed: "Future[Answer | Failure | None]"
    thread: int
    is_async: bool
    """Whether the caller is an asyncio task, which lets other tasks of its thread run meanwhile."""

    def would_deadlock(self, *, is_async: bool) -> bool:
        """Say whether waiting for it would block the thread that it needs to finish."""
        return self.thread == threading.get_ident() and not (is_async and self.is_async)


class CachedJudge:
    """Asks another judge and caches its answers; failures are not cached.

    Answers are cached by model, instructions, schema and content. A cached answer costs nothing of a budget.
    """

    def __init__(self, judge: Judge, *, size: int = 1000, folder: str | Path | None = None) -> None:
        """Set the judge to ask, how many answers to keep in memory, and a folder to keep all of them in."""
        self._judge = judge
        self._answers = AnswerStore(size, folder)
        self._flights: dict[str, _Flight] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._judge.model

    def __repr__(self) -> str:
        """Show the judge that it asks."""
        return f"CachedJudge({self._judge!r})"

    def ask(self, question: Question) -> Answer | Failure:
        """Return the cached answer, or ask; if another caller is asking the same, wait for that."""
        key, start = question.key(self.model), time.monotonic()
        while True:
            content = self._answers.recent(key, question)
            if content is not None:
                return content
            flight, mine = self._join(key, is_async=False)
            if mine:
                return self._lead(key, question, flight)
            if flight.would_deadlock(is_async=False):
                return self._judge.ask(question)
            try:
                landed = flight.landed.result(_time_left())
            except TimeoutError:
                return _out_of_time(start)
            if landed is not None:
                return _shared(landed)

    async def aask(self, question: Question) -> Answer | Failure:
        """Return the cached answer, or ask, without blocking the event loop."""
        key, start = question.key(self.model), time.monotonic()
        while True:
            content = self._answers.recent(key, question)
            if content is not None:
                return content
            flight, mine = self._join(key, is_async=True)
            if mine:
                return await self._alead(key, question, flight)
            if flight.would_deadlock(is_async=True):
                return await self._judge.aask(question)
            try:
                async with asyncio.timeout(_time_left()):
                    landed = await asyncio.shield(asyncio.wrap_future(flight.landed))
            except TimeoutError:
                return _out_of_time(start)
            if landed is not None:
                return _shared(landed)

    def _join(self, key: str, *, is_async: bool) -> tuple[_Flight, bool]:
        """Return the flight of a question, and whether the caller has to ask it."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                return flight, False
            flight = self._flights[key] = _Flight(Future(), threading.get_ident(), is_async)
            return flight, True

    def _lead(self, key: str, question: Question, flight: _Flight) -> Answer | Failure:
        result: Answer | Failure | None = None
        try:
            result = self._answers.find(key, question)
            if result is None:
                result = self._judge.ask(question)
                self._store(key, result)
            return result
        finally:
            self._land(key, flight, result)

    async def _alead(self, key: str, question: Question, flight: _Flight) -> Answer | Failure:
        result: Answer | Failure | None = None
        try:
            result = await asyncio.to_thread(self._answers.find, key, question)
            if result is None:
                result = await self._judge.aask(question)
                await asyncio.to_thread(self._store, key, result)
            return result
        finally:
            self._land(key, flight, result)

    def _store(self, key: str, result: Answer | Failure) -> None:
        if result.ok:
            self._answers.put(key, result)

    def _land(self, key: str, flight: _Flight, result: Answer | Failure | None) -> None:
        """Pass the result to the waiting callers; if it is None, one of them asks."""
        with self._lock:
            del self._flights[key]
        own = isinstance(result, Failure) and result.kind in _NOT_SHARED
        flight.landed.set_result(None if own else result)


def _shared(landed: Answer | Failure) -> Answer | Failure:
    """Return another caller's result as a copy."""
    if isinstance(landed, Failure):
        return replace(landed, attempts=0)
    value: Any = orjson.loads(orjson.dumps(landed.value))
    return replace(landed, value=value, attempts=0, tokens_in=0, tokens_out=0, cached=True)


def _time_left() -> float | None:
    budget = current()
    return budget.seconds_left() if budget else None


def _out_of_time(start: float) -> Failure:
    message = "the seconds of the budget ran out while another caller was asking the same"
    return Failure("budget", message, seconds=time.monotonic() - start)
