"""The Haystack evaluator, in pipelines of the real package."""

import pytest
from haystack import Pipeline

from howsure import Sure
from howsure.errors import InputError
from howsure.integrations.core import ResponseGate
from howsure.integrations.haystack import GateEvaluator
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded


def test_contexts_are_the_evidence_in_a_pipeline(gate: ResponseGate, sure: Sure) -> None:
    pipeline = Pipeline()
    pipeline.add_component("gate", GateEvaluator(gate))
    given = {"predicted_answers": [RIGHT, WRONG], "contexts": [[FACT], [FACT]], "questions": [QUESTION, QUESTION]}
    found = pipeline.run({"gate": given})["gate"]
    right, wrong = found["individual_scores"]
    assert right > 0.9
    assert wrong < 0.1
    assert found["score"] == pytest.approx((right + wrong) / 2)
    assert [result["passed"] for result in found["results"]] == [True, False]
    assert recorded(sure) == [("haystack", "pass"), ("haystack", "block")]


def test_answers_without_contexts_do_not_pass(gate: ResponseGate) -> None:
    assert GateEvaluator(gate).run([RIGHT])["results"][0]["decision"] == "review"
    assert GateEvaluator(gate).run([]) == {"score": 0.0, "individual_scores": [], "results": []}


def test_lists_must_match(gate: ResponseGate) -> None:
    with pytest.raises(InputError, match="contexts: 1 for 2 answers"):
        GateEvaluator(gate).run([RIGHT, WRONG], contexts=[[FACT]])
    with pytest.raises(InputError, match="contexts: 0 for 1 answers"):
        GateEvaluator(gate).run([RIGHT], contexts=[])


def test_a_pipeline_is_saved_and_loaded(gate: ResponseGate) -> None:
    pipeline = Pipeline()
    pipeline.add_component("gate", GateEvaluator(ResponseGate("guide", threshold=0.9)))
    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["howsure.integrations.haystack"])
    assert loaded.get_component("gate").gate == ResponseGate("guide", threshold=0.9)
    with pytest.raises(InputError, match="open store"):
        GateEvaluator(gate).to_dict()


def test_the_data_it_is_loaded_from_stays_as_it_is() -> None:
    data = GateEvaluator(ResponseGate("guide")).to_dict()
    assert GateEvaluator.from_dict(data).gate == GateEvaluator.from_dict(data).gate == ResponseGate("guide")
