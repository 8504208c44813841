"""Arguments of tools, written as models write them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.serve.mcp.arguments import read_value
from howsure.serve.mcp.tools import TOOLS, argument_schema

UNIT = {"type": "number"}
NESTED = {
    "type": "object",
    "properties": {
        "flag": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "object", "properties": {"confidence": UNIT}}},
        "text": {"type": "string"},
    },
}


@pytest.mark.parametrize(
    ("schema", "written", "read"),
    [
        (UNIT, "0.8", 0.8),
        (UNIT, " 1e-3 ", 0.001),
        (UNIT, "high", "high"),
        (UNIT, "", ""),
        (UNIT, "nan", "nan"),
        (UNIT, "9" * 5000, "9" * 5000),
        ({"type": "integer"}, "20", 20),
        ({"type": "integer"}, "-3", -3),
        ({"type": "boolean"}, "True", True),
        ({"type": "boolean"}, "false", False),
        ({"type": "boolean"}, "maybe", "maybe"),
        ({"type": "string"}, "0.8", "0.8"),
        ({"type": "array", "items": UNIT}, "[0.9, 0.8]", [0.9, 0.8]),
        ({"type": "array", "items": UNIT}, ["0.9", 0.8], [0.9, 0.8]),
        ({"type": "array", "items": UNIT}, "[1] says so", "[1] says so"),
        ({"type": "array", "items": UNIT}, "0.9", "0.9"),
        ({"type": "object"}, '{"pattern": "Cache"}', {"pattern": "Cache"}),
        ({"type": "object"}, "Cache", "Cache"),
        ({"type": "object"}, "[1]", "[1]"),
        (NESTED, {"flag": "true", "list": [{"confidence": "0.5"}], "text": "1"}, None),
        ({"type": "object", "additionalProperties": UNIT}, {"rerank": "0.5"}, {"rerank": 0.5}),
        ({}, "0.8", "0.8"),
    ],
)
def test_texts_become_what_the_schema_asks_for(schema: dict[str, Any], written: Any, read: Any) -> None:
    expected = {"flag": True, "list": [{"confidence": 0.5}], "text": "1"} if schema is NESTED else read
    found = read_value(schema, written)
    assert found == expected
    assert type(found) is type(expected)


@given(st.floats(0, 1), st.integers(0, 10**15))
def test_a_number_as_a_text_is_the_number(share: float, count: int) -> None:
    assert read_value({"type": "number"}, repr(share)) == share
    assert read_value({"type": "integer"}, str(count)) == count


@pytest.mark.parametrize("name", TOOLS)
def test_examples_are_read_the_same_with_numbers_as_texts(name: str) -> None:
    def as_text(value: Any) -> Any:
        if isinstance(value, list):
            return [as_text(item) for item in value]
        if isinstance(value, dict):
            return {key: as_text(item) for key, item in value.items()}
        return str(value) if isinstance(value, int | float) else value

    example = dict(TOOLS[name][0].example)
    assert read_value(argument_schema(name), as_text(example)) == example
