"""The life of claims: moving up and down, giving up, and sources that prove wrong."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from howsure.claims.add import check_text
from howsure.formulas.decay import Tier
from howsure.serve.operations import answers
from howsure.serve.operations.claims import ID, ClaimId
from howsure.serve.operations.operation import FEW, operation

if TYPE_CHECKING:
    from howsure.sure import Sure


@dataclass(frozen=True)
class Move:
    """A claim, and the tier it should have."""

    id: str
    """Id of the claim."""
    to: Tier | None = None
    """The tier; the next one, if not given."""


@dataclass(frozen=True)
class Demotion(Move):
    """A claim, the lower tier it should have, and why."""

    reason: str = ""
    """Why."""


@dataclass(frozen=True)
class Forgetting:
    """A claim that is no longer believed."""

    id: str
    """Id of the claim."""
    reason: str = ""
    """Why."""


@dataclass(frozen=True)
class SourceName:
    """A source."""

    source_type: str
    """What kind of source it is."""
    source_id: str
    """Which one."""

    def __post_init__(self) -> None:
        """Refuse what no store can hold."""
        check_text("source_type", self.source_type)
        check_text("source_id", self.source_id)


@dataclass(frozen=True)
class Invalidation(SourceName):
    """A source that proved wrong."""

    reason: str = ""
    """Why."""


@operation(
    "claims.promote",
    "POST /v1/claims/{id}/promote",
    scope="write",
    answer=answers.Verdict,
    example={"id": ID, "to": "project"},
    tool="what lives longer is for people to say",
)
def promote(sure: "Sure", given: Move) -> Any:
    """Ask the gatekeeper to move a claim up; the answer is promoted, rejected or deferred, with reasons."""
    return sure.claims.promote(given.id, given.to)._asdict()


@operation(
    "claims.demote",
    "POST /v1/claims/{id}/demote",
    scope="write",
    answer=answers.Claim,
    example={"id": ID, "reason": "no longer needed"},
    tool=FEW,
)
def demote(sure: "Sure", given: Demotion) -> Any:
    """Move a claim down, one tier unless another is named."""
    sure.claims.demote(given.id, given.to, reason=given.reason)
    return sure.claims.get(given.id).as_dict()


@operation(
    "claims.forget",
    "POST /v1/claims/{id}/forget",
    scope="write",
    answer=answers.Changed,
    example={"id": ID, "reason": "proved wrong"},
    tool="challenge_claim keeps what speaks for both sides",
)
def forget(sure: "Sure", given: Forgetting) -> Any:
    """Stop believing a claim. Forgetting twice is forgetting once."""
    return {"changed": sure.claims.forget(given.id, reason=given.reason)}


@operation(
    "claims.purge",
    "DELETE /v1/claims/{id}",
    scope="admin",
    answer=answers.Changed,
    example={"id": ID},
    tool="nothing that cannot be undone is a tool",
)
def purge(sure: "Sure", given: ClaimId) -> Any:
    """Take a claim away for good: its text, sources, relations and history."""
    sure.claims.purge(given.id)
    return {"changed": True}


@operation(
    "claims.invalidate_source",
    "POST /v1/sources/invalidate",
    scope="write",
    answer=answers.Touched,
    example={"source_type": "extraction", "source_id": "almanac", "reason": "out of date"},
    tool=FEW,
)
def invalidate_source(sure: "Sure", given: Invalidation) -> Any:
    """Let a source count for nothing in everything that rests on it; tells how many claims that are."""
    return {"claims": sure.claims.invalidate_source(**asdict(given))}


@operation(
    "claims.restore_source",
    "POST /v1/sources/restore",
    scope="write",
    answer=answers.Touched,
    example={"source_type": "extraction", "source_id": "almanac"},
    tool=FEW,
)
def restore_source(sure: "Sure", given: SourceName) -> Any:
    """Take back that a source was invalidated; tells how many claims rest on it again."""
    return {"claims": sure.claims.restore_source(**asdict(given))}
