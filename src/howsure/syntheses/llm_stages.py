"""The stages of a synthesis by a language model. What it fails at or does not see is done offline, with a warning."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from howsure.errors import shown
from howsure.formulas.spec import Spec
from howsure.judge import prompts
from howsure.judge.consult import consult
from howsure.judge.fence import MOST_PORTIONS, portions, unseen
from howsure.judge.question import LIMIT, Answer, Failure, Judge
from howsure.syntheses import stages
from howsure.syntheses.pipeline import NEUTRAL
from howsure.syntheses.stages import (
    OFFLINE,
    ClaimTuple,
    Combination,
    ConflictTuple,
    Detection,
    Extraction,
    Material,
    Opinion,
)
from howsure.syntheses.synthesis import CitedStatement, Conflict, Factor, SubResult, one_line

WEIGHTS = {"completeness": 0.25, "consistency": 0.25, "specificity": 0.20, "grounding": 0.20, "hedging": 0.10}
"""Weight of each factor in the confidence of a sub-result."""
LONGEST_ID = 200
"""Characters of a sub-result's id that the judge sees."""
_SPEC = Spec("judged", 1, {"weights": WEIGHTS})


class JudgedStages:
    """Scorer, extractor, detector and combiner that ask a judge."""

    def __init__(self, judge: Judge) -> None:
        """Ask this judge."""
        self.judge = judge

    def score(self, result: SubResult, query: str, context: str) -> Opinion:
        """Score a sub-result by five factors; invalid ones are left out, and the weights of the others scaled up."""
        if result.error is not None:
            return stages.score(result)
        name = one_line(result.id)
        background = [context] if context.strip() else []
        asked = prompts.scores(result.content, question=result.subtask or query, background=background)
        found = consult(self.judge, asked)
        if isinstance(found, Failure):
            return Opinion(NEUTRAL, "the judge failed: neutral", f"{name} could not be judged: {found}", "neutral")
        factors, left_out = _factors(found.value)
        if not factors:
            told = f"{name}: the judge gave no factor that can be used"
            return Opinion(NEUTRAL, "the judge said nothing: neutral", told, "neutral")
        score = sum(one.weight * one.score for one in factors) / sum(one.weight for one in factors)
        told = "; ".join(
            part for part in (f"the judge gave no {', '.join(left_out)}" if left_out else "", unseen(asked)) if part
        )
        why = ", ".join(f"{one.name} {one.score:.2f}" for one in factors)
        warning = f"{name}: {told}" if told else ""
        return Opinion(min(max(score, 0.0), 1.0), why, warning, found.model, factors, _SPEC)

    def extract(self, result: SubResult, confidence: float) -> Extraction:
        """Return the claims of a sub-result, none more confident than itself; what the judge did not read, offline."""
        if not result.content.strip():
            return Extraction((), by=OFFLINE)
        claims: list[ClaimTuple] = []
        read, failure, model = 0, "", ""
        whole = portions(result.content, LIMIT)
        for portion in whole[:MOST_PORTIONS]:
            found = consult(self.judge, prompts.claims(portion, question=result.subtask))
            if isinstance(found, Failure):
                failure = f": {found}"
                break
            claims += _claims(found, confidence)
            read, model = read + len(portion), found.model
        rest = "".join(whole)[read:]
        if not rest.strip() and not failure:
            return Extraction(claims, by=model)
        claims += stages.extract(replace(result, content=rest), confidence)
        how_much = f"the judge read {read:,} of {read + len(rest):,} characters, the rest was read offline"
        told = (
            f"{how_much}{failure}" if read else f"could not be extracted by the judge, so it was done offline{failure}"
        )
        warning = f"claims of {one_line(result.id)}{':' * bool(read)} {told}"
        return Extraction(claims, warning, f"{model} and {OFFLINE}" if read else OFFLINE)

    def detect(self, statements: Sequence[str]) -> Detection:
        """Return conflicts among statements; those that the judge did not see are compared offline."""
        seen = next(iter(prompts.grouped(statements)), [])
        told = f"the judge compared {len(seen)} of {len(statements)} claims, the others were compared offline"
        if len(seen) < 2:  # noqa: PLR2004 - a pair
            return Detection(stages.detect(statements), told if len(statements) > 1 else "", OFFLINE)
        found = consult(self.judge, prompts.conflicts([statements[place] for place in seen]))
        if isinstance(found, Failure):
            failed = f"conflicts could not be looked for by the judge, so it was done offline: {found}"
            return Detection(stages.detect(statements), failed, OFFLINE)
        pairs: dict[tuple[int, int], ConflictTuple] = {}
        for one in found.value["conflicts"]:
            first, second = sorted((seen[one["first"] - 1], seen[one["second"] - 1]))
            pairs[first, second] = (first, second, one["kind"], one["severity"], one["reason"])
        if len(seen) == len(statements):
            return Detection(list(pairs.values()), by=found.model)
        for conflict in stages.detect(statements):
            if not {conflict[0], conflict[1]} <= set(seen):
                pairs[conflict[0], conflict[1]] = conflict
        return Detection(list(pairs.values()), told, f"{found.model} and {OFFLINE}")

    def combine(self, material: Material) -> Combination:
        """Let the judge merge; if it fails, return an extract with a warning."""
        sources = [
            {"id": one_line(one.id)[:LONGEST_ID], "confidence": round(one.confidence, 4)} for one in material.results
        ]
        shown_results = next(iter(prompts.grouped(sources)), [])
        conflicts = [_describe(conflict) for conflict in material.conflicts]
        shown_conflicts = next(iter(prompts.grouped(conflicts)), [])
        asked = prompts.synthesis(
            [material.results[place].content for place in shown_results],
            question=material.query,
            sources=[sources[place] for place in shown_results],
            conflicts=[conflicts[place] for place in shown_conflicts],
        )
        found = consult(self.judge, asked)
        said = "" if isinstance(found, Failure) else found.value["text"].strip()
        if isinstance(found, Failure) or not said:
            why = found if isinstance(found, Failure) else "it said nothing"
            extract = stages.combine(material)
            return extract._replace(warning=f"the judge failed, this is an extract of the best sources: {why}")
        doubts = [one_line(doubt) for doubt in found.value["uncertain"] if doubt.strip()]
        lines = [said]
        lines += ["", "Uncertain:", *(f"- {doubt}" for doubt in doubts)] if doubts else []
        named = (f"{one['id']}, confidence {one['confidence']:.2f}" for one in map(sources.__getitem__, shown_results))
        lines += ["", "Sources: " + "; ".join(named)] if material.cite_sources else []
        counted = (("sources", shown_results, sources), ("conflicts", shown_conflicts, conflicts))
        missed = [
            f"the judge saw {len(part)} of {len(all_)} {what}" for what, part, all_ in counted if len(part) < len(all_)
        ]
        return Combination("\n".join(lines), "; ".join(filter(None, [*missed, unseen(asked)])), found.model)


def _factors(answer: Mapping[str, Any]) -> tuple[tuple[Factor, ...], list[str]]:
    """Return the valid factors, and a description of each invalid one."""
    known, left_out = [], []
    for name, weight in WEIGHTS.items():
        given = answer.get(name)
        if isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1:
            known.append(Factor(name, float(given), weight))
        else:
            left_out.append(name if given is None else f"{name} ({one_line(shown(given))} is not a number from 0 to 1)")
    return tuple(known), left_out


def _claims(found: Answer, confidence: float) -> list[ClaimTuple]:
    return [
        (claim["statement"], confidence * claim["confidence"], claim["evidence"])
        for claim in found.value["claims"]
        if claim["statement"].strip()
    ]


def _describe(conflict: Conflict) -> dict[str, Any]:
    """Return a conflict as the judge sees it."""

    def side(of: CitedStatement) -> dict[str, str]:
        return {"source": one_line(of.source)[:LONGEST_ID], "statement": of.statement}

    sides = {"first": side(conflict.first), "second": side(conflict.second)}
    return sides | {"kind": conflict.kind, "severity": conflict.severity}
