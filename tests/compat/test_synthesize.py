"""The source document's synthesizer, in its own words."""

from howsure.compat.synthesize import (
    Confidence,
    ConfidenceComponent,
    ConfidenceLevel,
    SubCallResult,
    SynthesisConfig,
    WeightedSynthesizer,
    default_synthesis_config,
)


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
    found = WeightedSynthesizer().synthesize("What does it return?", results)
    assert [one.result.sub_call_id for one in found.scored_results] == ["a", "b"]
    assert len(found.conflicts) == 1
    assert any(warning.startswith("1 of 3 sources were left out") for warning in found.warnings)
    strict = WeightedSynthesizer(SynthesisConfig(min_confidence=0.99)).synthesize("q", results)
    assert (strict.scored_results, strict.confidence.score) == ([], 0.0)
    assert default_synthesis_config() == SynthesisConfig(0.3, 0.5, True, 50)
