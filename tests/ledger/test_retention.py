"""What is purged or too old goes, tool calls included."""

import pytest

from howsure.agents.evidence import load_tool_calls, record_tool_calls
from howsure.errors import InputError
from howsure.ledger.retention import trim_if_due
from howsure.shapes import DAY
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock


def test_a_purge_takes_what_tools_returned_too(sure: Sure, clock: Clock) -> None:
    for trace in ("t1", "t2"):
        record_tool_calls(sure.session, trace, [{"tool": "Read", "category": "read", "target": f"record of {trace}"}])
        sure.responses.check(agent=trace, trace_id=trace, knowledge=1.0)
    with pytest.raises(InputError, match="no condition says"):
        sure.ledger.purge(everything=False)
    sure.ledger.purge(agent="t1")
    assert (load_tool_calls(sure.session, "t1"), len(load_tool_calls(sure.session, "t2"))) == ([], 1)
    sure.ledger.purge(everything=True)
    assert load_tool_calls(sure.session, "t2") == []


def test_calls_without_decisions_get_old_too(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock) as sure:
        record_tool_calls(sure.session, "t", [{"tool": "Read", "category": "read"}])
    for _ in range(18):  # the store is used all the time, so that the clock is believed
        clock.now += 5 * DAY
        with open_store(address, clock=clock) as sure:
            assert sure.ledger.find().decisions == []
            assert len(load_tool_calls(sure.session, "t")) == 1
    clock.now += 5 * DAY
    with open_store(address, clock=clock) as sure:
        sure.claims.add("Claims leave the ledger alone")
        assert len(load_tool_calls(sure.session, "t")) == 1
        assert sure.ledger.find().decisions == []
        assert load_tool_calls(sure.session, "t") == []


def _fill(address: str, clock: Clock, days: int) -> None:
    """Use a store each day."""
    for _ in range(days):
        clock.now += DAY
        with open_store(address, clock=clock) as sure:
            sure.responses.check(agent="a", knowledge=1.0)


def _count(address: str, clock: Clock) -> int:
    with open_store(address, clock=clock) as sure:
        return len(sure.ledger.find(limit=1000).decisions)


def test_a_clock_that_jumped_deletes_nothing(address: str, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    _fill(address, clock, 20)
    right = clock.now
    clock.now = right + 200 * DAY
    for number in range(1, 4):  # it writes under the wrong time, too
        with open_store(address, clock=clock) as sure:
            sure.responses.check(agent="a", knowledge=1.0)
        clock.now += 60
        assert _count(address, clock) == 20 + number
    assert "the clock is 200 days ahead of when the ledger was last used" in caplog.text
    with open_store(address, clock=clock) as sure:
        found = sure.clean()
        assert [action.action for action in found] == ["wait"]
        assert "deleting by it is put off" in found[0].reason
    clock.now = right + DAY
    assert _count(address, clock) == 23


def test_a_process_that_lives_through_a_jump_deletes_nothing(address: str, clock: Clock) -> None:
    _fill(address, clock, 20)
    with open_store(address, clock=clock) as sure:
        sure.responses.check(agent="a", knowledge=1.0)
        clock.now += 200 * DAY
        sure.responses.check(agent="a", knowledge=1.0)
        assert trim_if_due(sure.session, sure.settings) == 0
    assert _count(address, clock) == 22


def test_a_store_that_was_not_used_for_long_is_trimmed_later(address: str, clock: Clock) -> None:
    _fill(address, clock, 20)
    clock.now += 200 * DAY
    counts = []
    for _ in range(60):
        clock.now += DAY
        counts.append(_count(address, clock))
    assert counts[0] == counts[1] == 20
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 0


def test_a_moment_that_the_user_names_is_believed(address: str, clock: Clock) -> None:
    _fill(address, clock, 20)
    with open_store(address, clock=clock) as sure:
        assert [action.action for action in sure.clean(now=clock.now + 200 * DAY)] == ["trim"]
    assert _count(address, clock) == 0
