"""Triggers that keep the sums of claims in the transaction that changes a claim, whatever changes it.

On SQLite, new claims are added by `denormalized.tally`.
"""

from howsure.shapes import DAY

NEVER_STALE = 99_999_999
"""The day of claims that never become stale."""
SUM_KEY = "status, tier, stale_day, known"
"""The columns that tell the sums apart."""
ADD_TO_SUM = f"INSERT INTO claim_sums ({SUM_KEY}, claims)"


def sum_columns(row: str, floor: str) -> str:
    """Return the values of `SUM_KEY` for a claim."""
    day = floor.format(f"{row}.stale_at / {DAY!r}")
    stale = f"CASE WHEN {row}.stale_at IS NULL THEN {NEVER_STALE} ELSE {day} END"
    return f"{row}.status, {row}.tier, {stale}, CASE WHEN {row}.sources > 0 THEN 1 ELSE 0 END"


FLOOR = {"sqlite": "CAST({} AS INTEGER)", "postgres": "CAST(FLOOR({}) AS BIGINT)"}
_UPDATE = "AFTER UPDATE OF status, tier, stale_at, sources ON claims"
_CHANGED = (
    "OLD.status <> NEW.status OR OLD.tier <> NEW.tier OR (OLD.sources > 0) <> (NEW.sources > 0) "
    "OR COALESCE(OLD.stale_at, -1) <> COALESCE(NEW.stale_at, -1)"
)


def _sqlite_triggers() -> tuple[str, ...]:
    new, old = (sum_columns(row, FLOOR["sqlite"]) for row in ("NEW", "OLD"))
    # With WHERE true SQLite does not read ON as the start of a join.
    upsert = f"ON CONFLICT ({SUM_KEY}) DO UPDATE SET claims = claims + excluded.claims"
    # No trigger for inserts: called for each row, it made a bulk load 40 % slower. `denormalized.tally` adds them.
    add, remove = (f"{ADD_TO_SUM} SELECT {one}, {number} WHERE true {upsert};" for one, number in ((new, 1), (old, -1)))
    return (
        f"CREATE TRIGGER claim_sums_delete AFTER DELETE ON claims BEGIN {remove} END",
        f"CREATE TRIGGER claim_sums_update {_UPDATE} WHEN {_CHANGED} BEGIN {remove} {add} END",
    )


def _postgres_triggers() -> tuple[str, ...]:
    new, old, added = (sum_columns(row, FLOOR["postgres"]) for row in ("NEW", "OLD", "added"))
    upsert = f"ON CONFLICT ({SUM_KEY}) DO UPDATE SET claims = claim_sums.claims + excluded.claims"
    add, remove = (f"{ADD_TO_SUM} VALUES ({one}, {number}) {upsert};" for one, number in ((new, 1), (old, -1)))
    several = f"{ADD_TO_SUM} SELECT {added}, COUNT(*) FROM added GROUP BY 1, 2, 3, 4 {upsert};"
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
