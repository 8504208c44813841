"""The summary of a store: equal to what the tables hold, without reading them."""

from pathlib import Path

import pytest

from howsure.store.summary import DaySummary, summarize
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock

DAY = 86400.0


def test_an_empty_store_holds_nothing(sure: Sure) -> None:
    with sure.session.database.read() as transaction:
        found = summarize(transaction, 0)
    assert (found.claims, found.decisions, found.outcomes, found.days) == ({"active": 0}, 0, 0, [])
    assert found.bytes > 0


def test_a_summary_equals_the_tables(sure: Sure, clock: Clock) -> None:
    ids = [str(sure.claims.add(f"Claim {number}", source="user:ann").id) for number in range(5)]
    sure.claims.challenge(ids[0], ids[1])
    today = int(NOW // DAY)
    for days_ago, knowledge in ((0, 1.0), (0, 0.0), (1, 1.0), (9, 0.0)):
        clock.now = NOW - days_ago * DAY
        decision = sure.responses.check("x", knowledge=knowledge, code=knowledge, policy="nlnh", threshold=0.5)
        if knowledge:
            sure.ledger.outcome(str(decision.id), "right" if days_ago else "wrong")
    with sure.session.database.read() as transaction:
        found = summarize(transaction, today - 6)
        count = "SELECT COUNT(*) FROM "
        assert found.decisions == transaction.value(count + "decisions") == 4
        assert found.outcomes == transaction.value(count + "outcomes") == 2
        statuses = transaction.rows("SELECT status, COUNT(*) FROM claims GROUP BY status")
    assert found.claims == dict(statuses) == {"active": 4, "challenged": 1}
    assert found.days == [
        DaySummary(today - 1, "response", 1, 0, 0, outcomes=1, rights=1),
        DaySummary(today, "response", 2, 1, 0, outcomes=1, rights=0),
    ]


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT COUNT(*) FROM claims", "USING COVERING INDEX"),
        ("SELECT status, COUNT(*) FROM claims WHERE status <> 'active' GROUP BY status", "claims_not_active"),
        ("SELECT model FROM hours WHERE hour >= 480000", "hours_by_hour"),
    ],
)
def test_large_tables_are_read_by_an_index_alone(tmp_path: Path, query: str, index: str) -> None:
    with open_store(str(tmp_path / "howsure.db")) as sure, sure.session.database.read() as transaction:
        plan = " ".join(str(row[-1]) for row in transaction.rows(f"EXPLAIN QUERY PLAN {query}"))
    assert index in plan
