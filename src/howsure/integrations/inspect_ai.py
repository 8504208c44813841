"""Inspect AI: a scorer that gates the output of each sample."""

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from howsure.integrations.core import ResponseGate
from howsure.integrations.core import confidence as confidence_of
from howsure.integrations.messages import texts_of, tool_results


@scorer(metrics={"confidence": [mean(), stderr()], "passed": [mean(), stderr()]})
def confidence(gate: ResponseGate | None = None, context: str = "context") -> Scorer:
    """Return a scorer of confidence, to use beside one of correctness.

    What tools returned is the evidence, and the texts in the sample's metadata under the name `context`. The values are
    the confidence, and 1 if the gate would let the output through.
    """
    gate = gate or ResponseGate()

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - how scorers are called
        answer = state.output.completion
        decision = await gate.acheck(
            answer,
            agent=str(state.model),
            context=texts_of(state.metadata.get(context)) + tool_results(state.messages),
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
