"""Hints for agents: no error of the library sends them to a shell."""

import ast
import re

import pytest

from howsure.serve.mcp.hints import agent_hint
from howsure.serve.mcp.tools import TOOLS
from tests.conftest import ROOT

SOURCES = [path for path in (ROOT / "src" / "howsure").rglob("*.py") if "cli" not in path.parts]
COMMAND = re.compile(r"\bhowsure (claim|ledger|token|learn|scan|store|conflicts|outcome|document|gate)\b|--\w")


def _hints() -> list[str]:
    """Return every text that is passed or assigned as a hint below the command line."""
    found: list[str] = []
    for path in SOURCES:
        for part in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match part:
                case ast.keyword(arg="hint", value=value) | ast.Assign(targets=[ast.Name(id="hint")], value=value):
                    texts = [one.value for one in ast.walk(value) if isinstance(one, ast.Constant)]
                    found.append("".join(text for text in texts if isinstance(text, str)))
    return found


def test_no_hint_names_a_command() -> None:
    hints = _hints()
    assert sum(bool(COMMAND.search(hint)) for hint in hints) > 10, "the search finds them"
    assert [agent_hint(hint) for hint in hints if COMMAND.search(agent_hint(hint))] == []


def test_hints_without_a_command_stay_as_they_are() -> None:
    assert agent_hint("did you mean --?") == "did you mean --?"
    for hint in _hints():
        if "howsure" not in hint and "--" not in hint and "pip" not in hint:
            assert agent_hint(hint) == hint


@pytest.mark.parametrize("command", ["howsure claim find lists claims", "howsure ledger list shows them"])
def test_a_tool_is_named_instead_of_a_command(command: str) -> None:
    assert any(tool in agent_hint(command) for tool in TOOLS)


def test_a_token_of_larger_scope_is_asked_for() -> None:
    assert agent_hint("howsure token create NAME --scope write").endswith("a token of scope write")
