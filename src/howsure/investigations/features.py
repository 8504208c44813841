"""Compute the features of a run: its length, how it ended, and what failed, was repeated or was new late in it."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from howsure.agents.outputs.tool_output import ToolOutput
from howsure.agents.shell import WRAPPERS, skip_options, split_commands
from howsure.agents.tool_purposes import get_shell_line
from howsure.agents.traces import Trace
from howsure.formulas.chance import Case
from howsure.formulas.tool_calls import ToolCall

_LONGEST_ARGUMENTS = 64
"""Characters of a call's arguments that count as detail; beyond, they are content, such as the text of an edit."""
_ENDS = 2000
"""Characters at the start and at the end of an output that are searched for a crash."""
_CHANGING = {
    "add", "apply", "book", "buy", "cancel", "commit", "cp", "create", "delete", "edit", "exchange", "insert", "mkdir",
    "modify", "mv", "order", "patch", "pay", "push", "refund", "remove", "replace", "return", "rm", "send", "submit",
    "touch", "update", "write",
}  # fmt: skip
"""Words in the names of tools and commands that change something."""
_LOOKING = {
    "calculate",
    "check",
    "count",
    "describe",
    "fetch",
    "find",
    "get",
    "list",
    "query",
    "read",
    "search",
    "show",
    "view",
}
"""First words in the names of tools that change nothing, whatever follows: `get_order`."""
_FINISHING = {
    "completion", "complete", "done", "escalate", "final", "finish", "handoff", "handover", "submit", "transfer",
}  # fmt: skip
"""Words in the names of tools that end a run, or hand it over to a person."""
_PROGRAM = re.compile(r"(?:python|pypy|node|ruby|perl|php|bash|sh|deno|bun|java|julia|Rscript)[\d.]*")
# Uncaught exceptions, lines that start with "error", and what editors of agents answer to an edit that breaks a file.
_CRASH = re.compile(
    r"^(?:Traceback \(most recent call last\)|[\w.]*(?:Error|Exception)(?::|$)|(?:fatal )?errors?\b|panic:)"
    r"|introduced new syntax error|: command not found",
    re.MULTILINE | re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"^(?:none|null|)$|cost|limit|max|budget|time|early|error|fail|abort|cancel|interrupt|kill|crash|context|length"
    r"|unparsed|unmatched|empty|invalid|stuck",
    re.IGNORECASE,
)
"""Statuses of a run that was cut off, or whose result could not be used."""
_REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|unfortunately|unable to|cannot|can't|can not|not possible|not eligible|not allowed"
    r"|polic(?:y|ies))\b",
    re.IGNORECASE,
)


class _Name(NamedTuple):
    """What a call is called, and what that tells."""

    changes: bool
    """Whether it changes something."""
    finishes: bool
    """Whether it ends the run."""
    program: bool
    """Whether it runs a program or a script."""
    length: int | None
    """Characters of its arguments, or None if it has none."""


class _Counter:
    """A running total whose value at any earlier place is known, so that a share of late calls takes constant time."""

    def __init__(self) -> None:
        self._totals = [0]

    def add(self, counts: bool) -> None:
        self._totals.append(self._totals[-1] + counts)

    def share(self, part: int) -> float | None:
        """Return the share among the last 1 / part of all, rounded up; None without any."""
        total = len(self._totals) - 1
        late = -(-total // part)
        return (self._totals[-1] - self._totals[total - late]) / late if late else None


@dataclass(frozen=True)
class CourseStep:
    """What the course of a run needs to know of one call, which can be stored: no arguments and no output."""

    contents: tuple[str, ...]
    """Digests of the call, and of what it returned if that is known."""
    failed: bool = False
    """Whether it failed or found nothing."""
    nothing: bool = False
    """Whether it returned nothing."""
    changes: bool = False
    """Whether it changes something."""
    finishes: bool = False
    """Whether it ends the run."""
    check_passed: bool | None = None
    """Whether the test, build or program that it ran passed; None if it ran none."""
    length: int | None = None
    """Characters of its arguments; None if it has none."""


def read_step(
    tool: str,
    arguments: Any,
    output: ToolOutput | int,
    read: Sequence[ToolCall],
    tools: Mapping[str, str],
    *,
    target: str | None = None,
    error: str | None = None,
) -> CourseStep:
    """Return a call as an agent made it in the form that the course of a run counts.

    Args:
        tool: Name of the tool.
        arguments: What it was called with.
        output: What it returned, or its number of results.
        read: The calls that the investigation model counts for it.
        tools: The category of each tool that the model knows.
        target: What it searched for or read, if the arguments do not say.
        error: What went wrong, if it failed.
    """
    name = _read_name(tool, arguments)
    known = [call for call in read if call.tool in tools]
    checks = [call.passed for call in known if call.passed is not None]
    text = output.text if isinstance(output, ToolOutput) else ""
    nothing = error is not None or (output.is_error() if isinstance(output, ToolOutput) else output == 0)
    failed = nothing or _has_failed(known, tools, text)
    # Without an output, a search that found nothing returned nothing; a check that failed still says something new.
    nothing |= isinstance(output, ToolOutput) and output.value is None and failed and not checks
    check_passed = checks[-1] if checks else not failed if name.program and not known else None
    contents = [f"{tool} {_as_text(arguments)} {target or ''}", *([text] if text.strip() else [])]
    length = name.length or len(target or "") or None
    digests = tuple(map(digest, contents))
    return CourseStep(digests, failed, nothing, name.changes, name.finishes, check_passed, length)


def digest(content: str) -> str:
    """Return what tells the contents of calls apart."""
    return blake2b(content.encode("utf-8", "replace"), digest_size=16).hexdigest()


class Course:
    """The course of a run so far. Adding a call and reading the features takes constant time."""

    def __init__(self) -> None:
        """Start without a call."""
        self.calls: int = 0
        """How many calls were made."""
        self._seen: set[str] = set()
        """Digests of calls and outputs."""
        self._failed, self._new, self._changes = _Counter(), _Counter(), _Counter()
        self._last = ""
        """The digest of what identifies the last call."""
        self._repeats = 0
        self._check_passed: bool | None = None
        self._detail = self._detailed = 0.0
        self._finishing = False
        self._steps = 0
        self._finished: bool | None = None
        self._refusals: float | None = None
        self._questions: float | None = None

    def add(self, step: CourseStep) -> None:
        """Add a call as an agent made it."""
        if step.check_passed is not None:
            self._check_passed = step.check_passed
        self._add(step.contents, failed=step.failed, nothing=step.nothing, changes=step.changes)
        self._finishing = step.finishes
        if step.length:
            self._detail += math.log2(min(step.length, _LONGEST_ARGUMENTS))
            self._detailed += 1

    def add_known(self, call: ToolCall, *, changes: bool = False) -> None:
        """Add a call whose arguments and output are not known any more, such as one from the store."""
        if call.passed is not None:
            self._check_passed = call.passed
        nothing = call.error is not None
        looked_up = call.passed is None and call.factors is None and not changes
        failed = nothing or call.passed is False or (looked_up and not call.results)
        self._add([digest(f"{call.tool} {call.target}")], failed=failed, nothing=nothing or failed, changes=changes)
        self._finishing = False

    def _add(self, contents: Sequence[str], *, failed: bool, nothing: bool, changes: bool) -> None:
        """Count a call; its contents are digests of what identifies it, and of what it returned if that is known."""
        self.calls += 1
        self._last = contents[0]
        self._repeats += contents[0] in self._seen
        self._new.add(not nothing and self._seen.isdisjoint(contents))
        self._seen.update(contents)
        self._failed.add(failed)
        self._changes.add(changes)

    def end(self, trace: Trace) -> None:
        """Add what a whole trace says beyond its calls: messages, and how it ended."""
        for _ in trace.statuses[1:]:  # each attempt but the last has failed
            self._add([self._last], failed=True, nothing=True, changes=True)
        self._steps = len(trace.messages)
        spoken = [message for message in trace.messages if message.strip()]
        if spoken:
            self._refusals = sum(_REFUSAL.search(message) is not None for message in spoken) / len(spoken)
            self._questions = sum(message.rstrip().endswith("?") for message in spoken) / len(spoken)
        if trace.statuses:
            self._finished = _UNFINISHED.search(trace.statuses[-1].strip()) is None
        elif self._finishing:
            self._finished = True
        else:
            self._finished = trace.ends_with_message

    @property
    def features(self) -> Case:
        """The features so far. Before the first call or message nothing is known."""
        return Case(
            steps=max(self.calls, self._steps) or None,
            late_errors=self._failed.share(3),
            repeats=self._repeats / self.calls if self.calls else None,
            late_news=self._new.share(2),
            check_passed=self._check_passed,
            finished=self._finished,
            detail=self._detail / self._detailed if self._detailed else None,
            late_changes=self._changes.share(2),
            refusals=self._refusals,
            questions=self._questions,
        )


def _has_failed(known: Sequence[ToolCall], tools: Mapping[str, str], text: str) -> bool:
    """Return whether a call failed or found nothing, by what the model reads in it, else by its output."""
    checks = [call for call in known if tools[call.tool].startswith("verification")]
    if checks:
        return any(call.passed is False for call in checks)
    if known:
        return all(call.error is not None or not (call.results or call.factors) for call in known)
    return _CRASH.search(f"{text[:_ENDS]}\n{text[_ENDS:][-_ENDS:]}") is not None


def _read_name(tool: str, arguments: Any) -> _Name:
    """Return the name of a tool, or of the first command that its shell line runs."""
    line = get_shell_line(tool, arguments)
    if line is None:
        name = re.split(r"__|[./:]", tool)[-1]
        # readFile and read_file are the same words.
        words = [word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
        viewed = isinstance(arguments, Mapping) and arguments.get("command") == "view"
        changes = not viewed and _changes_something(words)
        return _Name(changes, not _FINISHING.isdisjoint(words), False, len(_values(arguments)) or None)
    command = _first_command(line)
    name = command[0].rpartition("/")[2] if command else ""
    program = bool(command) and (command[0].startswith("./") or _PROGRAM.fullmatch(name) is not None)
    words = re.split(r"[_-]", name.casefold())
    return _Name(_changes_something(words), not _FINISHING.isdisjoint(words), program, len(line.strip()) or None)


def _changes_something(words: Sequence[str]) -> bool:
    return bool(words) and words[0] not in _LOOKING and not _CHANGING.isdisjoint(words)


def _first_command(line: str) -> list[str]:
    """Return the words of the first command in a line that does something, without wrappers such as `timeout 60`."""
    for command in split_commands(line):
        words = command.words
        while words and (words[0] in WRAPPERS or re.match(r"\w+=", words[0])):
            words = skip_options(words[1:])
        if words and words[0] != "cd":
            return words
    return []


def _values(arguments: Any) -> str:
    """Return the values of arguments as one text."""
    if isinstance(arguments, Mapping):
        return "".join(_as_text(value) for value in arguments.values())
    return "" if arguments is None else _as_text(arguments)


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):  # keys of several types, circles
        return repr(value)
