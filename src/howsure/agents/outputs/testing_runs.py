"""Recognise from its output whether a test run passed: pytest, unittest, jest, go test, cargo, ctest, JUnit, TAP, ...

Tests passed only if their output says so. Counts ("3 passed, 0 failed") outrank an error that is merely mentioned.
"""

from howsure.agents.outputs.patterns import ERROR_MENTIONED, NOT_STARTED, RUN_FAILED, CheckOutput, LinePattern

_UNIT = r"(?:(?:tests?|test\ cases?|specs?|examples?|suites?|scenarios?|cases?)\ )?"
"""The word between a number and its result: "3 tests passed"."""

# In this order: counts ("2 failed"), totals ("Failures: 1"), errors of collection, unittest and Mocha, testthat,
# TAP and node --test, go test and jest, pytest -v and -rf, googletest, bazel, pytest's ERROR lines, TAP, ctest,
# PHPUnit, dotnet, coverage thresholds, npm, tox, Perl's prove.
TESTS_FAILED = LinePattern(
    ("fail", "error", "not ok", "***", "xpass", "cancelled", "aborted", "threshold"),
    rf"""
      (?<![\d.])(?<!previous\ )[1-9]\d*\ (?:of\ \d+\ )?{_UNIT}(?:[Ff]ail(?:ed|ing|ures?|s)?|errored|FAILED|FAILURES?)\b
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
"""Tests failed."""
# pytest's progress: `..F.x [ 40%]`.
DOT_OF_FAILED_TEST = LinePattern(("%]",), r"^[.sxX]*[FE][.sxXFE]*\ +\[\ *\d+%\]")
"""A letter in a row of dots stands for a failed test."""
# Counts of passed tests: most runners, ctest, TAP, go test, googletest, unittest, RSpec, minitest, JUnit, jest,
# Karma, pytest's dots up to 100 %, bazel, testthat, phpt.
PASSED_TESTS_COUNTED = LinePattern(
    ("pass", "succe", "ok", "failures", "100%]"),
    rf"""
      (?<![\d.%])[1-9]\d*\ {_UNIT}(?:[Pp]assed|passing|passes|pass|succeeded|successful|successes)\b
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
"""Tests passed, and the output counts them."""
TESTS_SUCCEEDED = LinePattern(
    ("ok", "pass", "succe", "congratulations", "0 errors"),
    r"""
      ^OK\ *(?:\(.{0,200}\))?\ *$ | ^OK,\ but\b | ^PASS\b | \bBUILD\ SUCCESS(?:FUL)?\b | \bTest\ (?:Run\ )?Successful
    | ^[ \t]*\S+:\ OK\b | \bcongratulations\ :\) | ^nox\ >\ Session\ \S+\ was\ successful | \bStatus:\ SUCCESS\b
    | ^0\ failures,\ 0\ errors | \bTEST\ SUCCEEDED\b
    | \b[Aa]ll\ (?:\w+\ )?(?:tests?|specs?)\ (?:have\ |were\ )?(?:pass(?:ed)?|succeeded|successful)\b
    """,
)
"""Success without a count of tests, so that there may have been none."""
NO_TESTS = LinePattern(
    ("no test", "0 items", "0 tests", "0 examples", "0 specs", "0 total", "tests run: 0", "no-source", "1..0"),
    r"""(?i)
      \bno\ tests?\ (?:ran|run|to\ run|found|were\ found|executed|is\ available|(?:files?|suites?)\ found|specified)\b
    | \bcollected\ 0\ items | \bRan\ 0\ tests | \[no\ test(?:\ files|s\ to\ run)\] | \brunning\ 0\ tests | ^1\.\.0\b
    | \b0\ (?:examples|specs)\b | \bTests:\ +0\ total | \bTests\ run:\ 0\b | :test\w*\ NO-SOURCE\b
    """,
)
"""There were no tests to run."""


def judge_test_run(output: CheckOutput) -> bool | None:
    """Return whether a test run passed, or None if the output does not say.

    >>> lines = [("1 failed, 4 passed in 0.12s", "1 failed, 4 passed in 0.12s")]
    >>> judge_test_run(CheckOutput(lines, lines, failed=False, code=None, masked=False))
    False
    """
    if has_failed_tests(output) or RUN_FAILED.is_in(output.lines):
        return False
    passed = has_passed_tests(output)
    if not passed and (NO_TESTS.is_in(output.lines) or NOT_STARTED.is_in(output.lines)):
        return None
    if output.failed or passed:
        return not output.failed
    if ERROR_MENTIONED.is_in(output.lines):
        return False
    return True if output.code == 0 else None


def has_failed_tests(output: CheckOutput) -> bool:
    """Return whether the output reports failed tests."""
    return TESTS_FAILED.is_in(output.lines) or DOT_OF_FAILED_TEST.is_in(output.lines)


def has_passed_tests(output: CheckOutput) -> bool:
    """Return whether the output reports that tests passed, and that there were some."""
    if PASSED_TESTS_COUNTED.is_in(output.own_lines):
        return True
    return TESTS_SUCCEEDED.is_in(output.own_lines) and not NO_TESTS.is_in(output.own_lines)
