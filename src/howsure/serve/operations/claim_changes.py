"""Changing claims: adding, deriving, relating, and what becomes of contradictions."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from howsure.claims.add import ClaimInput
from howsure.errors import InputError
from howsure.formulas.claim import RelationKind
from howsure.operation import Tool
from howsure.serve.operations import answers
from howsure.serve.operations.claims import ID
from howsure.serve.operations.operation import FEW, operation
from howsure.shapes import Unit

if TYPE_CHECKING:
    from howsure.sure import Sure

OTHER = "c01a3185c5000a1b2c3d4e5f60718"
"""Another id, as examples show it."""


@dataclass(frozen=True)
class Relation:
    """How one claim relates to another."""

    id: str
    """Id of the claim that supports, contradicts, ..."""
    kind: RelationKind
    """What it does."""
    target: str
    """Id of the other claim."""
    strength: Unit = 1.0
    """How strongly."""


@dataclass(frozen=True)
class Challenge:
    """A contradiction: by another claim, or by a statement with its source."""

    id: str
    """Id of the claim that is challenged."""
    by: str | None = None
    """Id of the claim that contradicts it."""
    statement: str | None = None
    """Or what contradicts it, in words: added as a claim, or corroborated."""
    source: str | None = None
    """Who says so, as TYPE:ID."""
    contribution: Unit | None = None
    """How much that counts; 0.5, if not given."""
    strength: Unit = 1.0
    """How strongly it contradicts."""

    def __post_init__(self) -> None:
        """Refuse what names no claim, or two."""
        if (self.by is None) == (self.statement is None):
            raise InputError("a challenge needs a claim", field="by", hint="an id, or a statement with its source")
        if self.by is not None and (self.source is not None or self.contribution is not None):
            raise InputError("a claim that is there has its sources", field="source", hint="leave it out")


@dataclass(frozen=True)
class Resolution:
    """The end of a challenge."""

    id: str
    """Id of the claim that is challenged."""
    uphold: bool
    """Whether the claim is upheld; otherwise it is given up."""
    by: str | None = None
    """Id of the challenging claim; all of them, if not given."""
    note: str = ""
    """Why."""


@dataclass(frozen=True)
class Superseding:
    """One claim that takes the place of another."""

    id: str
    """Id of the old claim."""
    by: str
    """Id of the new one."""


@dataclass(frozen=True)
class Derivation(ClaimInput):
    """A claim that is inferred from others."""

    constituents: tuple[str, ...] = ()
    """Ids of the claims that it rests on."""
    assessed: Unit = 0.5
    """How sure the inference itself is at best."""
    by: str = "inference"
    """Who infers it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be kept, and sources other than the inference."""
        super().__post_init__()
        for name in ("source", "contribution", "provenance"):
            if getattr(self, name):
                raise InputError("an inference is its own source", field=name, hint="leave it out")


def _given(claim: ClaimInput) -> dict[str, Any]:
    """Return the fields of a claim that differ from what they are anyway."""
    defaults = {field.name: field.default for field in fields(ClaimInput)}
    return {name: getattr(claim, name) for name, value in defaults.items() if getattr(claim, name) != value}


@operation(
    "claims.add",
    "POST /v1/claims",
    scope="write",
    answer=answers.Added,
    example={
        "statement": "The cache is thread-safe",
        "source": "user_input:ann",
        "contribution": 0.8,
        "namespace": "team/project",
    },
    tool=Tool(
        "remember_claim",
        "Remember a claim",
        "Keep something that was found out, with who says so, so that it can be relied on later. If the same statement "
        "is known already, this corroborates it: independent sources make it surer, the same source does not count "
        "twice. Give `source` as TYPE:ID (like extraction:README.md, user_input:ann or agent:reviewer) and "
        "`contribution` from 0 to 1 for how much it counts.",
        parameters=("statement", "subject", "predicate", "object", "namespace", "tier", "source", "contribution"),
    ),
)
def add(sure: "Sure", given: ClaimInput) -> Any:
    """Add a claim, or corroborate the one that says the same."""
    added = sure.claims.add(**_given(given))
    return {"outcome": added.outcome, "claim": sure.claims.get(str(added.id)).as_dict()}


@operation(
    "claims.derive",
    "POST /v1/claims/derive",
    scope="write",
    answer=answers.Added,
    example={"statement": "The cache can be shared", "constituents": [ID], "assessed": 0.9},
    tool=FEW,
)
def derive(sure: "Sure", given: Derivation) -> Any:
    """Add a claim that is inferred from others. It is never surer than they are, whenever it is read."""
    about = _given(given)
    statement = about.pop("statement")
    added = sure.claims.derive(statement, given.constituents, assessed=given.assessed, by=given.by, **about)
    return {"outcome": added.outcome, "claim": sure.claims.get(str(added.id)).as_dict()}


@operation(
    "claims.relate",
    "POST /v1/claims/{id}/relate",
    scope="write",
    answer=answers.Related,
    example={"id": ID, "kind": "supports", "target": OTHER, "strength": 0.8},
    tool=FEW,
)
def relate(sure: "Sure", given: Relation) -> Any:
    """Say that one claim supports, contradicts, refines or supersedes another, or is derived from or related to it."""
    sure.claims.relate(given.id, given.kind, given.target, strength=given.strength)
    return {"source": given.id, "kind": given.kind, "target": given.target, "strength": given.strength}


@operation(
    "claims.challenge",
    "POST /v1/claims/{id}/challenge",
    scope="write",
    answer=answers.Challenged,
    example={"id": ID, "statement": "The cache loses writes", "source": "agent:reviewer", "contribution": 0.6},
    tool=Tool(
        "challenge_claim",
        "Challenge a claim",
        "Contradict a claim that you have evidence against, by another claim (`by`, its id) or by a statement with its "
        "source. Nothing is overwritten: both stand, the claim is marked as challenged and becomes less sure, until "
        "somebody resolves it.",
    ),
)
def challenge(sure: "Sure", given: Challenge) -> Any:
    """Contradict a claim by another, given by id, or as a statement with its source. It is marked as challenged."""
    names = ("statement", "source", "contribution")
    claim = {name: value for name in names if (value := getattr(given, name)) is not None}
    found = sure.claims.challenge(given.id, given.by, strength=given.strength, **claim)
    return {"claim": sure.claims.get(found.target).as_dict(), "by": sure.claims.get(found.by).as_dict()}


@operation(
    "claims.resolve",
    "POST /v1/claims/{id}/resolve",
    scope="write",
    answer=answers.Claim,
    example={"id": ID, "uphold": True, "note": "measured again"},
    tool="whether a contradiction is settled is for people to say",
)
def resolve(sure: "Sure", given: Resolution) -> Any:
    """End a challenge: uphold the claim, or give it up."""
    sure.claims.resolve(given.id, given.by, uphold=given.uphold, note=given.note)
    return sure.claims.get(given.id).as_dict()


@operation(
    "claims.supersede",
    "POST /v1/claims/{id}/supersede",
    scope="write",
    answer=answers.Claim,
    example={"id": ID, "by": OTHER},
    tool=FEW,
)
def supersede(sure: "Sure", given: Superseding) -> Any:
    """Let another claim take the place of this one, which is then deprecated."""
    sure.claims.supersede(given.id, given.by)
    return sure.claims.get(given.id).as_dict()
