"""The DSPy adapter with DSPy itself and a scripted model; DSPy runs without litellm as long as no `dspy.LM` is made."""

import importlib.util
from typing import Any

import dspy

from howsure import Sure
from howsure.integrations.core import ResponseGate
from howsure.integrations.dspy import GateMetric
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded


class Guide(dspy.Module):
    """Says what it is told to."""

    def __init__(self, *said: str) -> None:
        super().__init__()
        self.said = list(said)

    def forward(self, **_: Any) -> Any:
        return dspy.Prediction(answer=self.said.pop(0), context=[FACT])


def test_litellm_is_not_installed() -> None:
    assert importlib.util.find_spec("litellm") is None


def test_a_program_is_evaluated(gate: ResponseGate, sure: Sure) -> None:
    examples = [dspy.Example(question=QUESTION).with_inputs("question") for _ in range(2)]
    evaluate = dspy.Evaluate(devset=examples, metric=GateMetric(gate), num_threads=1, display_progress=False)
    result = evaluate(Guide(RIGHT, WRONG))
    assert 40 < result.score < 60  # the mean of a right and a wrong answer, in percent
    assert sorted(recorded(sure)) == [("dspy", "block"), ("dspy", "pass")]


def test_the_best_of_several_answers_is_taken(gate: ResponseGate) -> None:
    said = [WRONG, RIGHT, WRONG]

    class Scripted(dspy.Module):
        def forward(self, **_: Any) -> Any:
            return dspy.Prediction(answer=said.pop(0), context=[FACT])

        def get_lm(self) -> Any:
            return dspy.utils.DummyLM([])

        def set_lm(self, lm: Any) -> None:
            """Take any model: the answers are scripted."""

    best = dspy.BestOfN(module=Scripted(), N=3, reward_fn=GateMetric(gate).reward, threshold=1.0)
    assert best(question=QUESTION).answer == RIGHT
    assert said == [WRONG], "the first answer that passes is taken"
