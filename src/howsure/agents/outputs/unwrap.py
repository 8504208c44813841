"""Remove what agents add around the output of a command: colours, headers, footers, reminders; find the exit code."""

import re

_REMINDER = ("<system-reminder>", "</system-reminder>")
# ANSI colours, and titles that a terminal would show.
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*\x07")
# First lines in which agents report the exit code.
_HEADERS = (
    re.compile(r"<returncode>(-?\d+)</returncode>\s*(?:<output>)?"),
    re.compile(r"(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?Process exited with code (-?\d+)\b[^\n]*\n?"),
    re.compile(
        r"(?:Error: )?(?:(?:Shell c|C)ommand failed with )?[Ee]xit (?:code|status):? (-?\d+)"
        r"(?:[.:][^\n]*)?(?:\n|\Z)"
    ),
)
# Lines that may follow such a header before the output itself.
_SUBHEADERS = re.compile(
    r"(?:(?:Wall time|Total output lines|Original token count): [^\n]*\n)*(?:Output:[ \t]*(?:\n|$))?"
)
_EXIT_CODE = re.compile(r"exit(?:ed with)? code:? (-?\d+)", re.IGNORECASE)
# Last lines in which agents report the exit code, the open file, the folder, or show a prompt.
_FOOTER = re.compile(
    r"\[[^\n]*\]|\(Open file: [^\n]*\)|\(Current directory: [^\n]*\)|bash-\$|Process finished with exit code -?\d+"
    r"|</?(?:output|stdout|stderr)>|[^\s@]+@[^\s:@]+:\S* ?[#$]"
)
_FOOTER_LINES = 8


def unwrap(text: str) -> tuple[str, int | None]:
    r"""Return the bare output, and the exit code or None.

    >>> unwrap("Exit code: 1\nWall time: 0.2 seconds\nOutput:\n1 failed\n")
    ('1 failed\n', 1)
    >>> unwrap("a.py\n[The command completed with exit code 0.]\n[Current working directory: /srv]")
    ('a.py', 0)
    """
    text = _remove_reminders(_COLOURS.sub("", text) if "\x1b" in text else text)
    start = text[:2000].lstrip()
    for header in _HEADERS:
        match = header.match(start)
        if match:
            rest = text.lstrip()[match.end() :].removesuffix("\n")
            subheaders = _SUBHEADERS.match(rest)
            return _remove_footer(rest[subheaders.end() if subheaders else 0 :])[0] + "\n", _parse_code(match[1])
    return _remove_footer(text)


def _parse_code(digits: str) -> int:
    """Return the number; digits beyond any exit code are cut off."""
    return int(digits[:20])


def _remove_reminders(text: str) -> str:
    """Return a text without the reminders that an agent's program inserts for its model."""
    opening, closing = _REMINDER
    kept, place = [], 0
    while (start := text.find(opening, place)) >= 0:
        end = text.find(closing, start)
        if end < 0:
            break
        kept.append(text[place:start])
        place = end + len(closing)
    return "".join([*kept, text[place:]]) if place else text


def _remove_footer(text: str) -> tuple[str, int | None]:
    """Return a text without footer lines, and the exit code in them; unchanged if they report no end of a command."""
    lines = text[-4000:].rstrip().rsplit("\n", _FOOTER_LINES)
    code, taken = None, 0
    for line in reversed(lines):
        if line.strip() and not _FOOTER.fullmatch(line.strip()):
            break
        match = _EXIT_CODE.search(line)
        code = code if match is None else _parse_code(match[1])
        taken += 1
    if code is None and not any("bash-$" in line or "</output>" in line for line in lines[len(lines) - taken :]):
        return text, None
    body = text.rstrip()
    for _ in range(taken):
        body = body.rpartition("\n")[0]
    return body, code
