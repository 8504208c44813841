"""Signs: by what one sees in a line of output how a check of code went. Blanks in patterns are there for readers."""

import re
from typing import NamedTuple

LONGEST = 1000
"""Characters at either end of a line that are looked at."""
Lines = list[tuple[str, str]]
"""The lines of a text, the last one first, each as it is and in small letters."""


def lines_of(text: str) -> Lines:
    """Return the lines of a text, as signs are looked for in them."""
    cut = (line if len(line) <= 2 * LONGEST else f"{line[:LONGEST]} {line[-LONGEST:]}" for line in text.splitlines())
    return [(line, line.lower()) for line in cut if line and not line.isspace()][::-1]


class Sign(NamedTuple):
    """What to look for: a pattern, and words of which a line has to have one, in small letters, to be worth a look."""

    words: tuple[str, ...]
    pattern: str
    unless: str = r"(?!)"
    """What else a line may be, so that it does not count."""

    def is_in(self, lines: Lines) -> bool:
        """Say whether one of the lines shows it."""
        worth = (line for line, small in lines if any(word in small for word in self.words))
        search, other = re.compile(self.pattern, re.VERBOSE).search, re.compile(self.unless, re.VERBOSE).search
        return any(search(line) is not None and other(line) is None for line in worth)


_OF = r"(?:(?:tests?|test\ cases?|specs?|examples?|suites?|scenarios?|cases?)\ )?"
_COMPLETE = (
    r"\bBUILD\ SUCCE | \bBuild\ succeeded | \bFinished\ `?\w+`?\ \w+ | \bcompiled\ successfully"
    r"| \b[Nn]o\ issues\ found | (?<![\d.])0\ [Ee]rror(?:s\b|\(s\)) | \b[Aa]ll\ checks\ passed"
    r"| \bbuilt\ in\ [\d.]+m?s\b"
)

TESTS_FAILED = Sign(
    ("fail", "error", "not ok", "***", "xpass", "cancelled", "aborted", "threshold"),
    rf"""
      (?<![\d.])(?<!previous\ )[1-9]\d*\ (?:of\ \d+\ )?{_OF}(?:[Ff]ail(?:ed|ing|ures?|s)?|errored|FAILED|FAILURES?)\b
    | \b(?:[Ff]ailed|[Ff]ailures?|FAILED|FAILURES?|[Ee]rrors|ERRORS)\ *[:=]\ *[1-9]
    | \b[1-9]\d*\ errors?\ (?:in\ [\d.]+s|during\ collection|occurred\ outside)\b
    | \b\d+\ failures?(?:,|\ /)\ [1-9]\d*\ errors?\b | \bFailed\ [1-9]\d*,\ Errors\b | ^\[\ *FAIL\ [1-9]
    | ^(?:\#|\u2139)\ *(?:fail|FAIL|ERROR|XPASS|cancelled):?\ +[1-9]
    | ^[ \t]*(?:---\ )?FAIL(?![\w-])(?!:?\ *0\b) | ^[ \t]*\S+:\ FAIL\b | ^FAILED\ +\S+::
    | \ FAILED\ *(?:\[\ *\d+%\]\ *)?$ | ^\[\ *FAILED\ *\] | ^\S+\ +FAILED\ in\ [\d.]+s
    | ^ERROR\ +(?:collecting\ |at\ (?:setup|teardown)\ |\S+\.py(?:::\S+)?(?:\ -\ |$))
    | ^not\ ok\b(?!.{{0,200}}\#\ *(?:TODO|SKIP)) | \*\*\*(?:Failed|Exception|Timeout|Not\ Run)
    | ^(?:FAILURES|ERRORS)!\ *$ | \bTest\ Run\ Failed\b
    | (?<!\b0\ )(?<!\bno\ )\b[Tt]ests?\ failed\b(?!\ *[:=]\ *0\b) | \bTest\ suite\ failed\ to\ run
    | \bThere\ were\ failing\ tests | \bCoverage\ failure | \bcoverage\ threshold\ .{{0,100}}\bnot\ met
    | \bdoes\ not\ meet\ .{{0,40}}\bthreshold
    | ^npm\ (?:ERR!|error)\ Test | ^error:\ test\ failed | \bTest\ Run\ Aborted | \brun\ was\ aborted
    | ^ERROR:\ +\S+:\ (?:commands\ failed|InvocationError) | \bResult:\ FAIL | \bFailed\ \d+/\d+ | \bTEST\ FAILED\b
    """,
    unless=r"^\s*(?:[\u2713\u2714\u221a]|ok\ +\d|---\ PASS) | \.\.\.\ ok\s*$ | \ PASSED\s*(?:\[\ *\d+%\]\s*)?$",
)
"""Tests failed, beyond doubt."""
DOT_FAILED = Sign(("%]",), r"^[.sxX]*[FE][.sxXFE]*\ +\[\ *\d+%\]")
"""Among the dots by which tests are counted, one stands for a failure."""
RUN_FAILED = Sign(
    ("***", "build fail", "npm", "elifecycle", "error", "fault", "dumped", "fatal", "nox >"),
    r"""
      ^make(?:\[\d+\])?:\ \*\*\*\ (?!No\ targets|No\ rule(?!.{0,300}\bneeded\ by)) | \bBUILD\ FAIL(?:ED|URE)\b
    | ^npm\ (?:ERR!|error)\ (?:code\ (?!ENOENT)|Lifecycle) | \bELIFECYCLE\b | ^error:\ could\ not\ compile
    | ^error:?\ (?:Command\ failed|script\ .{0,100}\bexited\ with\ code\ [1-9])
    | \bSegmentation\ fault | \(core\ dumped\) | ^Fatal\ Python\ error | ^nox\ >\ (?:Session|Command)\ .{0,300}\bfailed
    """,
)
"""What ran the check says that it failed."""
TESTS_COUNTED = Sign(
    ("pass", "succe", "ok", "failures", "100%]"),
    rf"""
      (?<![\d.%])[1-9]\d*\ {_OF}(?:[Pp]assed|passing|passes|pass|succeeded|successful|successes)\b
    | \b(?:[Pp]assed|PASSED|[Ss]ucceeded|[Ss]uccesses)\ *[:=]\ *[1-9]
    | \b100%\ tests\ passed,\ 0\ tests\ failed\ out\ of\ [1-9] | ^(?:\#|\u2139)\ *(?:pass|PASS):?\ +[1-9]
    | ^ok[ \t]+[1-9]\d*\b(?!\.) | ^ok[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+s)(?!.{{0,200}}\[no\ tests\ to\ run\])
    | ^\[\ *PASSED\ *\]\ [1-9] | ^OK\ \([1-9]
    | (?<!\d)[1-9]\d*\ (?:examples?|tests?|specs?|scenarios?),\ (?:with\ )?0\ failures(?!,\ [1-9]\d*\ error)
    | (?<!\d)[1-9]\d*\ (?:runs|tests),\ \d+\ assertions,\ 0\ failures,\ 0\ errors
    | \bTests\ run:\ [1-9]\d*,\ Failures:\ 0,\ Errors:\ 0\b | ^PASS[ \t]+\S+\.\w+
    | \bExecuted\ [1-9]\d*\ of\ \d+\ +(?:\([^)]{{0,100}}\)\ *)?SUCCESS\b
    | ^[.sxX]+\ +\[100%\] | \S\ +PASSED\ in\ [\d.]+s | ^\[\ *FAIL\ 0\ .{{0,80}}\bPASS\ [1-9]
    | \bFailed\ 0,\ Errors\ 0,\ Passed\ [1-9]
    """,
)
"""Tests ran and passed, and were counted."""
TESTS_FINE = Sign(
    ("ok", "pass", "succe", "congratulations", "0 errors"),
    r"""
      ^OK\ *(?:\(.{0,200}\))?\ *$ | ^OK,\ but\b | ^PASS\b | \bBUILD\ SUCCESS(?:FUL)?\b | \bTest\ (?:Run\ )?Successful
    | ^[ \t]*\S+:\ OK\b | \bcongratulations\ :\) | ^nox\ >\ Session\ \S+\ was\ successful | \bStatus:\ SUCCESS\b
    | ^0\ failures,\ 0\ errors | \bTEST\ SUCCEEDED\b
    | \b[Aa]ll\ (?:\w+\ )?(?:tests?|specs?)\ (?:have\ |were\ )?(?:pass(?:ed)?|succeeded|successful)\b
    """,
)
"""Tests went well, if there were any."""
NO_TESTS = Sign(
    ("no test", "0 items", "0 tests", "0 examples", "0 specs", "0 total", "tests run: 0", "no-source", "1..0"),
    r"""(?i)
      \bno\ tests?\ (?:ran|run|to\ run|found|were\ found|executed|is\ available|(?:files?|suites?)\ found|specified)\b
    | \bcollected\ 0\ items | \bRan\ 0\ tests | \[no\ test(?:\ files|s\ to\ run)\] | \brunning\ 0\ tests | ^1\.\.0\b
    | \b0\ (?:examples|specs)\b | \bTests:\ +0\ total | \bTests\ run:\ 0\b | :test\w*\ NO-SOURCE\b
    """,
)
"""There was nothing to test."""
NOT_STARTED = Sign(
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
MENTIONED = Sign(
    ("error", "failed", "traceback", "exception", "panic", "npm", "sig"),
    r"""
      \b[Ee]rror(?:\ [A-Z]{2,3}\d+|\[\w+\])?: | ^\[ERROR\] | ^ERROR\b | ^Traceback\ \(most\ recent | \bSyntaxError\b
    | (?<!\b0\ )\bFAILED\b(?!\ *[:=]?\ *0\b) | \b\w+(?:Error|Exception)\b: | ^panic: | ^npm\ (?:ERR!|error)\b
    | \bfatal\ error\b | \bSIG(?:SEGV|ABRT|BUS|ILL)\b
    """,
)
"""An error is mentioned, which is no more than a hint where the tool itself counts."""
BROKEN = Sign(
    (
        "error", "configuring", "undefined", "ld returned", "ninja", "fail", "compil", "npm", "elifecycle", "not found",
        ".go:", "go: ",
    ),
    r"""
      (?<![\d.])[1-9]\d*\ [Ee]rror(?:s?\b|\(s\))(?!.{0,300}\b0\ remaining) | CMake\ Error | \bConfiguring\ incomplete
    | \bundefined\ (?:reference|symbols?)\b | \bld\ returned\ [1-9] | \bcollect2:\ error
    | ^ninja:\ (?:error:\ (?!loading)|build\ stopped) | ^FAILED:\ \S*[^\W\d] | \b[Bb]uild\ (?:FAILED|failed)\b
    | \b[Cc]ompil(?:e|ation)\ (?:failed|error) | \b[Ff]ailed\ to\ compile\b | \b[Cc]ould\ not\ compile\b
    | \bCOMPILATION\ ERROR\b | ^npm\ (?:ERR!|error)\ code\ (?!ENOENT) | \bELIFECYCLE\b | \berror\ during\ build\b
    | ^ERROR\ in\ | \bModule\ not\ found: | ^\S+\.go:\d+:\d+:\ | ^go:\ (?:updates|module|error)\b
    | \berror\ (?:TS|CS|MSB|NU|FS)\d+\b
    """,
)  # fmt: skip
"""A build, or a check of types or syntax, failed."""
BUILT = Sign(("succe", "finished", "error", "issues", "checks passed", "built in"), _COMPLETE)
"""A build counts itself as complete."""
SOUND = Sign(
    ("succe", "finished", "error", "issues", "built", "ok", "pass", "up to date", "be done", "complete", "written"),
    rf"""
      {_COMPLETE} | \bOK\b | \bok\b | [Ss]uccess | ^PASS\b | \bBuilt\ target\b | \bup\ to\ date\b
    | \bNothing\ to\ be\ done | \b[Bb]uild\ complete | \bBuild\ files\ have\ been\ written
    """,
)
"""A build went well, by some word or other."""
