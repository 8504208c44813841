"""What clients are told about the tools: types that every vendor accepts, and few bytes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp_types import ListToolsResult

from howsure.errors import ShapeError
from howsure.serve.mcp.tools import TOOLS, describe_tool

MOST_BYTES = 15_000
GEMINI = {"type", "description", "enum", "default", "items", "properties", "required", "minimum", "maximum"}
"""The keywords that we use of those that https://ai.google.dev/api/caching#Schema lists."""
TYPES = {"string", "number", "integer", "boolean", "array", "object"}


def _schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for part in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else ())):
        yield from _schemas(part)


@pytest.mark.parametrize("name", TOOLS)
def test_every_schema_has_one_type_and_known_keywords_only(name: str) -> None:
    for schema in _schemas(describe_tool(name).input_schema):
        assert schema.get("type") in TYPES, schema
        assert not set(schema) - GEMINI, schema
        assert schema["type"] != "array" or "items" in schema, schema


def test_the_list_of_tools_is_short() -> None:
    listed = ListToolsResult(tools=[describe_tool(name) for name in TOOLS])
    text = json.dumps(listed.model_dump(by_alias=True, exclude_none=True, mode="json"), separators=(",", ":"))
    assert len(text) < MOST_BYTES, "each turn of an agent pays for it"


@pytest.mark.parametrize("name", TOOLS)
def test_exactly_the_required_parameters_have_to_be_given(name: str) -> None:
    operation, _ = TOOLS[name]
    required = describe_tool(name).input_schema.get("required", [])
    given = {field: operation.example.get(field) for field in required}
    operation.decode(given)
    for field in required:
        with pytest.raises(ShapeError, match="this field is missing") as caught:
            operation.decode({other: value for other, value in given.items() if other != field})
        assert caught.value.field == field


def test_evidence_belongs_to_a_trace() -> None:
    for name in ("record_evidence", "investigation_confidence"):
        assert "trace_id" in describe_tool(name).input_schema["required"]


@pytest.mark.parametrize("name", TOOLS)
def test_the_example_of_each_operation_fits_its_tool(name: str) -> None:
    operation, tool = TOOLS[name]
    offered = describe_tool(name).input_schema["properties"]
    assert set(operation.example) <= set(offered)
    assert set(tool.types) <= set(offered)
