"""Many at once: threads, processes and janitors on one store; and a clock that jumps."""

import random
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from howsure.errors import InputError
from howsure.formulas.decay import Tier
from howsure.store import check as upkeep
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock
from tests.store.children import result

DAY = 86400.0


def _at_once(*works: Callable[[], Any]) -> list[BaseException]:
    """Do pieces of work at the same moment, in threads; return what went wrong."""
    problems: list[BaseException] = []
    ready = threading.Barrier(len(works))

    def do(work: Callable[[], Any]) -> None:
        ready.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells
            problems.append(error)

    threads = [threading.Thread(target=do, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


def _add(sure: Sure, *statements: str) -> list[str]:
    return [str(added.id) for added in sure.claims.add_many([{"statement": text} for text in statements])]


def test_a_claim_can_be_challenged_by_several_at_once(sure: Sure) -> None:
    for turn in range(3):
        target, *others = _add(sure, *(f"{turn} {number}" for number in range(5)))
        assert _at_once(*(partial(sure.claims.challenge, target, by) for by in others)) == []
    assert upkeep.check(sure.session) == []


def test_concurrent_additions_of_one_statement_make_one_claim(sure: Sure) -> None:
    for turn in range(2):
        one, two = _add(sure, f"one {turn}", f"two {turn}")
        records = [{"statement": f"learned {turn} {number}", "source": "log:a"} for number in range(60)]
        problems = _at_once(
            *(partial(sure.claims.challenge, claim, statement=f"challenge {turn}") for claim in (one, two)),
            *(partial(sure.claims.derive, f"derived {turn}", [claim]) for claim in (one, two)),
        )
        assert problems == []
        assert _at_once(*[partial(sure.claims.learn, records)] * 3) == []
    assert upkeep.stats(sure.session).claims == 2 * (2 + 60 + 2)
    assert upkeep.check(sure.session) == []


def test_readers_in_any_order_can_write_at_once(address: str) -> None:
    """Who reads notes that with the next change, in the order of reading: that must not lock each other out."""
    with open_store(address) as one, open_store(address) as two:
        _add(one, *(f"claim {number}" for number in range(300)))
        for turn in range(3):
            one.claims.find(limit=None, order="statement")
            two.claims.find(limit=None, order="statement", ascending=True)
            assert _at_once(*(partial(sure.claims.add, f"{sure} {turn}") for sure in (one, two))) == []


def test_batches_in_any_order_can_be_written_at_once(sure: Sure) -> None:
    batch = [{"statement": f"claim {number}", "source": "log:a"} for number in range(40)]
    sure.claims.add_many(batch)
    for _ in range(3):
        assert _at_once(lambda: sure.claims.add_many(batch), lambda: sure.claims.add_many(batch[::-1])) == []
    assert upkeep.check(sure.session) == []


def test_several_processes_can_make_the_same_store(address: str) -> None:
    found = result("migrate", address, 6)
    assert sorted(found) == ["corroborated"] * 5 + ["created"]
    with open_store(address) as sure:
        assert [claim.sources for claim in sure.claims.find().claims] == [6]
        assert upkeep.check(sure.session) == []


def _litter(sure: Sure, clock: Clock, tier: Tier) -> None:
    """Leave claims that have expired, claims that were forgotten long ago, and faded ones of a tier."""
    clock.now = NOW - 200 * DAY
    for number in range(15):
        sure.claims.add(f"faded {number}", source="log:a", contribution=0.01, tier=tier, ttl=1e9)
        sure.claims.add(f"expired {number}", source="log:a", contribution=0.9, stale_at="never")
        forgotten = sure.claims.add(f"forgotten {number}", source="log:a")
        sure.claims.forget(str(forgotten.id))
    clock.now = NOW
    sure.claims.add("the store is in use, so its clock is believed", source="log:b", contribution=0.9)


def test_janitors_at_once_do_each_thing_once(sure: Sure, address: str, clock: Clock) -> None:
    _litter(sure, clock, "ephemeral")
    due = sorted([one.action, one.id, one.reason] for one in sure.clean(dry_run=True))
    assert {action for action, *_ in due} == {"expire", "collect", "forget"}
    done = result("clean", address, 3, NOW)
    assert sorted(action for actions in done for action in actions) == due
    assert upkeep.check(sure.session) == []


def test_a_claim_is_not_demoted_again_before_its_time(sure: Sure, clock: Clock) -> None:
    _litter(sure, clock, "project")
    demoted = {action.id for action in sure.clean() if action.action == "demote"}
    assert len(demoted) == 15
    assert demoted.isdisjoint(action.id for action in sure.clean())


def test_a_clock_that_jumps_both_ways_leaves_the_store_consistent(sure: Sure, clock: Clock) -> None:
    dice = random.Random(0)
    ids: list[str] = []
    for number in range(20):
        clock.now = NOW + dice.choice([-400, -20, -1, 0, 1, 20, 400]) * DAY * dice.random()
        ids.append(str(sure.claims.add(f"claim {number}", source=f"log:{number % 5}", contribution=0.6).id))
        one, two = dice.choice(ids), dice.choice(ids)
        try:
            sure.claims.add(sure.claims.get(one).statement, source="user_input:ann")
            sure.claims.challenge(one, two)
            clock.now -= DAY
            sure.claims.resolve(one, uphold=dice.random() < 0.7)
            sure.claims.invalidate_source("log", str(number % 5))
            clock.now -= DAY
            sure.claims.restore_source("log", str(number % 5))
            sure.claims.derive(f"derived {number}", [one, two])
        except InputError:
            continue
    assert upkeep.check(sure.session) == []
    for moment in (NOW - 500 * DAY, NOW, NOW + 500 * DAY):
        assert all(0 <= c.interval.lower <= c.interval.upper <= 1 for c in sure.claims.find(now=moment).claims)
        sure.claims.find(as_of=moment)
        clock.now = moment
        sure.clean()
        assert upkeep.check(sure.session) == []
