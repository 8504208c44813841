"""Deliberating: claims judged together and in context. Nothing that is stored changes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.core.decay import Tier
from howsure.core.interval import Interval
from howsure.engine.explaining import Explanation
from howsure.engine.finding import StoredClaim
from howsure.engine.tiers import Gatekeeper, Verdict, by_bounds
from howsure.errors import HowsureError
from howsure.judge import prompts
from howsure.judge.base import Failure, Judge


@dataclass(frozen=True)
class Deliberated:
    """A claim's interval as the judge sees it."""

    id: str
    interval: Interval
    """As the judge sees it; as the formula does, where the judge said nothing."""
    reason: str = ""


@dataclass(frozen=True)
class Deliberation:
    """What a judge makes of claims, asked a question."""

    claims: list[Deliberated]
    narrative: str = ""
    """How the claims hang together."""
    failure: str = ""
    """Why there is no deliberation, if the judge failed: then the intervals are those of the formula."""
    by: str = ""
    """The model that was asked."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        claims = [{"id": one.id, "reason": one.reason} | one.interval.as_dict() for one in self.claims]
        return {"claims": claims, "narrative": self.narrative, "failure": self.failure, "by": self.by}


def told(explanation: Explanation) -> str:
    """Return a claim with its provenance and relations, as the judge sees it."""
    claim = explanation.claim
    sources = "; ".join(
        f"{entry.source_type}:{entry.source_id} {entry.contribution:g}"
        for entry in explanation.around.evidence.provenance[:20]
        if entry.contribution
    )
    relations = "; ".join(
        f"{one['kind'].replace('supports', 'supported by').replace('contradicts', 'contradicted by')} "
        f'"{one["statement"][:200]}" ({one["strength"]:g})'
        for one in explanation.around.neighbours[:20]
    )
    return (
        f"{claim.statement} | interval {claim.interval} | tier {claim.tier}, {claim.status} | "
        f"sources: {sources or 'none'} | relations: {relations or 'none'}"
    )


def deliberate(judge: Judge, question: str, explanations: Sequence[Explanation]) -> Deliberation:
    """Ask the judge about claims. A judge that fails changes nothing, and that is told."""
    plain = [Deliberated(one.claim.id, one.claim.interval) for one in explanations]
    if not plain:
        return Deliberation([], by=judge.model)
    found = judge.ask(prompts.deliberation([told(one) for one in explanations], question=question))
    if isinstance(found, Failure):
        return Deliberation(plain, failure=f"the judge failed, these are the formula's intervals: {found}")
    for one in found.value["claims"]:
        place = one["id"] - 1
        lower, upper = sorted((one["lower"], one["upper"]))
        plain[place] = Deliberated(plain[place].id, Interval(lower, upper), one["reason"])
    return Deliberation(plain, found.value["narrative"], by=found.model)


@dataclass(frozen=True)
class Prose:
    """A text on what is known about a topic."""

    text: str
    failure: str = ""


def in_prose(judge: Judge, topic: str, claims: Sequence[StoredClaim]) -> Prose:
    """Ask the judge to say in a short text what is known."""
    found = judge.ask(prompts.reflection(topic, [f"{claim.statement} {claim.interval}" for claim in claims]))
    return Prose("", f"the judge failed: {found}") if isinstance(found, Failure) else Prose(found.value["text"])


def by_judge(judge: Judge) -> Gatekeeper:
    """Return a gatekeeper that asks a judge, once the bounds are reached; a judge that fails defers."""

    def decide(claim: StoredClaim, tier: Tier) -> Verdict:
        bounds = by_bounds(claim, tier)
        if bounds.answer != "promoted":
            return bounds
        evidence = [f"interval {claim.interval}", f"{claim.sources} independent sources", f"status {claim.status}"]
        found = judge.ask(prompts.gatekeeping(claim.statement, tier, evidence))
        if isinstance(found, Failure):
            return Verdict("deferred", [f"the judge failed: {found}"], claim.tier)
        answer = found.value["answer"]
        return Verdict(answer, found.value["reasons"] or bounds.reasons, tier if answer == "promoted" else claim.tier)

    return decide


@dataclass(frozen=True)
class Extracted:
    """Claims that a judge found in a text, as they can be added."""

    claims: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""


def extracted(judge: Judge, text: str, source: str) -> Extracted:
    """Ask the judge for the claims in a text; each rests on the source that is named, as TYPE:ID."""
    if not all(source.partition(":")):
        raise HowsureError(f"{source!r} is not TYPE:ID", field="source", hint="like extraction:report.md")
    found = judge.ask(prompts.extraction(text))
    if isinstance(found, Failure):
        return Extracted(failure=f"the judge failed: {found}")
    return Extracted(
        [
            {
                "statement": one["statement"],
                "subject": one["subject"] or None,
                "predicate": one["predicate"] or None,
                "object": one["object"] or None,
                "source": source,
                "contribution": one["confidence"],
            }
            for one in found.value["statements"]
            if one["statement"].strip()
        ]
    )
