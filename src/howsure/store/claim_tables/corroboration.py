"""Look up claims that exist already, add to their triples, and read why they are deprecated."""

from collections.abc import Iterable, Mapping
from typing import Literal

from howsure.chunks import in_chunks
from howsure.formulas.claim import Status
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.claims import triple_key, words_of


def known_keys(
    transaction: Transaction, column: Literal["statement_key", "triple_key"], keys: Mapping[str, Iterable[str]]
) -> set[tuple[str, str]]:
    """Return (namespace, key) of the statement or triple keys, given by namespace, that the store already has."""
    known: set[tuple[str, str]] = set()
    in_array = transaction.dialect.name == "postgres"
    for namespace, wanted in keys.items():
        for some in in_chunks(sorted(wanted), 400):
            # One text for PostgreSQL: sending and planning 400 parameters takes 2 us for each of them.
            within = "= ANY(string_to_array(?, ' '))" if in_array else f"IN ({', '.join('?' * len(some))})"
            query = f"SELECT {column} FROM claims WHERE namespace = ? AND {column} {within} AND status <> 'forgotten'"
            values = [" ".join(some)] if in_array else some
            known |= {(namespace, row[0]) for row in transaction.rows(query, [namespace, *values])}
    return known


def set_triple(transaction: Transaction, key: int, parts: Mapping[str, str]) -> None:
    """Set parts of the triple of a claim: subject, predicate or object."""
    known = {**words_of(transaction, key)._asdict(), **parts}
    triple = triple_key(known["subject"], known["predicate"], known["object"])
    columns = "".join(f"{name} = ?, " for name in parts)
    transaction.run(f"UPDATE claims SET {columns}triple_key = ? WHERE key = ?", [*parts.values(), triple, key])


def cause_of_status(transaction: Transaction, key: int, status: Status) -> tuple[str, str]:
    """Return action and detail of the event that gave a claim a status last; empty if there is none."""
    query = "SELECT action, detail FROM events WHERE claim = ? AND status = ? ORDER BY key DESC LIMIT 1"
    action, detail = transaction.one(query, [key, status]) or ("", "")
    return str(action), str(detail)
