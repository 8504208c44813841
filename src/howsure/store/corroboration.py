"""What corroborating a claim that exists reads and changes, besides its sources."""

from collections.abc import Mapping

from howsure.formulas.claim import Status
from howsure.store.claims import triple_key, words_of
from howsure.store.database import Transaction


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
