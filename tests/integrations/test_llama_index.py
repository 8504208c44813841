"""The LlamaIndex evaluator, with the real package and a scripted model."""

import asyncio
from typing import Any

import pytest
from llama_index.core import SummaryIndex
from llama_index.core.base.response.schema import Response
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.llms import CompletionResponse
from llama_index.core.llms.mock import MockLLM
from llama_index.core.schema import NodeWithScore, TextNode

from howsure import Sure
from howsure.errors import InputError
from howsure.integrations.core import ResponseGate
from howsure.integrations.llama_index import GateEvaluator
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded


def _response(text: str) -> Response:
    return Response(text, source_nodes=[NodeWithScore(node=TextNode(text=FACT), score=0.9)])


def test_source_nodes_are_the_evidence(gate: ResponseGate, sure: Sure) -> None:
    evaluator = GateEvaluator(gate)
    right = evaluator.evaluate_response(QUESTION, _response(RIGHT))
    wrong = evaluator.evaluate_response(QUESTION, _response(WRONG))
    assert (right.passing, wrong.passing) == (True, False)
    assert right.score is not None
    assert wrong.score is not None
    assert right.score > 0.9
    assert wrong.score < 0.1
    assert "grounding" in str(wrong.feedback)
    assert recorded(sure) == [("llama_index", "pass"), ("llama_index", "block")]


def test_a_response_without_contexts_does_not_pass(sure: Sure) -> None:
    result = GateEvaluator(ResponseGate("guide", sure=sure)).evaluate(QUESTION, RIGHT)
    assert result.passing is False
    assert recorded(sure) == [("guide", "review")]


def test_a_response_is_needed(gate: ResponseGate) -> None:
    with pytest.raises(InputError, match="no response"):
        GateEvaluator(gate).evaluate(QUESTION)


def test_answers_of_a_query_engine_are_evaluated_in_batches(gate: ResponseGate, sure: Sure) -> None:
    said = [RIGHT, WRONG]

    class Scripted(MockLLM):
        """A model that says what it is told to, whatever it is asked."""

        def complete(self, *_: Any, **__: Any) -> CompletionResponse:
            return CompletionResponse(text=said.pop(0))

        async def acomplete(self, *_: Any, **__: Any) -> CompletionResponse:
            return self.complete()

    engine = SummaryIndex([TextNode(text=FACT)]).as_query_engine(llm=Scripted())
    runner = BatchEvalRunner({"confidence": GateEvaluator(gate)}, workers=1)
    results = asyncio.run(runner.aevaluate_queries(engine, queries=[QUESTION, QUESTION]))["confidence"]
    assert sorted((str(result.response), result.passing) for result in results) == [(RIGHT, True), (WRONG, False)]
    assert sorted(recorded(sure)) == [("llama_index", "block"), ("llama_index", "pass")]
