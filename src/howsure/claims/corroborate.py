"""Apply what a record says about a claim that exists, besides its sources."""

from typing import NamedTuple

from howsure.claims.add import ClaimRecord
from howsure.claims.tiers import apply_options
from howsure.errors import InputError, shown
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import claims as table
from howsure.store.claim_tables import corroboration as store
from howsure.store.claim_tables.claims import SameClaim, normalise, triple_key
from howsure.store.session import Session


class Corroboration(NamedTuple):
    """What a record changed of a claim that exists, besides its sources."""

    changed: list[str]
    """Fields that changed."""
    notes: tuple[str, ...]
    """What had no effect, and why."""
    adopted: bool
    """Whether the claim got parts of its triple."""


def corroborate(
    transaction: Transaction, session: Session, same: SameClaim, record: ClaimRecord, at: float
) -> Corroboration:
    """Apply what a record says about the claim with the same statement or triple, besides its sources.

    A claim without a triple gets that of the record. A deprecated claim stays deprecated, which the notes say.

    Raises:
        InputError: if the claim has another triple, or would never be valid. Nothing was written then.
    """
    parts, problem = _missing_parts(transaction, same, record)
    changed, notes = apply_options(transaction, session, same.key, record, at)
    if parts:
        store.set_triple(transaction, same.key, parts)
    if same.status == "deprecated":
        notes = (_describe_deprecation(transaction, same.key), *notes)
    return Corroboration([*parts, *changed], (*notes, *problem), bool(parts))


def _missing_parts(
    transaction: Transaction, same: SameClaim, record: ClaimRecord
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the parts of a record's triple that a claim lacks, and a note if it cannot have them."""
    given = {"subject": record.subject, "predicate": record.predicate, "object": record.object}
    parts = {name: value for name, value in given.items() if value is not None}
    if not parts:
        return {}, ()
    known = table.words_of(transaction, same.key)
    before = {name: getattr(known, name) for name in given}
    for name, value in parts.items():
        if before[name] is not None and normalise(before[name]) != normalise(value):
            # The statement names one claim of the namespace, so this cannot become a claim of its own.
            raise InputError(
                f"{same.id} says this with the {name} {shown(before[name])}, not {shown(value)}",
                field=name,
                hint=f"name the {name} in the statement, or leave it out to corroborate that claim",
            )
    missing = {name: value for name, value in parts.items() if before[name] is None}
    triple = triple_key(*(given[name] if before[name] is None else before[name] for name in given))
    other = table.find_same(transaction, known.namespace, "", triple) if missing and triple else None
    if other is None:
        return missing, ()
    return {}, (f"it does not get the triple, which {other.id} has; supersede one by the other if they are the same",)


def _describe_deprecation(transaction: Transaction, key: int) -> str:
    cause = ": ".join(part for part in store.cause_of_status(transaction, key, "deprecated") if part)
    return f"it stays deprecated ({cause}), so find leaves it out; verify it if it holds after all"
