"""Haystack: an evaluator component for responses and the contexts they were made from."""

from dataclasses import fields
from typing import Any

from haystack import component, default_from_dict, default_to_dict

from howsure.errors import InputError
from howsure.integrations.core import ResponseGate, confidence


@component
class GateEvaluator:
    """Evaluates predicted answers with the gate, like Haystack's own evaluators.

    The score of an answer is the confidence in it; `results` also says whether it would pass, and why.
    """

    def __init__(self, gate: ResponseGate | None = None) -> None:
        """Evaluate with this gate; default: the store of the settings."""
        self.gate: ResponseGate = gate or ResponseGate()

    def to_dict(self) -> dict[str, Any]:
        """Return the component as data, for a pipeline that is saved.

        Raises:
            InputError: if it holds an open store, which cannot be saved.
        """
        if self.gate.sure is not None:
            hint = "leave it out and set HOWSURE_STORE"
            raise InputError("an open store cannot be saved with a pipeline", field="sure", hint=hint)
        options = {one.name: getattr(self.gate, one.name) for one in fields(self.gate) if one.name != "sure"}
        return default_to_dict(self, gate=options)  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "GateEvaluator":
        """Return the component that `to_dict` described."""
        parameters = data["init_parameters"] | {"gate": ResponseGate(**data["init_parameters"]["gate"])}
        return default_from_dict(cls, data | {"init_parameters": parameters})  # type: ignore[no-any-return]

    @component.output_types(score=float, individual_scores=list[float], results=list[dict[str, Any]])
    def run(
        self,
        predicted_answers: list[str],
        contexts: list[list[str]] | None = None,
        questions: list[str] | None = None,
    ) -> dict[str, Any]:
        """Return the confidence in each answer, their mean, and each decision.

        Raises:
            InputError: if the lists differ in length.
        """
        count = len(predicted_answers)
        texts = [[] for _ in predicted_answers] if contexts is None else contexts
        asked = [""] * count if questions is None else questions
        for field, given in (("contexts", texts), ("questions", asked)):
            if len(given) != count:
                raise InputError(f"{len(given)} for {count} answers", field=field, hint="pass one for each answer")
        decisions = [
            self.gate.check(answer, agent="haystack", context=context, question=question)
            for answer, context, question in zip(predicted_answers, texts, asked, strict=True)
        ]
        scores = [confidence(decision) for decision in decisions]
        results = [
            {"id": one.id, "decision": one.decision, "passed": one.passed, "reason": one.reason} for one in decisions
        ]
        return {"score": sum(scores) / count if count else 0.0, "individual_scores": scores, "results": results}
