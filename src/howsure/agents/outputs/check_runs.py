"""Verdicts: whether a build, a test run or another check of code passed, by what it says.

Tests have passed only where they say so. A build that went well often says nothing, so it has failed only where it says
so. What a tool counts itself ("3 passed, 0 failed") outranks an error that is merely mentioned.
"""

from typing import NamedTuple

from howsure.agents.outputs.test_runs import (
    BROKEN,
    BUILT,
    DOT_FAILED,
    MENTIONED,
    NO_TESTS,
    NOT_STARTED,
    RUN_FAILED,
    SOUND,
    TESTS_COUNTED,
    TESTS_FAILED,
    TESTS_FINE,
    Lines,
    lines_of,
)


class Output(NamedTuple):
    """What one or several checks of code put out."""

    lines: Lines
    told: Lines
    """Those that may speak for a check: not what the command line itself had printed."""
    failed: bool
    """Whether the call is said to have failed."""
    code: int | None
    """The exit code, where it is that of the check."""
    masked: bool
    """Whether what comes after the check hides how it ended."""

    def of_tests(self) -> bool | None:
        """Say whether a test run passed; nothing where that cannot be told."""
        if self.tests_failed() or RUN_FAILED.is_in(self.lines):
            return False
        fine = self.tests_passed()
        if not fine and (NO_TESTS.is_in(self.lines) or NOT_STARTED.is_in(self.lines)):
            return None
        if self.failed or fine:
            return not self.failed
        if MENTIONED.is_in(self.lines):
            return False
        return True if self.code == 0 else None

    def tests_failed(self) -> bool:
        """Say whether tests say that they failed."""
        return TESTS_FAILED.is_in(self.lines) or DOT_FAILED.is_in(self.lines)

    def tests_passed(self) -> bool:
        """Say whether tests say that they passed, and that there were some."""
        if TESTS_COUNTED.is_in(self.told):
            return True
        return TESTS_FINE.is_in(self.told) and not NO_TESTS.is_in(self.told)

    def of_build(self) -> bool | None:
        """Say whether a build, or a check that reads code, passed; nothing where that cannot be told."""
        if self.broken():
            return False
        if NOT_STARTED.is_in(self.lines):
            return None
        if self.failed or (MENTIONED.is_in(self.lines) and not BUILT.is_in(self.told)):
            return False
        return None if self.masked and not (SOUND.is_in(self.told) or self.tests_passed()) else True

    def broken(self) -> bool:
        """Say whether a build says that it failed."""
        return BROKEN.is_in(self.lines) or RUN_FAILED.is_in(self.lines)

    def together(self, kind: str) -> bool | None:
        """Say of one of several kinds of check whether it passed: where one failed, the text has to say which."""
        tests_failed = self.tests_failed()
        if kind == "test":
            if tests_failed or self.tests_passed():
                return not tests_failed
            return True if self.code == 0 and not self.failed else None
        if self.broken() and not tests_failed:
            return False
        return None if self.failed or tests_failed else self.of_build()


def verdict(
    text: str, told: str, kind: str, kinds: int = 1, *, failed: bool, code: int | None, masked: bool
) -> bool | None:
    """Say whether a check of a kind passed, one of so many kinds that ran together; nothing where that is not told.

    >>> verdict("2 passed, 1 failed", "2 passed, 1 failed", "test", failed=False, code=None, masked=False)
    False
    >>> verdict("gcc -c a.c", "gcc -c a.c", "build", failed=False, code=None, masked=False)
    True
    """
    lines = lines_of(text)
    output = Output(lines, lines if told is text else lines_of(told), failed, None if masked else code, masked)
    if kinds > 1:
        return output.together(kind)
    return output.of_tests() if kind == "test" else output.of_build()
