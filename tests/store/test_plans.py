"""No statement of an everyday write or read of one claim reads a whole table that grows.

PostgreSQL plans a statement from statistics, and from its sixth run on without its values. So one that was fast on an
empty store may read a million claims later: `add` took 545 ms, since a topic that all known claims had in common made
a walk through all of them look shorter than the index. SQLite plans without values, but may lack an index.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from howsure.store.backends.database import Transaction, postgres_sql
from howsure.store.claim_tables.claim_sums import latest_challenged
from howsure.store.claim_tables.source_weights import WeightRow, put
from howsure.store.ledger_tables import tool_calls
from howsure.store.ledger_tables.decisions import list_decisions_before
from howsure.sure import Sure

GROWING = {"claims", "sources", "relations", "events", "decisions", "outcomes", "tool_calls", "hours"}
SOURCES = [{"source_type": "user_input", "source_id": f"s{number}", "contribution": 0.5} for number in range(3)]
Statement = tuple[str, Any]


def fill(sure: Sure, weighed: bool) -> list[str]:
    """Store claims that have as much in common as possible, some decisions about one agent; return ids of claims."""
    records = [
        {
            "statement": f"claim number {number}",
            "subject": "the cache",
            "predicate": f"size {number % 2}",
            "object": str(number),
            "sources": SOURCES,
        }
        for number in range(60)
    ]
    ids = [str(one.id) for one in sure.claims.add_many(records, compare=False)]
    for one, other in pairwise(ids[:20]):
        sure.claims.relate(one, "supports", other)
    for _ in range(3):
        checked = sure.responses.check("Done.", agent="patcher", trace_id="t1", task_id="t1")
        sure.ledger.outcome(checked.id, "right")
    with sure.session.write() as transaction:
        tool_calls.insert(transaction, "t1", 1.0, [{}])
        if weighed:
            put(transaction, [WeightRow("user_input", "s0", 1.0, 0.1, "", 5.0, 1.0)])
        if transaction.dialect.name == "postgres":
            transaction.run("ANALYZE")
    return ids


def work(sure: Sure, ids: list[str]) -> None:
    """Do everything that programs do all the time with single claims and decisions."""
    claims = sure.claims
    claims.add("a new claim about nothing", sources=SOURCES)
    claims.add("another claim number", subject="the cache", predicate="size 1", object="none", source="user_input:ann")
    claims.add("claim number 1", source="user_input:bob")
    claims.add("claim number 1", source="user_input:s1", contribution=0.9)
    claims.verify(ids[1], source="user_input:ann")
    claims.relate(ids[2], "contradicts", ids[5])
    claims.challenge(ids[3], statement="claim number 3 is wrong", source="user_input:ann")
    claims.resolve(ids[3], uphold=True)
    claims.supersede(ids[6], by=ids[7])
    claims.refute(ids[8], source="user_input:ann")
    claims.derive("it follows", [ids[9], ids[10]])
    claims.promote(ids[11])
    claims.demote(ids[12])
    claims.forget(ids[13])
    claims.get(ids[14])
    claims.get(ids[14][:-1])
    claims.explain(ids[14])
    claims.history(ids[14])
    checked = sure.responses.check("It is done.", agent="patcher", project="p", task_id="t2", trace_id="t2")
    sure.ledger.outcome(checked.id, "right")
    sure.ledger.get(checked.id)
    with sure.session.database.read() as transaction:
        list_decisions_before(transaction, "t1", "t1", checked.id)
        if (
            transaction.dialect.name == "sqlite"
        ):  # PostgreSQL is told that all claims are alike, so that all are challenged
            latest_challenged(transaction, 5)
    sure.ledger.purge(decision_id=checked.id)


def shows_scan(node: dict[str, Any]) -> Iterator[str]:
    """Yield the tables that a plan of PostgreSQL reads from end to end."""
    table = node.get("Relation Name")
    bounded = {"Index Cond", "TID Cond", "Recheck Cond"} & node.keys()
    kind = node["Node Type"]
    # An index without a filter is read for its first row (the last event), or is a partial one (derived claims).
    if table in GROWING and kind.endswith("Scan") and not bounded and ("Filter" in node or "Index" not in kind):
        yield f"{kind} of {table}"
    for child in node.get("Plans", ()):
        yield from shows_scan(child)


def numbered(sql: str) -> str:
    """Return SQL with the numbered placeholders that EXPLAIN takes instead of those of psycopg."""
    numbers: dict[str, int] = {}

    def number(match: "re.Match[str]") -> str:
        return f"${numbers.setdefault(match[1] or str(len(numbers)), len(numbers) + 1)}"

    return re.sub(r"%\((\w+)\)s|%s", number, sql).replace("%%", "%")


def scans_of_postgres(sure: Sure, statements: list[Statement]) -> Iterator[tuple[str, str]]:
    """Yield each statement that reads a whole table, planned with its values and without."""
    with sure.session.write() as transaction:
        pretend_large(transaction)
        for sql, values in statements:
            marked = numbered(sql)
            connection: Any = transaction.connection  # type: ignore[attr-defined]
            for query, given in ((f"(FORMAT JSON, GENERIC_PLAN) {marked}", None), (f"(FORMAT JSON) {sql}", values)):
                ((plans,),) = connection.execute(f"EXPLAIN {query}", given)
                for scan in shows_scan(plans[0]["Plan"]):
                    yield scan, sql


def pretend_large(transaction: Transaction) -> None:
    """Let PostgreSQL plan as if each table that grows had a million rows, with what is known about those it has."""
    for table in GROWING:
        transaction.run(f"UPDATE pg_class SET reltuples = 1000000 WHERE oid = '{table}'::regclass")


def scans_of_sqlite(sure: Sure, statements: list[Statement]) -> Iterator[tuple[str, str]]:
    """Yield each statement that reads a whole table."""
    with sure.session.database.read() as transaction:
        for sql, _ in statements:
            aliases = {alias or table: table for table, alias in re.findall(r"\b(\w+)(?:\s+(?:AS )?(\w))?\b", sql)}
            for row in transaction.rows(f"EXPLAIN QUERY PLAN {sql}"):
                match = re.match(r"SCAN (\w+)", row[-1])
                if match and aliases.get(match[1]) in GROWING:
                    yield row[-1], sql


@pytest.fixture
def statements(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """Record what the store runs from here on, with its values."""
    recorded: list[Statement] = []
    if sure.session.database.dialect.name == "sqlite":
        database: Any = sure.session.database
        database.connection().set_trace_callback(lambda sql: recorded.append((sql.replace("<= Inf", "<= 9e999"), None)))
        return recorded
    from howsure.store.backends.postgres import PostgresTransaction

    for name in ("_execute", "stream", "many"):
        original = getattr(PostgresTransaction, name)

        def record(self: Any, sql: str, values: Any = (), original: Any = original) -> Any:
            some = values[:1] if original.__name__ == "many" else [values]
            recorded.extend((postgres_sql(sql), one or None) for one in some)
            return original(self, sql, values)

        monkeypatch.setattr(PostgresTransaction, name, record)
    return recorded


@pytest.mark.parametrize("weighed", [False, True], ids=["plain", "weighed"])
def test_work_on_single_claims_reads_no_whole_table(sure: Sure, statements: list[Statement], weighed: bool) -> None:
    ids = fill(sure, weighed)
    sqlite = sure.session.database.dialect.name == "sqlite"
    statements.clear()
    work(sure, ids)
    seen = {sql: (sql, values) for sql, values in statements if re.match(r"SELECT|INSERT|UPDATE|DELETE|WITH", sql)}
    if sqlite:
        sure.session.database.connection().set_trace_callback(None)  # type: ignore[attr-defined]
    scans = (scans_of_sqlite if sqlite else scans_of_postgres)(sure, list(seen.values()))
    assert len(seen) > 30
    assert sorted(set(scans)) == []
