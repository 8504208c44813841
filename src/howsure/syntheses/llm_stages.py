"""The stages of a synthesis by a language model. If it fails or skips a part, that is done offline, with a warning."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from howsure.errors import shown
from howsure.formulas.spec import ModelSpec
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
from howsure.syntheses.synthesis import CitedStatement, SubResult, SynthesisConflict, SynthesisFactor, one_line

WEIGHTS = {"completeness": 0.25, "consistency": 0.25, "specificity": 0.20, "grounding": 0.20, "hedging": 0.10}
"""Weight of each factor in the confidence of a sub-result."""
LONGEST_ID = 200
"""Characters of a sub-result's id that the judge sees."""
_SPEC = ModelSpec("judged", 1, {"weights": WEIGHTS})


class JudgedStages:
    """Scorer, extractor, detector and combiner that ask a judge."""

    def __init__(self, judge: Judge) -> None:
        """Store the judge to ask."""
        self.judge = judge

    def score(self, result: SubResult, query: str, context: str) -> Opinion:
        """Score a sub-result by five factors; invalid ones are left out, and the weights of the others scaled up."""
        if result.error is not None:
            return stages.score(result)
        name = one_line(result.id)
        background = [context] if context.strip() else []
        asked = prompts.scores(result.content, question=result.subtask or query, background=background)
        answer = consult(self.judge, asked)
        if isinstance(answer, Failure):
            return Opinion(NEUTRAL, "the judge failed: neutral", f"{name} could not be judged: {answer}", "neutral")
        factors, left_out = _read_factors(answer.value)
        if not factors:
            warning = f"{name}: the judge gave no factor that can be used"
            return Opinion(NEUTRAL, "the judge said nothing: neutral", warning, "neutral")
        score = sum(one.weight * one.score for one in factors) / sum(one.weight for one in factors)
        notes = "; ".join(
            part for part in (f"the judge gave no {', '.join(left_out)}" if left_out else "", unseen(asked)) if part
        )
        why = ", ".join(f"{one.name} {one.score:.2f}" for one in factors)
        warning = f"{name}: {notes}" if notes else ""
        return Opinion(min(max(score, 0.0), 1.0), why, warning, answer.model, factors, _SPEC)

    def extract(self, result: SubResult, confidence: float) -> Extraction:
        """Return claims of a sub-result, none more confident than it. What the judge did not read is read offline."""
        if not result.content.strip():
            return Extraction((), by=OFFLINE)
        claims: list[ClaimTuple] = []
        read, failure, model = 0, "", ""
        whole = portions(result.content, LIMIT)
        for portion in whole[:MOST_PORTIONS]:
            answer = consult(self.judge, prompts.claims(portion, question=result.subtask))
            if isinstance(answer, Failure):
                failure = f": {answer}"
                break
            claims += _read_claims(answer, confidence)
            read, model = read + len(portion), answer.model
        rest = "".join(whole)[read:]
        if not rest.strip() and not failure:
            return Extraction(claims, by=model)
        claims += stages.extract(replace(result, content=rest), confidence)
        how_much = f"the judge read {read:,} of {read + len(rest):,} characters, the rest was read offline"
        notes = (
            f"{how_much}{failure}" if read else f"could not be extracted by the judge, so it was done offline{failure}"
        )
        warning = f"claims of {one_line(result.id)}{':' * bool(read)} {notes}"
        return Extraction(claims, warning, f"{model} and {OFFLINE}" if read else OFFLINE)

    def detect(self, statements: Sequence[str]) -> Detection:
        """Return conflicts among statements; those that the judge did not see are compared offline."""
        seen = next(iter(prompts.grouped(statements)), [])
        partly = f"the judge compared {len(seen)} of {len(statements)} claims, the others were compared offline"
        if len(seen) < 2:  # noqa: PLR2004 - a pair
            return Detection(stages.detect(statements), partly if len(statements) > 1 else "", OFFLINE)
        answer = consult(self.judge, prompts.conflicts([statements[place] for place in seen]))
        if isinstance(answer, Failure):
            failed = f"the judge could not look for conflicts, so this was done offline: {answer}"
            return Detection(stages.detect(statements), failed, OFFLINE)
        pairs: dict[tuple[int, int], ConflictTuple] = {}
        for one in answer.value["conflicts"]:
            first, second = sorted((seen[one["first"] - 1], seen[one["second"] - 1]))
            pairs[first, second] = (first, second, one["kind"], one["severity"], one["reason"])
        if len(seen) == len(statements):
            return Detection(list(pairs.values()), by=answer.model)
        for conflict in stages.detect(statements):
            if not {conflict[0], conflict[1]} <= set(seen):
                pairs[conflict[0], conflict[1]] = conflict
        return Detection(list(pairs.values()), partly, f"{answer.model} and {OFFLINE}")

    def combine(self, material: Material) -> Combination:
        """Let the judge merge the results; if it fails, return an extract with a warning."""
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
        answer = consult(self.judge, asked)
        text = "" if isinstance(answer, Failure) else answer.value["text"].strip()
        if isinstance(answer, Failure) or not text:
            why = answer if isinstance(answer, Failure) else "its answer is empty"
            extract = stages.combine(material)
            return extract._replace(warning=f"the judge failed, this is an extract of the best sources: {why}")
        doubts = [one_line(doubt) for doubt in answer.value["uncertain"] if doubt.strip()]
        lines = [text]
        lines += ["", "Uncertain:", *(f"- {doubt}" for doubt in doubts)] if doubts else []
        named = (f"{one['id']}, confidence {one['confidence']:.2f}" for one in map(sources.__getitem__, shown_results))
        lines += ["", "Sources: " + "; ".join(named)] if material.cite_sources else []
        counted = (("sources", shown_results, sources), ("conflicts", shown_conflicts, conflicts))
        missed = [
            f"the judge saw {len(part)} of {len(all_)} {what}" for what, part, all_ in counted if len(part) < len(all_)
        ]
        return Combination("\n".join(lines), "; ".join(filter(None, [*missed, unseen(asked)])), answer.model)


def _read_factors(answer: Mapping[str, Any]) -> tuple[tuple[SynthesisFactor, ...], list[str]]:
    """Return the valid factors, and a description of each invalid one."""
    known, left_out = [], []
    for name, weight in WEIGHTS.items():
        score = answer.get(name)
        if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
            known.append(SynthesisFactor(name, float(score), weight))
        else:
            left_out.append(name if score is None else f"{name} ({one_line(shown(score))} is not a number from 0 to 1)")
    return tuple(known), left_out


def _read_claims(answer: Answer, confidence: float) -> list[ClaimTuple]:
    return [
        (claim["statement"], confidence * claim["confidence"], claim["evidence"])
        for claim in answer.value["claims"]
        if claim["statement"].strip()
    ]


def _describe(conflict: SynthesisConflict) -> dict[str, Any]:
    """Return a conflict as the judge sees it."""

    def side(of: CitedStatement) -> dict[str, str]:
        return {"source": one_line(of.source)[:LONGEST_ID], "statement": of.statement}

    sides = {"first": side(conflict.first), "second": side(conflict.second)}
    return sides | {"kind": conflict.kind, "severity": conflict.severity}
