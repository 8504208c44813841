"""Calls: what an agent's tools were asked and what they returned, as the investigation model counts it."""

from collections.abc import Mapping
from itertools import pairwise
from numbers import Real
from typing import Any

from howsure.agents.listings import counted, factors_in, listing
from howsure.agents.outputs.tool_output import Reply, reply
from howsure.agents.shell import commands, plain
from howsure.agents.known_tools import COMMANDS, EDITORS, LISTERS, NEUTRAL, PROGRAMS, SHELLS
from howsure.agents.known_tools import TOOLS as AGENT_TOOLS
from howsure.agents.tools import Use, line_of, plain_name, uses
from howsure.errors import InputError, shown
from howsure.formulas.investigation import TOOLS, Investigation
from howsure.formulas.tool_calls import ToolCall
from howsure.shapes import Count, decode, decode_as

LONGEST = 500
"""Characters that are kept of a target."""
LISTINGS = {"ls", "tree", "dir", "exa", "eza"}
"""Commands that list what there is."""
PAGERS = {"cat", "head", "less", "more", "sort", "tail"}
"""Commands that pass on what they get."""
DID_NOT_END = "did not come to its end"
"""What went wrong with a run that was cut off."""
_FOLDER = "Here's the files and directories"
_CHECKS = {"types": "build", "build": "build", "test": "test"}


def investigation_tools(own: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the category of every tool that is known, with those that a user adds or changes."""
    found: dict[str, str] = {}
    for tool, where in (PROGRAMS | COMMANDS | AGENT_TOOLS).items():
        category, _, kind = where.partition(".")
        if category in ("search", "read", "git", "ci"):
            found[tool] = where
        elif category == "verification" and kind in _CHECKS:
            found[tool] = f"verification.{_CHECKS[kind]}"
    return found | dict.fromkeys(LISTERS, "discovery") | dict(TOOLS) | {"web": "search", "ci": "ci"} | dict(own or {})


_USUAL = investigation_tools()


def model(own: Mapping[str, str] | None = None) -> Investigation:
    """Return the investigation model with the tools of common agents."""
    return Investigation(tools=investigation_tools(own))


def _is_neutral(tool: str) -> bool:
    """Say whether a tool is known to be evidence of nothing, as it is used."""
    name = plain_name(tool)
    if name in SHELLS | EDITORS | NEUTRAL or AGENT_TOOLS.get(name) == "edit":
        return True
    return line_of(tool, None) is not None


def name_in(tools: Mapping[str, str], tool: str) -> str | None:
    """Return the name under which a tool has a category; nothing where it has none.

    >>> [name_in(investigation_tools(), tool) for tool in ("Grep", "read_file", "git log", "yarn test", "dance")]
    ['grep', 'readfile', 'git', 'npm test', None]
    """
    line = line_of(tool, None)
    names = [tool, plain_name(tool), *(use.tool for use in uses("bash", line) if line)]
    return next((name for name in names if name in tools), None)


def calls(
    tools: Mapping[str, str], tool: str, arguments: Any = None, returned: Any = None, **given: Any
) -> list[ToolCall]:
    """Return what one tool call shows. A line of shell commands may show several things; most tools show one.

    `returned` is a number of results, or whatever the tool put out: then its content decides. `given` are fields of a
    call that are known already: target, results, passed, factors, complete, error, recovery. A tool without a category
    in `tools` shows nothing.

    >>> [call.results for call in calls(dict(TOOLS), "grep", {"pattern": "Parser"}, "No matches found")]
    [0]
    """
    return [call for call in every_call(tools, tool, arguments, returned, **given) if call.tool in tools]


def every_call(
    tools: Mapping[str, str],
    tool: str,
    arguments: Any = None,
    returned: Any = None,
    *,
    error: str | None = None,
    recovery: bool = False,
    **given: Any,
) -> list[ToolCall]:
    """Return what one tool call shows, as `calls` does. A tool that nobody knows shows itself: the model says so."""
    if not decode_as(str, tool, "tool").strip():
        raise InputError(f"{shown(tool)} is no name of a tool", field="tool", hint="a text, like grep")
    if "factors" in given and given["factors"] is not None:
        given["factors"] = counted(given["factors"])
    decode(ToolCall, {"tool": tool, "error": error, "recovery": recovery} | given)  # validate first
    error = None if error is None else error[:LONGEST]
    number = isinstance(returned, Real) and not isinstance(returned, bool)
    count: int | None = decode_as(Count, returned, "results") if number else None
    found = _shown(tools, tool, arguments, reply(None if number else returned, failed=error is not None), count, error)
    if not found:
        name = name_in(tools, tool) if given or not _is_neutral(tool) else None
        bare = {"tool": name or tool, "target": _target(arguments), "error": error}
        found = [bare] if name is not None or not _is_neutral(tool) else []
    known = {"recovery": recovery} | {name: value for name, value in given.items() if value is not None}
    return [_call(fields | known) for fields in found]


def _call(fields: dict[str, Any]) -> ToolCall:
    return decode(ToolCall, fields | {"target": fields.get("target", "")[:LONGEST]})


def _shown(
    tools: Mapping[str, str], tool: str, arguments: Any, answer: Reply, count: int | None, error: str | None
) -> list[dict[str, Any]]:
    """Return the fields of what a call shows, as far as the tool and its reply tell them."""
    own = tool in tools and tools[tool] != _USUAL.get(tool)
    used = [] if own else uses(tool, arguments)
    folder = answer.text.lstrip().startswith(_FOLDER)
    listed = not own and answer.value is not None and (folder or _lists(tool, arguments))
    if used or listed or (not own and arguments is not None and line_of(tool, arguments) is not None):
        said = [use.target for use in used if use.category == "said"]
        kinds = [use.kind for use in used if use.category == "verification"]
        found = [] if folder else [_used(use, answer, count, kinds, said, error) for use in used]
        if listed:
            vain = answer.wrong("read") or (answer.text.strip() and not answer.results())
            factors = None if vain else len(factors_in(listing(answer.value)))
            found.append({"tool": "discovery", "factors": factors, "error": "failed" if vain else None})
        return [fields for fields in found if fields.get("tool")]
    name = name_in(tools, tool)
    return [] if name is None else [_known(name, tools[name], arguments, answer, count, error)]


def _known(
    name: str, where: str, arguments: Any, answer: Reply, count: int | None, error: str | None
) -> dict[str, Any]:
    """Return the fields of a call of a tool that has a category, and of which no more is known."""
    category, _, kind = where.partition(".")
    fields = {"tool": name, "target": _target(arguments), "error": error}
    if count is not None:
        return fields | {"results": count}
    if answer.value is None:
        return fields
    if category == "verification":
        return fields | _ran(answer, kind, error)
    wrong = error or ("failed" if answer.wrong(category) else None)
    if category == "discovery":
        return fields | {"factors": None if wrong else len(factors_in(listing(answer.value))), "error": wrong}
    return fields | {"results": answer.results((), category), "error": wrong}


def _target(arguments: Any) -> str:
    """Return what a tool was pointed at."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return ""
    names = ("target", "query", "pattern", "symbol", "name", "path", "file_path", "file", "filename", "url", "term")
    found = next((arguments[name] for name in names if isinstance(arguments.get(name), str)), None)
    return found if found is not None else next((value for value in arguments.values() if isinstance(value, str)), "")


def _used(
    use: Use, answer: Reply, count: int | None, kinds: list[str], said: list[str], error: str | None
) -> dict[str, Any]:
    """Return the fields of a call from what a tool was used for; none where the model has no place for it."""
    if use.category == "verification":
        tool = use.tool if use.tool in _USUAL else plain_name(use.tool)
        ran = _ran(answer, use.kind, error, kinds, masked=use.masked, said=said) if count is None else {"error": error}
        return {"tool": tool} | ran if use.kind in _CHECKS else {}
    tool = {"search": use.kind, "read": "read", "git": "git", "ci": "gh"}.get(use.category, "")
    target = use.path or use.target if use.category in ("read", "git") else use.target
    wrong = error or ("failed" if answer.wrong(use.category) else None)
    results = answer.found(use, said) if count is None else count
    return {"tool": tool, "target": target, "results": results, "error": wrong}


def _ran(answer: Reply, kind: str, error: str | None, kinds: list[str] | None = None, **how: Any) -> dict[str, Any]:
    """Return whether a build or test run passed; one that was cut off, or went wrong otherwise, ended with an error."""
    passed = answer._replace(failed=answer.code not in (None, 0) or (answer.failed and error is None)).passed(
        kind, kinds or (), **how
    )
    if error is not None:
        return {"passed": False, "error": None} if passed is False else {"error": error}
    return {"passed": passed} if answer.ended or passed is False else {"error": DID_NOT_END}


def _lists(tool: str, arguments: Any) -> bool:
    """Say whether a call lists files, and puts out nothing else."""
    if plain_name(tool) in LISTERS:
        return True
    found = commands(line_of(tool, arguments) or "")
    line = [(words[0], command.end) for command in found if (words := plain(command.words))]
    if not any(word in LISTINGS for word, _ in line):
        return False
    piped = {after for (_, end), (after, _) in pairwise(line) if end == "|"}
    return piped <= PAGERS and not any(word in COMMANDS for word, _ in line if word not in piped)
