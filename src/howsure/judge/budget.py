"""Limit what a block of code may spend on asking models: calls, tokens and seconds."""

import threading
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Self

from howsure.errors import InputError

_lock = threading.Lock()  # one for all budgets, since a budget and those around it change together


class Spending(NamedTuple):
    """What was spent of a budget."""

    calls: int
    """Requests that were sent."""
    tokens: int
    """Tokens read and written; estimated if the endpoint does not report them."""
    seconds: float
    """Time since the block was entered."""


@dataclass
class _Account:
    """The limits of one budget, and what was spent."""

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
        """Return why one more call with about this many tokens may not be sent, or "" if it may."""
        if self.calls is not None and self.sent >= self.calls:
            return f"the budget of {self.calls} calls is used up"
        if self.tokens is not None and self.used + tokens > self.tokens:
            return f"about {tokens} tokens would go over the budget: {self.used} of {self.tokens} are used"
        if self.seconds is not None and self.elapsed() >= self.seconds:
            return f"the budget of {self.seconds:g} seconds is used up"
        return ""


class Budget:
    """Limits for everything that is called from a `with` block.

    Tasks of an event loop share it, and so do threads that run in a copy of the context. A budget inside another one
    spends from both. A question that would exceed it comes back as a `budget` failure, without a request.

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
        """Set the limits; None is unlimited."""
        for name, limit in (("calls", calls), ("tokens", tokens), ("seconds", seconds)):
            if limit is not None and not limit >= 0:
                raise InputError(f"{limit} is less than 0", field=name)
        self._own = _Account(calls, tokens, seconds, clock)
        self._accounts: tuple[_Account, ...] = (self._own,)
        self._outside: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        """Start the time."""
        with _lock:
            if self._own.began is not None:
                raise InputError("this budget was already used", hint="create a new one for each block")
            self._own.began = self._own.clock()
        around = _current.get()
        self._accounts = (self._own, *(around[1] if around else ()))
        token = _current.set((self, self._accounts))
        self._outside = lambda: _current.reset(token)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the time, and make the budget around this one the current one again."""
        self._own.ended = self._own.clock()
        self._outside()

    def __repr__(self) -> str:
        """Show what was spent of each limit."""
        own, spent = self._own, self.spent
        limits = zip(Spending._fields, spent, (own.calls, own.tokens, own.seconds), strict=True)
        shown = (f"{name}={part:.6g} of {limit}" for name, part, limit in limits if limit is not None)
        return f"Budget({', '.join(shown)})"

    @property
    def spent(self) -> Spending:
        """What was spent until now."""
        return Spending(self._own.sent, self._own.used, self._own.elapsed())

    def seconds_left(self) -> float | None:
        """Return the seconds that this budget and those around it leave, or None if unlimited."""
        left = [account.seconds - account.elapsed() for account in self._accounts if account.seconds is not None]
        return max(min(left), 0.0) if left else None

    def take(self, tokens: int) -> str:
        """Take one request and its estimated tokens from this budget and those around it.

        Return an empty text, or what is used up; then nothing is taken.
        """
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
        """Replace the estimated tokens of a request by the actual ones."""
        with _lock:
            for account in self._accounts:
                account.used += tokens - estimated


_current: ContextVar[tuple[Budget, tuple[_Account, ...]] | None] = ContextVar("howsure_judge_budget", default=None)


def current() -> Budget | None:
    """Return the innermost budget in this context, or None."""
    innermost = _current.get()
    return innermost[0] if innermost else None


def estimate_tokens(texts: Iterable[str]) -> int:
    """Estimate the tokens of texts: one for every four bytes.

    >>> estimate_tokens(["Is the sky blue?"])
    4
    """
    return sum(-(-len(text.encode("utf-8", "replace")) // 4) for text in texts)
