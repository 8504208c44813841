"""The tables of a store, and migrations from older versions of them."""

from howsure.errors import StoreError, shown
from howsure.files import sha256
from howsure.store.backends.database import Database, Transaction

VERSION_1 = """
CREATE TABLE claims (
    key {serial},
    id TEXT {exact} NOT NULL UNIQUE,
    statement TEXT NOT NULL,
    words TEXT NOT NULL,
    subject TEXT,
    predicate TEXT,
    object TEXT,
    namespace TEXT {exact} NOT NULL,
    statement_key TEXT {exact} NOT NULL,
    triple_key TEXT {exact},
    topic_key TEXT {exact},
    tier TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at {double} NOT NULL,
    stale_at {double},
    expires_at {double},
    valid_from {double},
    valid_until {double},
    accessed_at {double} NOT NULL,
    depth INTEGER NOT NULL DEFAULT 0,
    base_lower {double} NOT NULL,
    base_upper {double} NOT NULL,
    sources INTEGER NOT NULL,
    source_types {double} NOT NULL,
    doubt {double} NOT NULL,
    strongest {double} NOT NULL,
    contributions {double} NOT NULL,
    source_odds {double} NOT NULL,
    evidence {double} NOT NULL,
    evidence_variance {double} NOT NULL,
    voices {double} NOT NULL,
    bucket INTEGER NOT NULL,
    decay_key {double} NOT NULL,
    reliability_bucket INTEGER,
    reliability_key {double}
);
CREATE UNIQUE INDEX claims_by_statement ON claims (namespace, statement_key) WHERE status <> 'forgotten';
CREATE UNIQUE INDEX claims_by_triple ON claims (namespace, triple_key)
    WHERE triple_key IS NOT NULL AND status <> 'forgotten';
CREATE INDEX claims_by_topic ON claims (topic_key, key);
CREATE INDEX claims_by_ceiling ON claims (tier, bucket, decay_key);
CREATE INDEX claims_by_reliability ON claims (tier, reliability_bucket, reliability_key)
    WHERE reliability_key IS NOT NULL;
CREATE INDEX claims_by_expiry ON claims (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX claims_by_property ON claims (subject, predicate, key) WHERE subject IS NOT NULL;
CREATE INDEX claims_derived ON claims (depth) WHERE depth > 0;
CREATE INDEX claims_not_active ON claims (status) WHERE status <> 'active';
CREATE INDEX claims_by_stale ON claims (stale_at, status);

CREATE TABLE claim_sums (
    status TEXT NOT NULL,
    tier TEXT NOT NULL,
    stale_day {integer} NOT NULL,
    known INTEGER NOT NULL,
    claims {integer} NOT NULL,
    PRIMARY KEY (status, tier, stale_day, known)
){clustered};

CREATE TABLE sources (
    claim {integer} NOT NULL REFERENCES claims (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    source_type TEXT {exact} NOT NULL,
    source_id TEXT {exact} NOT NULL,
    contribution {double},
    at {double},
    recorded_at {double} NOT NULL,
    context TEXT NOT NULL DEFAULT '',
    rights {double},
    wrongs {double},
    PRIMARY KEY (claim, position)
){clustered};
CREATE INDEX sources_by_id ON sources (source_type, source_id, claim, contribution);

CREATE TABLE source_weights (
    source_type TEXT {exact} NOT NULL,
    source_id TEXT {exact} NOT NULL,
    weight {double} NOT NULL,
    variance {double} NOT NULL,
    copy_group TEXT NOT NULL DEFAULT '',
    rights {double} NOT NULL,
    wrongs {double} NOT NULL,
    log_choices {double} NOT NULL,
    PRIMARY KEY (source_type, source_id)
){clustered};

CREATE TABLE invalidations (
    key {serial},
    source_type TEXT {exact} NOT NULL,
    source_id TEXT {exact} NOT NULL,
    since {double} NOT NULL,
    until {double},
    actor TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX invalidations_by_source ON invalidations (source_type, source_id);

CREATE TABLE relations (
    key {serial},
    kind TEXT NOT NULL,
    source {integer} NOT NULL REFERENCES claims (key) ON DELETE CASCADE,
    target {integer} NOT NULL REFERENCES claims (key) ON DELETE CASCADE,
    strength {double} NOT NULL,
    recorded_at {double} NOT NULL,
    removed_at {double}
);
CREATE INDEX relations_by_source ON relations (source, kind);
CREATE INDEX relations_by_target ON relations (target, kind);

CREATE TABLE events (
    key {serial},
    claim {integer} NOT NULL REFERENCES claims (key) ON DELETE CASCADE,
    at {double} NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    status TEXT,
    detail TEXT NOT NULL DEFAULT ''
);
CREATE INDEX events_by_claim ON events (claim, key);

CREATE TABLE mentions (
    claim {integer} NOT NULL REFERENCES claims (key) ON DELETE CASCADE,
    mentioned TEXT {exact} NOT NULL,
    PRIMARY KEY (claim, mentioned)
){clustered};
CREATE INDEX mentions_by_id ON mentions (mentioned);

CREATE TABLE claim_vectors (
    key {serial},
    claim {integer} NOT NULL REFERENCES claims (key) ON DELETE CASCADE,
    embedder TEXT {exact} NOT NULL,
    vector {bytes} NOT NULL,
    UNIQUE (claim, embedder)
);

CREATE TABLE claim_formulas (
    key {serial},
    at {double} NOT NULL,
    content TEXT NOT NULL
);

CREATE TABLE decisions (
    key {serial},
    id TEXT NOT NULL UNIQUE,
    at {double} NOT NULL,
    model TEXT NOT NULL,
    agent TEXT {exact} NOT NULL,
    agent_type TEXT NOT NULL,
    project TEXT NOT NULL,
    task_id TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    score {double} NOT NULL,
    threshold {double},
    decision TEXT NOT NULL,
    met INTEGER NOT NULL,
    spec TEXT NOT NULL,
    digest TEXT,
    content TEXT,
    detail TEXT NOT NULL,
    shadow INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX decisions_by_agent ON decisions (agent, model, at, met);
CREATE INDEX decisions_by_time ON decisions (at);
CREATE INDEX decisions_in_shadow ON decisions (at) WHERE shadow <> 0;
CREATE INDEX decisions_deferred ON decisions (at) WHERE decision = 'pass' AND met = 0;
CREATE INDEX decisions_stopped ON decisions (decision, at) WHERE decision <> 'pass';
CREATE INDEX decisions_stopped_by_agent ON decisions (agent, decision, at) WHERE decision <> 'pass';
CREATE INDEX decisions_by_model ON decisions (model, at) WHERE model <> 'response';
CREATE INDEX decisions_by_task ON decisions (task_id) WHERE task_id <> '';
CREATE INDEX decisions_by_trace ON decisions (trace_id) WHERE trace_id <> '';

CREATE TABLE specs (
    fingerprint TEXT PRIMARY KEY,
    content TEXT NOT NULL
);

CREATE TABLE outcomes (
    key {serial},
    decision {integer} NOT NULL REFERENCES decisions (key) ON DELETE CASCADE,
    at {double} NOT NULL,
    outcome TEXT NOT NULL,
    actor TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT 'person',
    mark TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outcomes_by_decision ON outcomes (decision, at, key);

CREATE TABLE hours (
    agent TEXT {exact} NOT NULL,
    model TEXT NOT NULL,
    hour {integer} NOT NULL,
    agent_type TEXT NOT NULL,
    project TEXT NOT NULL,
    total {integer} NOT NULL,
    met {integer} NOT NULL,
    blocked {integer} NOT NULL,
    reviewed {integer} NOT NULL,
    scores {double} NOT NULL,
    outcomes {integer} NOT NULL,
    rights {integer} NOT NULL,
    PRIMARY KEY (agent, model, hour, agent_type, project)
){clustered};
CREATE INDEX hours_by_hour ON hours (hour);

CREATE TABLE fits (
    key {serial},
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at {double} NOT NULL,
    activated_at {double},
    retired_at {double},
    actor TEXT NOT NULL,
    content TEXT NOT NULL,
    replaces TEXT NOT NULL DEFAULT '',
    known BIGINT NOT NULL DEFAULT 0,
    watch TEXT NOT NULL DEFAULT '',
    withdrawn {double}
);
CREATE UNIQUE INDEX fits_active ON fits (kind) WHERE status = 'active';

CREATE TABLE tool_calls (
    key {serial},
    trace_id TEXT NOT NULL,
    at {double} NOT NULL,
    content TEXT NOT NULL,
    span TEXT NOT NULL DEFAULT ''
);
CREATE INDEX tool_calls_by_span ON tool_calls (trace_id, span) WHERE span <> '';
CREATE INDEX tool_calls_by_trace ON tool_calls (trace_id, key);
CREATE INDEX tool_calls_by_time ON tool_calls (at);

CREATE TABLE done (
    task TEXT PRIMARY KEY,
    at {double} NOT NULL
);

CREATE TABLE document_events (
    key {serial},
    project TEXT {exact} NOT NULL,
    document TEXT {exact} NOT NULL,
    at {double} NOT NULL,
    symbol TEXT NOT NULL,
    strength {double} NOT NULL,
    actor TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX document_events_by_document ON document_events (project, document, key);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    created_at {double} NOT NULL,
    expires_at {double},
    revoked_at {double},
    used_at {double}
);

CREATE TABLE requests (
    caller TEXT NOT NULL,
    name TEXT NOT NULL,
    at {double} NOT NULL,
    operation TEXT NOT NULL,
    digest TEXT NOT NULL,
    answer TEXT,
    PRIMARY KEY (caller, name)
);
CREATE INDEX requests_by_time ON requests (at);

CREATE TABLE peers (
    name TEXT {exact} PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    trust {double} NOT NULL,
    token TEXT NOT NULL,
    time_limit {double} NOT NULL,
    created_at {double} NOT NULL,
    seen_at {double},
    failed_at {double},
    failure TEXT NOT NULL
);
"""

TEXT_SEARCH = {
    "sqlite": """
CREATE VIRTUAL TABLE claims_text USING fts5 (
    words, content='claims', content_rowid='key', tokenize='ascii', detail=none
);
""",
    "postgres": "CREATE INDEX claims_text ON claims USING gin (string_to_array(words, ' '));",
}
"""The full-text index of the column `words`, which each database writes in its own way.

The words are those of `text.stems.search_words`, separated by spaces, so that both databases find the same claims."""

MIGRATIONS = (VERSION_1,)
"""Scripts that turn each version of the tables into the next, from an empty database on.

A script that was released never changes: append a new one, and its fingerprint to tests/store/backends/test_schema.py.
"""

_TYPES = {
    "sqlite": {
        "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "integer": "INTEGER",
        "double": "REAL",
        "bytes": "BLOB",
        "exact": "",
        "clustered": " WITHOUT ROWID",
    },
    "postgres": {
        "serial": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        "integer": "BIGINT",
        "double": "DOUBLE PRECISION",
        "bytes": "BYTEA",
        "exact": 'COLLATE "C"',  # compare bytes, as SQLite does, so that both order and index alike
        "clustered": "",
    },
}
"""How each database writes the types that the scripts name."""


def newest() -> int:
    """Return the version of the tables that this program needs."""
    return len(MIGRATIONS)


def fingerprint(number: int) -> str:
    """Return the fingerprint of the scripts up to a version: a store with another one has other tables."""
    scripts = (TEXT_SEARCH["sqlite"], TEXT_SEARCH["postgres"], *MIGRATIONS[:number])
    return sha256("".join(scripts).encode()).hexdigest()[:16]


def version(transaction: Transaction) -> int:
    """Return the version of the tables; 0 if there are none."""
    return _state(transaction)[0]


def _state(transaction: Transaction) -> tuple[int, str]:
    """Return the version of the tables and the fingerprint of the scripts that made them; 0 if there are none."""
    if transaction.dialect.name == "sqlite":
        there = transaction.value("SELECT COUNT(*) FROM sqlite_master WHERE name = 'howsure_schema'")
    else:
        there = transaction.value("SELECT COUNT(*) FROM pg_class WHERE oid = to_regclass('howsure_schema')")
    if not there:
        return 0, fingerprint(0)
    # All columns, since stores of development versions have no fingerprint.
    for number, *more in transaction.rows("SELECT * FROM howsure_schema"):
        return int(number), str(more[0]) if more else ""
    raise StoreError("the table howsure_schema is empty: the store is damaged", hint="restore a backup")


def migrate(database: Database) -> tuple[int, int]:
    """Bring the tables up to the newest version; return the version before and after.

    Raises:
        StoreError: if the store was written by a newer program, or by a development version with other tables.
    """
    target = newest()
    with database.read() as transaction:
        current, made_by = _state(transaction)
    if current > target:
        problem = f"the store {database.address} has schema {current}, but this program knows only up to {target}"
        raise StoreError(problem, hint="upgrade howsure")
    if made_by != fingerprint(current):
        problem = f"the store {database.address} was made by a development version of howsure with other tables"
        raise StoreError(
            problem, hint="export it with that version (howsure claim export), and import into a new store"
        )
    if current == target:
        return current, current
    if database.read_only and not current:
        raise StoreError(f"there is no howsure store in {database.address}", hint="is it the right file or schema?")
    if database.read_only:
        problem = f"the store {database.address} has schema {current}, and {target} is needed"
        raise StoreError(problem, hint="it is read-only: copy it, and open the copy")
    with database.write() as transaction:
        before = version(transaction)  # another process may have migrated it in between
        for number in range(before, target):
            _apply(transaction, number)
        return before, max(before, target)


def _apply(transaction: Transaction, number: int) -> None:
    name = transaction.dialect.name
    script = MIGRATIONS[number].format(**_TYPES[name])
    if number == 0:
        script += (
            TEXT_SEARCH[name] + "CREATE TABLE howsure_schema (version INTEGER NOT NULL, fingerprint TEXT NOT NULL);"
        )
    statements = [one.strip().removesuffix(";") for one in script.split(";\n") if one.strip()]
    if number == 0:
        from howsure.store.backends.claim_sum_triggers import TRIGGERS  # late, since a gate rarely creates a store

        statements += TRIGGERS[name]
    if name == "postgres":  # 60 statements in one round trip
        statements = [";\n".join(statements)]
    for statement in statements:
        transaction.run(statement)
    transaction.run("DELETE FROM howsure_schema")
    transaction.run("INSERT INTO howsure_schema VALUES (?, ?)", [number + 1, fingerprint(number + 1)])


TABLES = (
    "SELECT TOTAL(name = 'howsure_schema'), COUNT(*), MIN(name) FROM sqlite_master "
    "WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'"
)
"""Whether a SQLite file has our table, how many it has, and the first of them."""


def check_owner(address: str, known: float, count: int, first: str) -> None:
    """Raise StoreError if a SQLite file belongs to another program: it has tables, and none of them is ours."""
    if count and not known:
        problem = f"{address} is a SQLite file of another program, with {shown(first)} in it"
        raise StoreError(problem, hint="choose another path for the store")
