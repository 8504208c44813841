"""Ask the judge about claims: deliberate on them, summarize them, decide promotions, and extract them from a text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.claims.add import split_source
from howsure.claims.claim import Claim
from howsure.claims.explain import ClaimExplanation, DeliberatedClaim, Deliberation
from howsure.claims.tiers import ClaimPromotion, Gatekeeper, by_bounds
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.judge import prompts
from howsure.judge.consult import consult, name_of
from howsure.judge.fence import MOST_PORTIONS, portions, unseen
from howsure.judge.question import LIMIT, Failure, Judge
from howsure.store.text_rules import check_namespace
from howsure.syntheses.synthesis import check_unicode

MAX_CONTEXT = 20
"""Sources, and relations, of a claim that the judge is shown."""


def claim_for_judge(explanation: ClaimExplanation) -> dict[str, Any]:
    """Return a claim as the judge is shown it: facts about it stand in fields that its text cannot fill."""
    claim = explanation.claim
    return {
        "claim": claim.statement,
        **_bounds(claim),
        "tier": claim.tier,
        "status": claim.status,
        "sources": [
            {
                "type": one.source.source_type[:50],
                "id": one.source.source_id[:100],
                "contribution": one.source.contribution,
            }
            for one in [one for one in explanation.sources if one.source.contribution and not one.invalid][:MAX_CONTEXT]
        ],
        "relations": [
            {"kind": _passive(one.kind), "claim": one.statement[:200], "strength": one.strength}
            for one in explanation.neighbours[:MAX_CONTEXT]
        ],
    }


def _bounds(claim: Claim) -> dict[str, float]:
    return {"lower": round(claim.interval.lower, 4), "upper": round(claim.interval.upper, 4)}


def _passive(kind: str) -> str:
    """Return a kind of relation as seen from its target."""
    return {"supports": "supported by", "contradicts": "contradicted by"}.get(kind, kind)


def deliberate(judge: Judge, question: str, explanations: Sequence[ClaimExplanation]) -> Deliberation:
    """Ask the judge about claims, in as many questions as they need. Nothing that is stored changes."""
    results = [DeliberatedClaim(one.claim.id, one.claim.interval) for one in explanations]
    if not results:
        return Deliberation([], by=name_of(judge))
    known = [claim_for_judge(one) for one in explanations]
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
            results[place] = DeliberatedClaim(results[place].id, Interval(lower, upper), one["reason"])
            judged.add(place)
        narratives.append(found.value["narrative"].strip())
        model = found.model
    too_long = len(known) - sum(map(len, groups))
    reasons += [f"{too_long} of them too long for a question"] if too_long else []
    failure = _failure(len(known), len(judged), [reason for reason in reasons if reason])
    return Deliberation(results, "\n\n".join(filter(None, narratives)), failure, model)


def _failure(known: int, judged: int, reasons: list[str]) -> str:
    """Return which claims were not judged and why; empty if all were."""
    why = "; ".join(reasons)
    if judged == known:
        return why
    if not judged and why:
        return f"the judge failed, these are the formula's intervals: {why}"
    reason = why or "the judge said nothing about them"
    return f"{known - judged} of {known} claims were not judged, theirs are the formula's intervals: {reason}"


@dataclass(frozen=True)
class Prose:
    """A summary of what is known about a topic."""

    text: str
    failure: str = ""
    """Why there is no text, or what it leaves out."""


def summarize(judge: Judge, topic: str, claims: Sequence[Claim]) -> Prose:
    """Ask the judge for a short text about what is known."""
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
    """Return a gatekeeper that asks a judge once the bounds are reached. If the judge fails, it defers."""

    def decide(claim: Claim, tier: Tier) -> ClaimPromotion:
        bounds = by_bounds(claim, tier)
        if bounds.outcome != "promoted":
            return bounds
        evidence = [f"interval {claim.interval}", f"{claim.sources} independent sources", f"status {claim.status}"]
        asked = prompts.gatekeeping(claim.statement, tier, evidence)
        if unseen(asked):
            return ClaimPromotion("deferred", [f"it is too long to be judged: {unseen(asked)}"], claim.tier)
        found = consult(judge, asked)
        if isinstance(found, Failure):
            return ClaimPromotion("deferred", [f"the judge failed: {found}"], claim.tier)
        answer = found.value["answer"]
        reasons = [reason for reason in found.value["reasons"] if reason.strip()]
        return ClaimPromotion(answer, reasons or bounds.reasons, tier if answer == "promoted" else claim.tier)

    return decide


@dataclass(frozen=True)
class Extraction:
    """Claims that a judge found in a text."""

    claims: list[dict[str, Any]] = field(default_factory=list)
    """Records for `claims.add_many`."""
    failure: str = ""
    """Why there are none, or which part of the text was not read."""


def extract(judge: Judge, text: str, source: str, namespace: str) -> Extraction:
    """Ask the judge for the claims in a text. Each gets the given source, as TYPE:ID.

    Raises:
        InputError: if text, source or namespace are invalid; the judge is not asked then.
    """
    check_unicode(text, "text")
    split_source(check_unicode(source, "source"))
    check_namespace(namespace)
    parts = portions(text, LIMIT)
    claims: list[dict[str, Any]] = []
    read, failure = 0, ""
    for part in parts[:MOST_PORTIONS]:
        reply = consult(judge, prompts.extraction(part))
        if isinstance(reply, Failure):
            failure = f"the judge failed: {reply}"
            break
        read += len(part)
        statements = [one for one in reply.value["statements"] if one["statement"].strip()]
        claims += [_record(one, source) | {"namespace": namespace} for one in statements]
    length = sum(map(len, parts))
    if read and read < length:
        failure = "; ".join(filter(None, [failure, f"the judge read only the first {read:,} of {length:,} characters"]))
    return Extraction(claims, failure)


def _record(statement: dict[str, Any], source: str) -> dict[str, Any]:
    parts = {name: statement[name] or None for name in ("subject", "predicate", "object")}
    return {
        "statement": statement["statement"],
        **parts,
        "source": source,
        "contribution": statement["confidence"],
    }
