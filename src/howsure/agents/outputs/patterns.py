"""Patterns that recognise in the output of a program how a check of code went, and those that tests and builds share.

Patterns are written with `re.VERBOSE`: blanks and line breaks in them are for readers; blanks that count are escaped.
"""

import re
from typing import NamedTuple

LONGEST = 1000
"""Characters at either end of a line that are searched."""
Lines = list[tuple[str, str]]
"""The lines of a text, the last one first, each as it is and in lower case."""


def split_lines(text: str) -> Lines:
    """Return the non-blank lines of a text in the form in which patterns search them."""
    # Results stand at the end of an output, so searching from there finds them first.
    cut = (line if len(line) <= 2 * LONGEST else f"{line[:LONGEST]} {line[-LONGEST:]}" for line in text.splitlines())
    return [(line, line.lower()) for line in cut if line and not line.isspace()][::-1]


class LinePattern(NamedTuple):
    """A regular expression for single lines of output."""

    words: tuple[str, ...]
    """Lower-case words of which a line must contain one; only such lines are matched, since the patterns are slow."""
    pattern: str
    unless: str = r"(?!)"
    """A line that also matches this does not count."""

    def is_in(self, lines: Lines) -> bool:
        """Return whether one of the lines matches.

        >>> NOT_STARTED.is_in([("bash: pytest: command not found", "bash: pytest: command not found")])
        True
        """
        candidates = (line for line, small in lines if any(word in small for word in self.words))
        # Compiled here and not at import, because most hooks need none of the patterns; `re` caches them.
        search, exclude = re.compile(self.pattern, re.VERBOSE).search, re.compile(self.unless, re.VERBOSE).search
        return any(search(line) is not None and exclude(line) is None for line in candidates)


class CheckOutput(NamedTuple):
    """The output of one or several checks of code that ran in one tool call."""

    lines: Lines
    own_lines: Lines
    """The lines without those that the command line printed itself, such as `echo OK`."""
    failed: bool
    """Whether the tool call is marked as failed."""
    code: int | None
    """The exit code, if it is that of the check."""
    masked: bool
    """Whether a later command in the line hides the exit code of the check."""


# The program that ran the check (make, npm, nox, the shell) reports a failure or a crash.
RUN_FAILED = LinePattern(
    ("***", "build fail", "npm", "elifecycle", "error", "fault", "dumped", "fatal", "nox >"),
    r"""
      ^make(?:\[\d+\])?:\ \*\*\*\ (?!No\ targets|No\ rule(?!.{0,300}\bneeded\ by)) | \bBUILD\ FAIL(?:ED|URE)\b
    | ^npm\ (?:ERR!|error)\ (?:code\ (?!ENOENT)|Lifecycle) | \bELIFECYCLE\b | ^error:\ could\ not\ compile
    | ^error:?\ (?:Command\ failed|script\ .{0,100}\bexited\ with\ code\ [1-9])
    | \bSegmentation\ fault | \(core\ dumped\) | ^Fatal\ Python\ error | ^nox\ >\ (?:Session|Command)\ .{0,300}\bfailed
    """,
)
"""The runner of a check says that it failed."""
# The tool or the project is missing, or the arguments are wrong, so nothing was checked.
NOT_STARTED = LinePattern(
    (
        "not found", "no module", "missing script", "not recognized", "no rule", "usage:", "unrecognized",
        "package.json", "npm", "cargo.toml", "makefile", "requires a project", "ninja: error", "no such", "denied",
        "main module",
    ),
    r"""(?i)
      \bcommand\ not\ found\b | :\ not\ found\ *$ | ^(?:\S*python\S*:\ )?No\ module\ named\ | \bMissing\ script\b
    | \bis\ not\ recognized\ as\b | \bNo\ rule\ to\ make\ target\b(?!.{0,300}\bneeded\ by\b)
    | ^ERROR:\ (?:file\ or\ directory\ )?not\ found:\ | ^(?:ERROR:\ )?usage:\ | \bunrecognized\ arguments?\b
    | \bgo\.mod\ file\ not\ found | \bcannot\ find\ main\ module | \bcould\ not\ find\ `?Cargo\.toml
    | \bno\ makefile\ found\b
    | \bcould\ not\ (?:read|find)\ package\.json | ^npm\ (?:ERR!|error)\ (?:enoent|code\ ENOENT)\b
    | \brequires\ a\ project\ to\ execute | ^ninja:\ error:\ loading\ | \bno\ such\ (?:sub)?command\b
    | :\ Permission\ denied\ *$ | \bhas\ been\ denied\b
    """,
)  # fmt: skip
"""The check never started."""
# Weak evidence: some tool prints the word although all went well, so counts of the tool itself outrank it.
ERROR_MENTIONED = LinePattern(
    ("error", "failed", "traceback", "exception", "panic", "npm", "sig"),
    r"""
      \b[Ee]rror(?:\ [A-Z]{2,3}\d+|\[\w+\])?: | ^\[ERROR\] | ^ERROR\b | ^Traceback\ \(most\ recent | \bSyntaxError\b
    | (?<!\b0\ )\bFAILED\b(?!\ *[:=]?\ *0\b) | \b\w+(?:Error|Exception)\b: | ^panic: | ^npm\ (?:ERR!|error)\b
    | \bfatal\ error\b | \bSIG(?:SEGV|ABRT|BUS|ILL)\b
    """,
)
"""An error is mentioned somewhere."""
