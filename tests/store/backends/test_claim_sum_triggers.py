"""Triggers that keep the sums of claims."""

from howsure.store.backends.claim_sum_triggers import NEVER_STALE
from howsure.sure import Sure


def test_the_sums_follow_statements_that_know_nothing_of_them(sure: Sure) -> None:
    sums = "SELECT status, stale_day, known, claims FROM claim_sums WHERE claims > 0 ORDER BY status, stale_day"
    for number in range(3):
        sure.claims.add(f"Part {number}", source="a:b", stale_at="never")
    with sure.session.write() as transaction:
        assert transaction.rows(sums) == [("active", NEVER_STALE, 1, 3)]
        transaction.run("UPDATE claims SET status = 'challenged', stale_at = 864000.0 WHERE statement = 'Part 1'")
        transaction.run("UPDATE claims SET sources = 0 WHERE statement = 'Part 2'")
        transaction.run("DELETE FROM claims WHERE statement = 'Part 0'")
        assert transaction.rows(sums) == [("active", NEVER_STALE, 0, 1), ("challenged", 10, 1, 1)]
