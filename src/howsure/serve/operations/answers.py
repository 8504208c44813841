"""Answers about claims: what comes back, field by field."""

from typing import Any, Literal, NotRequired, TypedDict

from howsure.formulas.claim import RelationKind, Status
from howsure.formulas.decay import Tier
from howsure.formulas.spec import Spec


class Bounds(TypedDict):
    """An interval, and what follows from it."""

    lower: float
    """Worst-case credibility."""
    upper: float
    """Best-case credibility."""
    midpoint: float
    """The middle of the interval."""
    conservative: float
    """The lower bound."""
    optimistic: float
    """The upper bound."""
    width: float
    """How far the bounds lie apart: how unsure we are of that."""


class Claim(Bounds):
    """A claim as it stands at the moment it is read."""

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
    """When it starts to lose confidence."""
    expires_at: float | None
    valid_from: float | None
    valid_until: float | None
    accessed_at: float
    sources: int
    """How many independent sources speak for it. [0, 0] with none means unknown, not false."""
    base_lower: float
    """Lower bound by its earliest source alone."""
    base_upper: float


class Claims(TypedDict):
    """Some of the claims that were found."""

    claims: list[Claim]
    cursor: str | None
    """Hand it in to read on; null at the end."""


class DeliberatedClaim(Bounds):
    """A claim's interval as the judge sees it."""

    id: str
    reason: str


class Deliberation(TypedDict):
    """What the judge makes of claims."""

    claims: list[DeliberatedClaim]
    narrative: str
    """How the claims hang together."""
    failure: str
    """Why there is no deliberation, if the judge failed: then the intervals are those of the formula."""
    by: str
    """The model that was asked."""


class Scored(TypedDict):
    """A score, with all that led to it; what else is in it depends on the model."""

    row: dict[str, Any]
    """The numbers that went into the formula."""
    steps: dict[str, Any]
    """The numbers that came out of it, in order."""
    spec: Spec
    """Which model made it: name, version and parameters."""


class Entry(TypedDict):
    """Who says so."""

    source_type: str
    source_id: str
    contribution: float | None
    at: float | None
    context: str
    invalid: bool
    """Whether the source was invalidated, and counts for nothing."""


class Acting(TypedDict):
    """A claim that supports or contradicts another."""

    kind: str
    id: str
    statement: str
    strength: float
    influence: float


class Change(TypedDict):
    """What would become of the interval."""

    what: str
    """What would have to happen."""
    lower: float
    upper: float
    change: float
    """How far the middle would move."""


class Explanation(Claim):
    """Why a claim is believed as far as it is."""

    words: str
    """Why, in a paragraph."""
    score: Scored
    """Every step of the formula."""
    derived: Scored | None
    """For a derived claim: how its constituents bound it."""
    provenance: list[Entry]
    """Who says so, notes that count for nothing included."""
    neighbours: list[Acting]
    """Claims that support or contradict it."""
    constituents: list[Claim]
    """Claims that it was derived from."""
    changes: list[Change]
    """What would change the interval most, the largest change first."""


class Event(TypedDict):
    """Something that happened to a claim."""

    at: float
    actor: str
    action: str
    status: Status | None
    detail: str


class History(TypedDict):
    """Every change of a claim, in order."""

    events: list[Event]


class Reflection(TypedDict):
    """What is known about a topic."""

    topic: str
    total: int
    """How many claims were found."""
    strongest: list[Claim]
    weakest: list[Claim]
    widest: list[Claim]
    contradicted: list[Claim]


class Standing(TypedDict):
    """How many claims stand where. Each is strong, uncertain or weak; the rest is told besides."""

    total: int
    """Claims that are active or challenged."""
    strong: int
    """Lower bound at least 0.7."""
    uncertain: int
    """Neither strong nor weak."""
    weak: int
    """Upper bound at most 0.5; nothing may be known of them at all."""
    wide: int
    """Width at least 0.4: areas of uncertainty worth a look."""
    unverified: int
    """Upper bound at least 0.7, lower below 0.5: perhaps important, not verified."""
    challenged: int
    """Contradicted, and not resolved."""
    stale: int
    """Losing confidence by age."""


class Added(TypedDict):
    """What became of a claim that was handed in."""

    outcome: Literal["created", "corroborated"]
    claim: Claim


class AddedOne(TypedDict):
    """What became of one of several claims."""

    outcome: Literal["created", "corroborated", "failed"]
    id: str | None
    reason: str
    """Why it failed."""


class AddedMany(TypedDict):
    """What became of each claim, in order."""

    results: list[AddedOne]


class Challenged(TypedDict):
    """A claim that was challenged, and the one that contradicts it."""

    claim: Claim
    by: Claim


class Related(TypedDict):
    """How one claim relates to another."""

    source: str
    kind: RelationKind
    target: str
    strength: float


class Verdict(TypedDict):
    """What the gatekeeper says about a promotion."""

    answer: Literal["promoted", "rejected", "deferred"]
    reasons: list[str]
    tier: Tier
    """The tier that the claim has now."""


class Touched(TypedDict):
    """How many claims rest on a source."""

    claims: int


class Changed(TypedDict):
    """Whether anything changed."""

    changed: bool


class Learned(TypedDict):
    """What became of the claims that were read."""

    read: int
    created: int
    corroborated: int
    conflicting: int
    """Claims that contradict what was known."""
    rejected: int
    failed: int
    errors: list[str]
    """What was wrong with the first of those that failed."""


class Exported(TypedDict):
    """One record: first a head with counts, then claims, relations, and what was decided."""

    howsure: NotRequired[int]
    claim: NotRequired[dict[str, Any]]
    relation: NotRequired[dict[str, Any]]
