"""Cancel a query when its deadline has passed, so that no thread computes a result that is no longer wanted."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from howsure.chunks import in_chunks
from howsure.errors import StoreError

if TYPE_CHECKING:
    from sqlite3 import Cursor

T = TypeVar("T")
BREAK = 0.0005
"""Seconds of work in Python after which a thread gives way."""
ROWS_AT_ONCE = 500
"""Rows that are fetched between two breaks, in about 0.3 ms."""


class ThreadDeadline(threading.local):
    """The deadline of each thread."""

    moment: float | None = None
    give_way: Callable[[], object] | None = None
    """Called each time the thread begins to read, and from time to time while it does."""
    next_break: float = 0.0
    """When `take_break` calls it again, by `time.perf_counter()`."""


DEADLINE = ThreadDeadline()


@contextmanager
def deadline(moment: float | None, give_way: Callable[[], object] | None = None) -> Iterator[None]:
    """Cancel reads of this thread within the block once `time.monotonic()` is past a moment; None for never.

    With a deadline, `give_way` is called when a read begins, and on SQLite about every 0.5 ms while a query runs.

    Writes are not cancelled: whoever sent them may ask for their result later, by the same Idempotency-Key.
    """
    before = DEADLINE.moment, DEADLINE.give_way
    DEADLINE.moment, DEADLINE.give_way = moment, give_way
    try:
        yield
    finally:
        DEADLINE.moment, DEADLINE.give_way = before


def take_break() -> None:
    """Give way to more urgent threads, if this thread does and the last time is long enough ago.

    Long work in Python calls it again and again: a page of 100 ms would otherwise hold the interpreter's lock whenever
    a gate check needs it. Takes 0.1 µs if there is nothing to do.
    """
    if DEADLINE.give_way is not None and time.perf_counter() >= DEADLINE.next_break:
        DEADLINE.give_way()
        DEADLINE.next_break = time.perf_counter() + BREAK


def fetch_with_breaks(cursor: "Cursor") -> list[tuple[Any, ...]]:
    """Return all rows of a cursor, with breaks between some of them: 10,000 rows take 5 ms."""
    rows: list[tuple[Any, ...]] = []
    while some := cursor.fetchmany(ROWS_AT_ONCE):
        rows += some
        take_break()
    return rows


def yield_with_breaks(items: Iterable[T]) -> Iterable[T]:
    """Return items with breaks between them, if this thread gives way to others; otherwise as they are."""
    return items if DEADLINE.give_way is None else _with_breaks(items)


def _with_breaks(items: Iterable[T]) -> Iterator[T]:
    for item in items:
        yield item
        take_break()


def parts_with_breaks(items: list[T], size: int = 500) -> Iterator[list[T]]:
    """Yield parts of a long list with breaks between them, for work that takes less than a microsecond for each item.

    `yield_with_breaks` would take as long as the work itself: 4 ms for 10,000 items.
    """
    for part in in_chunks(items, size):
        yield part
        take_break()


def seconds_left() -> float | None:
    """Return how many seconds this thread has left to read; None if it has no deadline.

    Raises:
        StoreError: if there are none.
    """
    if DEADLINE.moment is None:
        return None
    if DEADLINE.give_way is not None:
        DEADLINE.give_way()
    left = DEADLINE.moment - time.monotonic()
    if left <= 0:
        raise StoreError("reading took too long and was cancelled", hint="ask for less")
    return left


def is_over() -> bool:
    """Say whether the deadline of this thread is over. SQLite asks this while a query runs."""
    if DEADLINE.give_way is not None:
        DEADLINE.give_way()
    return DEADLINE.moment is not None and time.monotonic() >= DEADLINE.moment
