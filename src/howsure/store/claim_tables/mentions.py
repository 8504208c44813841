"""Record which claims have the id of another one in their history, so that a purge need not read all events.

Most ids get there with a relation between the two claims, and relations are indexed. The table `mentions` has the
others, such as ids in reasons and notes.
"""

import re
from collections.abc import Iterable
from typing import Any

from howsure.store.backends.database import Transaction

_ID = re.compile(r"c[0-9a-f]{28}")
"""Ids as `new_id` makes them. An import may bring others; all events are read when such a claim is purged."""
_WITH_RELATION = frozenset(
    {"related", "challenged", "challenges", "superseded", "supersedes", "derived", "contradicted"}
)
"""Actions that relate two claims, and whose detail has no other ids."""
_INSERT = "INSERT INTO mentions (claim, mentioned) VALUES (?, ?) ON CONFLICT DO NOTHING"


def note_event(transaction: Transaction, claim: int, action: str, detail: str) -> None:
    """Record the ids in the detail of an event, unless a relation leads to them."""
    if action not in _WITH_RELATION:
        note_events(transaction, [(claim, detail)])


def note_events(transaction: Transaction, events: Iterable[tuple[int, str]]) -> None:
    """Record the ids in the details of events, given as claim and detail."""
    rows = {(claim, mentioned) for claim, detail in events for mentioned in _ID.findall(detail)}
    if rows:
        transaction.many(_INSERT, sorted(rows))


def neighbours_of(transaction: Transaction, key: int) -> list[int]:
    """Return the keys of claims that are or were related to a claim."""
    query = "SELECT target FROM relations WHERE source = :key UNION SELECT source FROM relations WHERE target = :key"
    return [row[0] for row in transaction.rows(query, {"key": key})]


def hide(transaction: Transaction, claim: str, neighbours: Iterable[int]) -> None:
    """Replace details of events that have the id of a purged claim, in the history of its neighbours and of others."""
    pattern = f"%{claim.replace('!', '!!').replace('%', '!%').replace('_', '!_')}%"
    query = "SELECT key FROM events WHERE detail LIKE ? ESCAPE '!'"
    found: list[Any] = []
    if _ID.fullmatch(claim):
        named = transaction.rows("SELECT claim FROM mentions WHERE mentioned = ?", [claim])
        for key in {*neighbours, *(row[0] for row in named)}:
            found += transaction.rows(f"{query} AND claim = ?", [pattern, key])
    else:
        found += transaction.rows(query, [pattern])
    transaction.many("UPDATE events SET detail = '(purged)' WHERE key = ?", found)
    transaction.run("DELETE FROM mentions WHERE mentioned = ?", [claim])
