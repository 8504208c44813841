"""A claim as it is read, with its interval, and the types that describe parameters of claims."""

from dataclasses import dataclass
from typing import Annotated

from howsure.errors import InputError
from howsure.formulas.claim import ClaimFormula, RelationKind, Status
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.graph.sql import ReadOptions
from howsure.shapes import Doc, Inline, Moment, Wire
from howsure.store.backends.database import Row, Transaction
from howsure.store.claim_tables.claims import DISPLAYED, key_of
from howsure.store.claim_tables.selection import select_one, select_with_neighbours

EXAMPLE_ID = "c01a3185c50009f3a2b4c5d6e7f80"
OTHER_ID = "c01a3185c5000a1b2c3d4e5f60718"
"""Ids in the examples of OpenAPI."""

ClaimId = Annotated[str, Doc("Id of a claim, a unique start of it, or @last.", example=EXAMPLE_ID)]
Formula = Annotated[
    str | ClaimFormula | None, Wire(str | None), Doc("Formula of the interval; by default that of the store.")
]
ReadAt = Annotated[Moment | None, Doc("Age the evidence to this moment, in seconds since 1970; by default now.")]
AsOf = Annotated[Moment | None, Doc("Use only what was recorded by this moment.")]


@dataclass(frozen=True)
class Claim:
    """A claim with its interval at the moment it was read."""

    id: str
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str
    tier: Tier
    """How long it is meant to live."""
    status: Status
    created_at: float
    stale_at: float | None
    """When it starts to lose confidence; never if None."""
    expires_at: float | None
    valid_from: float | None
    valid_until: float | None
    accessed_at: float
    sources: int
    """Number of independent sources. [0, 0] without any means unknown, not false."""
    interval: Annotated[Interval, Inline()]
    """How sure we are, at the moment of reading."""
    base_lower: float
    """Lower bound by its earliest source alone, as it was when the claim was added, by the store's formula."""
    base_upper: float
    """Upper bound by its earliest source alone."""

    @property
    def base(self) -> Interval:
        """The interval by the earliest source alone, as it was when the claim was added."""
        return Interval(self.base_lower, self.base_upper)


@dataclass(frozen=True)
class ClaimRelation:
    """How one claim relates to another."""

    source: str
    """Id of the claim that supports, contradicts, ..."""
    kind: RelationKind
    target: str
    """Id of the other claim."""
    strength: float
    """The strength that counts: the highest that was recorded for the pair."""


@dataclass(frozen=True)
class ClaimEvent:
    """A change of a claim."""

    at: float
    actor: str
    """Who changed it."""
    action: str
    status: Status | None
    """The status since then, if it changed."""
    detail: str


def check_held(claim: str, status: Status | None, field: str = "claim") -> None:
    """Raise InputError if a claim is deprecated or forgotten, with what makes it count again."""
    again = {"deprecated": "verify it first if it holds after all", "forgotten": "add it again if it holds after all"}
    if status in again:
        raise InputError(f"{claim} is {status}", field=field, hint=again[status])


def claim_from_row(row: Row) -> Claim:
    """Return a claim from the columns of a selection: the displayed ones, lower and upper."""
    size = len(DISPLAYED)
    claim = object.__new__(Claim)  # calling Claim takes three times as long, a fifth of the time of a search
    claim.__dict__.update(zip(DISPLAYED, row[:size], strict=True), interval=Interval(row[size], row[size + 1]))
    return claim


def read_claim(transaction: Transaction, claim: str, options: ReadOptions) -> tuple[Claim, int]:
    """Return a claim and its row key.

    Raises:
        NotFoundError: if there is no such claim.
        InputError: if it did not exist yet at the moment of `options.as_of`.
    """
    key = key_of(transaction, claim)
    found = claim_at(transaction, key, options)
    if found is None:
        raise _not_yet(claim)
    return found, key


def read_with_neighbours(transaction: Transaction, claim: str, options: ReadOptions) -> tuple[Claim, int, list[Row]]:
    """Return a claim, its row key, and what supports or contradicts it: kind, row key, strength and influence.

    Raises:
        NotFoundError: if there is no such claim.
        InputError: if it did not exist yet at the moment of `options.as_of`.
    """
    key = key_of(transaction, claim)
    row, neighbours = select_with_neighbours(transaction, options, key)
    found = claim_from_row(row)
    if not _existed(found, options):
        raise _not_yet(claim)
    return found, key, neighbours


def claim_at(transaction: Transaction, key: int, options: ReadOptions) -> Claim | None:
    """Return the claim with a row key; None if it did not exist yet at the moment of `options.as_of`."""
    row = select_one(transaction, options, key)
    if row is None:
        return None
    claim = claim_from_row(row)
    return claim if _existed(claim, options) else None


def _existed(claim: Claim, options: ReadOptions) -> bool:
    return options.as_of is None or claim.created_at <= options.as_of


def _not_yet(claim: str) -> InputError:
    return InputError(f"the claim {claim} did not exist yet", field="as_of")
