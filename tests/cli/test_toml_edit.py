"""TOML is edited without losing anything else."""

import tomllib

import pytest

from howsure.cli.toml_edit import append_table, parse_toml, remove_table
from howsure.errors import InputError

CODEX = """# my settings
model = "m"  # the model

[mcp_servers.docs]
command = "docs"

# projects
[projects."/work"]
trust_level = "trusted"
"""
ENTRY: dict[str, str | list[str]] = {"command": "/bin/how\\sure", "args": ["mcp", "--store", 'a "b".db']}


def test_what_is_added_is_removed_again() -> None:
    added = append_table(CODEX, "mcp_servers.howsure", ENTRY)
    assert added.startswith(CODEX)
    assert tomllib.loads(added)["mcp_servers"] == {"docs": {"command": "docs"}, "howsure": ENTRY}
    assert remove_table(added, "mcp_servers.howsure") == CODEX
    assert remove_table(append_table("", "mcp_servers.howsure", ENTRY), "mcp_servers.howsure") == ""


def test_a_table_in_the_middle_goes_with_its_own_tables_and_nothing_else() -> None:
    ours = '[mcp_servers.docs]\ncommand = "x"\n\n[mcp_servers.docs.env]\nA = "b"\n'
    text = CODEX.replace('[mcp_servers.docs]\ncommand = "docs"\n', ours)
    rest = remove_table(text, "mcp_servers.docs")
    assert "# projects" in rest
    assert tomllib.loads(rest) == {"model": "m", "projects": {"/work": {"trust_level": "trusted"}}}


def test_what_cannot_be_removed_safely_is_left() -> None:
    with pytest.raises(InputError, match="not a table of its own"):
        remove_table('mcp_servers = {howsure = {command = "x"}, b = {command = "y"}}\n', "mcp_servers.howsure")
    with pytest.raises(InputError, match="not TOML"):
        parse_toml("a = ")
