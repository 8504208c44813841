"""Stages of a synthesis: what they return is checked, and failed ones are replaced."""

import math
from typing import Any

import pytest

from howsure.sure import Sure
from howsure.syntheses.api import Syntheses
from howsure.syntheses.stages import Combination, Detection, Extraction, Material, Opinion
from tests.judge.conftest import judge, judge_server, make_judge  # noqa: F401 - fixtures
from tests.judge.server import JudgeServer, status

NIL = {
    "id": "a",
    "content": "The function returns nil on error. It was introduced in version 1.2.",
    "sources": ["f.go"],
}


NEVER: dict[str, Any] = {"id": "b", "content": "The function never returns nil."}


def fail(*_: Any) -> Any:
    raise RuntimeError("out of order")


def test_failures_of_a_stage_are_reported(sure: Sure) -> None:
    broken = Syntheses(None, scorer=fail, extractor=fail, detector=fail, combiner=fail)
    found = broken.combine("q", [NIL, NEVER])
    assert [one.confidence for one in found.results] == [0.5, 0.5]
    told = " | ".join(found.warnings)
    for words in ("the scorer failed for a", "claims of a could not be extracted", "conflicts could not be looked for"):
        assert words in told
    assert "the combiner failed, this is an extract: out of order" in told
    assert found.content.startswith("- (disputed) The function")
    offline = {"extracted by": "offline", "detected by": "offline", "combined by": "offline"}
    assert found.stages == {"scored by": "neutral"} | offline


def test_stages_can_be_replaced() -> None:
    def combined(material: Material) -> Combination:
        return Combination(f"{len(material.claims)} statements for {material.query}", by="mine")

    own = Syntheses(None, scorer=lambda *_: Opinion(0.9, "trusted"), detector=lambda _: [(0, 1, "ambiguity", 0.6, "x")])
    own.combiner = combined
    found = own.combine("q", [NIL, NEVER])
    assert (found.content, found.stages["combined by"], found.level) == ("3 statements for q", "mine", "HIGH")
    assert found.conflicts[0].kind == "ambiguity"
    assert own.combine("q", [NIL, NEVER], rules={"conflict_threshold": 0.7}).conflicts == ()


def judged(sure: Sure, by: Any) -> Syntheses:
    return Syntheses(sure.ledger, judge=by).judged()


def test_a_failing_judge_is_reported_and_replaced(sure: Sure, judge_server: JudgeServer, make_judge: Any) -> None:  # noqa: F811
    judge_server.otherwise = status(500)
    found = judged(sure, make_judge(retries=0)).combine("q", [NIL, NEVER])
    assert [one.confidence for one in found.results] == [0.5, 0.5]
    told = " | ".join(found.warnings)
    for words in (
        "a could not be judged: unreachable",
        "claims of a could not be extracted",
        "this is an extract",
    ):
        assert words in told
    assert found.decision == "answer"


WRONG_STAGES: list[tuple[str, Any, str]] = [
    ("scorer", None, "expected an Opinion, not null"),
    ("scorer", 0.7, "expected an Opinion, not 0.7"),
    ("scorer", "sure", "expected an Opinion, not 'sure'"),
    ("scorer", Opinion(1.7, "x"), "confidence: 1.7 is not between 0 and 1"),
    ("scorer", Opinion(math.nan, "x"), "confidence: nan is not a finite number"),
    ("scorer", Opinion("high", "x"), "confidence: 'high' is not a number"),  # type: ignore[arg-type]
    ("scorer", Opinion(0.5, None), "why: null is not a text"),  # type: ignore[arg-type]
    ("extractor", None, "not iterable"),
    ("extractor", "It is so.", "'I' is not a list"),
    ("extractor", ["It is so."], "'It is so.' is not a list"),
    ("extractor", [("It is so.", 5, "")], "claims[0][1]: 5 is not between 0 and 1"),
    ("extractor", [("It is so.", math.nan, "")], "claims[0][1]: nan is not a finite number"),
    ("extractor", [("It is so.", 0.5)], "a list of 3 is needed, not of 2"),
    ("extractor", [(None, 0.5, "")], "null is not a text"),
    ("extractor", [("half \ud800", 0.5, "")], "a lone surrogate"),
    ("extractor", Extraction(7), "not iterable"),  # type: ignore[arg-type]
    ("detector", None, "not iterable"),
    ("detector", [(0, 1)], "a list of 5 is needed, not of 2"),
    ("detector", [(0, 9, "contradiction", 0.9, "x")], "there is no statement 9 of 3"),
    ("detector", [(-1, 1, "contradiction", 0.9, "x")], "-1 is not between"),
    ("detector", [(0, 1, "fight", 0.9, "x")], "'fight' is not one of"),
    ("detector", [(0, 1, "contradiction", math.nan, "x")], "nan is not a finite number"),
    ("combiner", None, "expected a Combination, not null"),
    ("combiner", "text", "expected a Combination, not 'text'"),
    ("combiner", Combination(5), "content: 5 is not a text"),  # type: ignore[arg-type]
    ("combiner", Combination(" "), "the text is blank"),
]


@pytest.mark.parametrize(("stage", "given", "told"), WRONG_STAGES)
def test_results_of_stages_are_validated(stage: str, given: Any, told: str) -> None:
    own: dict[str, Any] = {stage: lambda *_: given}
    found = Syntheses(**own).combine("q", [NIL, NEVER])
    usual = Syntheses().combine("q", [NIL, NEVER])
    assert told in " | ".join(found.warnings)
    assert all(0.0 <= one.confidence <= 1.0 for one in found.results)
    assert all(0.0 <= one.confidence <= 1.0 for one in found.claims)
    if stage == "scorer":
        assert [one.confidence for one in found.results] == [0.5, 0.5]
    else:
        assert (found.content, found.conflicts) == (usual.content, usual.conflicts)
    assert found.decision == "answer"


def test_a_stage_may_tell_more_than_it_has_to() -> None:
    claims = Extraction([("The sky is blue.", 0.5, "")], "I guessed", "me")
    clash = Detection([(0, 1, "ambiguity", 0.9, "x"), (1, 1, "ambiguity", 0.9, "itself")], "I looked", "you")
    own = Syntheses(extractor=lambda *_: claims, detector=lambda _: clash)
    found = own.combine("q", [NIL, NEVER])
    assert found.warnings == ("I guessed", "I guessed", "I looked", "1 conflict between sources")
    assert (found.stages["extracted by"], found.stages["detected by"]) == ("me", "you")
