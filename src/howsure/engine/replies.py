"""Replies: what a tool returned, in whatever form, and what that shows. Its content decides, not that there is some."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

_TEXTS = ("stdout", "output", "content", "text", "result", "file", "stderr", "error", "message")
_LISTS = ("filenames", "files", "results", "matches", "items", "references", "locations", "symbols")
_COUNTS = ("numFiles", "numLines", "numMatches", "numResults", "resultCount", "count", "total")
_EXITS = ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "exitStatus")
_FLAGS = ("is_error", "isError", "error", "interrupted", "timed_out", "timedOut")
_BAD_STATUS = {"error", "failed", "failure", "cancelled", "canceled", "timeout"}
MOST = 1_000_000
"""Results that are counted."""
_DEEPEST, _MOST_PARTS, _PART, _LINE = 6, 1000, 100_000, 1000
_FAILED = re.compile(r"(<tool_use_error>|Exit code:? -?[1-9]|[Ee]rror:|fatal:|Traceback \(most recent)")
_NOTHING = re.compile(
    r"""(
    no\ (files?|match(es)?|results?|references|symbols?|definitions?|data|output|content|such)\b
    | (found\ )?(0|no|zero)\ (files|match(es)?|results|references|lines)\b
    | nothing\ (was\ )?(found|to\ ) | (none|null|undefined|\[\s*\]|\{\s*\}|\(.*no\ output\))\s*$ | \(?no\ \w+\)\s*$
    | (file|path|page|symbol)?\s*(does\ not\ exist|not\ found) | could\ not\b | cannot\b | unable\ to\b | failed\ to\b
    | <tool_use_error> | <system-reminder> | exit\ code:?\ -?\d | (error|fatal|usage)\b\s*: | traceback\ \(most
    | (http\ )?(error\ )?[45]\d\d\ [a-z] | .*:\ (command\ not\ found|no\ such\ file\ or\ directory|permission\ denied)
    | .*:\ not\ found\s*$ | .*did\ not\ match\ any | .*is\ not\ recognized\ as\ an
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_BROKEN_TESTS = re.compile(
    r"\b[1-9]\d* (?:failed|failing|failures?)\b|\bFAILED\b|^[ \t]*(?:--- )?FAIL\b|\bFailed: +[1-9]"
    r"|\b[1-9]\d* errors? in [\d.]+s\b",
    re.MULTILINE,
)
_BROKEN = re.compile(
    rf"{_BROKEN_TESTS.pattern}|\b[1-9]\d* errors?\b(?!.*\b0 remaining)|\b[Ee]rror(?: TS\d+|\[\w+\])?:|CMake Error"
    r"|^make(?:\[\d+\])?: \*\*\*|npm ERR!|^Traceback \(most recent|\bSyntaxError\b",
    re.MULTILINE,
)
_SOUND = re.compile(
    r"\b[1-9]\d* (?:passed|passing|tests? passed|ok)\b|\bOK\b|\bok\b|^PASS\b|[Ss]uccess|no issues found"
    r"|[Aa]ll checks passed|\b0 errors\b|100% tests passed|BUILD SUCCEEDED|Built target",
    re.MULTILINE,
)
_NO_RUN = re.compile(
    r"no tests (?:ran|found|were found)|collected 0 items|Ran 0 tests|\[no test files\]|command not found"
    r"|No module named|Missing script|No rule to make target|is not recognized as",
    re.IGNORECASE,
)


class Reply(NamedTuple):
    """What a tool returned."""

    value: Any
    text: str
    """Everything that it says; the start and the end of what is very long."""
    failed: bool

    def results(self, said: Collection[str] = ()) -> int:
        """Return how many results there are, leaving out what was only said by the command itself."""
        return 0 if self.failed else min(_results(self.value, {text.strip() for text in said}), MOST)

    def passed(
        self, kind: str, kinds: Collection[str] = (), *, masked: bool = False, said: Collection[str] = ()
    ) -> bool | None:
        """Say whether a check of code passed; nothing where that cannot be told, or nothing was checked.

        `kinds` are all the kinds of check that ran together: where one failed, the text has to say which.
        """
        broken = self.failed or _BROKEN.search(self.text) is not None
        tests = _BROKEN_TESTS.search(self.text) is not None
        if not tests and _NO_RUN.search(self.text):
            return None
        if broken and len(set(kinds)) > 1:
            return False if (kind == "test") == tests else None
        if not broken and masked and not _SOUND.search(_without(self.text, said)):
            return None
        return not broken


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
    text = "\n".join(_texts(value))
    plain = not isinstance(value, Mapping) and _FAILED.match(text[:_LINE].lstrip()) is not None
    return Reply(value, text, failed or plain or _flagged(value))


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Give every text in a reply, each cut in the middle where it is very long."""
    if isinstance(value, str):
        yield value if len(value) <= 2 * _PART else f"{value[:_PART]}\n{value[-_PART:]}"
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for name in _TEXTS:
            yield from _texts(value.get(name), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for part in value[:_MOST_PARTS]:
            yield from _texts(part, depth + 1)


def _flagged(value: Any) -> bool:
    """Say whether a reply itself says that the call failed."""
    if isinstance(value, list):
        return any(_flagged(part) for part in value[:_MOST_PARTS] if isinstance(part, Mapping))
    if not isinstance(value, Mapping):
        return False
    if any(value.get(name) for name in _FLAGS) or value.get("success") is False or value.get("ok") is False:
        return True
    if any(str(value.get(name) or 0).strip() != "0" for name in _EXITS):
        return True
    code, status = value.get("code"), value.get("status")
    bad_code = isinstance(code, int) and not isinstance(code, bool) and code != 0 and not 200 <= code < 400  # noqa: PLR2004
    return bad_code or (isinstance(status, str) and status.casefold() in _BAD_STATUS)


def _results(value: Any, said: Collection[str]) -> int:
    if isinstance(value, str):
        lines = value[: 2 * _PART].splitlines()
        return sum(
            1
            for line in lines
            if line.strip() and line.strip() not in said and not _NOTHING.match(line.strip()[:_LINE])
        )
    if isinstance(value, list):
        return sum(_results(part, said) for part in value[:_MOST_PARTS])
    if not isinstance(value, Mapping):
        return 0
    file = value.get("file")
    if isinstance(file, Mapping) and any(file.get(name) not in (None, "", [], {}) for name in ("content", "base64")):
        return 1
    lists = [len([part for part in found if part]) for name in _LISTS if isinstance(found := value.get(name), list)]
    counts = [found for name in _COUNTS if isinstance(found := value.get(name), int) and not isinstance(found, bool)]
    if lists or counts:  # where it is counted, words about it are no results
        return max([*lists, *counts, _results(value.get("content"), said), 0])
    return sum(_results(value.get(name), said) for name in ("stdout", "output", "content", "text", "result"))
