"""Deliberating: claims judged together and in context. Nothing that is stored changes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.claims.explain import Explanation
from howsure.claims.find import StoredClaim
from howsure.claims.tiers import Gatekeeper, Verdict, by_bounds
from howsure.errors import InputError, shown
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.judge import prompts
from howsure.judge.consult import consult, name_of
from howsure.judge.fence import MOST_PORTIONS, portions, unseen
from howsure.judge.question import LIMIT, Failure, Judge
from howsure.syntheses.synthesis import check_text

MOST_AROUND = 20
"""Sources, and relations, of a claim that the judge is told."""


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
    """What was not judged, and why: there, intervals are those of the formula."""
    by: str = ""
    """The model that was asked."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        claims = [{"id": one.id, "reason": one.reason} | one.interval.as_dict() for one in self.claims]
        return {"claims": claims, "narrative": self.narrative, "failure": self.failure, "by": self.by}


def told(explanation: Explanation) -> dict[str, Any]:
    """Return a claim as the judge sees it: what is known about it stands in fields that its text cannot fill."""
    claim, around = explanation.claim, explanation.around
    return {
        "claim": claim.statement,
        **_bounds(claim),
        "tier": claim.tier,
        "status": claim.status,
        "sources": [
            {"type": entry.source_type[:50], "id": entry.source_id[:100], "contribution": entry.contribution}
            for entry in around.evidence.sources[:MOST_AROUND]
            if entry.contribution
        ],
        "relations": [
            {"kind": _passive(one["kind"]), "claim": one["statement"][:200], "strength": one["strength"]}
            for one in around.neighbours[:MOST_AROUND]
        ],
    }


def _bounds(claim: StoredClaim) -> dict[str, float]:
    return {"lower": round(claim.interval.lower, 4), "upper": round(claim.interval.upper, 4)}


def _passive(kind: str) -> str:
    """Return a relation as seen from the claim that it acts on."""
    return {"supports": "supported by", "contradicts": "contradicted by"}.get(kind, kind)


def deliberate(judge: Judge, question: str, explanations: Sequence[Explanation]) -> Deliberation:
    """Ask the judge about claims, in as many questions as they need; what it leaves out stays as it is, as is told."""
    seen = [Deliberated(one.claim.id, one.claim.interval) for one in explanations]
    if not seen:
        return Deliberation([], by=name_of(judge))
    known = [told(one) for one in explanations]
    judged: set[int] = set()
    narratives, reasons, model = [], [], ""
    groups = prompts.grouped(known)
    for group in groups:
        asked = prompts.deliberation([known[place] for place in group], question=question)
        found = consult(judge, asked)
        if isinstance(found, Failure):
            reasons.append(str(found))
            break
        reasons += [] if unseen(asked) in reasons else [unseen(asked)]
        for one in found.value["claims"]:
            place = group[one["id"] - 1]
            lower, upper = sorted((one["lower"], one["upper"]))
            seen[place] = Deliberated(seen[place].id, Interval(lower, upper), one["reason"])
            judged.add(place)
        narratives.append(found.value["narrative"].strip())
        model = found.model
    too_long = len(known) - sum(map(len, groups))
    reasons += [f"{too_long} of them too long for a question"] if too_long else []
    failure = _failure(len(known), len(judged), [reason for reason in reasons if reason])
    return Deliberation(seen, "\n\n".join(filter(None, narratives)), failure, model)


def _failure(known: int, judged: int, reasons: list[str]) -> str:
    """Say in words which claims the judge did not judge, and why; nothing, if it saw and judged all of them."""
    why = "; ".join(reasons)
    if judged == known:
        return why
    if not judged and why:
        return f"the judge failed, these are the formula's intervals: {why}"
    told_why = why or "the judge said nothing about them"
    return f"{known - judged} of {known} claims were not judged, theirs are the formula's intervals: {told_why}"


@dataclass(frozen=True)
class Prose:
    """A text on what is known about a topic."""

    text: str
    failure: str = ""
    """Why there is no text, or what it leaves out."""


def in_prose(judge: Judge, topic: str, claims: Sequence[StoredClaim]) -> Prose:
    """Ask the judge to say in a short text what is known."""
    known = [{"claim": claim.statement, **_bounds(claim), "status": claim.status} for claim in claims]
    group = next(iter(prompts.grouped(known)), [])
    asked = prompts.reflection(topic, [known[place] for place in group])
    found = consult(judge, asked)
    if isinstance(found, Failure) or not found.value["text"].strip():
        return Prose("", f"the judge failed: {found if isinstance(found, Failure) else 'it said nothing'}")
    missed = (
        f"the judge saw {len(group)} of {len(known)} claims, the others did not fit" if len(group) < len(known) else ""
    )
    return Prose(found.value["text"], "; ".join(filter(None, [missed, unseen(asked)])))


def by_judge(judge: Judge) -> Gatekeeper:
    """Return a gatekeeper that asks a judge, once the bounds are reached; a judge that fails defers."""

    def decide(claim: StoredClaim, tier: Tier) -> Verdict:
        bounds = by_bounds(claim, tier)
        if bounds.answer != "promoted":
            return bounds
        evidence = [f"interval {claim.interval}", f"{claim.sources} independent sources", f"status {claim.status}"]
        asked = prompts.gatekeeping(claim.statement, tier, evidence)
        if unseen(asked):
            return Verdict("deferred", [f"it is too long to be judged: {unseen(asked)}"], claim.tier)
        found = consult(judge, asked)
        if isinstance(found, Failure):
            return Verdict("deferred", [f"the judge failed: {found}"], claim.tier)
        answer = found.value["answer"]
        reasons = [reason for reason in found.value["reasons"] if reason.strip()]
        return Verdict(answer, reasons or bounds.reasons, tier if answer == "promoted" else claim.tier)

    return decide


@dataclass(frozen=True)
class Extracted:
    """Claims that a judge found in a text, as they can be added."""

    claims: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""
    """Why there are none, or what was not read."""


def extracted(judge: Judge, text: str, source: str) -> Extracted:
    """Ask the judge for the claims in a text; each rests on the source that is named, as TYPE:ID."""
    check_text(text, "text")
    if not all(check_text(source, "source").partition(":")):
        raise InputError(f"{shown(source)} is not TYPE:ID", field="source", hint="like extraction:report.md")
    whole = portions(text, LIMIT)
    claims: list[dict[str, Any]] = []
    read, failure = 0, ""
    for portion in whole[:MOST_PORTIONS]:
        found = consult(judge, prompts.extraction(portion))
        if isinstance(found, Failure):
            failure = f"the judge failed: {found}"
            break
        read += len(portion)
        claims += [_claim(one, source) for one in found.value["statements"] if one["statement"].strip()]
    length = sum(map(len, whole))
    if read and read < length:
        failure = "; ".join(filter(None, [failure, f"the judge read only the first {read:,} of {length:,} characters"]))
    return Extracted(claims, failure)


def _claim(one: dict[str, Any], source: str) -> dict[str, Any]:
    parts = {name: one[name] or None for name in ("subject", "predicate", "object")}
    return {"statement": one["statement"], **parts, "source": source, "contribution": one["confidence"]}
