"""Read and write the table of source weights, and find the claims that rest on them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from howsure.chunks import in_chunks
from howsure.formulas.claim import IN_USE, ClaimCount, LogOdds, SourceWeight, Variance
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.denormalized import refresh, refresh_all

RIGHT = ("verified", "upheld")
WRONG = ("refuted", "given up")
"""Events that say whether a claim is right: somebody checked it, or resolved a challenge. The last one counts."""


class WeightRow(NamedTuple):
    """What was learned about a source."""

    source_type: str
    source_id: str
    weight: LogOdds
    """Log-odds that it adds to a claim."""
    variance: Variance
    """Variance of the weight."""
    copy_group: str
    """Sources with the same name here copy from each other; empty if it copies from none."""
    rights: ClaimCount
    """Expected number of right claims, prior included."""
    wrongs: ClaimCount
    """Expected number of wrong claims, prior included."""
    log_choices: LogOdds = 0.0
    """The part of the weight that is the same for every source: many wrong values make agreeing worth more."""


_COLUMNS = ", ".join(WeightRow._fields)
_CHUNK = 10_000
"""Votes that are written at once."""


def weights_of(transaction: Transaction, claim: int) -> list[SourceWeight]:
    """Return what was learned about the sources of a claim, in order."""
    query = (
        "SELECT DISTINCT w.source_type, w.source_id, w.weight, w.variance, w.copy_group FROM sources s "
        "JOIN source_weights w ON w.source_type = s.source_type AND w.source_id = s.source_id WHERE s.claim = ? "
        "ORDER BY w.source_type, w.source_id"
    )
    return [SourceWeight(*row) for row in transaction.rows(query, [claim])]


def get(transaction: Transaction, source_type: str, source_id: str) -> WeightRow | None:
    """Return what was learned about a source, or None."""
    query = f"SELECT {_COLUMNS} FROM source_weights WHERE source_type = ? AND source_id = ?"
    row = transaction.one(query, [source_type, source_id])
    return None if row is None else WeightRow(*row)


def log_choices(transaction: Transaction) -> float:
    """Return the part of the weight that is the same for every source; 0 if nothing was learned."""
    return float(transaction.value("SELECT log_choices FROM source_weights LIMIT 1") or 0.0)


def list_all(transaction: Transaction) -> list[WeightRow]:
    """Return what was learned about all sources, by type and id."""
    query = f"SELECT {_COLUMNS} FROM source_weights ORDER BY source_type, source_id"
    return [WeightRow(*row) for row in transaction.rows(query)]


def list_copies(transaction: Transaction) -> list[WeightRow]:
    """Return the sources that copy from others, by type and id."""
    query = f"SELECT {_COLUMNS} FROM source_weights WHERE copy_group <> '' ORDER BY source_type, source_id"
    return [WeightRow(*row) for row in transaction.rows(query)]


def better_claims(transaction: Transaction, keys: Sequence[int], probability: float) -> list[str]:
    """Return the statements of those claims that are more likely than `probability`, the most likely first."""
    found: list[tuple[float, str]] = []
    for which, values in _parts(keys, "c.key"):
        query = (
            "SELECT c.statement, MAX(s.rights / (s.rights + s.wrongs)) FROM claims c JOIN sources s ON s.claim = c.key "
            f"WHERE {which} AND s.rights + s.wrongs > 0 GROUP BY c.key, c.statement"
        )
        found += [(-chance, statement) for statement, chance in transaction.rows(query, values) if chance > probability]
    return [statement for _, statement in sorted(found)[:3]]


def put(transaction: Transaction, rows: Sequence[WeightRow]) -> None:
    """Insert or replace rows."""
    names = [(row.source_type, row.source_id) for row in rows]
    transaction.many("DELETE FROM source_weights WHERE source_type = ? AND source_id = ?", names)
    transaction.load("source_weights", _COLUMNS, rows)


def replace_all(transaction: Transaction, rows: Sequence[WeightRow]) -> None:
    """Replace everything that was learned about sources, and fold all claims again."""
    transaction.run("DELETE FROM source_weights")
    transaction.run("UPDATE sources SET rights = NULL, wrongs = NULL WHERE rights IS NOT NULL")
    transaction.load("source_weights", _COLUMNS, rows)
    refresh_all(transaction)


def refresh_source(transaction: Transaction, source_type: str, source_id: str) -> None:
    """Fold the claims of a source again."""
    for (key,) in transaction.rows(
        "SELECT DISTINCT claim FROM sources WHERE source_type = ? AND source_id = ?", [source_type, source_id]
    ):
        refresh(transaction, key)


def count_claims(transaction: Transaction, source_type: str, source_id: str, most: int) -> int:
    """Return how many claims a source has, at most `most`."""
    query = (
        f"SELECT COUNT(*) FROM (SELECT DISTINCT claim FROM sources WHERE source_type = ? AND source_id = ? "
        f"LIMIT {int(most)}) AS c"
    )
    return int(transaction.value(query, [source_type, source_id]))


class Vote(NamedTuple):
    """A source that says a claim."""

    claim: int
    source_type: str
    source_id: str
    position: int
    """Position of its first row among the sources of the claim."""
    checks: bool
    """Whether it has only verified the claim, so that it says nothing about its own reliability."""
    rights: float | None
    """What the vote has added to the counts of its source; None if it was not counted."""
    wrongs: float | None


class Candidate(NamedTuple):
    """A claim as one possible answer."""

    claim: int
    namespace: str
    subject: str | None
    predicate: str | None
    outcome: bool | None
    """Whether somebody found it right or wrong; None if nobody did."""
    upheld: bool = False
    """Whether it was found right when a challenge was resolved."""


def read_votes(transaction: Transaction, claims: Sequence[int] | None = None) -> Iterator[Vote]:
    """Yield every source that says a claim that counts; of some claims, or of all."""
    texts: dict[str, str] = {}  # each name once: a database gives a new text for each row
    for which, values in _parts(claims, "s.claim"):
        query = (
            "SELECT s.claim, s.source_type, s.source_id, MIN(s.position), "
            "MIN(CASE WHEN s.context = 'verified' THEN 1 ELSE 0 END), MAX(s.rights), MAX(s.wrongs) FROM sources s "
            f"JOIN claims c ON c.key = s.claim WHERE {which} AND s.contribution > 0 AND c.depth = 0 AND {_counts('c')} "
            "AND NOT EXISTS (SELECT 1 FROM invalidations v WHERE v.source_type = s.source_type "
            "AND v.source_id = s.source_id AND v.until IS NULL) GROUP BY s.claim, s.source_type, s.source_id "
            "ORDER BY s.claim, s.source_type, s.source_id"
        )
        for claim, source_type, source_id, position, checks, rights, wrongs in transaction.stream(query, values):
            kind, name = texts.setdefault(source_type, source_type), texts.setdefault(source_id, source_id)
            yield Vote(claim, kind, name, position, bool(checks), rights, wrongs)


def stream_sources(transaction: Transaction) -> Iterator[tuple[int, str, str, int, bool]]:
    """Yield every source of every claim that counts towards it: claim, type, id, position, whether it only checked it.

    Repeated sources are repeated, and claims that no longer count are there too: grouping and joining a million claims
    takes the database longer than reading them.
    """
    invalid = set(transaction.rows("SELECT source_type, source_id FROM invalidations WHERE until IS NULL"))
    query = (
        "SELECT claim, source_type, source_id, position, CASE WHEN context = 'verified' THEN 1 ELSE 0 END FROM sources "
        "WHERE contribution > 0 ORDER BY claim, position"
    )
    for row in transaction.stream(query):
        if not invalid or (row[1], row[2]) not in invalid:
            yield row


def read_candidates(transaction: Transaction, claims: Sequence[int] | None = None) -> Iterator[Candidate]:
    """Yield the claims that are possible answers, with what was found out about them; some claims, or all."""
    for which, values in _parts(claims, "c.key"):
        query = (
            f"SELECT c.key, c.namespace, c.subject, c.predicate, {_outcome('c')} FROM claims c "
            f"WHERE {which} AND c.depth = 0 AND {_counts('c')} ORDER BY c.key"
        )
        for key, namespace, subject, predicate, action in transaction.stream(query, values):
            right = None if action is None else action in RIGHT
            yield Candidate(key, namespace, subject, predicate, right, action == "upheld")


def get_candidate(transaction: Transaction, claim: int) -> Candidate | None:
    """Return a claim with what it is about, even if it no longer counts; None if it is gone."""
    row = transaction.one("SELECT key, namespace, subject, predicate, NULL FROM claims WHERE key = ?", [claim])
    return None if row is None else Candidate(*row)


class CountedVote(NamedTuple):
    """What a vote has added to the counts of its source."""

    source_type: str
    source_id: str
    position: int
    rights: float
    wrongs: float


def list_counted(transaction: Transaction, claim: int) -> list[CountedVote]:
    """Return what the votes for a claim have added to the counts of their sources."""
    query = (
        "SELECT source_type, source_id, position, rights, wrongs FROM sources WHERE claim = ? AND rights IS NOT NULL "
        "ORDER BY position"
    )
    return [CountedVote(*row) for row in transaction.rows(query, [claim])]


def _outcome(alias: str) -> str:
    actions = ", ".join(f"'{action}'" for action in (*RIGHT, *WRONG))
    return (
        f"(SELECT e.action FROM events e WHERE e.claim = {alias}.key AND e.action IN ({actions}) "
        "ORDER BY e.key DESC LIMIT 1)"
    )


def _counts(alias: str) -> str:
    """Write the condition that a claim says something about its sources: it is held, or was found wrong."""
    wrong = ", ".join(f"'{action}'" for action in WRONG)
    return f"({alias}.status IN {IN_USE} OR ({alias}.status = 'deprecated' AND {_outcome(alias)} IN ({wrong})))"


def _parts(claims: Sequence[int] | None, column: str) -> Iterator[tuple[str, list[int]]]:
    if claims is None:
        yield "1 = 1", []
        return
    for some in in_chunks(claims, 400):
        yield f"{column} IN ({', '.join('?' * len(some))})", some


def read_contradictions(transaction: Transaction) -> Iterator[tuple[int, int]]:
    """Yield the pairs of claims that contradict each other."""
    query = "SELECT source, target FROM relations WHERE kind = 'contradicts' AND removed_at IS NULL"
    yield from ((source, target) for source, target in transaction.stream(query))


def find_rivals(transaction: Transaction, claims: Sequence[Candidate]) -> set[int]:
    """Return the keys of claims that compete with some claims: same subject and predicate, or a contradiction."""
    rivals: set[int] = set()
    for end, other in (("source", "target"), ("target", "source")):
        for which, values in _parts([claim.claim for claim in claims], end):
            query = f"SELECT {other} FROM relations WHERE {which} AND kind = 'contradicts' AND removed_at IS NULL"
            rivals.update(row[0] for row in transaction.rows(query, values))
    same = "SELECT key FROM claims WHERE subject = ? AND predicate = ? AND namespace = ?"
    # Once for each property: of a thousand claims about one, each would find the thousand again.
    for about in {(claim.subject, claim.predicate, claim.namespace) for claim in claims}:
        if about[0] is not None and about[1] is not None:
            rivals.update(row[0] for row in transaction.rows(same, about))
    return rivals


def set_counted(transaction: Transaction, rows: Iterable[tuple[float | None, float | None, int, int]]) -> None:
    """Store what votes have added to the counts of their sources: rights, wrongs, claim and position of each."""
    waiting = iter(rows)
    while some := list(islice(waiting, _CHUNK)):
        transaction.many("UPDATE sources SET rights = ?, wrongs = ? WHERE claim = ? AND position = ?", some)


def last_event(transaction: Transaction) -> int:
    """Return the key of the last event of any claim."""
    return int(transaction.value("SELECT MAX(key) FROM events") or 0)


def changed_since(transaction: Transaction, event: int) -> list[int]:
    """Return the keys of claims with an event after this one."""
    # Not DISTINCT: SQLite would read all events in the order of their claims instead of the last few.
    return sorted({row[0] for row in transaction.rows("SELECT claim FROM events WHERE key > ?", [event])})


class CountedSource(NamedTuple):
    """A source of any claim, with what was learned about it."""

    source_type: str
    source_id: str
    claims: int
    """How many claims it is a source of."""
    invalid: bool
    """Whether it is invalidated."""
    learned: WeightRow | None


_NAMES = 400
"""Sources that are looked up at once."""


def list_sources(transaction: Transaction) -> list[CountedSource]:
    """Return every source that contributes to a claim, by type and id. This reads all sources of all claims."""
    return _count_sources(
        transaction,
        "SELECT s.source_type AS source_type, s.source_id AS source_id, COUNT(DISTINCT s.claim) AS n FROM sources s "
        "WHERE s.contribution > 0 GROUP BY s.source_type, s.source_id",
        [],
    )


def list_named(transaction: Transaction, names: Iterable[tuple[str, str]]) -> list[CountedSource]:
    """Return those of some sources that contribute to a claim."""
    found = []
    for some in in_chunks(dict.fromkeys(names), _NAMES):
        # One look into the index for each name: with OR, SQLite would collect all their claims first.
        query = (
            "SELECT n.source_type AS source_type, n.source_id AS source_id, (SELECT COUNT(DISTINCT s.claim) "
            "FROM sources s WHERE s.source_type = n.source_type AND s.source_id = n.source_id AND s.contribution > 0) "
            "AS n FROM named n"
        )
        named = f"WITH named (source_type, source_id) AS (VALUES {', '.join(['(?, ?)'] * len(some))}) "
        found += _count_sources(transaction, query, [part for pair in some for part in pair], named)
    return [one for one in found if one.claims]


def _count_sources(transaction: Transaction, counted: str, values: list[str], named: str = "") -> list[CountedSource]:
    """Return sources with what was learned about them; a query gives their types, ids and numbers of claims."""
    columns = ", ".join(f"w.{name}" for name in WeightRow._fields[2:])
    invalid = (
        "EXISTS (SELECT 1 FROM invalidations v WHERE v.source_type = f.source_type AND v.source_id = f.source_id "
        "AND v.until IS NULL)"
    )
    query = (
        f"{named}SELECT f.source_type, f.source_id, f.n, CASE WHEN {invalid} THEN 1 ELSE 0 END, {columns} "
        f"FROM ({counted}) AS f "
        "LEFT JOIN source_weights w ON w.source_type = f.source_type AND w.source_id = f.source_id "
        "ORDER BY f.source_type, f.source_id"
    )
    found = []
    for kind, name, count, invalidated, *learned in transaction.rows(query, values):
        row = None if learned[0] is None else WeightRow(kind, name, *learned)
        found.append(CountedSource(kind, name, count, bool(invalidated), row))
    return found


def list_unlearned(transaction: Transaction, limit: int) -> list[tuple[str, str]]:
    """Return type and id of sources about which nothing was learned: of each type the first ones, `limit` at most."""
    query = (
        f"SELECT n.name FROM ({_each('source_id', 'source_type = :type')}) AS n WHERE "
        "EXISTS (SELECT 1 FROM sources s WHERE s.source_type = :type AND s.source_id = n.name AND s.contribution > 0) "
        "AND NOT EXISTS (SELECT 1 FROM source_weights w WHERE w.source_type = :type AND w.source_id = n.name) "
        f"LIMIT {int(limit)}"
    )
    types = [row[0] for row in transaction.rows(_each("source_type", "1 = 1"))]
    return [(type_, row[0]) for type_ in types for row in transaction.rows(query, {"type": type_})]


def _each(column: str, which: str) -> str:
    """Write the query of each value of a column once, in order: one look into the index for each, however common."""
    return (
        f"WITH RECURSIVE each (name) AS (SELECT MIN({column}) FROM sources WHERE {which} UNION ALL "
        f"SELECT (SELECT MIN({column}) FROM sources WHERE {which} AND {column} > each.name) FROM each "
        "WHERE each.name IS NOT NULL) SELECT name FROM each WHERE name IS NOT NULL"
    )


class CountedClaim(NamedTuple):
    """A claim of a source, and what it has added to its counts."""

    key: int
    id: str
    statement: str
    status: str
    at: float
    """When the source said so."""
    rights: float | None
    wrongs: float | None
    action: str | None
    """The event that said whether the claim is right; None if there was none."""


def claims_of(transaction: Transaction, source_type: str, source_id: str, limit: int) -> list[CountedClaim]:
    """Return the claims of a source, the last one first."""
    query = (
        f"SELECT c.key, c.id, c.statement, c.status, l.at, l.rights, l.wrongs, {_outcome('c')} FROM "
        "(SELECT s.claim AS claim, MIN(s.recorded_at) AS at, MAX(s.rights) AS rights, MAX(s.wrongs) AS wrongs "
        "FROM sources s WHERE s.source_type = ? AND s.source_id = ? AND s.contribution > 0 GROUP BY s.claim "
        f"ORDER BY MIN(s.recorded_at) DESC, s.claim DESC LIMIT {int(limit)}) AS l "
        "JOIN claims c ON c.key = l.claim ORDER BY l.at DESC, c.key DESC"
    )
    return [CountedClaim(*row) for row in transaction.rows(query, [source_type, source_id])]
