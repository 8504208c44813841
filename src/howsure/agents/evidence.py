"""Summarize the tool calls of a session, and derive factors of a response from them."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from howsure.agents.outputs.tool_output import read_output
from howsure.agents.tool_purposes import find_purposes
from howsure.redaction import redact_secrets
from howsure.store.ledger_tables import tool_calls
from howsure.store.session import Session

if TYPE_CHECKING:  # loaded only to judge a response, since recording a call has to be quick
    from howsure.formulas.response_case import CodeChecks
    from howsure.settings import Settings

LONGEST = 500
"""Characters of a target or a path that are kept."""
FIELDS = ("tool", "category", "kind", "target", "path", "part", "results", "ok")
"""Fields of a call that are stored. The output of the tool is not stored."""
LOOKUPS = {"search": ("grep", "find", "references", "web"), "read": ("read",), "git": ("git",), "ci": ("ci",)}
"""Categories of calls that look something up, with their kinds."""

Summary = Mapping[str, Any]
"""A tool call as it is stored, by the names in FIELDS."""


def summarize_tool_call(
    tool: str, arguments: Any, output: Any, *, failed: bool = False, folder: str = "", redact: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Return summaries of a tool call: one, several for a line of shell commands, or none if it is not evidence.

    Args:
        tool: Name of the tool.
        arguments: What it was called with.
        output: What it returned.
        failed: Whether the call is marked as failed.
        folder: Paths within this folder are written relative to it.
        redact: The user's patterns of secrets, besides the usual ones.

    >>> summarize_tool_call("Grep", {"pattern": "Parser"}, {"numFiles": 2, "filenames": ["a.py", "b.py"]})
    [{'tool': 'Grep', 'category': 'search', 'kind': 'grep', 'target': 'Parser', 'ok': True, 'results': 2}]
    """
    purposes = find_purposes(tool, remove_secrets(arguments, redact))
    if not purposes:
        return []
    tool_output = read_output(output, failed=failed)
    echoed = [purpose.target for purpose in purposes if purpose.category == "echo"]
    kinds = [purpose.kind for purpose in purposes if purpose.category == "verification"]
    summaries = []
    for purpose in purposes:
        summary: dict[str, Any] = {"tool": purpose.tool, "category": purpose.category, "kind": purpose.kind}
        summary |= {
            name: _relative(value, folder) for name in ("target", "path", "part") if (value := getattr(purpose, name))
        }
        if purpose.category == "verification":
            summary["ok"] = tool_output.judge_check(purpose.kind, kinds, masked=purpose.masked, echoed=echoed)
        elif purpose.category == "edit":
            summary["ok"] = not tool_output.is_error("edit")
        else:
            summary["ok"] = not tool_output.is_error(purpose.category)
            summary["results"] = tool_output.count_results_of(purpose, echoed)
        if purpose.category != "echo" and summary["ok"] is not None:
            summaries.append(summary)
    return summaries


def remove_secrets(arguments: Any, redact: tuple[str, ...]) -> Any:
    """Return the arguments of a tool with secrets replaced.

    Call it before shortening anything, because part of a secret is not recognised as a secret.
    """
    if isinstance(arguments, Mapping):
        return {name: remove_secrets(value, redact) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [remove_secrets(value, redact) for value in arguments[:1000]]
    return redact_secrets(arguments[:100_000], redact) if isinstance(arguments, str) else arguments


def _relative(path: str, folder: str) -> str:
    return path.removeprefix(folder.rstrip("/\\") + "/") if folder else path


def record_tool_calls(session: Session, trace: str, summaries: Iterable[Summary], now: float | None = None) -> None:
    """Store tool calls of a trace, without anything that looks like a secret."""
    at = session.at(now)
    contents = [_stored_fields(summary) for summary in summaries]
    with session.write() as transaction:
        tool_calls.insert(transaction, trace, at, contents)


def _stored_fields(summary: Summary) -> dict[str, Any]:
    return {
        name: redact_secrets(value)[:LONGEST] if isinstance(value := summary[name], str) else value
        for name in FIELDS
        if name in summary
    }


def load_tool_calls(session: Session, trace: str) -> list[dict[str, Any]]:
    """Return the stored tool calls of a trace, in order."""
    with session.database.read() as transaction:
        return tool_calls.load(transaction, trace)


def derive_factors(
    summaries: Iterable[Summary], *, changed_only: bool = False, settings: "Settings | None" = None
) -> "tuple[float | None, CodeChecks | None]":
    """Return what the tool calls of a session say about a response: the knowledge factor, and checks of its code.

    Args:
        summaries: The tool calls.
        changed_only: Leave out code that was only read: nothing was changed, so there is nothing to check. Documents
            are no code.
        settings: The settings, with parameters of the model `investigation`.
    """
    summaries = list(summaries)
    worked = any(_changes_code(summary) or summary.get("category") == "verification" for summary in summaries)
    return derive_knowledge(summaries, settings), derive_code_checks(summaries) if worked or not changed_only else None


def _changes_code(summary: Summary) -> bool:
    """Return True for an edit of a file that may be code, or of one that is not known."""
    from howsure.responses.code_checks import is_document

    return summary.get("category") == "edit" and not is_document(summary.get("path", ""))


def derive_knowledge(summaries: Iterable[Summary], settings: "Settings | None" = None) -> float | None:
    """Return the score of an investigation with the same lookups; None if nothing was looked up."""
    from dataclasses import replace

    from howsure.formulas.investigation import Case, Investigation
    from howsure.formulas.tool_calls import ToolCall

    calls = tuple(
        ToolCall(
            tool=summary["kind"],
            target=summary.get("target", ""),
            results=summary.get("results", 0),
            error=None if summary.get("ok") else "failed",
        )
        for summary in summaries
        if summary.get("kind") in LOOKUPS.get(summary.get("category", ""), ())
    )
    if not calls:
        return None
    tools = {kind: category for category, kinds in LOOKUPS.items() for kind in kinds}
    if settings is None or not settings.sets_parameters:
        model = Investigation(tools=tools)
    else:
        from howsure.parameters import configured

        model = replace(configured(Investigation, settings), tools=tools)
    return float(model.score(Case(calls))["score"])


def derive_code_checks(summaries: Iterable[Summary]) -> "CodeChecks | None":
    """Return the results of checks of the code, by each tool's latest run; None if the session saw no code."""
    from pathlib import PurePath

    from howsure.formulas.response_case import CodeChecks
    from howsure.responses.code_checks import SOURCES, TEST_FILE

    # Kind, tool, and the part of the tests that ran; "" for all of them.
    runs: dict[tuple[str, str, str], bool] = {}
    files: set[str] = set()
    for summary in summaries:
        if summary.get("category") == "verification":
            kind = "syntax" if summary["kind"] == "build" else summary["kind"]
            tool, part = summary.get("tool", ""), summary.get("part", "")
            if not part:  # a run of everything takes the place of all runs of parts
                runs = {run: passed for run, passed in runs.items() if run[:2] != (kind, tool)}
            runs[kind, tool, part] = bool(summary.get("ok"))
            continue
        if summary.get("ok") and _changes_code(summary):
            # Checks that passed before the edit saw other code; checks that failed still have to pass.
            runs = {run: passed for run, passed in runs.items() if not passed}
        path = summary.get("path", "")
        if summary.get("ok") and summary.get("results", 1) and PurePath(path).suffix.lower() in SOURCES:
            files.add(path)
    if not runs and not files:
        return None

    def passed(kind: str) -> bool | None:
        results = [result for (of, *_), result in runs.items() if of == kind]
        return all(results) if results else None

    return CodeChecks(
        exists=True if files else None,
        syntax_valid=passed("syntax"),
        types_valid=passed("types"),
        tests_exist=True if passed("test") is not None or any(map(TEST_FILE.search, files)) else None,
        tests_pass=passed("test"),
    )
