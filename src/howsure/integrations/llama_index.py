"""LlamaIndex: an evaluator of responses and the contexts they were made from."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType

from howsure.errors import InputError
from howsure.integrations.core import ResponseGate, confidence


class GateEvaluator(BaseEvaluator):
    """Evaluates responses with the gate: `GateEvaluator(gate).evaluate_response(query, response)`.

    The score is the confidence; `passing` says whether the gate would let the response through.
    """

    def __init__(self, gate: ResponseGate | None = None) -> None:
        """Evaluate with this gate; default: the store of the settings."""
        self.gate: ResponseGate = gate or ResponseGate()

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        pass

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,  # noqa: ARG002 - as the base class has it
    ) -> EvaluationResult:
        """Return the confidence in a response, and whether it passes.

        Raises:
            InputError: if there is no response.
        """
        if response is None:
            raise InputError("there is no response to evaluate", field="response", hint="pass its text")
        decision = await self.gate.acheck(response, agent="llama_index", context=contexts, question=query or "")
        return EvaluationResult(
            query=query,
            contexts=contexts,
            response=response,
            passing=decision.passed,
            score=confidence(decision),
            feedback=decision.reason,
        )
