"""Exports of Langfuse and LangSmith."""

from howsure.agents.exports import convert_langfuse, convert_langsmith, is_langfuse, is_langsmith


def test_records_of_others_are_not_taken() -> None:
    assert not is_langfuse({"observations": [{"observation": "x"}]})
    assert not is_langsmith({"run_type": "tool"})


def test_traces_are_told_apart() -> None:
    tool = {"type": "TOOL", "name": "ls", "input": {}, "output": "a"}
    runs = convert_langfuse([tool | {"id": "1", "traceId": "a"}, tool | {"id": "2", "traceId": "b"}])
    assert [run["id"] for run in runs] == ["a", "b"]
    run = {"run_type": "tool", "name": "ls", "inputs": {"input": "x"}, "outputs": {"output": ["a"]}}
    runs = convert_langsmith([run | {"id": "1", "trace_id": "a"}, run | {"id": "2", "trace_id": "b"}])
    assert [(run["id"], run["messages"][1]["output"]) for run in runs] == [("a", ["a"]), ("b", ["a"])]


def test_fields_of_another_shape_are_left_out() -> None:
    tool = {"id": "1", "traceId": "a", "type": "TOOL", "name": "ls", "input": {}, "output": "a"}
    said = {"role": "assistant", "content": "Done.", "additional_kwargs": ["tool_calls"]}
    nested: dict[str, object] = {"messages": [said]}
    for _ in range(5000):
        nested = {"messages": nested}
    for output in (said, nested):
        [run] = convert_langfuse([tool, {"id": "2", "traceId": "a", "type": "GENERATION", "output": output}])
        assert [event["content"] for event in run["messages"] if event.get("role") == "assistant"] == ["Done."]
