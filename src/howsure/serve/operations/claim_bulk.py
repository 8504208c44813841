"""Many claims at once: in from lists and lines, out as a stream."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from howsure.claims.add import ClaimInput
from howsure.claims.learn import Conflicts
from howsure.errors import InputError
from howsure.serve.operations import answers
from howsure.serve.operations.operation import FEW, operation
from howsure.shapes import Unit

if TYPE_CHECKING:
    from howsure.sure import Sure

MOST = 1000
"""Claims that are added in one call; more are learned."""


@dataclass(frozen=True)
class Batch:
    """Several claims."""

    claims: list[Any]
    """The claims, each as `claims.add` takes it."""

    def __post_init__(self) -> None:
        """Refuse a list that is too long."""
        if len(self.claims) > MOST:
            hint = f"at most {MOST:,}; claims.learn takes more"
            raise InputError(f"{len(self.claims):,} claims are too many", field="claims", hint=hint)


@dataclass(frozen=True)
class Lesson:
    """Claims to learn, and how far they are trusted."""

    records: list[Any]
    """The claims, each as `claims.add` takes it; or the body as JSON Lines, one claim per line."""
    trust: Unit = 1.0
    """Scales every contribution."""
    conflicts: Conflicts = "flag"
    """What to do with a claim that gives a known subject and predicate another object."""


@dataclass(frozen=True)
class Passage:
    """A text with claims in it."""

    text: str
    """The text."""
    source: str
    """Who says so, as TYPE:ID."""
    namespace: str = "default"
    """Where the claims belong."""

    def __post_init__(self) -> None:
        """Refuse what names no source, and what is no place for claims, before a judge is asked."""
        ClaimInput("-", source=self.source, namespace=self.namespace)


@dataclass(frozen=True)
class Nothing:
    """Nothing has to be handed in."""


@dataclass(frozen=True)
class Records:
    """What an export gave."""

    records: list[Any]
    """The records, the head first; or the body as JSON Lines, one record per line."""


@operation(
    "claims.add_many",
    "POST /v1/claims/batch",
    scope="write",
    answer=answers.AddedMany,
    example={"claims": [{"statement": "The cache is bounded", "source": "extraction:README.md"}]},
    tool=FEW,
)
def add_many(sure: "Sure", given: Batch) -> Any:
    """Add several claims; each result says created, corroborated, or failed and why."""
    return {"results": [added._asdict() for added in sure.claims.add_many(given.claims)]}


@operation(
    "claims.learn",
    "POST /v1/claims/learn",
    scope="write",
    answer=answers.Learned,
    example={"records": [{"statement": "The cache is bounded", "source": "file:facts"}], "trust": 0.5},
    tool=FEW,
    lines="records",
    slow=True,
)
def learn(sure: "Sure", given: Lesson) -> Any:
    """Add many claims. What cannot be read is counted and told; what contradicts known triples is flagged."""
    return asdict(sure.claims.learn(given.records, trust=given.trust, conflicts=given.conflicts))


@operation(
    "claims.extract",
    "POST /v1/claims/extract",
    scope="write",
    answer=answers.AddedMany,
    example={"text": "The cache holds 1,000 entries and is cleared at night.", "source": "extraction:README.md"},
    tool="it asks a language model, and whoever calls tools is one already",
    slow=True,
)
def extract(sure: "Sure", given: Passage) -> Any:
    """Add the claims that the judge finds in a text, resting on the source that is named. It may cost money."""
    found = sure.claims.extract(given.text, source=given.source, namespace=given.namespace)
    return {"results": [added._asdict() for added in found]}


@operation(
    "claims.export",
    "GET /v1/claims/export",
    scope="admin",
    answer=answers.Exported,
    tool=FEW,
    streams=True,
    slow=True,
)
def export(sure: "Sure", _given: Nothing) -> Iterator[dict[str, Any]]:
    """Give everything in the store, record by record: claims with sources and history, relations, the ledger.

    The first record is a head that counts the others, so that an export that was cut short is noticed.
    """
    return sure.claims.export()


@operation(
    "claims.import",
    "POST /v1/claims/import",
    scope="admin",
    answer=dict[str, int],
    example={"records": [{"howsure": 1, "claims": 0, "relations": 0, "invalidations": 0}]},
    tool=FEW,
    lines="records",
    slow=True,
)
def import_(sure: "Sure", given: Records) -> Any:
    """Read what an export gave, all or nothing; tells how many records of each kind were taken."""
    return sure.claims.import_(given.records)
