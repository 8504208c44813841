"""Results: how many things a tool found, by what it returned. A sentence that says that there is nothing is none."""

import re
from collections.abc import Collection, Mapping
from typing import Any

LISTS = (
    "filenames", "files", "results", "matches", "items", "references", "locations", "symbols", "data", "hits",
    "records", "rows", "entries", "documents", "occurrences",
)  # fmt: skip
COUNTS = (
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
BLOCKS = ("text", "tool_result", "image", "resource", "output_text", "input_text")
"""Types of a part of a message, as against a result that has a type."""
_SAID = ("stdout", "output", "content", "contents", "text", "result", "resource", "response", "data")
_TOLD = {"stderr", "error", "errors", "message", "type", "success", "ok", "status", "code", "query", "interrupted"}
MOST = 1_000_000
"""Results that are counted."""
MOST_PARTS, PART, LINE = 1000, 100_000, 1000
"""How much of a reply is looked at: parts of a list, half the characters of a text, characters of a line."""
_DEEPEST = 8
_FEW_LINES, _FEW = 4, 500
_THINGS = (
    r"(?:files?|match(?:es)?|results?|references?|usages?|uses|occurrences?|instances?|symbols?|definitions?|hits?"
    r"|implementations?|callers?|lines?|entries|items?|records?|rows|documents?|pages?|commits?|branches|runs?|jobs?"
    r"|checks?|workflows?|pull\ requests?|issues?|data|output|contents?|candidates?|such|tags|releases?|changes"
    r"|information|diagnostics)"
)
_NO_LINE = re.compile(
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
"""A line that is no result."""
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
"""A short reply says that something is not there, or could not be had."""
_NOTHING = rf"""
      (?<![\d.,])\b(?:no|0|zero)\ (?:[\w'-]+\ ){{0,2}}{_THINGS}\b | \bnothing\b.{{0,30}}\b(?:found|match|returned)
    | \bnone\ (?:found|were|of)\b | (?:\bnot|n't)\ (?:match|return|yield|have\ any)\b
    | \bwithout\ (?:any\ )?(?:results|matches)
    | \bnot\ (?:logged\ in|authenticated|supported|available|installed|running|initialized|indexed|implemented|a\ git)\b
    | \brate\ limit | \bunauthorized\b | \bforbidden\b | \bbad\ credentials\b | \bauth\ login\b
    | \b(?:invalid|malformed)\ (?:regex|regular|pattern|argument|option|input|query|params)|\bunrecognized\ option
    | :\ *\[\s*\]\s*$ | \b(?:total|count|matches|results|hits)\b"?:\ *0\b
    | \bunknown\ (?:option|command|tool|revision|argument)\b | \bambiguous\ argument\b
    """
"""A short reply to a search says that nothing was found."""
_QUOTED = re.compile(r"""\"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)""")
_SOME = re.compile(
    r"(?<![\d.,])[1-9][\d,]* (?:\w+ )?"
    r"(?:match(?:es)?|results?|references?|usages?|occurrences?|hits?|symbols?|definitions?)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"[^\s:]+\.\w{1,8}:\S|[^\s:]+\.\w{1,8}:\s+(?!no\b|is\b|permission|not\b)|[^\s:]+:\d+[:-]|\s*Line \d+:"
    r"|[^\s<>]*/[^\s<>]*$",
    re.IGNORECASE,
)
_HIT = re.compile(r"(?![^\s:]*sh:)[^\s:]*[./][^\s:]*:\d+[:-]")
_NUMBERED = re.compile(r"(?![45]\d\d: [A-Z])\d+[:-]")
_CODE = re.compile(r"[={};]|\w\(|^\s*(?:#|//|/\*|<(?!tool_use_error|error)\w|@\w)", re.MULTILINE)
_WRONG = re.compile(
    r"<(?:tool_use_)?error>|(?:MCP )?[\w.]*(?:[Ee]rror|Exception|ERROR)(?: [\w-]+){0,5}:|fatal:|panic:|Traceback \(most"
    r"|Uncaught |Unhandled |Exception in thread|node:internal/|thread '[^']{0,100}' panicked"
    r"|[\w-]+ : Cannot |\w+: '[\w-]+' is not a "
    r"|\w+: (?:regex parse error|(?:unrecognized|invalid|unknown|illegal) option)"
)
_LAST_ERROR = re.compile(r"[\w.]*(?:Error|Exception|Exit|Interrupt)\b")


def is_short(text: str) -> bool:
    """Say whether a reply is as short as a sentence or two: one may say that there is nothing, or what went wrong."""
    return len(text) <= _FEW and sum(1 for line in text.splitlines() if line.strip()) <= _FEW_LINES


def went_wrong(text: str, category: str) -> bool:
    """Say whether a reply only tells what went wrong. What is read may well begin with an error: then it is long."""
    text = text.strip()
    if not _WRONG.match(text[:LINE]):
        return False
    if category in ("search", "edit"):
        return True
    if text.startswith("Traceback") and _LAST_ERROR.match(text[-LINE:].rpartition("\n")[2]):
        return True
    return is_short(text) and not _CODE.search(text)


def says_nothing(text: str, category: str) -> bool:
    """Say whether a short reply says, in words, that there is nothing; what stands at a place in a file is a result.

    Git says nothing of the kind, but what it shows are other people's words.
    """
    if category == "git" or not is_short(text) or _CODE.search(text):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    if any(is_placed(line) and not _is_no_result(line.strip()[:LINE]) for line in lines):
        return False
    words = _QUOTED.sub("", text)
    if _SOME.search(words):
        return False
    pattern = _MISSING if category == "read" else f"{_MISSING} | {_NOTHING}"
    return re.search(pattern, words, re.IGNORECASE | re.VERBOSE) is not None  # compiled only where a reply is short


def _is_no_result(line: str) -> bool:
    return _NO_LINE.match(line) is not None and _HIT.match(line) is None


def is_placed(line: str) -> bool:
    """Say whether a line is of a place in a file: a path, perhaps with a number and what stands there."""
    return line.count("\t") > 1 or _PLACED.match(line[:LINE]) is not None or _NUMBERED.match(line) is not None


def counted(text: str) -> int:
    r"""Return the sum of the counts that a search put out instead of what it found.

    >>> counted("a.py:0\nb.py:2\n"), counted("0")
    (2, 0)
    """
    return sum(int(number[:9]) for number in re.findall(r"^(?:[^\n]{1,1000}:|[ \t]*)(\d+)[ \t]*$", text, re.MULTILINE))


def about(text: str, target: str, kind: str) -> int:
    """Return how many lines are results of a search for a target, where others put out theirs beside it."""
    wanted = target.casefold()
    placed = [line for line in text.splitlines() if is_placed(line[:LINE]) and (kind != "find" or "/" in line)]
    return sum(1 for line in placed if wanted and wanted in line[:LINE].casefold())


def results(value: Any, said: Collection[str] = (), category: str = "search", depth: int = 0) -> int:
    """Return how many results there are in what a tool returned, without what the command itself was told to say."""
    if isinstance(value, str):
        return _in_text(value, said, category)
    if isinstance(value, list):
        return sum(_in_part(part, said, category, depth + 1) for part in value[:MOST_PARTS]) if depth < _DEEPEST else 0
    if not isinstance(value, Mapping) or depth >= _DEEPEST:
        return 0
    file = value.get("file")
    if isinstance(file, Mapping):
        return int(any(map(_is_there, map(file.get, ("content", "base64")))))
    lists = [_length(value[name]) for name in LISTS if isinstance(value.get(name), list | Mapping)]
    counts = [found for name in COUNTS if isinstance(found := value.get(name), int) and not isinstance(found, bool)]
    if lists or counts:  # where it is counted, words about it are no results
        return max([*lists, *counts, results(value.get("content"), said, category, depth + 1), 0])
    if any(name in value for name in _SAID) or value.get("type") in BLOCKS:
        told = sum(results(value.get(name), said, category, depth + 1) for name in _SAID)
        return told or int(value.get("type") == "image" and bool(value.get("source") or value.get("data")))
    return _of_record(value)


def _length(found: "list[Any] | Mapping[str, Any]") -> int:
    return sum(map(_is_there, found)) if isinstance(found, list) else int(bool(found))


def _is_there(value: Any) -> bool:
    return value is not None and not (isinstance(value, str | list | Mapping) and not value)


def _in_text(text: str, said: Collection[str], category: str) -> int:
    text = text[: 2 * PART]
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line not in said]
    if says_nothing("\n".join(lines[: _FEW_LINES + 1]), category):
        return 0
    code = category == "read"
    return sum(1 for line in lines if not _is_no_result(line[:LINE]) or (code and _CODE.search(line[:LINE])))


def _in_part(part: Any, said: Collection[str], category: str, depth: int) -> int:
    """Return how many results one part of a list is."""
    if isinstance(part, Mapping) and part.get("type") not in BLOCKS and _of_record(part):
        return 1
    if isinstance(part, str | list | Mapping):
        found = results(part, said, category, depth)
        return found if not isinstance(part, list) else min(found, 1)
    return int(part is not None and not isinstance(part, bool))


def _of_record(value: Mapping[str, Any]) -> int:
    """Return how many results a record is: what it holds in lists, or one if it holds anything but remarks."""
    held = [item for name, item in value.items() if name not in (*_TOLD, *_SAID) and _is_there(item)]
    if held and all(isinstance(item, list) for item in held) and len(held) == len(value):
        return sum(map(len, held))
    return int(bool(held))
