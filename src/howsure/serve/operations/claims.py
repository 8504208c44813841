"""Claims: looking at what is believed."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from howsure.claims.add import check_text
from howsure.errors import InputError, nearest, shown
from howsure.formulas import catalog
from howsure.operation import Tool
from howsure.serve.operations import answers
from howsure.serve.operations.operation import FEW, operation
from howsure.shapes import Moment, Unit, Within
from howsure.store.selection import Selection

if TYPE_CHECKING:
    from howsure.sure import Sure

Limit = Annotated[int, Within(1, 1000)]
"""How many on one page."""
ID = "c01a3185c50009f3a2b4c5d6e7f80"
"""An id, as examples show it."""


def check_formula(name: str | None) -> None:
    """Refuse what is no formula for claims."""
    if name is not None and name not in (known := catalog.formulas()):
        raise InputError(f"there is no formula {shown(name)}", field="formula", hint=nearest(name, known))


_SELECTION = tuple(field.name for field in fields(Selection) if field.name != "text")


@dataclass(frozen=True)
class Reading:
    """Which claim, and how it is read."""

    id: str
    """Id of the claim."""
    now: Moment | None = None
    """Age the evidence to this moment, in seconds since 1970; by default the present."""
    as_of: Moment | None = None
    """Use only what was recorded by this moment."""
    formula: str | None = None
    """Read by this formula; by default the store's."""

    def __post_init__(self) -> None:
        """Refuse what is no formula."""
        check_formula(self.formula)


@dataclass(frozen=True)
class Finding(Selection):
    """Which claims are looked for. Everything given has to hold."""

    now: Moment | None = None
    """Age the evidence to this moment, in seconds since 1970; by default the present."""
    as_of: Moment | None = None
    """Use only what was recorded by this moment."""
    formula: str | None = None
    """Read by this formula; by default the store's."""
    trust: Unit = 1.0
    """Scale every interval by this."""
    limit: Limit = 50
    """How many on one page."""
    cursor: str | None = None
    """Read on from the page before: it pins moment, formula and selection."""

    def __post_init__(self) -> None:
        """Refuse what is no formula."""
        check_formula(self.formula)

    def wanted(self) -> dict[str, Any]:
        """Return what `find` takes."""
        names = (*_SELECTION, "now", "as_of", "formula", "trust", "limit", "cursor")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Deliberating(Finding):
    """Which claims the judge is asked about, and what."""

    question: str = ""
    """What to ask; by default about the text that was looked for."""


@dataclass(frozen=True)
class Topic:
    """What to reflect on."""

    topic: str
    """Words that the claims contain; empty for all."""
    namespace: str | None = None
    """`a/b` exactly; `a/b/*` with all below; `a/b/*/1` with one level below."""
    now: Moment | None = None
    """Age the evidence to this moment, in seconds since 1970; by default the present."""
    formula: str | None = None
    """Read by this formula; by default the store's."""

    def __post_init__(self) -> None:
        """Refuse what no store can look for."""
        check_formula(self.formula)
        check_text("statement", self.topic, "topic")
        check_text("namespace", self.namespace)


@dataclass(frozen=True)
class Part:
    """Which part of what is believed."""

    namespace: str | None = None
    """`a/b` exactly; `a/b/*` with all below; `a/b/*/1` with one level below."""
    now: Moment | None = None
    """Age the evidence to this moment, in seconds since 1970; by default the present."""
    formula: str | None = None
    """Read by this formula; by default the store's."""

    def __post_init__(self) -> None:
        """Refuse what no store can look for."""
        check_formula(self.formula)
        check_text("namespace", self.namespace)


@dataclass(frozen=True)
class ClaimId:
    """Which claim."""

    id: str
    """Id of the claim."""


@operation(
    "claims.find",
    "GET /v1/claims",
    scope="read",
    answer=answers.Claims,
    example={"text": "cache", "min_lower": 0.4, "limit": 20},
    tool=Tool(
        "find_claims",
        "Find claims",
        "Look up what is already believed, and how sure that is, before you investigate or answer. Search by words, by "
        "subject, predicate and object, by namespace, or by bounds of confidence. Each claim has an interval: lower is "
        "how sure we are at least, upper at most. The surest come first.",
        parameters=(
            *("text", "subject", "predicate", "object", "namespace", "tiers", "statuses", "min_lower", "max_lower"),
            *("wide", "unverified", "limit", "cursor"),
        ),
        idempotent=True,
    ),
)
def find(sure: "Sure", given: Finding) -> Any:
    """Find claims, the surest first, each with its interval as of now."""
    page = sure.claims.find(given.text, **given.wanted())
    return {"claims": [claim.as_dict() for claim in page.claims], "cursor": page.cursor}


@operation(
    "claims.deliberate",
    "POST /v1/claims/deliberate",
    scope="write",
    answer=answers.Deliberation,
    example={"text": "cache", "question": "Is the cache safe to share between threads?"},
    tool="it asks a language model, and whoever calls tools is one already",
    slow=True,
)
def deliberate(sure: "Sure", given: Deliberating) -> Any:
    """Find claims, and ask the judge what it makes of them. Nothing that is stored changes; it may cost money."""
    page = sure.claims.find(given.text, deliberate=given.question or True, **given.wanted())
    assert page.deliberation is not None  # noqa: S101 - it was asked for
    return page.deliberation.as_dict()


@operation(
    "claims.get",
    "GET /v1/claims/{id}",
    scope="read",
    answer=answers.Claim,
    example={"id": ID},
    tool="explain_claim tells the same and why; the resource howsure://claims/{id} is this",
)
def get(sure: "Sure", given: Reading) -> Any:
    """Return one claim as it stands, whatever its status."""
    return sure.claims.get(given.id, now=given.now, as_of=given.as_of, formula=given.formula).as_dict()


@operation(
    "claims.explain",
    "GET /v1/claims/{id}/explain",
    scope="read",
    answer=answers.Explanation,
    example={"id": ID},
    tool=Tool(
        "explain_claim",
        "Explain a claim",
        "Why is a claim believed as far as it is? Gives its sources, what supports and contradicts it, the reasons in "
        "words, and what would change its interval most. Use it before you rely on a claim or challenge it.",
        parameters=("id",),
        omit=("score", "derived"),
        idempotent=True,
    ),
)
def explain(sure: "Sure", given: Reading) -> Any:
    """Return why a claim is believed as far as it is, step by step, and what would change it most."""
    return sure.claims.explain(given.id, now=given.now, as_of=given.as_of, formula=given.formula).as_dict()


@operation(
    "claims.history",
    "GET /v1/claims/{id}/history",
    scope="read",
    answer=answers.History,
    example={"id": ID},
    tool=FEW,
)
def history(sure: "Sure", given: ClaimId) -> Any:
    """Return every change of a claim: when, who, what."""
    return {"events": sure.claims.history(given.id)}


@operation(
    "claims.reflect",
    "GET /v1/claims/reflect",
    scope="read",
    answer=answers.Reflection,
    example={"topic": "cache"},
    tool="find_claims gives an agent what it needs",
)
def reflect(sure: "Sure", given: Topic) -> Any:
    """Return what is known about a topic: the strongest, weakest, widest and contradicted claims."""
    found = sure.claims.reflect(given.topic, namespace=given.namespace, now=given.now, formula=given.formula)
    return found.as_dict()


@operation(
    "claims.standing",
    "GET /v1/claims/standing",
    scope="read",
    answer=answers.Standing,
    example={"namespace": "team/*"},
    tool="find_claims gives an agent what it needs",
)
def standing(sure: "Sure", given: Part) -> Any:
    """Return how many claims there are, and how many are strong, uncertain, weak, wide, challenged or stale."""
    return sure.claims.standing(given.namespace, now=given.now, formula=given.formula)
