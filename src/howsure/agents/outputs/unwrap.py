"""Wrappings: what agents put around the output of a command, taken off it again, and the exit code that it tells."""

import re

_REMINDER = ("<system-reminder>", "</system-reminder>")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*\x07")
_HEADS = (
    re.compile(r"<returncode>(-?\d+)</returncode>\s*(?:<output>)?"),
    re.compile(r"(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?Process exited with code (-?\d+)\b[^\n]*\n?"),
    re.compile(
        r"(?:Error: )?(?:(?:Shell c|C)ommand failed with )?[Ee]xit (?:code|status):? (-?\d+)"
        r"(?:[.:][^\n]*)?(?:\n|\Z)"
    ),
)
_HEADINGS = re.compile(
    r"(?:(?:Wall time|Total output lines|Original token count): [^\n]*\n)*(?:Output:[ \t]*(?:\n|$))?"
)
_CODE = re.compile(r"exit(?:ed with)? code:? (-?\d+)", re.IGNORECASE)
_FOOT = re.compile(
    r"\[[^\n]*\]|\(Open file: [^\n]*\)|\(Current directory: [^\n]*\)|bash-\$|Process finished with exit code -?\d+"
    r"|</?(?:output|stdout|stderr)>|[^\s@]+@[^\s:@]+:\S* ?[#$]"
)
_FEET = 8


def unwrapped(text: str) -> tuple[str, int | None]:
    r"""Return the output alone, and its exit code, if that is told.

    >>> unwrapped("Exit code: 1\nWall time: 0.2 seconds\nOutput:\n1 failed\n")
    ('1 failed\n', 1)
    >>> unwrapped("a.py\n[The command completed with exit code 0.]\n[Current working directory: /srv]")
    ('a.py', 0)
    """
    text = _without_reminders(_COLOURS.sub("", text) if "\x1b" in text else text)
    start = text[:2000].lstrip()
    for head in _HEADS:
        match = head.match(start)
        if match:
            rest = text.lstrip()[match.end() :].removesuffix("\n")
            headings = _HEADINGS.match(rest)
            return _without_foot(rest[headings.end() if headings else 0 :])[0] + "\n", _number(match[1])
    return _without_foot(text)


def _number(digits: str) -> int:
    return int(digits[:20])


def _without_reminders(text: str) -> str:
    """Return a text without what an agent is reminded of beside it."""
    opening, closing = _REMINDER
    kept, place = [], 0
    while (start := text.find(opening, place)) >= 0:
        end = text.find(closing, start)
        if end < 0:
            break
        kept.append(text[place:start])
        place = end + len(closing)
    return "".join([*kept, text[place:]]) if place else text


def _without_foot(text: str) -> tuple[str, int | None]:
    """Return a text without the lines at its end that tell how and where the command ended, if they do."""
    lines = text[-4000:].rstrip().rsplit("\n", _FEET)
    code, taken = None, 0
    for line in reversed(lines):
        if line.strip() and not _FOOT.fullmatch(line.strip()):
            break
        told = _CODE.search(line)
        code = code if told is None else _number(told[1])
        taken += 1
    if code is None and not any("bash-$" in line or "</output>" in line for line in lines[len(lines) - taken :]):
        return text, None
    body = text.rstrip()
    for _ in range(taken):
        body = body.rpartition("\n")[0]
    return body, code
