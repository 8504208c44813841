"""Moving a store: everything out as JSON Lines, and in again, with nothing lost."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from howsure.core.claim import Source
from howsure.core.interval import Interval
from howsure.engine.adding import statement_key, triple_key
from howsure.engine.notebook import Notebook
from howsure.errors import InputError, shown
from howsure.store import claims as table
from howsure.store.claims import NewClaim
from howsure.store.database import Transaction
from howsure.store.kept import refresh

FORMAT = 1
_CLAIM = (
    "id, statement, subject, predicate, object, namespace, tier, status, created_at, stale_at, expires_at, valid_from, "
    "valid_until, accessed_at, depth, base_lower, base_upper"
)
_SOURCE = ("source_type", "source_id", "contribution", "at", "recorded_at", "context")
_EVENT = ("at", "actor", "action", "status", "detail")
_RELATION = ("kind", "source", "target", "strength", "recorded_at", "removed_at")
_INVALIDATION = ("source_type", "source_id", "since", "until", "actor", "reason")


def export(notebook: Notebook) -> Iterator[dict[str, Any]]:
    """Give everything in the store: a head, the claims with sources and history, relations, invalidations."""
    names = _CLAIM.split(", ")
    with notebook.database.reading() as transaction:
        yield {"howsure": FORMAT, "claims": transaction.value("SELECT COUNT(*) FROM claims")}
        last = -1
        while True:
            page = f"SELECT key, {_CLAIM} FROM claims WHERE key > ? ORDER BY key LIMIT 500"
            rows = transaction.rows(page, [last])
            if not rows:
                break
            last = rows[-1][0]
            sources = _grouped(transaction, "sources", _SOURCE, "entry", rows[0][0], last)
            events = _grouped(transaction, "events", _EVENT, "key", rows[0][0], last)
            for key, *values in rows:
                about = dict(zip(names, values, strict=True))
                yield {"claim": about | {"sources": sources.get(key, []), "events": events.get(key, [])}}
        relations = (
            "SELECT r.kind, a.id, b.id, r.strength, r.recorded_at, r.removed_at FROM relations r "
            "JOIN claims a ON a.key = r.source JOIN claims b ON b.key = r.target ORDER BY r.key"
        )
        for row in transaction.stream(relations):
            yield {"relation": dict(zip(_RELATION, row, strict=True))}
        columns = ", ".join(_INVALIDATION)
        for row in transaction.stream(f"SELECT {columns} FROM invalidations ORDER BY key"):
            yield {"invalidation": dict(zip(_INVALIDATION, row, strict=True))}


def _grouped(
    transaction: Transaction, name: str, columns: tuple[str, ...], order: str, first: int, last: int
) -> dict[int, list[dict[str, Any]]]:
    query = f"SELECT claim, {', '.join(columns)} FROM {name} WHERE claim BETWEEN ? AND ? ORDER BY claim, {order}"
    found: dict[int, list[dict[str, Any]]] = {}
    for key, *values in transaction.rows(query, [first, last]):
        found.setdefault(key, []).append(dict(zip(columns, values, strict=True)))
    return found


def import_(notebook: Notebook, records: Iterable[tuple[int, Any]], progress: Callable[[int], None]) -> dict[str, int]:
    """Read what `export` gave, all or nothing. Claims that are there already (by id) are left as they are."""
    counts = {"claims": 0, "skipped": 0, "relations": 0, "invalidations": 0}
    started = False
    with notebook.writing() as transaction:
        fresh: list[int] = []
        for number, record in records:
            try:
                if isinstance(record, InputError):
                    raise record
                if not started:
                    _check_head(record)
                    started = True
                else:
                    _take(transaction, record, counts, fresh)
            except (InputError, KeyError, TypeError) as error:
                problem = error.problem if isinstance(error, InputError) else f"the record is broken: {error}"
                raise InputError(problem, line=number, hint="nothing was imported") from error
            progress(number)
        for key in fresh:
            refresh(transaction, key)
    if not started:
        raise InputError("there is nothing to import")
    return counts


def _check_head(record: Any) -> None:
    if not isinstance(record, dict) or record.get("howsure") != FORMAT:
        raise InputError(f"{shown(record)} is not the head of an export", hint="the first line names the format")


def _take(transaction: Transaction, record: dict[str, Any], counts: dict[str, int], fresh: list[int]) -> None:
    (kind, content), *_ = record.items()
    if kind == "claim":
        if transaction.value("SELECT 1 FROM claims WHERE id = ?", [content["id"]]):
            counts["skipped"] += 1
            return
        fresh.append(_take_claim(transaction, content))
        counts["claims"] += 1
    elif kind == "relation":
        ends = table.keys_of(transaction, [content["source"], content["target"]])
        row = [content["kind"], ends[content["source"]], ends[content["target"]]]
        row += [content["strength"], content["recorded_at"], content["removed_at"]]
        if not transaction.value(
            "SELECT 1 FROM relations WHERE kind = ? AND source = ? AND target = ? AND recorded_at = ?",
            [*row[:3], row[4]],
        ):
            transaction.run(
                "INSERT INTO relations (kind, source, target, strength, recorded_at, removed_at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
            counts["relations"] += 1
    elif kind == "invalidation":
        columns = ", ".join(_INVALIDATION)
        known = "SELECT 1 FROM invalidations WHERE source_type = ? AND source_id = ? AND since = ?"
        if transaction.value(known, [content["source_type"], content["source_id"], content["since"]]):
            return
        transaction.run(
            f"INSERT INTO invalidations ({columns}) VALUES (?, ?, ?, ?, ?, ?)",
            [content[name] for name in _INVALIDATION],
        )
        counts["invalidations"] += 1
    else:
        raise InputError(f"{shown(kind)} is no kind of record")


def _take_claim(transaction: Transaction, content: dict[str, Any]) -> int:
    about = {name: content[name] for name in _CLAIM.split(", ")}
    base = Interval(about.pop("base_lower"), about.pop("base_upper"))
    sources = content["sources"]
    claim = NewClaim(
        **about,
        base=base,
        statement_key=statement_key(about["statement"]),
        triple_key=triple_key(about["subject"], about["predicate"], about["object"]),
        provenance=tuple(
            Source(s["source_type"], s["source_id"], s["contribution"], s["at"], s["context"]) for s in sources
        ),
        recorded=tuple(s["recorded_at"] for s in sources),
    )
    key = table.insert(transaction, [claim])[claim.id]
    transaction.many(table.INSERT_EVENT, [(key, *(e[name] for name in _EVENT)) for e in content["events"]])
    return key
