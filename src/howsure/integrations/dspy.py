"""DSPy: a metric, a reward for `dspy.Refine` and an assertion. DSPy itself is not imported."""

from collections.abc import Callable, Mapping
from typing import Any

from howsure.errors import InputError
from howsure.integrations.core import ResponseGate, confidence, replace_blocked
from howsure.integrations.messages import output_text, texts_of
from howsure.responses.gate import ResponseDecision


class GateMetric:
    """The gate as a metric: `dspy.Evaluate(devset=..., metric=GateMetric(gate))`.

    The field `context` of the prediction, or else of the example, is the evidence.
    """

    def __init__(self, gate: ResponseGate | None = None, *, field: str = "answer", context: str = "context") -> None:
        """Judge this field of predictions with this gate.

        Args:
            gate: Decides; default: the store of the settings.
            field: The field that holds the response.
            context: The field that holds the retrieved texts: one, or a list.
        """
        self.gate: ResponseGate = gate or ResponseGate()
        self.field = field
        self.context = context

    def __call__(self, example: Any, prediction: Any, trace: Any = None, *_: Any, **__: Any) -> float | bool:
        """Return the confidence in a prediction; while an optimizer collects demonstrations, whether it passes."""
        decision = self.check(example, prediction)
        return confidence(decision) if trace is None else decision.passed

    def reward(self, inputs: Mapping[str, Any], prediction: Any) -> float:
        """Return 1 if a prediction passes, else the confidence: `dspy.Refine(module, 3, metric.reward, 1.0)`."""
        decision = self.check(inputs, prediction)
        return 1.0 if decision.passed else min(confidence(decision), 0.99)

    def require(self, prediction: Any, inputs: Any = None) -> None:
        """Assert that a prediction passes.

        Raises:
            BlockedError: if it does not.
        """
        decision = self.check(inputs, prediction)
        if not decision.passed:
            replace_blocked(decision, "raise")

    def check(self, example: Any, prediction: Any) -> ResponseDecision:
        """Decide about a prediction.

        Raises:
            InputError: if it does not have the field.
        """
        response = _field(prediction, self.field)
        if response is None:
            raise InputError(f"the prediction has no field {self.field}", field="field", hint="name the field to judge")
        given = _field(prediction, self.context)
        given = _field(example, self.context) if given is None else given
        question = output_text(_field(example, "question"))
        return self.gate.check(output_text(response), agent="dspy", context=texts_of(given), question=question)


def _field(record: Any, name: str) -> Any:
    """Return a field of an example or prediction, or None. Both are read like mappings, and as attributes."""
    get: Callable[[str], Any] | None = getattr(record, "get", None)
    return get(name) if callable(get) else getattr(record, name, None)
