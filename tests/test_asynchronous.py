"""Async versions of methods run in a thread and are no operations of their own."""

import asyncio
import threading

import pytest

from howsure.asynchronous import asynchronous
from howsure.operation import operation


class Desk:
    def __init__(self) -> None:
        self.threads: list[str] = []

    @operation("POST /v1/desk", scope="write")
    def sign(self, name: str, *, loud: bool = False) -> str:
        """Sign a paper."""
        self.threads.append(threading.current_thread().name)
        if not name:
            raise ValueError("no name")
        return name.upper() if loud else name

    asign = asynchronous(sign)


def test_the_async_version_returns_and_raises_what_the_method_does() -> None:
    desk = Desk()
    assert asyncio.run(desk.asign("ann", loud=True)) == "ANN"
    assert desk.threads != [threading.current_thread().name]
    with pytest.raises(ValueError, match="no name"):
        asyncio.run(desk.asign(""))


def test_only_the_method_itself_is_an_operation() -> None:
    assert Desk.sign.__operation__.path == "/v1/desk"  # type: ignore[attr-defined]
    assert not hasattr(Desk.asign, "__operation__")
    assert (Desk.asign.__name__, Desk.asign.__doc__) == ("asign", "Like `sign`, without blocking the event loop.")
