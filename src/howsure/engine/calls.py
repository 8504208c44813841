"""Calls: what an agent's tools were asked and what they returned, as the investigation model counts it."""

from collections.abc import Mapping
from typing import Any

from howsure.core.shape import Count, decode_as
from howsure.engine.discovery import counted, factors_in
from howsure.engine.replies import Reply, reply
from howsure.engine.shell import commands, plain
from howsure.engine.tools import COMMANDS, SHELLS, Use, uses
from howsure.errors import InputError, shown
from howsure.models.investigation import TOOLS, Investigation
from howsure.models.tally import CATEGORIES, Call

LONGEST = 500
"""Characters that are kept of a target."""
LISTINGS = {"ls", "tree", "dir", "exa", "eza"}
"""Commands that list what there is."""
_LISTING_TOOLS = {"ls", "list", "listdir", "listdirectory", "listfiles", "directorytree"}
_CHECKS = {"types": "build", "build": "build", "test": "test"}


def investigation_tools(own: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the category of every tool that is known, with those that a user adds or changes."""
    found = dict(TOOLS) | {"web": "search", "ci": "ci"}
    for command, where in COMMANDS.items():
        category, _, kind = where.partition(".")
        if category == "verification" and kind in _CHECKS:
            found[command] = f"verification.{_CHECKS[kind]}"
    return found | dict(own or {})


def model(own: Mapping[str, str] | None = None) -> Investigation:
    """Return the investigation model with the tools of common agents."""
    return Investigation(tools=investigation_tools(own))


def calls(
    tools: Mapping[str, str],
    tool: str,
    arguments: Any = None,
    returned: Any = None,
    *,
    error: str | None = None,
    recovery: bool = False,
    **given: Any,
) -> list[Call]:
    """Return what one tool call shows. A line of shell commands may show several things; most tools show one.

    `returned` is a number of results, or whatever the tool put out: then its content decides. `given` are fields of a
    call that are known already: target, results, passed, factors, complete.

    >>> [call.results for call in calls(dict(TOOLS), "grep", {"pattern": "Parser"}, "No matches found")]
    [0]
    """
    failed = None if error is None else str(error)[:LONGEST]
    if tool in tools:
        return [_known(tool, tools[tool], arguments, returned, failed, {"recovery": recovery} | given)]
    if given:
        raise InputError(f"the tool {shown(tool)} is not known", field="tool", hint="give it a category in `tools`")
    answer = reply(returned, failed=failed is not None)
    count = returned if isinstance(returned, int) and not isinstance(returned, bool) else answer.results()
    found = []
    for use in uses(tool, arguments):
        call = _used(use, answer, count, failed if failed is not None else ("failed" if answer.failed else None))
        if call is not None:
            found.append(Call(**call, recovery=recovery))
    if _lists(tool, arguments) and not answer.failed:
        found.append(Call("discovery", factors=len(factors_in(answer.text)), recovery=recovery))
    return found


def _known(tool: str, where: str, arguments: Any, returned: Any, error: str | None, given: dict[str, Any]) -> Call:
    """Return a call of a tool that has a category."""
    fields = dict(given)
    category = where.partition(".")[0]
    if category not in CATEGORIES:  # pragma: no cover - the model has refused it already
        raise InputError(f"{category} is no category", field="tools")
    if "target" not in fields:
        fields["target"] = _target(arguments)
    if isinstance(returned, int) and not isinstance(returned, bool):
        fields.setdefault("results", decode_as(Count, returned, "results"))
    elif returned is not None:
        answer = reply(returned, failed=error is not None)
        if answer.failed and error is None and category != "verification":
            error = "failed"
        if category == "verification":
            fields.setdefault("passed", answer.passed(where.partition(".")[2]))
        elif category == "discovery":
            fields.setdefault("factors", len(factors_in(answer.text)))
        else:
            fields.setdefault("results", answer.results())
    if fields.get("factors") is not None:
        fields["factors"] = counted(fields["factors"])
    return Call(tool=tool, error=error, **(fields | {"target": str(fields["target"])[:LONGEST]}))


def _target(arguments: Any) -> str:
    """Return what a tool was pointed at."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return ""
    names = ("target", "query", "pattern", "symbol", "name", "path", "file_path", "file", "filename", "url", "term")
    found = next((arguments[name] for name in names if isinstance(arguments.get(name), str)), None)
    return found if found is not None else next((value for value in arguments.values() if isinstance(value, str)), "")


def _used(use: Use, answer: Reply, count: int, error: str | None) -> dict[str, Any] | None:
    """Return a call from what a tool of a coding agent was used for; nothing where the model has no place for it."""
    target = use.target[:LONGEST]
    if use.category == "verification":
        if use.kind not in _CHECKS:
            return None
        return {"tool": use.tool, "passed": answer.passed(use.kind, masked=use.masked)}
    if use.category == "search":
        return {"tool": use.kind, "target": target, "results": count, "error": error}
    if use.category in ("read", "git"):
        return {
            "tool": use.category,
            "target": use.path[:LONGEST] or target,
            "results": count,
            "error": error,
        }
    if use.category == "ci":
        return {"tool": "gh", "target": target, "results": count, "error": error}
    return None


def _lists(tool: str, arguments: Any) -> bool:
    name = tool.rpartition("__")[2].replace("_", "").replace("-", "").casefold()
    if name in _LISTING_TOOLS:
        return True
    if name not in SHELLS or not isinstance(arguments, Mapping) or not isinstance(arguments.get("command"), str):
        return False
    first = [words[0] for command in commands(arguments["command"]) if (words := plain(command.words))]
    return bool(LISTINGS & set(first))
