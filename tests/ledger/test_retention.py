"""What is purged or too old goes, tool calls included."""

import pytest

from howsure.agents.evidence import load_tool_calls, record_tool_calls
from howsure.errors import InputError
from howsure.formulas.decay import DAY
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
    clock.now += 100 * DAY
    with open_store(address, clock=clock) as sure:
        sure.claims.add("Claims leave the ledger alone")
        assert len(load_tool_calls(sure.session, "t")) == 1
        assert sure.ledger.find().decisions == []
        assert load_tool_calls(sure.session, "t") == []
