"""Budgets: what everything below a place in the program may spend on asking models, together."""

import threading
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Self

from howsure.errors import InputError

_lock = threading.Lock()  # one for all: a budget and those around it change together


class Spent(NamedTuple):
    """What was spent of a budget."""

    calls: int
    """Requests that were sent."""
    tokens: int
    """Tokens in and out; estimated where the endpoint does not tell."""
    seconds: float
    """Time since the budget began."""


@dataclass
class _Account:
    """Limits, and what was spent."""

    calls: int | None
    tokens: int | None
    seconds: float | None
    clock: Callable[[], float]
    sent: int = 0
    used: int = 0
    began: float | None = None
    ended: float | None = None

    def elapsed(self) -> float:
        if self.began is None:
            return 0.0
        return (self.clock() if self.ended is None else self.ended) - self.began

    def refusal(self, tokens: int) -> str:
        if self.calls is not None and self.sent >= self.calls:
            return f"the budget of {self.calls} calls is used up"
        if self.tokens is not None and self.used + tokens > self.tokens:
            return f"about {tokens} tokens would go over the budget: {self.used} of {self.tokens} are used"
        if self.seconds is not None and self.elapsed() >= self.seconds:
            return f"the budget of {self.seconds:g} seconds is used up"
        return ""


class Budget:
    """What may be spent within a `with` block, by everything that is called from it.

    Threads that run in a copy of the context, and tasks of an event loop, share it. A budget within a budget spends
    from both. A question that would go over it comes back as a `budget` failure, without a request.

    >>> with Budget(calls=20, tokens=100_000, seconds=120) as budget:
    ...     current() is budget
    True
    """

    def __init__(
        self,
        *,
        calls: int | None = None,
        tokens: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the limits; what is left out has none."""
        for name, limit in (("calls", calls), ("tokens", tokens), ("seconds", seconds)):
            if limit is not None and not limit >= 0:
                raise InputError(f"{limit} is less than 0", field=name)
        self._own = _Account(calls, tokens, seconds, clock)
        self._accounts: tuple[_Account, ...] = (self._own,)
        self._outside: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        """Begin: the time runs from now."""
        with _lock:
            if self._own.began is not None:
                raise InputError("this budget was used before", hint="make a new one for each block")
            self._own.began = self._own.clock()
        around = _current.get()
        self._accounts = (self._own, *(around[1] if around else ()))
        token = _current.set((self, self._accounts))
        self._outside = lambda: _current.reset(token)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End: what was around it holds again."""
        self._own.ended = self._own.clock()
        self._outside()

    def __repr__(self) -> str:
        """Return what was spent of each limit."""
        own, spent = self._own, self.spent
        limits = zip(Spent._fields, spent, (own.calls, own.tokens, own.seconds), strict=True)
        shown = (f"{name}={part:.6g} of {limit}" for name, part, limit in limits if limit is not None)
        return f"Budget({', '.join(shown)})"

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        return Spent(self._own.sent, self._own.used, self._own.elapsed())

    def seconds_left(self) -> float | None:
        """Return the time that is left, here and around; null where there is no limit."""
        left = [account.seconds - account.elapsed() for account in self._accounts if account.seconds is not None]
        return max(min(left), 0.0) if left else None

    def take(self, tokens: int) -> str:
        """Take one request and an estimate of its tokens, here and around; or say in words what is used up."""
        with _lock:
            for account in self._accounts:
                refusal = account.refusal(tokens)
                if refusal:
                    return refusal
            for account in self._accounts:
                account.sent += 1
                account.used += tokens
        return ""

    def settle(self, estimated: int, tokens: int) -> None:
        """Put what a request really cost in the place of the estimate."""
        with _lock:
            for account in self._accounts:
                account.used += tokens - estimated


_current: ContextVar[tuple[Budget, tuple[_Account, ...]] | None] = ContextVar("howsure_judge_budget", default=None)


def current() -> Budget | None:
    """Return the budget that holds here, if any."""
    found = _current.get()
    return found[0] if found else None


def estimate(texts: Iterable[str]) -> int:
    """Return about how many tokens texts have: one for each four bytes.

    >>> estimate(["Is the sky blue?"])
    4
    """
    return sum(-(-len(text.encode("utf-8", "replace")) // 4) for text in texts)
