"""Federation: telling another store what this one believes, and finding claims with all peers."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from howsure.claims.federation.form import MOST, Told
from howsure.errors import InputError
from howsure.formulas.claim import Status
from howsure.formulas.decay import Tier
from howsure.serve.operations.answers import Bounds
from howsure.serve.operations.claims import check_formula
from howsure.serve.operations.operation import operation
from howsure.shapes import Moment, Within
from howsure.store.selection import Selection
from howsure.store.session import claim_formula

if TYPE_CHECKING:
    from howsure.sure import Sure

Limit = Annotated[int, Within(1, MOST)]
"""How many claims."""
_SELECTION = tuple(one.name for one in fields(Selection))


@dataclass(frozen=True)
class Wanted(Selection):
    """Which claims are looked for, and how they are read."""

    now: Moment | None = None
    """Age the evidence to this moment, in seconds since 1970; by default the present."""
    as_of: Moment | None = None
    """Use only what was recorded by this moment."""
    formula: str | None = None
    """Read by this formula; by default the store's."""
    limit: Limit = 50
    """How many claims."""

    def __post_init__(self) -> None:
        """Refuse what is no formula."""
        check_formula(self.formula)

    def selection(self) -> dict[str, Any]:
        """Return which claims, as `find` takes it."""
        return {name: getattr(self, name) for name in (*_SELECTION, "now", "as_of", "limit")}


@dataclass(frozen=True)
class Asking(Wanted):
    """Which claims another store wants to score, and by which formula. Bounds hold at full trust."""

    version: Annotated[int, Within(1, 1_000_000)] | None = None
    """Version of the formula that they will be scored by; any, if not given."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Its parameters, as far as they are not the default ones."""


class Origin(Bounds):
    """A claim as one store tells it, scored by the store that asked."""

    peer: str | None
    """The peer that tells it; null for this store."""
    id: str
    """Its id there."""
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str
    tier: Tier
    status: Status
    created_at: float
    stale_at: float | None
    valid_from: float | None
    valid_until: float | None
    sources: int
    """How many independent sources speak for it there."""
    trust: float
    """How far that store is trusted."""


class FederatedClaim(Bounds):
    """A claim, and every store that tells it. Its interval is that of its surest origin."""

    id: str
    peer: str | None
    """The peer that the id belongs to; null for this store."""
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str
    sources: int
    """How many independent sources its surest origin has. [0, 0] with none means unknown, not false."""
    origins: list[Origin]
    """Who tells it, the surest first."""


class Asked(TypedDict):
    """What became of asking one peer."""

    name: str
    status: Literal["answered", "unreachable", "refused"]
    milliseconds: float
    claims: int
    """Claims of it that were taken."""
    left_out: int
    """Claims of it that were not, because something is wrong with them."""
    more: bool
    """Whether it has more that fits than it was asked for."""
    reason: str
    """Why it was not reached or not taken; or what is wrong with the first claim that was left out."""


class Coverage(TypedDict):
    """Who was asked, and who answered."""

    asked: int
    answered: int
    unreachable: int
    """Peers from which nothing came in time."""
    refused: int
    """Peers of which what came was not taken."""
    peers: list[Asked]


class Federated(TypedDict):
    """The claims that were found, here and elsewhere."""

    claims: list[FederatedClaim]
    more: bool
    """Whether there is more that fits, here or elsewhere."""
    coverage: Coverage


_TOOL = "find_claims looks here; what others believe is for people and programs to ask for, since it takes its time"


@operation(
    "claims.federated",
    "POST /v1/claims/federated",
    scope="read",
    answer=Federated,
    example={"text": "cache", "min_lower": 0.4, "limit": 20},
    tool=_TOOL,
    slow=True,
)
def federated(sure: "Sure", given: Wanted) -> Any:
    """Find claims here and with all peers, each scored by this store's formula and its trust in who tells it."""
    return sure.claims.find(**given.selection(), formula=given.formula, federated=True).as_dict()


@operation(
    "claims.inputs",
    "POST /v1/claims/inputs",
    scope="read",
    answer=Told,
    example={"text": "cache", "formula": "noisy_or", "limit": 20},
    tool="it is what stores tell each other: numbers, for a formula to read",
)
def inputs(sure: "Sure", given: Asking) -> Any:
    """Return claims as the folded inputs of a formula, for another store to score. Nobody else is asked for them."""
    formula = claim_formula(given.formula, given.parameters) if given.formula is not None else sure.session.formula
    if given.version not in (None, formula.version):
        hint = "both stores need the same version of howsure, or of the package that brings the formula"
        raise InputError(f"{formula.name} is of version {formula.version} here", field="version", hint=hint)
    return sure.claims.inputs(**given.selection(), formula=formula).as_dict()
