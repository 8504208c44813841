"""Convert a tool call of an agent, with its arguments and output, to the calls that the investigation model counts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Real
from typing import Any

from howsure.agents.known_tools import COMMANDS, EDITORS, LISTERS, NEUTRAL, PROGRAMS, SHELLS
from howsure.agents.known_tools import TOOLS as AGENT_TOOLS
from howsure.agents.listings import collect_names, count_factors, find_factors
from howsure.agents.outputs.tool_output import ToolOutput, read_output
from howsure.agents.shell import split_commands, strip_wrappers
from howsure.agents.tool_purposes import Purpose, find_purposes, get_shell_line, normalize_tool_name
from howsure.errors import InputError
from howsure.formulas.investigation import TOOLS, Investigation
from howsure.formulas.tool_calls import ToolCall
from howsure.parameters import configured
from howsure.settings import Settings
from howsure.shapes import Count, Unit, decode, decode_as
from howsure.store.text_rules import check_name

LONGEST = 500
"""Characters of a target or an error that are kept."""
LISTING_COMMANDS = {"ls", "tree", "dir", "exa", "eza"}
"""Commands that list files."""
PAGERS = {"cat", "head", "less", "more", "sort", "tail"}
"""Commands that only pass on what is piped into them."""
DID_NOT_END = "did not end"
"""The error of a run that was cut off."""
_FOLDER = "Here's the files and directories"
"""How the editor tools of agents begin to list a folder."""
_CHECK_KINDS = {"types": "build", "build": "build", "test": "test"}
"""Kinds of checks that the model counts, and the kind that it counts them as."""
_TARGETS = ("target", "query", "pattern", "symbol", "name", "path", "file_path", "file", "filename", "url", "term")
"""Names of arguments that hold the target of a tool, the most specific first."""


def known_tools(own: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the category of every known tool, including those that a user adds or changes (`own`)."""
    tools: dict[str, str] = {}
    for tool, purpose in (PROGRAMS | COMMANDS | AGENT_TOOLS).items():
        category, _, kind = purpose.partition(".")
        if category in ("search", "read", "git", "ci"):
            tools[tool] = purpose
        elif category == "verification" and kind in _CHECK_KINDS:
            tools[tool] = f"verification.{_CHECK_KINDS[kind]}"
    return tools | dict.fromkeys(LISTERS, "discovery") | dict(TOOLS) | {"web": "search", "ci": "ci"} | dict(own or {})


_KNOWN = known_tools()


def build_model(own: Mapping[str, str] | None = None, settings: Settings | None = None) -> Investigation:
    """Return the investigation model with the tools of common agents, those that a user adds, and set parameters."""
    model = configured(Investigation, settings)
    changed = {tool: category for tool, category in model.tools.items() if TOOLS.get(tool) != category}
    return replace(model, tools=known_tools({**changed, **(own or {})}))


def find_tool_name(tools: Mapping[str, str], tool: str) -> str | None:
    """Return the name under which a tool has a category, or None.

    >>> [find_tool_name(known_tools(), tool) for tool in ("Grep", "read_file", "git log", "yarn test", "dance")]
    ['grep', 'readfile', 'git', 'npm test', None]
    """
    line = get_shell_line(tool, None)
    purposes = find_purposes("bash", line) if line else []
    names = [tool, normalize_tool_name(tool), *(purpose.tool for purpose in purposes)]
    return next((name for name in names if name in tools), None)


def read_tool_calls(
    tools: Mapping[str, str],
    tool: str,
    arguments: Any = None,
    output: Any = None,
    *,
    target: str | None = None,
    passed: bool | None = None,
    factors: int | Sequence[str] | None = None,
    complete: Unit | None = None,
    error: str | None = None,
    recovery: bool = False,
) -> list[ToolCall]:
    """Return the calls to count for one tool call: several for a line of shell commands, one or none for most tools.

    A tool that is neither in `tools` nor known to be irrelevant is returned under its own name, so that the model can
    warn about it.

    Args:
        tools: The category of each tool.
        tool: Name of the tool.
        arguments: What it was called with.
        output: The number of results, or what the tool returned, read already or not: then the content decides.
        target: What it searched for or read, if the arguments do not say.
        passed: Whether a build or test run passed, if the output does not say.
        factors: What a discovery found out about the project: the number of factors, 0 to 4, or their names.
        complete: Share of the CI data that was available.
        error: What went wrong, if it failed.
        recovery: Whether the call was made to recover from weak evidence.

    Raises:
        InputError: if a value is out of range or of the wrong type.

    >>> [call.results for call in read_tool_calls(dict(TOOLS), "grep", {"pattern": "Parser"}, "No matches found")]
    [0]
    """
    if not check_name(decode_as(str, tool, "tool"), "tool").strip():
        raise InputError("the name of the tool is empty", field="tool", hint="a text, like grep")
    fields = {"target": target, "passed": passed, "complete": complete}
    fields["factors"] = None if factors is None else count_factors(factors)
    known = {name: value for name, value in fields.items() if value is not None}
    decode(ToolCall, {"tool": tool, "error": error, "recovery": recovery} | known)  # validate before reading anything
    error = None if error is None else error[:LONGEST]
    is_count = isinstance(output, Real) and not isinstance(output, bool)
    count: int | None = decode_as(Count, output, "results") if is_count else None
    tool_output = output
    if not isinstance(output, ToolOutput):
        tool_output = read_output(None if is_count else output, failed=error is not None)
    calls = _read_fields(tools, tool, arguments, tool_output, count, error)
    if not calls:
        name = find_tool_name(tools, tool) if known or not _is_neutral(tool) else None
        if name is not None or not _is_neutral(tool):
            calls = [{"tool": name or tool, "target": _find_target(arguments), "error": error}]
    return [_make_call(call | {"recovery": recovery} | known) for call in calls]


def _make_call(fields: dict[str, Any]) -> ToolCall:
    return decode(ToolCall, fields | {"target": fields.get("target", "")[:LONGEST]})


def _is_neutral(tool: str) -> bool:
    """Return whether a tool is known not to be evidence by itself."""
    name = normalize_tool_name(tool)
    if name in SHELLS | EDITORS | NEUTRAL or AGENT_TOOLS.get(name) == "edit":
        return True
    return get_shell_line(tool, None) is not None


def _read_fields(
    tools: Mapping[str, str], tool: str, arguments: Any, output: ToolOutput, count: int | None, error: str | None
) -> list[dict[str, Any]]:
    """Return the fields of each call that are known from the tool, its arguments and its output."""
    own = tool in tools and tools[tool] != _KNOWN.get(tool)
    purposes = [] if own else find_purposes(tool, arguments)
    folder = output.text.lstrip().startswith(_FOLDER)
    listed = not own and output.value is not None and (folder or _lists_files(tool, arguments))
    if purposes or listed or (not own and arguments is not None and get_shell_line(tool, arguments) is not None):
        echoed = [purpose.target for purpose in purposes if purpose.category == "echo"]
        kinds = [purpose.kind for purpose in purposes if purpose.category == "verification"]
        calls = [] if folder else [_from_purpose(one, output, count, kinds, echoed, error) for one in purposes]
        if listed:
            failed = output.is_error("read") or (output.text.strip() and not output.count_results())
            factors = None if failed else len(find_factors(collect_names(output.value)))
            calls.append({"tool": "discovery", "factors": factors, "error": "failed" if failed else None})
        return [fields for fields in calls if fields.get("tool")]
    name = find_tool_name(tools, tool)
    return [] if name is None else [_from_category(name, tools[name], arguments, output, count, error)]


def _from_category(
    name: str, where: str, arguments: Any, output: ToolOutput, count: int | None, error: str | None
) -> dict[str, Any]:
    """Return the fields of a call if only the category of its tool is known."""
    category, _, kind = where.partition(".")
    fields = {"tool": name, "target": _find_target(arguments), "error": error}
    if count is not None:
        return fields | {"results": count}
    if output.value is None:
        return fields
    if category == "verification":
        return fields | _read_check(output, kind, error)
    failure = error or ("failed" if output.is_error(category) else None)
    if category == "discovery":
        factors = None if failure else len(find_factors(collect_names(output.value)))
        return fields | {"factors": factors, "error": failure}
    return fields | {"results": output.count_results((), category), "error": failure}


def _find_target(arguments: Any) -> str:
    """Return the target of a tool call, or ""."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return ""
    texts = [arguments[name] for name in _TARGETS if isinstance(arguments.get(name), str)]
    texts += [value for value in arguments.values() if isinstance(value, str)]
    return texts[0] if texts else ""


def _from_purpose(
    purpose: Purpose, output: ToolOutput, count: int | None, kinds: list[str], echoed: list[str], error: str | None
) -> dict[str, Any]:
    """Return the fields of a call from its purpose; without a tool if the model does not count such calls."""
    if purpose.category == "verification":
        if purpose.kind not in _CHECK_KINDS:
            return {}
        tool = purpose.tool if purpose.tool in _KNOWN else normalize_tool_name(purpose.tool)
        if count is not None:
            return {"tool": tool, "error": error}
        return {"tool": tool} | _read_check(output, purpose.kind, error, kinds, masked=purpose.masked, echoed=echoed)
    tool = {"search": purpose.kind, "read": "read", "git": "git", "ci": "gh"}.get(purpose.category, "")
    target = purpose.path or purpose.target if purpose.category in ("read", "git") else purpose.target
    failure = error or ("failed" if output.is_error(purpose.category) else None)
    results = output.count_results_of(purpose, echoed) if count is None else count
    return {"tool": tool, "target": target, "results": results, "error": failure}


def _read_check(
    output: ToolOutput,
    kind: str,
    error: str | None,
    kinds: Sequence[str] = (),
    *,
    masked: bool = False,
    echoed: Sequence[str] = (),
) -> dict[str, Any]:
    """Return whether a build or test run passed, or the error of one that was cut off or could not run."""
    # A given error alone does not mean that tests failed: the tool may not have been reached at all.
    failed = output.code not in (None, 0) or (output.failed and error is None)
    passed = output._replace(failed=failed).judge_check(kind, kinds, masked=masked, echoed=echoed)
    if error is not None:
        return {"passed": False, "error": None} if passed is False else {"error": error}
    return {"passed": passed} if output.ended or passed is False else {"error": DID_NOT_END}


def _lists_files(tool: str, arguments: Any) -> bool:
    """Return whether a call lists files and prints nothing else."""
    if normalize_tool_name(tool) in LISTERS:
        return True
    commands = split_commands(get_shell_line(tool, arguments) or "")
    line = [(words[0], command.end) for command in commands if (words := strip_wrappers(command.words))]
    if not any(word in LISTING_COMMANDS for word, _ in line):
        return False
    piped = {after for (_, end), (after, _) in pairwise(line) if end == "|"}
    return piped <= PAGERS and not any(word in COMMANDS for word, _ in line if word not in piped)
