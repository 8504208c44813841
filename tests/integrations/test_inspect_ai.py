"""The Inspect scorer, in evaluations of the real package with a scripted model."""

from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, tool

from howsure import Sure
from howsure.integrations.core import ResponseGate
from howsure.integrations.inspect_ai import confidence
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded

MODEL = "mockllm/model"


@tool
def search() -> Tool:
    async def execute(query: str) -> str:
        """Search the manual.

        Args:
            query: What to search for.
        """
        return FACT

    return execute


def _run(task: Task, said: list[Any], folder: Path) -> Any:
    for output in said:
        output.usage = ModelUsage()  # else the mock model counts tokens, with a table that it downloads
    model = get_model(MODEL, custom_outputs=said)
    [log] = evaluate(task, model=model, display="none", log_dir=str(folder), max_samples=1)
    assert log.status == "success", log.error
    return log


def test_what_tools_returned_supports_the_output(gate: ResponseGate, sure: Sure, tmp_path: Path) -> None:
    said = [ModelOutput.for_tool_call(MODEL, "search", {"query": "port"}), ModelOutput.from_content(MODEL, RIGHT)]
    task = Task(dataset=[Sample(QUESTION, id="one")], solver=[use_tools(search()), generate()], scorer=confidence(gate))
    log = _run(task, said, tmp_path)
    assert log.samples[0].scores["confidence"].value["passed"] == 1
    assert recorded(sure) == [(MODEL, "pass")]


def test_metadata_of_the_sample_is_evidence_too(gate: ResponseGate, sure: Sure, tmp_path: Path) -> None:
    samples = [
        Sample(QUESTION, metadata={"context": [FACT]}),
        Sample(QUESTION, metadata={"context": FACT}),
        Sample(QUESTION),
    ]
    said = [ModelOutput.from_content(MODEL, text) for text in (RIGHT, WRONG, RIGHT)]
    log = _run(Task(dataset=samples, solver=generate(), scorer=confidence(gate)), said, tmp_path)
    assert [sample.scores["confidence"].metadata["decision"] for sample in log.samples] == ["pass", "block", "review"]
    metrics = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert round(metrics["passed"], 2) == 0.33
    assert 0.4 < metrics["confidence"] < 0.6
    assert len(recorded(sure)) == 3
