"""The source document's synthesizer."""

import subprocess
import sys
from typing import Any

import pytest

import howsure.compat
from howsure.compat.synthesize import (
    Claim,
    Confidence,
    ConfidenceComponent,
    ConfidenceLevel,
    ConflictType,
    HeuristicScorer,
    LLMClaimExtractor,
    LLMConflictDetector,
    LLMScorer,
    ScoredResult,
    ScoringContext,
    SubCallResult,
    SynthesisConfig,
    WeightedSynthesizer,
    default_factors,
    default_synthesis_config,
)
from howsure.errors import InputError
from howsure.judge import Failure, ScriptedJudge
from howsure.syntheses.api import Syntheses

NIL = SubCallResult("a", "The function returns nil on error.")
NEVER = SubCallResult("b", "The function never returns nil.")
FIVE = ("completeness", "consistency", "specificity", "grounding", "hedging")


def test_confidence_weighted() -> None:
    parts = [ConfidenceComponent("accuracy", 0.8, 0.5), ConfidenceComponent("relevance", 0.6, 0.3)]
    parts.append(ConfidenceComponent("completeness", 0.4, 0.2))
    assert round(Confidence(0.0, parts).weighted(), 9) == 0.66
    assert Confidence(0.4).weighted() == 0.4
    assert [Confidence(score).level() for score in (0.9, 0.7, 0.5, 0.49)] == [
        ConfidenceLevel.HIGH,
        ConfidenceLevel.MEDIUM,
        ConfidenceLevel.LOW,
        ConfidenceLevel.VERY_LOW,
    ]


def test_results_below_the_minimum_are_left_out() -> None:
    results = [
        SubCallResult("a", "The function returns nil on error."),
        SubCallResult("b", "The function never returns nil."),
        SubCallResult("c", error="timed out"),
    ]
    found = WeightedSynthesizer().synthesize(results, "What does it return?")
    assert [one.result.sub_call_id for one in found.scored_results] == ["a", "b"]
    assert len(found.conflicts) == 1
    assert any(warning.startswith("1 of 3 sources were left out") for warning in found.warnings)
    strict = WeightedSynthesizer(SynthesisConfig(min_confidence=0.99)).synthesize(results, "q")
    assert (strict.scored_results, strict.confidence.score) == ([], 0.0)
    assert default_synthesis_config() == SynthesisConfig(0.3, 0.5, True, 50)


def test_the_level_is_that_of_the_weighted_mean() -> None:
    parts = [ConfidenceComponent("a", 0.94, 1.0), ConfidenceComponent("b", 0.94, 2.0)]
    assert Confidence(0.0, parts).level() is ConfidenceLevel.HIGH
    assert Confidence(1.0, [ConfidenceComponent("a", 0.1, 1.0)]).level() is ConfidenceLevel.VERY_LOW
    assert Confidence(0.7, [ConfidenceComponent("a", 0.1, 0.0)]).level() is ConfidenceLevel.MEDIUM


def test_claims_and_conflicts_have_the_fields_of_the_source_document() -> None:
    found = WeightedSynthesizer().synthesize([NIL, NEVER], "What does it return?")
    (conflict,) = found.conflicts
    assert (conflict.type, conflict.severity > 0.5) == (ConflictType.CONTRADICTION, True)
    assert {conflict.claim_a.source_id, conflict.claim_b.source_id} == {"a", "b"}
    first, second = found.scored_results
    assert [first.claims[0].statement, second.claims[0].statement] == [NIL.content, NEVER.content]
    assert first.claims == [Claim("a#1", NIL.content, first.confidence.score, "a", NIL.content)]
    assert first.conflicts == second.conflicts == [conflict]
    assert (first.sub_call_id, first.content) == ("a", NIL.content)
    assert first.confidence.weighted() == pytest.approx(first.confidence.score)
    assert [part.factor for part in first.confidence.components] == ["length", "hedging", "certainty", "structure"]
    assert found.overall_conf == found.confidence.score
    lengths = [len(one.content) for one in found.scored_results]
    weighted = sum(one.confidence.weighted() * len(one.content) for one in found.scored_results)
    assert found.overall_conf == pytest.approx(weighted / sum(lengths))


def test_two_results_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="'a' is the id of two sub-results"):
        WeightedSynthesizer().synthesize([NIL, SubCallResult("a", "It never does.")], "q")
    with pytest.raises(InputError, match=r"results\[1\]: an object of 1 is not a SubCallResult"):
        WeightedSynthesizer().synthesize([NIL, {"sub_call_id": "b"}], "q")  # type: ignore[list-item]


def test_scorers_give_components() -> None:
    plain = HeuristicScorer().score(SubCallResult("a", "It might work, I think."))
    assert (round(plain.score, 4), round(plain.weighted(), 4)) == (0.5429, 0.5429)
    judge = ScriptedJudge([dict.fromkeys(FIVE, 0.9) | {"grounding": 1.4}, Failure("timeout", "too slow")])
    scorer = LLMScorer(judge)
    context = ScoringContext("Which port?", [NIL], ["It is a server.", "It is old."])
    judged = scorer.score(NIL, context)
    assert judged.weighted() == pytest.approx(0.9)
    assert [part.factor for part in judged.components] == [name for name in FIVE if name != "grounding"]
    assert judged.warning.startswith("a: the judge gave no grounding (1.4")
    assert judge.asked[0].content["background 1"] == "It is a server.\n\nIt is old."
    failed = scorer.score(NIL)
    assert (failed.score, failed.components, failed.level()) == (0.5, [], ConfidenceLevel.LOW)
    assert failed.warning == "a could not be judged: timeout: too slow"
    assert sum(factor.weight for factor in default_factors()) == pytest.approx(1.0)
    assert HeuristicScorer().score(SubCallResult("c", error="timed out")).score == 0.0


class Own:
    """A scorer of somebody's own."""

    def __init__(self, given: Any) -> None:
        self.given, self.seen = given, [ScoringContext()]

    def score(self, result: SubCallResult, context: ScoringContext | None = None) -> Any:
        assert context is not None
        self.seen.append(context)
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def test_a_custom_scorer_is_used() -> None:
    own = Own(Confidence(0.0, [ConfidenceComponent("luck", 0.95, 3.0)]))
    found = WeightedSynthesizer(scorer=own).synthesize([NIL, NEVER], "q")
    assert found.overall_conf == pytest.approx(0.95)
    assert (own.seen[-1].original_query, own.seen[-1].all_results) == ("q", [NIL, NEVER])
    for given in (None, 0.7, Confidence(1.7), ValueError("no")):
        found = WeightedSynthesizer(scorer=Own(given)).synthesize([NIL], "q")
        assert found.overall_conf == 0.5
        assert found.warnings[0].startswith("the scorer failed for a: ")


def test_a_language_model_can_do_every_stage() -> None:
    answers = {
        "scores": dict.fromkeys(FIVE, 0.8),
        "claims": {"claims": []},
        "synthesis": {"text": "It may.", "uncertain": []},
    }
    judge = ScriptedJudge(lambda question: answers[question.task])
    found = WeightedSynthesizer(SynthesisConfig(include_provenance=False), llm_client=judge).synthesize([NIL], "q")
    assert found.content == "It may."
    assert found.overall_conf == pytest.approx(0.8)
    own = Own(Confidence(0.95))
    found = WeightedSynthesizer(scorer=own, llm_client=judge).synthesize([NIL], "q")
    assert found.content.startswith("It may.\n")
    assert found.overall_conf == pytest.approx(0.95)
    with pytest.raises(InputError, match="syntheses"):
        WeightedSynthesizer(syntheses=Syntheses(), llm_client=judge)


CLAIMS = {
    "claims": [
        {"statement": "It returns nil.", "confidence": 0.9, "evidence": "line 3"},
        {"statement": "It never returns nil.", "confidence": 0.5, "evidence": ""},
    ]
}
CONFLICTS = {
    "conflicts": [
        {"first": 1, "second": 2, "kind": "contradiction", "severity": 0.9, "reason": "nil"},
        {"first": 1, "second": 3, "kind": "ambiguity", "severity": 0.4, "reason": "it"},
    ]
}


def test_a_language_model_extracts_claims() -> None:
    extractor = LLMClaimExtractor(ScriptedJudge(lambda _: CLAIMS))
    claims = extractor.extract(ScoredResult(NIL, Confidence(0.8)))
    assert claims[0] == Claim("a-1", "It returns nil.", 0.8 * 0.9, "a", "line 3")
    assert [claim.source_id for claim in claims] == ["a", "a"]
    assert extractor.warning == ""
    failing = LLMClaimExtractor(ScriptedJudge(lambda _: Failure("timeout", "too slow")))
    assert [claim.statement for claim in failing.extract(ScoredResult(NIL, Confidence(0.8)))] == [NIL.content]
    assert "done offline" in failing.warning


def test_a_language_model_detects_conflicts_above_a_threshold() -> None:
    claims = [Claim(str(number), f"statement {number}", 0.5, "a") for number in range(3)]
    (found,) = LLMConflictDetector(ScriptedJudge(lambda _: CONFLICTS), 0.5).detect(claims)
    assert (found.claim_a, found.claim_b, found.severity) == (claims[0], claims[1], 0.9)
    assert found.type is ConflictType.CONTRADICTION
    both = LLMConflictDetector(ScriptedJudge(lambda _: CONFLICTS), 0.4).detect(claims)
    assert [one.type for one in both] == [ConflictType.CONTRADICTION, ConflictType.AMBIGUITY]
    assert LLMConflictDetector(ScriptedJudge(lambda _: CONFLICTS)).detect(claims[:1]) == []
    failing = LLMConflictDetector(ScriptedJudge(lambda _: Failure("timeout", "too slow")))
    assert len(failing.detect([Claim("1", NIL.content, 1.0, "a"), Claim("2", NEVER.content, 1.0, "b")])) == 1
    assert "done offline" in failing.warning
    with pytest.raises(InputError, match="threshold: 2 is not between 0 and 1"):
        LLMConflictDetector(ScriptedJudge(lambda _: CONFLICTS), 2)


def test_the_stages_of_the_document_are_put_together_as_in_its_controller() -> None:
    answers = {
        "scores": dict.fromkeys(FIVE, 0.8),
        "claims": {"claims": CLAIMS["claims"][:1]},
        "conflicts": {"conflicts": CONFLICTS["conflicts"][:1]},
        "synthesis": {"text": "It may.", "uncertain": []},
    }
    judge = ScriptedJudge(lambda question: answers[question.task])
    synthesizer = WeightedSynthesizer(
        default_synthesis_config(),
        scorer=LLMScorer(judge),
        extractor=LLMClaimExtractor(judge),
        detector=LLMConflictDetector(judge, 0.5),
        llm_client=judge,
    )
    found = synthesizer.synthesize([NIL, NEVER], "What does it return?")
    assert found.overall_conf == pytest.approx(0.8)
    assert [len(one.claims) for one in found.scored_results] == [1, 1]
    assert [conflict.type for conflict in found.conflicts] == [ConflictType.CONTRADICTION]
    assert found.content.startswith("It may.")


def test_results_come_before_the_query_as_in_the_document() -> None:
    with pytest.raises(InputError, match="results, then query"):
        WeightedSynthesizer().synthesize("What?", [NIL])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="its stages"):
        WeightedSynthesizer(syntheses=Syntheses(), detector=LLMConflictDetector(ScriptedJudge(lambda _: CONFLICTS)))


def test_the_names_of_the_source_document_are_importable() -> None:
    for name in howsure.compat.__all__:
        assert getattr(howsure.compat, name).__name__ == name
    assert {"ConfidenceService", "WeightedSynthesizer", "ConfidenceScorer", "ConfidenceCalculator", "AgentType"} <= set(
        dir(howsure.compat)
    )
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = howsure.compat.nonsense


def test_importing_compat_loads_nothing_else() -> None:
    script = "import sys, howsure.compat; print(*(name for name in sys.modules if name.startswith('howsure.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["howsure.version", "howsure.compat"]
