"""Read tool calls as an investigation would."""

from typing import Any

from howsure.agents.tool_calls import known_tools, read_tool_calls
from howsure.formulas.tool_calls import ToolCall

KNOWN = known_tools()


def read_calls(tool: str, arguments: Any = None, output: Any = None, **fields: Any) -> list[ToolCall]:
    """Return what one tool call shows, without calls of unknown tools."""
    return [call for call in read_tool_calls(KNOWN, tool, arguments, output, **fields) if call.tool in KNOWN]
