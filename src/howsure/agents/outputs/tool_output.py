"""Read what a tool returned, in whatever form, and what it shows: an error, results, a check that passed.

The content decides, and not the mere presence of output.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from howsure.agents.outputs.result_counts import (
    BLOCKS,
    LINE,
    MOST,
    MOST_PARTS,
    PART,
    count_matching_lines,
    count_results,
    is_error_message,
    is_short,
    sum_counts,
)
from howsure.agents.outputs.unwrap import unwrap
from howsure.agents.tool_purposes import Purpose

_TEXTS = (
    "stdout",
    "output",
    "content",
    "contents",
    "text",
    "result",
    "resource",
    "response",
    "file",
    "stderr",
    "error",
    "message",
)
"""Names of fields that hold text."""
_JSON_IN = ("content", "text", "result", "response")
EXIT_CODES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "exitStatus")
_INTERRUPTED = ("interrupted", "timed_out", "timedOut")
_FLAGS = ("is_error", "isError", "error", *_INTERRUPTED)
_BAD_STATUS = {"error", "failed", "failure", "cancelled", "canceled", "timeout"}
_REMARKS = {
    *_TEXTS, *EXIT_CODES, *_FLAGS, "success", "ok", "status", "code", "type", "detail", "details", "reason", "data",
    "results", "tool", "path", "id", "jsonrpc", "errors", "hint", "query", "total", "count", "matches",
    "traceback", "request_id",
}  # fmt: skip
"""Fields of an object that reports how a call went; one with other fields may be a file that was read."""
_FEW_FIELDS = 8
_DEEPEST = 6
_LONGEST_LITERAL = 10_000
# Signals, time limits, interruption by a person, lack of memory, commands that go on in the background.
_CUT_OFF = re.compile(
    r"""
      ^(?:Killed|Terminated|Interrupted|Aborted|Hangup|\^C)[.!]*\s*$ | \b\d+\ (?:Killed|Terminated)\b
    | ^(?:Error:\ )?(?:The\ )?(?:Command|Execution|Operation|Process|Tool|Task|Request)\b[^\n]{0,60}
      \b(?:timed\ out|time-?out|interrupted|aborted|cancell?ed|still\ running)\b
    | ^timeout:\ sending\ signal | \binterrupted\ by\ (?:the\ )?user | ^KeyboardInterrupt\b | ^INTERNALERROR>
    | \btimed\ out\ after\ \d | \bEXECUTION\ TIMED\ OUT | \bno\ (?:new\ )?output\ (?:after|for)\ \d
    | \b(?:heap\ )?out\ of\ memory\b | \bMemoryError\b | \brunning\ in\ (?:the\ )?background\b
    | \bProcess\ running\ with\ session | \bdoesn't\ want\ to\ proceed\b
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
"""The run did not end, as the first or last lines of the output say."""
# pytest was interrupted, or crashed.
_PYTEST_STOPPED = re.compile(r"^(?:!+ (?:Keyboard)?Interrupt|INTERNALERROR>)", re.MULTILINE)


class ToolOutput(NamedTuple):
    """What a tool returned."""

    value: Any
    """The output with JSON parsed and additions of the agent's program removed."""
    text: str
    """All text in it; the start and the end of very long output."""
    failed: bool
    """Whether a flag or an exit code says that the call failed."""
    code: int | None = None
    """The exit code, if known."""
    ended: bool = True
    """Whether the tool ended by itself, and not by a time limit, a person or the system."""

    def is_error(self, category: str = "search") -> bool:
        """Return whether the call failed: by a flag, or because the text is nothing but an error message."""
        if self.failed or (not self.ended and is_short(self.text)):
            return True
        flagged = isinstance(self.value, Mapping) and ("stdout" in self.value or "file" in self.value)
        return not flagged and is_error_message(self.text, category)

    def count_results(self, echoed: Collection[str] = (), category: str = "search") -> int:
        """Return how many results there are, without lines that the command line printed itself (`echoed`)."""
        if self.is_error(category):
            return 0
        lines = {line.strip() for text in echoed for line in text.splitlines()}
        return min(count_results(self.value, lines, category), MOST)

    def count_results_of(self, purpose: Purpose, echoed: Collection[str] = ()) -> int:
        """Return how many results one command had; others in the same line may have printed theirs beside it."""
        if self.is_error(purpose.category):
            return 0
        if purpose.counts:
            return min(sum_counts(self.text), MOST)
        if purpose.shared and purpose.category == "search":
            lines = _remove_lines(self.text, echoed)
            return min(count_matching_lines(lines, purpose.target, purpose.kind), MOST)
        # Messages of cat, head and others about this one of several files.
        missing = rf"{re.escape(purpose.path)}'?: (?:No such|Is a dir|Perm)"
        if purpose.shared and purpose.path and re.search(missing, self.text):
            return 0
        return self.count_results(echoed, purpose.category)

    def judge_check(
        self, kind: str, kinds: Collection[str] = (), *, masked: bool = False, echoed: Collection[str] = ()
    ) -> bool | None:
        """Return whether a check of code passed, or None if the output does not say or nothing was checked.

        Args:
            kind: test, build, types or syntax.
            kinds: All kinds of check that ran together: after a failure, the text has to say which one failed.
            masked: Whether a later command hides the exit code of the check.
            echoed: What the command line printed itself.
        """
        from howsure.agents.outputs.check_runs import judge_check
        from howsure.agents.outputs.patterns import split_lines
        from howsure.agents.outputs.testing_runs import TESTS_FAILED

        if self.value is None and not self.failed:
            return None
        if not self.ended and not (kind == "test" and TESTS_FAILED.is_in(split_lines(self.text))):
            return None
        own_text, together = _remove_lines(self.text, echoed), len(set(kinds))
        return judge_check(self.text, own_text, kind, together, failed=self.failed, code=self.code, masked=masked)


def _remove_lines(text: str, echoed: Collection[str]) -> str:
    """Return a text without the lines that contain what the command line printed itself."""
    words = [word.strip() for word in echoed if word.strip()]
    return "\n".join(line for line in text.splitlines() if not any(word in line for word in words)) if words else text


def read_output(value: Any, *, failed: bool = False) -> ToolOutput:
    """Read what a tool returned: a text, an object, or a list of either. `failed` marks the call as failed.

    >>> read_output({"stdout": "2 passed, 1 failed", "stderr": ""}).judge_check("test")
    False
    >>> read_output([{"type": "text", "text": "No matches found"}]).count_results()
    0
    """
    reader = _Reader()
    read = reader.read(value)
    text = "\n".join(_texts(read))
    lines = text.strip().splitlines()
    ends = "\n".join(line[:LINE] for line in (lines if len(lines) <= 6 else [*lines[:1], *lines[-4:]]))  # noqa: PLR2004
    # Only the ends, since a test may print "timed out" in between.
    cut_off = reader.cut_off or _CUT_OFF.search(ends) is not None or _PYTEST_STOPPED.search(text) is not None
    code = reader.code if reader.code is not None else _find_exit_code(read)
    bad = failed or reader.failed or code not in (None, 0) or (not isinstance(value, str) and _is_flagged(read))
    return ToolOutput(read, text, bad, code, not cut_off)


class _Reader:
    """Parses an output into texts, lists and objects; collects exit code and failure flags on the way."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.failed = False
        self.cut_off = False

    def read(self, value: Any, depth: int = 0, *, json: bool = True) -> Any:
        if isinstance(value, bytes | bytearray):
            value = bytes(value[: 2 * PART]).decode("utf-8", "replace")
        if isinstance(value, str):
            return self._text(value, depth, json=json)
        if depth >= _DEEPEST:
            return None
        if isinstance(value, Mapping):
            self.cut_off |= any(value.get(name) is True for name in _INTERRUPTED)
            return {
                str(name): self.read(item, depth + 1, json=name in _JSON_IN)
                for name, item in list(value.items())[:MOST_PARTS]
            }
        if isinstance(value, list | tuple | set | frozenset):
            return [self.read(part, depth + 1, json=False) for part in list(value)[:MOST_PARTS]]
        return value

    def _text(self, value: str, depth: int, *, json: bool) -> Any:
        text = value if len(value) <= 2 * PART else f"{value[:PART]}\n{value[-PART:]}"
        text, code = unwrap(text)
        self.code = code if code is not None else self.code
        if not json or text.strip()[:1] not in ("{", "["):
            return text
        data = _parse_data(text)
        if data is None:
            return text
        if isinstance(data, Mapping) and _reports_failure(data):
            self.failed = True
        return self.read(data, depth + 1)


def _parse_data(text: str) -> Any:
    """Return the data in a text of JSON or of a Python literal; None if it is neither."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if len(text) > _LONGEST_LITERAL or text.strip()[-1] not in "}]":
            return None
    from howsure import python_syntax

    try:
        return python_syntax.literal(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, SystemError):
        return None


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield every text in an output."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for name in _TEXTS:
            yield from _texts(value.get(name), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for part in value:
            yield from _texts(part, depth + 1)


def _is_flagged(value: Any) -> bool:
    """Return whether an object says by its fields that the call failed."""
    if isinstance(value, list):
        return any(_is_flagged(part) for part in value if isinstance(part, Mapping) and part.get("type") in BLOCKS)
    if not isinstance(value, Mapping):
        return False
    if any(value.get(name) for name in _FLAGS) or value.get("success") is False or value.get("ok") is False:
        return True
    code, status = value.get("code"), value.get("status")
    bad_code = isinstance(code, int) and not isinstance(code, bool) and code != 0 and not 200 <= code < 400  # noqa: PLR2004
    return bad_code or (isinstance(status, str) and status.casefold() in _BAD_STATUS)


def _reports_failure(value: Mapping[str, Any]) -> bool:
    """Return whether an object that was parsed from text reports a failed call; it may also be a file that was read."""
    if value.get("success") is False or value.get("ok") is False or value.get("isError") is True:
        return True
    return len(value) <= _FEW_FIELDS and value.keys() <= _REMARKS and _is_flagged(value)


def _find_exit_code(value: Any) -> int | None:
    """Return the exit code in an object, or None."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("metadata")
    for holder in (value, inner if isinstance(inner, Mapping) else {}):
        for name in EXIT_CODES:
            code = holder.get(name)
            if code is not None and code is not False:
                text = str(code).strip()
                return int(text[:9]) if re.fullmatch(r"-?\d+", text) else int(text != "")
    return None
