"""Count the results in what a tool returned. A sentence that says that nothing was found does not count."""

import re
from collections.abc import Collection, Mapping
from typing import Any

_LISTS = (
    "filenames", "files", "results", "matches", "items", "references", "locations", "symbols", "data", "hits",
    "records", "rows", "entries", "documents", "occurrences",
)  # fmt: skip
"""Names of fields that hold a list of results."""
_COUNTS = (
    "numFiles",
    "numLines",
    "numMatches",
    "numResults",
    "resultCount",
    "count",
    "total",
    "total_count",
    "totalCount",
)
"""Names of fields that hold the number of results."""
BLOCKS = ("text", "tool_result", "image", "resource", "output_text", "input_text")
"""Types of the parts of a message; an object of another type may be a result itself."""
_TEXTS = ("stdout", "output", "content", "contents", "text", "result", "resource", "response", "data")
"""Names of fields that hold output."""
_REMARKS = {"stderr", "error", "errors", "message", "type", "success", "ok", "status", "code", "query", "interrupted"}
"""Names of fields that say how the call went, and are no results."""
MOST = 1_000_000
"""Results that are counted at most."""
MOST_PARTS, PART, LINE = 1000, 100_000, 1000
"""How much of an output is read: parts of a list, characters at either end of a text, characters of a line."""
_DEEPEST = 8
_SHORT_LINES, _SHORT = 4, 500
"""Lines and characters of an output that is short enough to be a sentence about the call."""
_THINGS = (
    r"(?:files?|match(?:es)?|results?|references?|usages?|uses|occurrences?|instances?|symbols?|definitions?|hits?"
    r"|implementations?|callers?|lines?|entries|items?|records?|rows|documents?|pages?|commits?|branches|runs?|jobs?"
    r"|checks?|workflows?|pull\ requests?|issues?|data|output|contents?|candidates?|such|tags|releases?|changes"
    r"|information|diagnostics)"
)
# Sentences of many tools that say "nothing found", errors, markup of agents, and messages of the shell.
_NO_RESULT = re.compile(
    rf"""(
    (found\ )?(no|0|zero)\ (\w+\ )?{_THINGS}\b | nothing\ (was\ )?(found|to\ |match)
    | (none|null|nil|undefined|false|n/a|0|\[\s*\]|\{{\s*\}}|\(.*no\ output\)|\(empty\))\s*$ | [(\[<]?no\ \w+[)\]>]\s*$
    | (file|path|page|symbol)?\s*(does\ not\ exist|not\ found) | could\ not\b | cannot\b | unable\ to\b | failed\ to\b
    | <tool_use_error> | <system-reminder> | </?(output|stdout|stderr)> | (stdout|stderr|output):\s*$
    | exit\ code:?\ -?\d | (error|fatal|usage)\b\s*: | traceback\ \(most
    | (http\ )?(error\ )?[45]\d\d:?\ [a-z] | .*:\ (command\ not\ found|no\ such\ file\ or\ directory|permission\ denied)
    | <(\w+)[^>]{{0,100}}/>\s*$ | <(\w+)>\s*</\w+>\s*$
    | (pattern|symbol|string|text|identifier|function|class|method)\b.{{0,300}}\b(not\ found|does\ not\ exist)\b
    | .*:\ not\ found\s*$ | .*did\ not\ match\ any | .*is\ not\ recognized\ as\ an
    | (/\w+)*/?([efz]?grep|rg|ag|ack|find|fd|cat|bat|sed|head|tail|ls|git|gh|bash|sh|zsh):\ \S
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""A line that is not a result."""
_MISSING = r"""
      (?:\bnot|n't|\bnever)\ (?:be\ |been\ )?(?:found|find|exist|opened|readable|accessible)\b | \bno\ such\b
    | \bcan(?:not|'t)\ (?:find|open|read|access|be\ found)\b | \bunable\ to\b | \bfailed\ to\b
    | \bis\ (?:not\ )?a\ directory\b
    | \b(?:permission|access)\ (?:was\ |is\ )?denied\b | \bis\ empty\b | \bare\ empty\b | \billegal\ operation\b
    | \btimed\ out\b | \btimeout\ (?:exceeded|expired|reached|after)\b | \binterrupted\ by\b | \btoo\ large\b
    | \b(?:was|been)\ (?:cancell?ed|rejected|interrupted|aborted|denied|blocked)\b | \bwant\ to\ proceed\b
    | \bexceeds\ (?:the\ )?(?:max|limit|allowed) | \boutside\ (?:of\ )?(?:the\ |your\ )?(?:workspace|project|allowed)
    | \berror\ (?:occurred|executing|running|calling|reading|connecting|while)\b | \bcould\ not\b | \bfailed\ with\b
    | \bis\ not\ recognized\b | \bsegmentation\ fault\b | \bnot\ (?:allowed|permitted|authorized)\b
    | \b(?:without|no|any)\ output\b | \bregex\ parse\ error\b | \bconnection\ (?:refused|reset|error)\b
    """
"""A short output that says that something does not exist or cannot be read."""
_NOTHING_FOUND = rf"""
      (?<![\d.,])\b(?:no|0|zero)\ (?:[\w'-]+\ ){{0,2}}{_THINGS}\b | \bnothing\b.{{0,30}}\b(?:found|match|returned)
    | \bnone\ (?:found|were|of)\b | (?:\bnot|n't)\ (?:match|return|yield|have\ any)\b
    | \bwithout\ (?:any\ )?(?:results|matches)
    | \bnot\ (?:logged\ in|authenticated|supported|available|installed|running|initialized|indexed|implemented|a\ git)\b
    | \brate\ limit | \bunauthorized\b | \bforbidden\b | \bbad\ credentials\b | \bauth\ login\b
    | \b(?:invalid|malformed)\ (?:regex|regular|pattern|argument|option|input|query|params)|\bunrecognized\ option
    | :\ *\[\s*\]\s*$ | \b(?:total|count|matches|results|hits)\b"?:\ *0\b
    | \bunknown\ (?:option|command|tool|revision|argument)\b | \bambiguous\ argument\b
    """
"""A short output of a search that says that nothing was found."""
# Quoted words are what was searched for, and may contain anything.
_QUOTED = re.compile(r"""\"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)""")
# "12 matches": then other words about missing things do not count.
_SOME_FOUND = re.compile(
    r"(?<![\d.,])[1-9][\d,]* (?:\w+ )?"
    r"(?:match(?:es)?|results?|references?|usages?|occurrences?|hits?|symbols?|definitions?)\b",
    re.IGNORECASE,
)
# A place in a file: `a.py:text`, `a.py:12:`, `Line 12:`, or a path alone.
_PLACE = re.compile(
    r"[^\s:]+\.\w{1,8}:\S|[^\s:]+\.\w{1,8}:\s+(?!no\b|is\b|permission|not\b)|[^\s:]+:\d+[:-]|\s*Line \d+:"
    r"|[^\s<>]*/[^\s<>]*$",
    re.IGNORECASE,
)
# `src/a.py:12:`, but not `bash: line 12:`.
_NUMBERED_PLACE = re.compile(r"(?![^\s:]*sh:)(?=[^\s:./]*+[./])[^\s:]*+:\d+[:-]")
# `12:text`, as grep -n writes for one file, but not `404: Not Found`.
_NUMBERED_LINE = re.compile(r"(?![45]\d\d: [A-Z])\d+[:-]")
# A file that is read may mention errors; it is recognised by what only code contains.
_CODE = re.compile(r"[={};]|\w\(|^[^\S\n]*(?:#|//|/\*|<(?!tool_use_error|error)\w|@\w)", re.MULTILINE)
# How an output begins that is an error message of a tool, a runtime or a shell.
_ERROR = re.compile(
    r"<(?:tool_use_)?error>|(?:MCP )?[\w.]*(?:[Ee]rror|Exception|ERROR)(?: [\w-]+){0,5}:|fatal:|panic:|Traceback \(most"
    r"|Uncaught |Unhandled |Exception in thread|node:internal/|thread '[^']{0,100}' panicked"
    r"|[\w-]+ : Cannot |\w+: '[\w-]+' is not a "
    r"|\w+: (?:regex parse error|(?:unrecognized|invalid|unknown|illegal) option)"
)
# The last line of a Python traceback.
_RAISED = re.compile(r"[\w.]*(?:Error|Exception|Exit|Interrupt)\b")


def is_short(text: str) -> bool:
    """Return whether an output is as short as a sentence or two, which may be about the call itself."""
    return len(text) <= _SHORT and sum(1 for line in text.splitlines() if line.strip()) <= _SHORT_LINES


def is_error_message(text: str, category: str) -> bool:
    """Return whether an output is nothing but an error message. A file that begins with one is longer, or is code."""
    text = text.strip()
    if not _ERROR.match(text[:LINE]):
        return False
    if category in ("search", "edit"):
        return True
    if text.startswith("Traceback") and _RAISED.match(text[-LINE:].rpartition("\n")[2]):
        return True
    return is_short(text) and not _CODE.search(text)


def says_nothing_found(text: str, category: str) -> bool:
    """Return whether a short output says in words that nothing was found. A line with a place in a file is a result.

    Always False for git: it never says so itself, but the commit messages that it shows may.
    """
    if category == "git" or not is_short(text) or _CODE.search(text):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    if any(has_place(line) and not _is_no_result(line.strip()[:LINE]) for line in lines):
        return False
    words = _QUOTED.sub("", text)
    if _SOME_FOUND.search(words):
        return False
    pattern = _MISSING if category == "read" else f"{_MISSING} | {_NOTHING_FOUND}"
    return re.search(pattern, words, re.IGNORECASE | re.VERBOSE) is not None  # compiled only if an output is short


def _is_no_result(line: str) -> bool:
    return _NO_RESULT.match(line) is not None and _NUMBERED_PLACE.match(line) is None


def has_place(line: str) -> bool:
    """Return whether a line names a place in a file: a path, perhaps with a line number and its text."""
    return line.count("\t") > 1 or _PLACE.match(line[:LINE]) is not None or _NUMBERED_LINE.match(line) is not None


def sum_counts(text: str) -> int:
    r"""Return the sum of the counts that a search printed instead of its matches (`grep -c`).

    >>> sum_counts("a.py:0\nb.py:2\n"), sum_counts("0")
    (2, 0)
    """
    return sum(int(number[:9]) for number in re.findall(r"^(?:[^\n]{1,1000}:|[ \t]*)(\d+)[ \t]*$", text, re.MULTILINE))


def count_matching_lines(text: str, target: str, kind: str) -> int:
    """Return how many lines are results of a search for a target, in the output of several commands."""
    wanted = target.casefold()
    places = [line for line in text.splitlines() if has_place(line[:LINE]) and (kind != "find" or "/" in line)]
    return sum(1 for line in places if wanted and wanted in line[:LINE].casefold())


def count_results(value: Any, echoed: Collection[str] = (), category: str = "search", depth: int = 0) -> int:
    """Return how many results are in what a tool returned, without lines that the command line printed itself."""
    if isinstance(value, str):
        return _count_in_text(value, echoed, category)
    if depth >= _DEEPEST:
        return 0
    if isinstance(value, list):
        return sum(_count_in_part(part, echoed, category, depth + 1) for part in value[:MOST_PARTS])
    if not isinstance(value, Mapping):
        return 0
    file = value.get("file")
    if isinstance(file, Mapping):
        return int(any(map(_has_content, map(file.get, ("content", "base64")))))
    lists = [_length(value[name]) for name in _LISTS if isinstance(value.get(name), list | Mapping)]
    counts = [count for name in _COUNTS if isinstance(count := value.get(name), int) and not isinstance(count, bool)]
    if lists or counts:  # then words about them are no results
        return max([*lists, *counts, count_results(value.get("content"), echoed, category, depth + 1), 0])
    if any(name in value for name in _TEXTS) or value.get("type") in BLOCKS:
        count = sum(count_results(value.get(name), echoed, category, depth + 1) for name in _TEXTS)
        return count or int(value.get("type") == "image" and bool(value.get("source") or value.get("data")))
    return _count_in_record(value)


def _length(items: "list[Any] | Mapping[str, Any]") -> int:
    return sum(map(_has_content, items)) if isinstance(items, list) else int(bool(items))


def _has_content(value: Any) -> bool:
    return value is not None and not (isinstance(value, str | list | Mapping) and not value)


def _count_in_text(text: str, echoed: Collection[str], category: str) -> int:
    text = text[: 2 * PART]
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line not in echoed]
    if says_nothing_found("\n".join(lines[: _SHORT_LINES + 1]), category):
        return 0
    code = category == "read"
    return sum(1 for line in lines if not _is_no_result(line[:LINE]) or (code and _CODE.search(line[:LINE])))


def _count_in_part(part: Any, echoed: Collection[str], category: str, depth: int) -> int:
    """Return how many results one part of a list holds."""
    if isinstance(part, Mapping) and part.get("type") not in BLOCKS and _count_in_record(part):
        return 1
    if isinstance(part, str | list | Mapping):
        count = count_results(part, echoed, category, depth)
        return count if not isinstance(part, list) else min(count, 1)
    return int(part is not None and not isinstance(part, bool))


def _count_in_record(value: Mapping[str, Any]) -> int:
    """Return how many results an object holds: the items of its lists, or one if it holds anything but remarks."""
    contents = [item for name, item in value.items() if name not in (*_REMARKS, *_TEXTS) and _has_content(item)]
    if contents and all(isinstance(item, list) for item in contents) and len(contents) == len(value):
        return sum(map(len, contents))
    return int(bool(contents))
