"""MLflow: a scorer for `mlflow.genai.evaluate`."""

from collections.abc import Mapping
from typing import Any

from mlflow.entities import Feedback, SpanType, Trace
from mlflow.genai.scorers import Scorer, scorer

from howsure.integrations.core import ResponseGate, confidence
from howsure.integrations.messages import output_text, texts_of


def gate_scorer(gate: ResponseGate | None = None) -> Scorer:
    """Return a scorer: `mlflow.genai.evaluate(data=..., scorers=[gate_scorer(gate)])`.

    The documents of the trace's retriever spans are the evidence, and the field `context` of the inputs. There are two
    numbers for each row: the confidence, and whether the gate would let the output through.
    """
    gate = gate or ResponseGate()

    def howsure(inputs: Any = None, outputs: Any = None, trace: Trace | None = None) -> list[Feedback]:
        given = inputs.get("context") if isinstance(inputs, Mapping) else None
        texts = texts_of(given) + _retrieved(trace)
        decision = gate.check(output_text(outputs), agent="mlflow", context=texts)
        details = {"id": decision.id, "decision": decision.decision}
        return [
            Feedback(name="confidence", value=confidence(decision), rationale=decision.reason, metadata=details),
            Feedback(name="passed", value=decision.passed, rationale=decision.reason, metadata=details),
        ]

    return scorer(howsure)


def _retrieved(trace: Trace | None) -> list[str]:
    """Return the texts of the documents that were retrieved in a trace."""
    spans = trace.search_spans(span_type=SpanType.RETRIEVER) if trace else []
    outputs = [span.outputs for span in spans]
    found = [one if isinstance(one, list | tuple) else [one] for one in outputs if one]
    return [_document_text(document) for documents in found for document in documents]


def _document_text(document: Any) -> str:
    if isinstance(document, Mapping):
        return str(document.get("page_content") or document.get("content") or document.get("text") or "")
    return output_text(document)
