"""Replies: what a tool returned, in whatever form, and what that shows. Its content decides, not that there is some."""

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
    about,
    counted,
    is_short,
    results,
    went_wrong,
)
from howsure.agents.outputs.unwrap import unwrapped
from howsure.agents.tools import Use

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
_JSON_IN = ("content", "text", "result", "response")
_EXITS = ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "exitStatus")
_CUT_OFF = ("interrupted", "timed_out", "timedOut")
_FLAGS = ("is_error", "isError", "error", *_CUT_OFF)
_BAD_STATUS = {"error", "failed", "failure", "cancelled", "canceled", "timeout"}
_REMARKS = {
    *_TEXTS, *_EXITS, *_FLAGS, "success", "ok", "status", "code", "type", "detail", "details", "reason", "data",
    "results", "tool", "path", "id", "jsonrpc", "errors", "hint", "query", "total", "count", "matches",
    "traceback", "request_id",
}  # fmt: skip
"""Names in an object that tells how a call went, as against one that is what was asked for."""
_FEW_NAMES = 8
_DEEPEST = 6
_LITERAL = 10_000
_CUT = re.compile(
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
"""A run did not come to its end, by how its output begins or ends."""
_STOPPED = re.compile(r"^(?:!+ (?:Keyboard)?Interrupt|INTERNALERROR>)", re.MULTILINE)


class Reply(NamedTuple):
    """What a tool returned."""

    value: Any
    """It, with what is written as JSON read, and what an agent put around it taken off."""
    text: str
    """Everything that it says; the start and the end of what is very long."""
    failed: bool
    """Whether it says itself, by a flag or an exit code, that the call failed."""
    code: int | None = None
    """The exit code, if it tells one."""
    ended: bool = True
    """Whether the tool came to its end: it was not cut off by a time limit, a person or the system."""

    def wrong(self, category: str = "search") -> bool:
        """Say whether a call went wrong, by a flag or by a text that tells nothing else."""
        if self.failed or (not self.ended and is_short(self.text)):
            return True
        flagged = isinstance(self.value, Mapping) and ("stdout" in self.value or "file" in self.value)
        return not flagged and went_wrong(self.text, category)

    def results(self, said: Collection[str] = (), category: str = "search") -> int:
        """Return how many results there are, leaving out what was only said by the command itself."""
        if self.wrong(category):
            return 0
        lines = {line.strip() for text in said for line in text.splitlines()}
        return min(results(self.value, lines, category), MOST)

    def found(self, use: Use, said: Collection[str] = ()) -> int:
        """Return how many results a use of a tool had. Others in the same line of commands may have put out theirs."""
        if self.wrong(use.category):
            return 0
        if use.counts:
            return min(counted(self.text), MOST)
        if use.shared and use.category == "search":
            return min(about(_without(self.text, said), use.target, use.kind), MOST)
        if use.shared and use.path and re.search(rf"{re.escape(use.path)}'?: (?:No such|Is a dir|Perm)", self.text):
            return 0
        return self.results(said, use.category)

    def passed(
        self, kind: str, kinds: Collection[str] = (), *, masked: bool = False, said: Collection[str] = ()
    ) -> bool | None:
        """Say whether a check of code passed; nothing where that cannot be told, or nothing was checked.

        `kinds` are all the kinds of check that ran together: where one failed, the text has to say which.
        """
        from howsure.agents.outputs.test_runs import TESTS_FAILED, lines_of
        from howsure.agents.outputs.check_runs import verdict

        if self.value is None and not self.failed:
            return None
        if not self.ended and not (kind == "test" and TESTS_FAILED.is_in(lines_of(self.text))):
            return None
        told, together = _without(self.text, said), len(set(kinds))
        return verdict(self.text, told, kind, together, failed=self.failed, code=self.code, masked=masked)


def _without(text: str, said: Collection[str]) -> str:
    """Return a text without what the command itself was told to say."""
    words = [word.strip() for word in said if word.strip()]
    return "\n".join(line for line in text.splitlines() if not any(word in line for word in words)) if words else text


def reply(value: Any, *, failed: bool = False) -> Reply:
    """Return what a tool returned, read from a text, an object, or a list of either.

    >>> reply({"stdout": "2 passed, 1 failed", "stderr": ""}).passed("test")
    False
    >>> reply([{"type": "text", "text": "No matches found"}]).results()
    0
    """
    reader = _Reader()
    read = reader.read(value)
    text = "\n".join(_texts(read))
    lines = text.strip().splitlines()
    ends = "\n".join(line[:LINE] for line in (lines if len(lines) <= 6 else [*lines[:1], *lines[-4:]]))  # noqa: PLR2004
    cut = reader.cut or _CUT.search(ends) is not None or _STOPPED.search(text) is not None
    code = reader.code if reader.code is not None else _exit(read)
    bad = failed or reader.failed or code not in (None, 0) or (not isinstance(value, str) and _flagged(read))
    return Reply(read, text, bad, code, not cut)


class _Reader:
    """Reads a reply into texts, lists and objects, and notes what is told on the way."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.failed = False
        self.cut = False

    def read(self, value: Any, depth: int = 0, *, json: bool = True) -> Any:
        if isinstance(value, bytes | bytearray):
            value = bytes(value[: 2 * PART]).decode("utf-8", "replace")
        if isinstance(value, str):
            return self._text(value, depth, json=json)
        if depth >= _DEEPEST:
            return None
        if isinstance(value, Mapping):
            self.cut |= any(value.get(name) is True for name in _CUT_OFF)
            return {
                str(name): self.read(item, depth + 1, json=name in _JSON_IN)
                for name, item in list(value.items())[:MOST_PARTS]
            }
        if isinstance(value, list | tuple | set | frozenset):
            return [self.read(part, depth + 1, json=False) for part in list(value)[:MOST_PARTS]]
        return value

    def _text(self, value: str, depth: int, *, json: bool) -> Any:
        text = value if len(value) <= 2 * PART else f"{value[:PART]}\n{value[-PART:]}"
        text, code = unwrapped(text)
        self.code = code if code is not None else self.code
        if not json or text.strip()[:1] not in ("{", "["):
            return text
        found = _data(text)
        if found is None:
            return text
        if isinstance(found, Mapping) and _tells_of_failure(found):
            self.failed = True
        return self.read(found, depth + 1)


def _data(text: str) -> Any:
    """Return what is written as JSON, or as Python writes it; nothing for what is neither."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if len(text) > _LITERAL or text.strip()[-1] not in "}]":
            return None
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Give every text in a reply."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for name in _TEXTS:
            yield from _texts(value.get(name), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for part in value:
            yield from _texts(part, depth + 1)


def _flagged(value: Any) -> bool:
    """Say whether a reply itself says that the call failed."""
    if isinstance(value, list):
        return any(_flagged(part) for part in value if isinstance(part, Mapping) and part.get("type") in BLOCKS)
    if not isinstance(value, Mapping):
        return False
    if any(value.get(name) for name in _FLAGS) or value.get("success") is False or value.get("ok") is False:
        return True
    code, status = value.get("code"), value.get("status")
    bad_code = isinstance(code, int) and not isinstance(code, bool) and code != 0 and not 200 <= code < 400  # noqa: PLR2004
    return bad_code or (isinstance(status, str) and status.casefold() in _BAD_STATUS)


def _tells_of_failure(value: Mapping[str, Any]) -> bool:
    """Say whether an object that was written as a text tells that the call failed; it may be a file that was read."""
    if value.get("success") is False or value.get("ok") is False or value.get("isError") is True:
        return True
    return len(value) <= _FEW_NAMES and value.keys() <= _REMARKS and _flagged(value)


def _exit(value: Any) -> int | None:
    """Return the exit code that an object tells."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("metadata")
    for told in (value, inner if isinstance(inner, Mapping) else {}):
        for name in _EXITS:
            code = told.get(name)
            if code is not None and code is not False:
                text = str(code).strip()
                return int(text[:9]) if re.fullmatch(r"-?\d+", text) else int(text != "")
    return None
