"""Sums of claims, kept with each write, so that counting a million claims reads a few hundred rows.

A row counts the claims of one status, tier, day on which they become stale, and whether a source counts for them.
Triggers keep the sums in the transaction that changes a claim, whatever changes it; on SQLite, new claims are added by
`denormalized.tally`. Strength is not among the sums: it depends on the moment and on other claims.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from howsure.shapes import DAY
from howsure.store.database import Row, Transaction

NEVER_STALE = 99_999_999
"""The day of claims that never become stale."""
IN_USE = ("active", "challenged")
_KEY = "status, tier, stale_day, known"
_ADD = f"INSERT INTO claim_sums ({_KEY}, claims)"


def _columns(row: str, floor: str) -> str:
    """Return the values of `_KEY` for a claim."""
    day = floor.format(f"{row}.stale_at / {DAY!r}")
    stale = f"CASE WHEN {row}.stale_at IS NULL THEN {NEVER_STALE} ELSE {day} END"
    return f"{row}.status, {row}.tier, {stale}, CASE WHEN {row}.sources > 0 THEN 1 ELSE 0 END"


_FLOOR = {"sqlite": "CAST({} AS INTEGER)", "postgres": "CAST(FLOOR({}) AS BIGINT)"}
_UPDATE = "AFTER UPDATE OF status, tier, stale_at, sources ON claims"
_CHANGED = (
    "OLD.status <> NEW.status OR OLD.tier <> NEW.tier OR (OLD.sources > 0) <> (NEW.sources > 0) "
    "OR COALESCE(OLD.stale_at, -1) <> COALESCE(NEW.stale_at, -1)"
)


def _sqlite_triggers() -> tuple[str, ...]:
    new, old = (_columns(row, _FLOOR["sqlite"]) for row in ("NEW", "OLD"))
    # With WHERE true SQLite does not read ON as the start of a join.
    upsert = f"ON CONFLICT ({_KEY}) DO UPDATE SET claims = claims + excluded.claims"
    # No trigger for inserts: called for each row, it made a bulk load 40 % slower. `denormalized.tally` adds them.
    add, remove = (f"{_ADD} SELECT {one}, {number} WHERE true {upsert};" for one, number in ((new, 1), (old, -1)))
    return (
        f"CREATE TRIGGER claim_sums_delete AFTER DELETE ON claims BEGIN {remove} END",
        f"CREATE TRIGGER claim_sums_update {_UPDATE} WHEN {_CHANGED} BEGIN {remove} {add} END",
    )


def _postgres_triggers() -> tuple[str, ...]:
    new, old, added = (_columns(row, _FLOOR["postgres"]) for row in ("NEW", "OLD", "added"))
    upsert = f"ON CONFLICT ({_KEY}) DO UPDATE SET claims = claim_sums.claims + excluded.claims"
    add, remove = (f"{_ADD} VALUES ({one}, {number}) {upsert};" for one, number in ((new, 1), (old, -1)))
    several = f"{_ADD} SELECT {added}, COUNT(*) FROM added GROUP BY 1, 2, 3, 4 {upsert};"
    function = "CREATE FUNCTION claim_sums_{}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {} RETURN NULL; END $$"
    calls = "FOR EACH {} {} EXECUTE FUNCTION claim_sums_{}()"
    return (
        function.format("insert", several),
        function.format("delete", remove),
        function.format("update", f"{remove} {add}"),
        # One call for all claims of a statement: a bulk load inserts 40,000 at once.
        "CREATE TRIGGER claim_sums_insert AFTER INSERT ON claims REFERENCING NEW TABLE AS added "
        + calls.format("STATEMENT", "", "insert"),
        "CREATE TRIGGER claim_sums_delete AFTER DELETE ON claims " + calls.format("ROW", "", "delete"),
        f"CREATE TRIGGER claim_sums_update {_UPDATE} " + calls.format("ROW", f"WHEN ({_CHANGED})", "update"),
    )


TRIGGERS: dict[str, tuple[str, ...]] = {"sqlite": _sqlite_triggers(), "postgres": _postgres_triggers()}
"""The statements that create the triggers, for each database."""


@dataclass(frozen=True)
class ClaimTotals:
    """How many claims there are, by what is stored of them; also those outside their validity window."""

    total: int
    """Claims that are active or challenged."""
    challenged: int
    stale: int
    """Of the total, those that lose confidence by age."""
    unknown: int
    """Of the total, those for which no source counts."""
    by_status: dict[str, int]
    by_tier: dict[str, int]
    """The total by tier."""


def read_totals(transaction: Transaction, now: float) -> ClaimTotals:
    """Return the totals at a moment, by the sums; of the current day, stale claims are counted by an index."""
    today = int(now // DAY)
    rows = transaction.rows(
        "SELECT status, tier, known, SUM(claims), SUM(CASE WHEN stale_day < ? THEN claims ELSE 0 END) "
        "FROM claim_sums GROUP BY status, tier, known ORDER BY status, tier, known",
        [today],
    )
    used = [row for row in rows if row[0] in IN_USE]
    since_midnight = transaction.value(
        "SELECT COUNT(*) FROM claims WHERE stale_at >= ? AND stale_at < ? AND status IN ('active', 'challenged')",
        [today * DAY, now],
    )
    by_status = _added_up((row[0], row[3]) for row in rows)
    return ClaimTotals(
        total=sum(int(row[3]) for row in used),
        challenged=by_status.get("challenged", 0),
        stale=sum(int(row[4]) for row in used) + int(since_midnight),
        unknown=sum(int(row[3]) for row in used if not row[2]),
        by_status=by_status,
        by_tier=_added_up((row[1], row[3]) for row in used),
    )


def _added_up(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for name, count in pairs:
        sums[name] = sums.get(name, 0) + int(count)
    return {name: count for name, count in sums.items() if count}


def count_in_use(transaction: Transaction) -> int:
    """Count active and challenged claims, by the sums."""
    return int(transaction.value("SELECT SUM(claims) FROM claim_sums WHERE status IN ('active', 'challenged')") or 0)


def find_next_stale(transaction: Transaction, now: float, limit: int) -> list[str]:
    """Return the ids of the claims in use that become stale next, by an index."""
    query = (
        "SELECT id FROM claims WHERE stale_at >= ? AND status IN ('active', 'challenged') "
        f"ORDER BY stale_at, key LIMIT {int(limit)}"
    )
    return [str(row[0]) for row in transaction.rows(query, [now])]


def latest_challenged(transaction: Transaction, limit: int) -> list[tuple[str, float]]:
    """Return id and moment of the last challenge of claims that are challenged, the latest challenge first."""
    # The condition of the partial index is repeated, or all claims would be read: 45 ms instead of 0.1 for 100,000.
    query = (
        "SELECT c.id, COALESCE(MAX(e.at), c.created_at) AS moment FROM claims c "
        "LEFT JOIN events e ON e.claim = c.key AND e.action = 'challenged' "
        "WHERE c.status = 'challenged' AND c.status <> 'active' "
        "GROUP BY c.id, c.created_at ORDER BY moment DESC, c.id LIMIT ?"
    )
    return [(claim, at) for claim, at in transaction.rows(query, [limit])]


def sums_out_of_step(transaction: Transaction) -> list[Row]:
    """Return status, tier, day, known, the stored and the right number of every sum that is wrong. None should be."""
    # In a damaged file a column may hold anything, so that neither numbers nor order can be relied on.
    stored = {row[:4]: row[4] for row in transaction.rows(f"SELECT {_KEY}, claims FROM claim_sums") if row[4]}
    right = {row[:4]: row[4] for row in transaction.rows(_counted(transaction))}
    wrong = sorted((key for key in stored.keys() | right.keys() if stored.get(key) != right.get(key)), key=repr)
    return [(*key, stored.get(key, 0), right.get(key, 0)) for key in wrong]


def rebuild(transaction: Transaction) -> None:
    """Count all claims again."""
    transaction.run("DELETE FROM claim_sums")
    transaction.run(f"{_ADD} {_counted(transaction)}")


def _counted(transaction: Transaction) -> str:
    columns = _columns("c", _FLOOR[transaction.dialect.name])
    return f"SELECT {columns}, COUNT(*) FROM claims c GROUP BY 1, 2, 3, 4"
