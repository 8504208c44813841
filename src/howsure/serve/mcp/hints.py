"""Put the hints of errors into words for agents, who have tools and no shell."""

import re

_TOOLS = {
    "howsure claim find lists claims": "find_claims lists claims",
    "howsure ledger list shows them": "check_response returns the id of its decision",
    "; howsure conflicts takes more": "",
    "create one with: howsure token create": "ask whoever runs the server for a token",
    "create another with: howsure token create": "ask whoever runs the server for a token",
}
"""What an agent can do instead of running a command."""
_SCOPE = re.compile(r"howsure token create NAME --scope (\w+)")
_COMMAND = re.compile(r"\bhowsure [a-z]|(?<!\w)--[a-z]|\bpip install\b")
"""A command or an option of one."""


def agent_hint(hint: str) -> str:
    """Return a hint that names tools instead of commands; empty if an agent cannot do what it says.

    >>> agent_hint("howsure claim find lists claims"), agent_hint("from 0 to 1"), agent_hint("howsure doctor --fix")
    ('find_claims lists claims', 'from 0 to 1', '')
    """
    hint = _SCOPE.sub(r"ask whoever runs the server for a token of scope \1", hint)
    for command, instead in _TOOLS.items():
        hint = hint.replace(command, instead)
    return "" if _COMMAND.search(hint) else hint
