"""Decide whether a check of code passed: a test run, a build, a type check or a linter, alone or several at once."""

from howsure.agents.outputs.build_runs import has_failed_build, judge_build
from howsure.agents.outputs.patterns import CheckOutput, split_lines
from howsure.agents.outputs.testing_runs import has_failed_tests, has_passed_tests, judge_test_run


def judge_check(
    text: str, own_text: str, kind: str, kinds: int = 1, *, failed: bool, code: int | None, masked: bool
) -> bool | None:
    """Return whether a check passed, or None if its output does not say.

    Args:
        text: All of the output.
        own_text: The output without what the command line printed itself.
        kind: test, build, types or syntax.
        kinds: How many kinds of check ran together and share this output.
        failed: Whether the tool call is marked as failed.
        code: The exit code, if known.
        masked: Whether a later command hides the exit code of the check.

    >>> judge_check("2 passed, 1 failed", "2 passed, 1 failed", "test", failed=False, code=None, masked=False)
    False
    >>> judge_check("gcc -c a.c", "gcc -c a.c", "build", failed=False, code=None, masked=False)
    True
    """
    lines = split_lines(text)
    own_lines = lines if own_text is text else split_lines(own_text)
    output = CheckOutput(lines, own_lines, failed, None if masked else code, masked)
    if kinds > 1:
        return _judge_one_of_many(output, kind)
    return judge_test_run(output) if kind == "test" else judge_build(output)


def _judge_one_of_many(output: CheckOutput, kind: str) -> bool | None:
    """Return whether one of several kinds of check passed: after a failure, the output has to say which one failed."""
    tests_failed = has_failed_tests(output)
    if kind == "test":
        if tests_failed or has_passed_tests(output):
            return not tests_failed
        return True if output.code == 0 and not output.failed else None
    if has_failed_build(output) and not tests_failed:
        return False
    return None if output.failed or tests_failed else judge_build(output)
