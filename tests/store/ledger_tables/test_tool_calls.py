"""Tool calls by trace, on every kind of store."""

from howsure.store.ledger_tables.tool_calls import list_traces
from howsure.sure import Sure
from tests.conftest import Clock


def test_traces_are_listed_the_latest_first_all_or_by_whether_they_are_closed(sure: Sure, clock: Clock) -> None:
    for trace in ("a", "b/c", "a", "d", "b/c"):
        sure.investigations.record(trace, "grep", results=1, target="x")
        clock.now += 10.0
    ids = [sure.investigations.close("a", question="?").id for _ in range(2)]
    sure.responses.check("An answer is no end.", agent="x", trace_id="d", knowledge=0.9)
    with sure.session.database.read() as transaction:
        every = list_traces(transaction, 10)
        open_ = list_traces(transaction, 10, closed=False)
        ended = list_traces(transaction, 10, closed=True)
        first = list_traces(transaction, 2)
        rest = list_traces(transaction, 2, first[-1].last)
    assert [(one.trace_id, one.calls) for one in every] == [("b/c", 2), ("d", 1), ("a", 2)]
    assert [one.last_at - one.first_at for one in every] == [30.0, 0.0, 20.0]
    assert [one.trace_id for one in open_] == ["b/c", "d"]
    assert [(one.trace_id, one.id) for one in ended] == [("a", ids[1])]
    assert [one.id for one in open_] == [None, None]
    assert [*first, *rest] == every
