"""Texts out of the messages and outputs of every framework."""

from dataclasses import dataclass
from types import SimpleNamespace

from howsure.agents.messages import text_of
from howsure.integrations.messages import output_text, texts_of, tool_results
from tests.integrations.scripts import RIGHT


@dataclass
class Port:
    port: int
    hosts: list[str]


def test_only_texts_are_taken_out_of_content() -> None:
    parts = [{"type": "text", "text": "a"}, SimpleNamespace(text="b"), {"type": "image", "data": "x"}, "c", None, 7]
    assert text_of(parts, separator="") == "abc"
    assert text_of(None) == ""


def test_reasoning_and_results_are_not_the_text_of_a_message() -> None:
    parts = [{"type": "reasoning", "text": "a"}, {"type": "tool_result", "content": "b"}, {"text": "c"}]
    assert text_of([*parts, {"type": "text", "content": "d"}]) == "c\nd"


def test_structured_output_is_read_field_by_field() -> None:
    assert output_text(Port(8443, ["a", "b"])) == "port: 8443\nhosts: a, b"
    assert output_text(SimpleNamespace(model_dump=lambda: {"port": 8443})) == "port: 8443"
    assert output_text(None) == ""
    assert output_text(RIGHT) == RIGHT


def test_results_of_tools_are_found_in_every_kind_of_message() -> None:
    messages = [
        {"role": "system", "content": "system"},
        {"role": "user", "content": "user"},
        {"role": "tool", "content": [{"type": "text", "text": "openai chat"}]},
        {"type": "function_call_output", "output": "openai responses"},
        {"type": "function_call_output", "output": "cut off", "status": "incomplete"},
        SimpleNamespace(type="tool", content="langchain", status="success"),
        SimpleNamespace(type="tool", content="failed", status="error"),
        SimpleNamespace(role="tool", content="inspect", error=None),
        SimpleNamespace(role="tool", content="failed", error="timeout"),
        {"role": "assistant", "content": "assistant"},
        {"role": "tool", "content": ""},
        "a plain text",
    ]
    assert tool_results(messages) == ["openai chat", "openai responses", "langchain", "inspect"]


def test_retrieved_texts_are_one_several_or_none() -> None:
    assert texts_of("one") == ["one"]
    assert texts_of(("one", Port(8443, ["a"]))) == ["one", "port: 8443\nhosts: a"]
    assert texts_of(None) == texts_of([]) == []
