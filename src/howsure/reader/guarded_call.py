"""Call readers and embedders, which may be users' own: within a time limit, and with every failure as a ReaderError."""

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from howsure.errors import HowsureError

T = TypeVar("T")
SECONDS, SECONDS_EACH = 60.0, 0.5
"""Seconds that a call may take, and more for each pair or text: loading a model takes up to a minute, and a small one
reads 5 to 150 pairs a second, depending on the load of the machine."""

_overdue: dict[int, tuple[object, threading.Thread]] = {}
"""Threads that took too long, by the id of what they call. That is kept with them, so that its id stays its own."""


class ReaderError(HowsureError):
    """A reader cannot be loaded, takes too long, or what it returns is not a probability for each pair."""


def call_guarded(kind: str, called: Any, action: Callable[[], T], count: int) -> T:
    """Return what a call of a reader or embedder returns.

    It runs in a thread of its own, which is left alone if it takes too long: Python cannot end it. Until it ends, other
    calls of the same object fail at once. The limit is the attribute `seconds` of the object, if it has one.

    Args:
        kind: What is called, for messages: "reader".
        called: The reader or embedder.
        action: The call.
        count: How many pairs or texts are read.

    Raises:
        ReaderError: if it raises, or takes longer than it may.
    """
    seconds = getattr(called, "seconds", SECONDS + SECONDS_EACH * count)
    name = f"the {kind} {_name_of(called)}"
    if seconds is None:
        return _run(name, kind, action)
    known = _overdue.get(id(called))
    if known and known[1].is_alive():  # after a fork it is not
        raise ReaderError(f"{name} is still busy with a call that took too long", hint=f"use another {kind}")
    future: Future[T] = Future()
    # A daemon, so that it does not keep the program from ending.
    thread = threading.Thread(
        target=contextvars.copy_context().run, args=(_fulfil, future, called, action), name=name, daemon=True
    )
    thread.start()

    def wait() -> T:
        try:
            return future.result(seconds)
        except TimeoutError:
            if future.done():  # a TimeoutError of its own
                raise
            _overdue[id(called)] = called, thread
            raise ReaderError(
                f"{name} did not answer within {seconds:g} seconds",
                hint="its attribute `seconds` sets the limit",
            ) from None

    return _run(name, kind, wait)


def _name_of(called: Any) -> str:
    try:
        return str(called.name)
    except Exception:  # noqa: BLE001 - code of a user
        return type(called).__name__


def _fulfil(future: "Future[T]", called: object, action: Callable[[], T]) -> None:
    try:
        future.set_result(action())
    except BaseException as error:  # noqa: BLE001 - SystemExit too: a reader must not end a program
        future.set_exception(error)
    finally:
        known = _overdue.get(id(called))
        if known and known[1] is threading.current_thread():
            del _overdue[id(called)]


def _run(name: str, kind: str, action: Callable[[], T]) -> T:
    try:
        return action()
    except HowsureError:
        raise
    except (Exception, SystemExit) as error:
        raise ReaderError(f"{name} failed: {type(error).__name__}: {error}", hint=f"use another {kind}") from error
