"""MCP tools, built from the operations that define a tool."""

from typing import Any

from mcp_types import Tool as ToolDescription
from mcp_types import ToolAnnotations

from howsure.operation import Tool
from howsure.serve.operations import OPERATIONS, Operation

TOOLS: dict[str, tuple[Operation, Tool]] = {
    operation.tool.name: (operation, operation.tool) for operation in OPERATIONS if isinstance(operation.tool, Tool)
}
"""Operations that are tools, by the tool's name."""


def describe_tool(operation: Operation, tool: Tool) -> ToolDescription:
    """Return a tool as agents see it."""
    parameters = tool.parameters or tuple(operation.input_schema["properties"])
    fields = tuple(name for name in operation.output_schema["properties"] if name not in tool.omit)
    return ToolDescription(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=_with_fields(operation.input_schema, parameters),
        output_schema=_with_fields(operation.output_schema, fields),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=not operation.changes,
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _with_fields(schema: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of an object with only these fields."""
    properties = {name: schema["properties"][name] for name in names}
    required = [name for name in schema.get("required", ()) if name in properties]
    return schema | {"properties": properties, "required": required}


def omit_fields(result: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """Return a result without the fields that would only fill an agent's context."""
    return {name: value for name, value in result.items() if name not in tool.omit}
