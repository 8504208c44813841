"""Goals: what a program is told to do that runs things by their names, as make, npm or mvn do."""

import re

from howsure.agents.known_tools import RUNNERS

_PROMISES = {
    "syntax": {"clippy", "eslint", "flake8", "lint", "pylint", "rubocop", "ruff", "style", "vet"},
    "types": {"mypy", "pyright", "tsc", "typecheck", "types", "typing"},
    "test": {
        "ctest", "e2e", "jest", "pytest", "spec", "specs", "test", "tests", "unittest", "unittests", "verify", "vitest",
    },
}  # fmt: skip
_BUILDS = {"all", "assemble", "bin", "build", "debug", "dist", "lib", "package", "rebuild"}
_MADE = re.compile(r"\.(?:o|a|so|exe|elf|hex|jar|wasm|dll|dylib)$")
_NAMED = {"test": "test", "types": "types", "syntax": "lint", "build": "build"}


def kind_of(runner: str, goals: list[str], words: list[str]) -> str:
    """Return the kind of check that a program was told to make, the most telling of its goals counting; empty for none.

    >>> kind_of("make", ["clean", "all"], []), kind_of("npm", ["run", "test:unit"], []), kind_of("make", ["deploy"], [])
    ('build', 'test', '')
    """
    if runner == "npm":
        goals = goals[2:] if goals[:1] == ["workspace"] else goals
        goals = [goal for goal in goals if goal not in ("run", "run-script")][:1]
        goals = ["test"] if goals in (["t"], ["tst"]) else goals
    elif runner in ("just", "bazel"):
        goals = goals[:1]
    elif runner == "mvn":
        goals = ["build" if goal == "install" else goal for goal in goals]
    goals = [goal for goal in goals if "=" not in goal]
    kinds = {promised(goal) for goal in goals} if goals else {RUNNERS[runner]}
    kind = next((kind for kind in ("test", "types", "syntax", "build") if kind in kinds), "")
    return "build" if kind == "test" and {"-DskipTests", "-DskipTests=true"} & set(words) else kind


def promised(goal: str) -> str:
    """Return the kind of check that a name promises; empty for none.

    >>> [promised(name) for name in ("test:unit", "testDebugUnitTest", "type-check", "format", "main.o", "install")]
    ['test', 'test', 'types', '', 'build', '']
    """
    parts = [part.casefold() for part in re.split(r"[-_:./]+|(?<=[a-z])(?=[A-Z])", goal) if part]
    if {"compile", "classes"} & set(parts):
        return "build"
    if {"type", "check"} <= set(parts):
        return "types"
    for kind, words in _PROMISES.items():
        if words & set(parts):
            return kind
    if parts[:1] == ["check"] and set(parts) <= {"check", "all", "ci"}:
        return "test"
    return "build" if _MADE.search(goal) or (parts and parts[0] in _BUILDS) else ""


def check_name(runner: str, kind: str) -> str:
    """Return the name under which a check is known: that of the program, where it builds if told nothing."""
    return runner if kind == "build" and RUNNERS[runner] else f"{runner} {_NAMED[kind]}"
