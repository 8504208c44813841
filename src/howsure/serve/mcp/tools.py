"""MCP tools, built from the operations that define a tool.

A client passes all descriptions to its model at each turn, so they are short. Schemas of results are left out: they
were two thirds of 48 kB, and a model sees the results themselves. Parameters are described in the part of JSON Schema
that every vendor of models reads, where each schema has one type: Gemini refuses one without a type, and anything
beside `anyOf`.
"""

from functools import cache
from typing import Any

from mcp_types import Tool as ToolDescription
from mcp_types import ToolAnnotations

from howsure.operation import Tool
from howsure.serve.operations import OPERATIONS, Operation
from howsure.shapes.node import doc_of
from howsure.shapes.schema import schema

TOOLS: dict[str, tuple[Operation, Tool]] = {
    operation.tool.name: (operation, operation.tool) for operation in OPERATIONS if isinstance(operation.tool, Tool)
}
"""Operations that are tools, by the tool's name."""
_LARGE = 1e9
"""A bound from which on it only says that a number is stored as a float or in 53 bits."""


@cache
def describe_tool(name: str) -> ToolDescription:
    """Return a tool as agents see it."""
    operation, tool = TOOLS[name]
    return ToolDescription(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=_without_tables(argument_schema(name)),
        annotations=ToolAnnotations(
            read_only_hint=not operation.changes,
            destructive_hint=False,
            idempotent_hint=tool.idempotent or not operation.changes,
            open_world_hint=False,
        ),
    )


@cache
def argument_schema(tool_name: str) -> dict[str, Any]:
    """Return the parameters that a tool offers. The operation may take more, such as null or a choice of types."""
    operation, tool = TOOLS[tool_name]
    described = operation.input_schema
    properties = {name: _compact(described["properties"][name]) for name in tool.parameters or described["properties"]}
    for name, annotation in tool.types.items():
        doc = doc_of(annotation)
        text = doc.text if doc else properties[name].get("description", "")
        properties[name] = _compact(schema(annotation, closed=True)) | ({"description": text} if text else {})
    required = [name for name in described.get("required", ()) if name in properties]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _compact(described: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with one type for each value: the first, if there is a choice.

    >>> _compact({"anyOf": [{"type": "number", "minimum": 0.0, "maximum": 1.0}, {"type": "null"}], "default": None})
    {'type': 'number', 'minimum': 0, 'maximum': 1}
    """
    options = [option for option in described.get("anyOf", ()) if option.get("type") != "null"]
    found = {**options[0], **described} if options else described
    small: dict[str, Any] = {name: found[name] for name in ("type", "description", "enum") if name in found}
    for bound in ("minimum", "maximum"):
        if bound in found and abs(found[bound]) < _LARGE:
            small[bound] = int(found[bound]) if found[bound] == int(found[bound]) else found[bound]
    if found.get("default"):  # false, empty and null are what anybody expects
        small["default"] = found["default"]
    for inner in ("items", "additionalProperties"):
        if found.get(inner):
            small[inner] = _compact(found[inner])
    if "properties" in found:
        fields = {name: field for name, field in found["properties"].items() if not field.get("deprecated")}
        small["properties"] = {name: _compact(field) for name, field in fields.items()}
        if required := found.get("required"):
            small["required"] = required
    return small


def _without_tables(described: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without `additionalProperties`, which not every vendor of models accepts."""
    plain = {name: value for name, value in described.items() if name != "additionalProperties"}
    if "items" in plain:
        plain["items"] = _without_tables(plain["items"])
    if "properties" in plain:
        plain["properties"] = {name: _without_tables(field) for name, field in plain["properties"].items()}
    return plain


def omit_fields(result: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """Return a result without the fields that would only fill an agent's context."""
    return {name: value for name, value in result.items() if name not in tool.omit}
