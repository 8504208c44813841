"""Add our hooks to the settings of a coding agent, and remove them.

Only the hooks in the text are changed: order, layout and all other settings stay as they are.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from howsure.cli.json_edit import UNCHANGED, append_value, parse_object, remove_value
from howsure.cli.jsonc import edit
from howsure.errors import InputError

# A word of a shell command, quoted or escaped.
_WORD = r"""(?:'[^']*'|"[^"]*"|[^\s;|&'"\\]|\\.)+"""
_PROGRAM = rf"(?:{_WORD} -m howsure|'[^']*[/\\]howsure(\.exe)?'|(\S*[/\\])?howsure(\.exe)?)"
OURS = re.compile(rf"{_PROGRAM}\s+hook(\s+[a-zA-Z][\w-]*)?(\s+--agent(-type)?(=|\s+){_WORD})*\s*")
"""A command as `install` writes it; one that does more belongs to the user."""


class HookSettings(NamedTuple):
    """Where a coding agent keeps its hooks, and for which events we install one."""

    file: Path
    """The file, in the folder of a project or in the home folder."""
    events: Mapping[str, str | None]
    """The events, with the tools to match."""
    flat: bool = False
    """Whether an event lists its hooks themselves (Cursor), not groups of hooks."""
    comments: bool = False
    """Whether the file may have comments."""
    then: str = ""
    """What the user has to do after the file is written."""

    def list_item(self, event: str, command: str) -> dict[str, Any]:
        """Return what is added to the list of an event."""
        if self.flat:
            return {"command": command}
        matcher = self.events[event]
        return ({} if matcher is None else {"matcher": matcher}) | {"hooks": [{"type": "command", "command": command}]}


CLAUDE = "claude"
"""The agent whose settings are changed if none is named."""
AGENTS = {
    CLAUDE: HookSettings(
        Path(".claude/settings.json"),
        # A failed tool call is an event of its own.
        {"PostToolUse": "*", "PostToolUseFailure": "*", "Stop": None, "SubagentStop": None},
    ),
    "codex": HookSettings(
        Path(".codex/hooks.json"),
        {"PostToolUse": "*", "Stop": None, "SubagentStop": None},
        then="; trust the hooks in Codex with /hooks",
    ),
    "cursor": HookSettings(
        Path(".cursor/hooks.json"), {"postToolUse": None, "postToolUseFailure": None, "stop": None}, flat=True
    ),
    "gemini": HookSettings(Path(".gemini/settings.json"), {"AfterTool": "*", "AfterAgent": None}, comments=True),
}
"""The coding agents that hooks can be installed for, by the formats that they document."""


def add_hooks(text: str, command: str, agent: HookSettings = AGENTS[CLAUDE]) -> str:
    """Return settings with our hooks, all of which run this command.

    >>> print(add_hooks('{"version": 1, "hooks": {}}', "howsure hook", AGENTS["cursor"])[:60])
    {"version": 1, "hooks": {"postToolUse": [{"command": "howsur
    """
    return edit(text, lambda plain: _add(plain, command, agent)) if agent.comments else _add(text, command, agent)


def remove_hooks(text: str, agent: HookSettings = AGENTS[CLAUDE]) -> str:
    """Return settings without our hooks and without containers that would be empty; "" if nothing else is left."""
    return edit(text, lambda plain: _remove(plain, agent)) if agent.comments else _remove(text, agent)


def _add(text: str, command: str, agent: HookSettings) -> str:
    installed = [(path[1], known) for path, known in find_hooks(parse_settings(text, agent), agent)]
    if sorted(installed) == sorted((event, command) for event in agent.events):
        return text
    text = _remove(text, agent)
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    if agent.flat and "version" not in parse_settings(text, agent):
        text = append_value(text, [], 1, "version")
    for event in agent.events:
        item = agent.list_item(event, command)
        settings = parse_settings(text, agent)
        if "hooks" not in settings:
            text = append_value(text, [], {event: [item]}, "hooks")
        elif event not in settings["hooks"]:
            text = append_value(text, ["hooks"], [item], event)
        else:
            text = append_value(text, ["hooks", event], item)
    return text


def _remove(text: str, agent: HookSettings) -> str:
    while installed := find_hooks(settings := parse_settings(text, agent), agent):
        path = list(installed[0][0])
        # Up to the container that holds more than this hook: its group, the list of its event, all hooks.
        while len(path) > 1 and _is_alone(settings, path):
            path.pop()
        if path == ["hooks"] and not set(settings) - {"hooks", *(("version",) if agent.flat else ())}:
            return ""
        text = remove_value(text, path)
    return text


def _is_alone(settings: Any, path: list[str | int]) -> bool:
    """Return whether removing the value at a path leaves an empty list or object, or a group without hooks."""
    for step in path[:-1]:
        settings = settings[step]
    is_list_of_group = path[-1] == "hooks" and isinstance(path[-2], int)
    return len(settings) == 1 or is_list_of_group


def find_hooks(settings: Mapping[str, Any], agent: HookSettings) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the path and the command of each of our hooks."""
    found: list[tuple[tuple[str | int, ...], Any]] = []
    for event, groups in settings.get("hooks", {}).items():
        for number, group in enumerate(groups if isinstance(groups, list) else []):
            if agent.flat:
                found.append((("hooks", event, number), group))
            else:
                hooks = group.get("hooks") if isinstance(group, dict) else None
                places = enumerate(hooks if isinstance(hooks, list) else [])
                found += [(("hooks", event, number, "hooks", place), hook) for place, hook in places]
    return [
        (path, command)
        for path, hook in found
        if isinstance(hook, dict) and isinstance(command := hook.get("command"), str) and OURS.fullmatch(command)
    ]


def parse_settings(text: str, agent: HookSettings) -> dict[str, Any]:
    """Return settings as data, {} for a blank text; raise InputError unless they are a JSON object with valid hooks."""
    settings = parse_object(text)
    entries = settings.get("hooks", {})
    if not isinstance(entries, dict) or not all(isinstance(entries.get(event, []), list) for event in agent.events):
        raise InputError("the hooks in the settings are not lists by event", field="hooks", hint=UNCHANGED)
    return settings
