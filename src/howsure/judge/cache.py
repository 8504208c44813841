"""Keeping answers: the same question to the same model is asked once, also by many at the same time."""

import asyncio
import contextlib
import os
import tempfile
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from howsure.errors import InputError
from howsure.judge.budget import current
from howsure.judge.question import Answer, Failure, Judge, Question
from howsure.judge.schema import problems

_OWN = ("budget", "cancelled")
"""Failures that concern the one who asked, and nobody else who waits for the same answer."""


class Shelf:
    """Answers by key: the latest in memory, and all of them in a folder, if there is one."""

    def __init__(self, size: int, folder: str | Path | None) -> None:
        """Say how many are kept in memory, and where the others are."""
        if size < 0:
            raise InputError(f"{size} is less than 0", field="size")
        self._size, self._lock = size, threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._folder = Path(folder) if folder is not None else None
        if self._folder is not None:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{self._folder} cannot be made: {error.strerror}", field="folder") from None

    def recent(self, key: str, question: Question) -> Answer | None:
        """Return what is in memory."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        return None if kept is None else _restored(kept, question)

    def find(self, key: str, question: Question) -> Answer | None:
        """Return what is in memory or in the folder; a file that cannot be read or does not fit is not there."""
        found = self.recent(key, question)
        if found is not None or self._folder is None:
            return found
        try:
            kept = (self._folder / f"{key}.json").read_bytes()
        except OSError:
            return None
        found = _restored(kept, question)
        if found is not None:
            self._remember(key, kept)
        return found

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer. Where the folder cannot be written, it is kept in memory alone."""
        kept = orjson.dumps({"value": answer.value, "model": answer.model})
        self._remember(key, kept)
        if self._folder is not None:
            with contextlib.suppress(OSError):
                _write(self._folder / f"{key}.json", kept)

    def _remember(self, key: str, kept: bytes) -> None:
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


def _write(path: Path, content: bytes) -> None:
    """Write a file so that others see all of it or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:16]}-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _restored(kept: bytes, question: Question) -> Answer | None:
    try:
        data = orjson.loads(kept)
        answer = Answer(data["value"], str(data["model"]), attempts=0, tokens_in=0, tokens_out=0, cached=True)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return None if problems(question.fitting, answer.value) else answer


class _Flight(NamedTuple):
    """A question under way, which others may wait for."""

    landed: "Future[Answer | Failure | None]"
    thread: int
    waits: bool
    """Whether the one who asks gives way to others in its thread while it waits: a task of an event loop."""

    def holds_up(self, *, waits: bool) -> bool:
        """Say whether waiting for it would keep it from ever landing: it needs the thread that would wait."""
        return self.thread == threading.get_ident() and not (waits and self.waits)


class CachedJudge:
    """Asks another judge, and keeps what it answers; failures are not kept.

    Answers are kept by model, instructions, schema and content. A kept answer costs nothing of a budget.
    """

    def __init__(self, judge: Judge, *, size: int = 1000, folder: str | Path | None = None) -> None:
        """Say whom to ask, how many answers to keep in memory, and a folder for all of them, if they are to stay."""
        self._judge = judge
        self._shelf = Shelf(size, folder)
        self._flights: dict[str, _Flight] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._judge.model

    def __repr__(self) -> str:
        """Return whom it asks."""
        return f"CachedJudge({self._judge!r})"

    def ask(self, question: Question) -> Answer | Failure:
        """Return what is kept, or ask; or wait for somebody who is asking the same."""
        key, began = question.key(self.model), time.monotonic()
        while True:
            kept = self._shelf.recent(key, question)
            if kept is not None:
                return kept
            flight, mine = self._join(key, waits=False)
            if mine:
                return self._lead(key, question, flight)
            if flight.holds_up(waits=False):
                return self._judge.ask(question)
            try:
                landed = flight.landed.result(_time_left())
            except TimeoutError:
                return _out_of_time(began)
            if landed is not None:
                return _shared(landed)

    async def aask(self, question: Question) -> Answer | Failure:
        """Return what is kept, or ask, without blocking the event loop."""
        key, began = question.key(self.model), time.monotonic()
        while True:
            kept = self._shelf.recent(key, question)
            if kept is not None:
                return kept
            flight, mine = self._join(key, waits=True)
            if mine:
                return await self._alead(key, question, flight)
            if flight.holds_up(waits=True):
                return await self._judge.aask(question)
            try:
                async with asyncio.timeout(_time_left()):
                    landed = await asyncio.shield(asyncio.wrap_future(flight.landed))
            except TimeoutError:
                return _out_of_time(began)
            if landed is not None:
                return _shared(landed)

    def _join(self, key: str, *, waits: bool) -> tuple[_Flight, bool]:
        """Return the flight of a question, and whether the caller is the one to ask."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                return flight, False
            flight = self._flights[key] = _Flight(Future(), threading.get_ident(), waits)
            return flight, True

    def _lead(self, key: str, question: Question, flight: _Flight) -> Answer | Failure:
        found: Answer | Failure | None = None
        try:
            found = self._shelf.find(key, question)
            if found is None:
                found = self._judge.ask(question)
                self._keep(key, found)
            return found
        finally:
            self._land(key, flight, found)

    async def _alead(self, key: str, question: Question, flight: _Flight) -> Answer | Failure:
        found: Answer | Failure | None = None
        try:
            found = await asyncio.to_thread(self._shelf.find, key, question)
            if found is None:
                found = await self._judge.aask(question)
                await asyncio.to_thread(self._keep, key, found)
            return found
        finally:
            self._land(key, flight, found)

    def _keep(self, key: str, found: Answer | Failure) -> None:
        if found.ok:
            self._shelf.put(key, found)

    def _land(self, key: str, flight: _Flight, found: Answer | Failure | None) -> None:
        """Tell those who wait; where there is nothing to tell them, one of them asks."""
        with self._lock:
            del self._flights[key]
        own = isinstance(found, Failure) and found.kind in _OWN
        flight.landed.set_result(None if own else found)


def _shared(landed: Answer | Failure) -> Answer | Failure:
    """Return what another one's question brought, as a copy that is the caller's own."""
    if isinstance(landed, Failure):
        return replace(landed, attempts=0)
    value: Any = orjson.loads(orjson.dumps(landed.value))
    return replace(landed, value=value, attempts=0, tokens_in=0, tokens_out=0, cached=True)


def _time_left() -> float | None:
    budget = current()
    return budget.seconds_left() if budget else None


def _out_of_time(began: float) -> Failure:
    message = "the seconds of the budget ran out while somebody else was asking the same"
    return Failure("budget", message, seconds=time.monotonic() - began)
