"""Tools: the operations that agents are offered, with what goes in and what comes out."""

from typing import Any

from mcp_types import Tool as Offered
from mcp_types import ToolAnnotations

from howsure.operation import Tool
from howsure.serve.operations.table import OPERATIONS
from howsure.serve.operations.table import AnyOperation as Operation

TOOLS: dict[str, tuple[Operation, Tool]] = {
    one.tool.name: (one, one.tool) for one in OPERATIONS if isinstance(one.tool, Tool)
}
"""Every tool, by its name."""


def offered(operation: Operation, tool: Tool) -> Offered:
    """Return a tool as agents see it."""
    return Offered(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=_with(operation.input_schema, tool.parameters or tuple(operation.input_schema["properties"])),
        output_schema=_with(operation.answer_schema, _shown(operation, tool)),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=not operation.changes,
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _shown(operation: Operation, tool: Tool) -> tuple[str, ...]:
    return tuple(name for name in operation.answer_schema["properties"] if name not in tool.omit)


def _with(schema: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of an object with these fields alone."""
    properties = {name: schema["properties"][name] for name in names}
    required = [name for name in schema.get("required", ()) if name in properties]
    return schema | {"properties": properties, "required": required}


def shortened(answer: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """Return an answer without what would only fill an agent's memory."""
    return {name: value for name, value in answer.items() if name not in tool.omit}
