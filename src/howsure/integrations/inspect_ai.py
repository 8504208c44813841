"""Inspect AI: a scorer that gates the output of each sample."""

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from howsure.integrations.core import ResponseGate, tool_results
from howsure.integrations.core import confidence as confidence_of


@scorer(metrics={"confidence": [mean(), stderr()], "passed": [mean(), stderr()]})
def confidence(gate: ResponseGate | None = None, context: str = "context") -> Scorer:
    """Return a scorer of confidence, to use beside one of correctness.

    What tools returned is the evidence, and the texts in the sample's metadata under the name `context`. The values are
    the confidence, and 1 if the gate would let the output through.
    """
    gate = gate or ResponseGate()

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - how scorers are called
        given = state.metadata.get(context) or []
        texts = [given] if isinstance(given, str) else [str(text) for text in given]
        answer = state.output.completion
        decision = await gate.acheck(
            answer,
            agent=str(state.model),
            context=[*texts, *tool_results(state.messages)],
            question=state.input_text,
            task_id=str(state.sample_id),
        )
        return Score(
            value={"confidence": confidence_of(decision), "passed": float(decision.passed)},
            answer=answer,
            explanation=decision.reason,
            metadata={"decision": decision.decision, "id": decision.id},
        )

    return score
