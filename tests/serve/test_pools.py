"""Each kind of work has its own threads, and what takes too long is cancelled."""

import asyncio
import gc
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from howsure.claims.queries import ClaimQueries
from howsure.errors import NotFoundError
from howsure.serve import http, pools
from howsure.serve.errors import HTTPError
from howsure.serve.http import Capacity
from howsure.serve.pages.cookies import COOKIE
from howsure.serve.pools import URGENT, Pool, Turns, UrgentWork, gather_all
from howsure.serve.tokens import Tokens
from howsure.store.backends.deadline import seconds_left
from howsure.sure import Sure
from tests.serve.serving import Client, serving

CHECK = {"text": "It is tested.", "agent": "ann", "knowledge": 0.9}


@pytest.mark.parametrize("cancel", [True, False])
def test_what_takes_too_long_is_cancelled_if_it_may_be(cancel: bool) -> None:
    ended: list[Any] = []
    go = threading.Event()

    def work() -> None:
        go.wait(60)
        try:
            ended.append(seconds_left())
        except Exception as error:  # noqa: BLE001
            ended.append(error)

    async def run() -> None:
        pool = Pool(1, "test")
        hint = "it was cancelled" if cancel else "it may still complete"
        with pytest.raises(HTTPError, match="longer than 0.1 s") as caught:
            await pool.run(work, seconds=0.1, cancel=cancel)
        assert caught.value.hint.startswith(hint)
        go.set()
        assert await pool.run(lambda: 5, seconds=10, cancel=cancel) == 5
        await asyncio.to_thread(pool.close)

    asyncio.run(run())
    assert (ended[0] is None) is not cancel


def test_less_urgent_work_gives_way_for_a_moment(sure: Sure) -> None:
    urgent, order = UrgentWork(), list[str]()
    begun, go = threading.Event(), threading.Event()

    def check() -> None:
        begun.set()
        go.wait(60)
        order.append("gate")

    def read() -> None:
        order.append("page begins")
        sure.claims.find()
        order.append("page")

    async def run() -> None:
        gate, pages = Pool(1, "gate", urgent), Pool(1, "page", gives_way_to=urgent)
        first = asyncio.ensure_future(gate.run(check, seconds=20, cancel=False))
        await asyncio.to_thread(begun.wait, 60)
        await pages.run(read, seconds=20, cancel=True)  # waits, but not for long
        go.set()
        await first
        await pages.run(read, seconds=20, cancel=True)
        for pool in (gate, pages):
            await asyncio.to_thread(pool.close)

    asyncio.run(run())
    assert order == ["page begins", "page", "gate", "page begins", "page"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority of their own")
def test_only_threads_that_give_way_have_a_lower_priority() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    async def measure(pool: Pool) -> int:
        found = await pool.run(niceness, seconds=10, cancel=True)
        await asyncio.to_thread(pool.close)
        return found

    urgent, before = UrgentWork(), niceness()
    assert asyncio.run(measure(Pool(1, "gate", urgent))) == before
    assert asyncio.run(measure(Pool(1, "health"))) == before
    assert asyncio.run(measure(Pool(1, "page", gives_way_to=urgent))) == max(before, pools.NICENESS)
    assert niceness() == before


def test_threads_take_turns_unless_one_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    turns, begun = Turns(), threading.Event()

    def work() -> None:
        begun.set()
        with turns:
            order.append("second")

    second, third = threading.Thread(target=work), threading.Thread(target=work)
    monkeypatch.setattr(pools, "ALONE", 60.0)
    with turns:
        second.start()
        begun.wait(60)
        order.append("first")
    second.join(60)
    assert order == ["first", "second"]
    monkeypatch.setattr(pools, "ALONE", 0.0)
    with turns:
        third.start()
        third.join(60)
        assert order == ["first", "second", "second"]


def test_work_is_urgent_for_its_first_moments_only() -> None:
    """A check that asks a language model takes seconds; pages waited 20 ms for it at each of their steps."""
    now = 100.0
    urgent = UrgentWork(lambda: now)
    seen = [urgent.is_going_on]
    with urgent:
        seen.append(urgent.is_going_on)
        now += URGENT
        seen.append(urgent.is_going_on)
        with urgent:
            seen.append(urgent.is_going_on)
    seen.append(urgent.is_going_on)
    assert seen == [False, True, False, True, False]


def test_a_gate_check_is_urgent_until_its_answer_is_sent(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[str] = []
    left: list[int] = []

    class Watched(UrgentWork):
        def __enter__(self) -> None:
            super().__enter__()
            entered.append(threading.current_thread().name)

        def __exit__(self, *_: object) -> None:
            super().__exit__()
            left.append(len(entered))

    monkeypatch.setattr(http, "UrgentWork", Watched)
    with serving(store) as client:
        assert client.do("responses.check", CHECK).status_code == 200
        assert client.do("claims.count", {}).status_code == 200
    # In the event loop, and within that in the thread that decides.
    assert [name.startswith("howsure-gate") for name in entered] == [False, True]
    assert left == [2, 2]


def test_pages_that_take_long_stop_neither_health_nor_the_gate(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    """8 views of the overview made a gate check and /readyz wait for 30 s."""
    secret = Tokens(store.session).create("reader", "write").secret
    busy, free = threading.Event(), threading.Event()

    def slow(*_: Any, **__: Any) -> Any:
        busy.set()
        free.wait(120)
        raise RuntimeError("stopped")

    monkeypatch.setattr(ClaimQueries, "find", slow)
    monkeypatch.setattr(ClaimQueries, "count", slow)
    token = {"Authorization": f"Bearer {secret}"}
    capacity = Capacity(max_pages=6)
    with serving(store, tokens=True, pages=True, rate=None, capacity=capacity) as client, ThreadPoolExecutor(8) as pool:

        def view(_: int) -> int:
            with Client(base_url=client.base_url, timeout=60, trust_env=False) as own:
                own.cookies.set(COOKIE, secret)
                return own.get("/claims").status_code

        views = [pool.submit(view, number) for number in range(8)]
        assert busy.wait(60)
        while sum(one.done() for one in views) < 2:  # more than six pages at once are refused
            time.sleep(0.01)
        assert client.get("/readyz").status_code == 200
        assert client.do("responses.check", CHECK, **token).status_code == 200
        assert client.do("claims.add", {"statement": "x", "source": "a:b"}, **token).status_code == 200
        free.set()
        assert sorted(one.result() for one in views) == [500] * 6 + [503] * 2


def test_errors_of_all_that_is_gathered_are_retrieved(caplog: pytest.LogCaptureFixture) -> None:
    """A page of an unknown claim reads it twice; the second error was logged whenever the first ended the request."""
    ended: list[str] = []

    async def fail(turns: int) -> None:
        try:
            for _ in range(turns):
                await asyncio.sleep(0)
        except asyncio.CancelledError:  # as a thread, which goes on and fails
            pass
        ended.append(f"after {turns}")
        raise NotFoundError("unknown claim 'x'", field="claim")

    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(NotFoundError):
            loop.run_until_complete(gather_all(fail(0), fail(100)))
    finally:
        loop.close()
    gc.collect()
    assert ended == ["after 0", "after 100"]
    assert caplog.records == []
