"""Recognise from its output whether a build, a type check or a linter passed.

A build that succeeds often prints nothing about it, so it failed only if its output says so.
"""

from howsure.agents.outputs.patterns import ERROR_MENTIONED, NOT_STARTED, RUN_FAILED, CheckOutput, LinePattern
from howsure.agents.outputs.testing_runs import has_passed_tests

_COMPLETE = (
    r"\bBUILD\ SUCCE | \bBuild\ succeeded | \bFinished\ `?\w+`?\ \w+ | \bcompiled\ successfully"
    r"| \b[Nn]o\ issues\ found | (?<![\d.])0\ [Ee]rror(?:s\b|\(s\)) | \b[Aa]ll\ checks\ passed"
    r"| \bbuilt\ in\ [\d.]+m?s\b"
)

# Counts of errors, CMake, linkers, ninja, compilers, npm, webpack and vite, Go, TypeScript and .NET.
BUILD_FAILED = LinePattern(
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
"""A build, a type check or a linter failed."""
BUILD_COMPLETE = LinePattern(("succe", "finished", "error", "issues", "checks passed", "built in"), _COMPLETE)
"""The tool reports a complete build, or that it found no errors."""
BUILD_SUCCEEDED = LinePattern(
    ("succe", "finished", "error", "issues", "built", "ok", "pass", "up to date", "be done", "complete", "written"),
    rf"""
      {_COMPLETE} | \bOK\b | \bok\b | [Ss]uccess | ^PASS\b | \bBuilt\ target\b | \bup\ to\ date\b
    | \bNothing\ to\ be\ done | \b[Bb]uild\ complete | \bBuild\ files\ have\ been\ written
    """,
)
"""Any word of success; weaker than `BUILD_COMPLETE`."""


def judge_build(output: CheckOutput) -> bool | None:
    """Return whether a build, a type check or a linter passed, or None if the output does not say.

    >>> lines = [("Success: no issues found in 3 source files", "success: no issues found in 3 source files")]
    >>> judge_build(CheckOutput(lines, lines, failed=False, code=0, masked=False))
    True
    """
    if has_failed_build(output):
        return False
    if NOT_STARTED.is_in(output.lines):
        return None
    if output.failed or (ERROR_MENTIONED.is_in(output.lines) and not BUILD_COMPLETE.is_in(output.own_lines)):
        return False
    if output.masked and not (BUILD_SUCCEEDED.is_in(output.own_lines) or has_passed_tests(output)):
        return None
    return True


def has_failed_build(output: CheckOutput) -> bool:
    """Return whether the output reports a failed build."""
    return BUILD_FAILED.is_in(output.lines) or RUN_FAILED.is_in(output.lines)
