"""The MLflow scorer, in evaluations of the real package."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import pytest
from mlflow.entities import Document, SpanType

from howsure import Sure
from howsure.integrations.core import ResponseGate
from howsure.integrations.mlflow import gate_scorer
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded


@pytest.fixture(autouse=True)
def tracking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a database needs alembic, which mlflow-skinny leaves out
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    mlflow.set_experiment("gate")
    yield
    mlflow.set_tracking_uri(None)


def test_outputs_are_scored_with_the_context_of_the_inputs(gate: ResponseGate, sure: Sure) -> None:
    score = gate_scorer(gate)
    found = {text: score(inputs={"question": QUESTION, "context": [FACT]}, outputs=text) for text in (RIGHT, WRONG)}
    assert [one.value for one in found[RIGHT]] == [pytest.approx(0.95, abs=0.05), True]
    assert found[WRONG][1].value is False
    assert "grounding" in found[WRONG][1].rationale
    assert recorded(sure) == [("mlflow", "pass"), ("mlflow", "block")]


@pytest.mark.parametrize(
    "found", [[Document(page_content=FACT)], FACT, {"content": FACT}], ids=["list", "text", "dict"]
)
def test_retriever_spans_are_evidence(gate: ResponseGate, found: Any) -> None:
    @mlflow.trace(span_type=SpanType.RETRIEVER)
    def retrieve(query: str) -> Any:
        return found

    @mlflow.trace
    def answer(question: str) -> str:
        retrieve(question)
        return RIGHT

    answer(QUESTION)
    trace: Any = mlflow.get_trace(mlflow.get_last_active_trace_id() or "", flush=True)
    passed = {one.name: one.value for one in gate_scorer(gate)(outputs=RIGHT, trace=trace)}
    assert passed["passed"] is True
    assert gate_scorer(gate)(outputs=RIGHT)[1].value is False


def test_a_data_set_is_evaluated(gate: ResponseGate) -> None:
    rows = [{"inputs": {"question": QUESTION, "context": [FACT]}, "outputs": text} for text in (RIGHT, WRONG)]
    result = mlflow.genai.evaluate(data=rows, scorers=[gate_scorer(gate)])
    assert result.metrics["passed/mean"] == 0.5
