"""Recognise the kind of check behind the name of a task, such as `make test`, `npm run lint` or `mvn verify`."""

import re

from howsure.agents.known_tools import RUNNERS

_WORDS = {
    "syntax": {"clippy", "eslint", "flake8", "lint", "pylint", "rubocop", "ruff", "style", "vet"},
    "types": {"mypy", "pyright", "tsc", "typecheck", "types", "typing"},
    "test": {
        "ctest", "e2e", "jest", "pytest", "spec", "specs", "test", "tests", "unittest", "unittests", "verify", "vitest",
    },
}  # fmt: skip
"""Words in the name of a task that tell its kind of check; the first kind that matches counts."""
_BUILD_WORDS = {"all", "assemble", "bin", "build", "debug", "dist", "lib", "package", "rebuild"}
_BUILT_FILE = re.compile(r"\.(?:o|a|so|exe|elf|hex|jar|wasm|dll|dylib)$")
_SUFFIXES = {"test": "test", "types": "types", "syntax": "lint", "build": "build"}


def find_check_kind(runner: str, tasks: list[str], words: list[str]) -> str:
    """Return the kind of check that a program was told to make, or "". Of several tasks the most telling counts.

    >>> find_check_kind("make", ["clean", "all"], []), find_check_kind("npm", ["run", "test:unit"], [])
    ('build', 'test')
    >>> find_check_kind("make", ["deploy"], [])
    ''
    """
    if runner == "npm":
        tasks = tasks[2:] if tasks[:1] == ["workspace"] else tasks
        tasks = [task for task in tasks if task not in ("run", "run-script")][:1]
        tasks = ["test"] if tasks in (["t"], ["tst"]) else tasks
    elif runner in ("just", "bazel"):
        tasks = tasks[:1]
    elif runner == "mvn":
        tasks = ["build" if task == "install" else task for task in tasks]
    tasks = [task for task in tasks if "=" not in task]
    kinds = {classify_task(task) for task in tasks} if tasks else {RUNNERS[runner]}
    kind = next((kind for kind in ("test", "types", "syntax", "build") if kind in kinds), "")
    return "build" if kind == "test" and {"-DskipTests", "-DskipTests=true"} & set(words) else kind


def classify_task(task: str) -> str:
    """Return the kind of check that the name of a task stands for, or "" for none.

    >>> [
    ...     classify_task(name)
    ...     for name in ("test:unit", "testDebugUnitTest", "type-check", "format", "main.o", "install")
    ... ]
    ['test', 'test', 'types', '', 'build', '']
    """
    # Words end at punctuation and where camel case begins a new one.
    parts = [part.casefold() for part in re.split(r"[-_:./]+|(?<=[a-z])(?=[A-Z])", task) if part]
    if {"compile", "classes"} & set(parts):
        return "build"
    if {"type", "check"} <= set(parts):
        return "types"
    for kind, words in _WORDS.items():
        if words & set(parts):
            return kind
    if parts[:1] == ["check"] and set(parts) <= {"check", "all", "ci"}:
        return "test"
    return "build" if _BUILT_FILE.search(task) or (parts and parts[0] in _BUILD_WORDS) else ""


def name_check(runner: str, kind: str) -> str:
    """Return the name of a check in `COMMANDS`: "npm test"; the program alone if building is what it does anyway."""
    return runner if kind == "build" and RUNNERS[runner] else f"{runner} {_SUFFIXES[kind]}"
