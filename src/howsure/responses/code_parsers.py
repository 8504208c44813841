"""Say whether code parses, within limits of size, time and memory.

Parsing 4 MB of Python takes 15 s and 2.1 GB, and holds the interpreter's lock all the time. So only small code is
parsed in this process; more is parsed by a child process that limits itself, and that is killed if it takes too long.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from threading import Semaphore
from typing import NamedTuple

from howsure import python_syntax

SMALL = 50_000
"""Characters of code that are parsed in this process, in one call: Python of that size takes 0.1 to 0.2 s."""
MAX_MEMORY = 1_000_000_000
"""Bytes of address space of the child process."""
_MOST_BRACKETS, _MOST_DOTS, _LARGEST_TABLE = 1000, 200, 500_000
"""Limits of TOML and YAML: beyond them, parsers take minutes or run out of stack."""
_CHILD = "from howsure.responses.code_parsers import main; main()"
_CHILDREN = Semaphore(2)
"""Child processes at the same time."""


class Limits(NamedTuple):
    """How much code is parsed."""

    size: int = 400_000
    """Characters."""
    seconds: float = 3.0


RESPONSE = Limits()
"""Of the code blocks of one response, which anybody may have written."""
FILES = Limits(5_000_000, 60.0)
"""Of one file, which the caller has named."""


class _YamlError(Exception):
    pass


def _yaml(content: str) -> None:
    import yaml

    try:
        for _ in yaml.parse(
            content, Loader=yaml.SafeLoader
        ):  # events only: building objects would expand aliases without limit
            pass
    except yaml.YAMLError as error:
        raise _YamlError from error


_PARSERS: dict[str, Callable[[str], object]] = dict.fromkeys(("python", "py", "python3"), python_syntax.parse)
_PARSERS |= {"json": json.loads, "toml": tomllib.loads, "yaml": _yaml, "yml": _yaml}


def all_valid(code: Sequence[tuple[str, str]], limits: Limits = RESPONSE) -> bool | None:
    """Say whether all code parses, given languages and contents.

    Returns None if nothing was parsed: other languages, or code that exceeds the limits.
    """
    code = [(language, content) for language, content in code if language in _PARSERS]
    fast = [content for language, content in code if language == "json"]
    slow = [(language, content) for language, content in code if language != "json"]
    # Reading 5 MB of JSON takes less than 0.1 s.
    checked = [is_valid("json", content) for content in fast] if _size(fast) <= FILES.size else []
    if _size(content for _, content in slow) <= SMALL:
        checked += [is_valid(language, content) for language, content in slow]
    else:
        checked += _in_child(slow, limits)
    known = [valid for valid in checked if valid is not None]
    return all(known) if known else None


def _size(texts: Iterable[str]) -> int:
    return sum(map(len, texts))


def is_valid(language: str, content: str) -> bool | None:
    """Say whether code parses; None if the language is not supported, or a parser would take very long."""
    parse = _PARSERS.get(language)
    if parse is None or (language in ("toml", "yaml", "yml") and _is_costly(content)):
        return None
    try:
        parse(content)
    except (ImportError, SystemError):
        return None
    except MemoryError:  # of small code: its nesting is too deep
        return False if len(content) <= SMALL else None
    except (SyntaxError, ValueError, RecursionError, _YamlError):
        return False
    return True


def _is_costly(content: str) -> bool:
    """Say whether a parser might take very long: deep brackets, endless dotted keys, or a very long text."""
    deep = max(content.count("["), content.count("{")) > _MOST_BRACKETS
    return deep or len(content) > _LARGEST_TABLE or any(line.count(".") > _MOST_DOTS for line in content.split("\n"))


def _in_child(code: Sequence[tuple[str, str]], limits: Limits) -> list[bool | None]:
    """Parse code in a child process; what it has not done in time, or within its memory, is None."""
    nothing: list[bool | None] = [None] * len(code)
    if _size(content for _, content in code) > limits.size or not sys.executable:
        return nothing
    if not _CHILDREN.acquire(timeout=limits.seconds):
        return nothing
    try:
        child = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-P", "-c", _CHILD],  # -P: nothing is imported from the folder that it runs in
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            input=json.dumps(code).encode(),
            capture_output=True,
            timeout=limits.seconds,
            check=False,
        )
        told = child.stdout
    except subprocess.TimeoutExpired as error:
        told = error.stdout or b""
    except OSError:
        return nothing
    finally:
        _CHILDREN.release()
    answers = [json.loads(line) for line in told.split() if line in (b"true", b"false", b"null")]
    return [*answers, *nothing[len(answers) :]]


def main() -> None:
    """Read languages and contents as JSON from standard input; write a line for each: true, false or null."""
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    for language, content in json.load(sys.stdin):
        sys.stdout.write(f"{json.dumps(is_valid(language, content))}\n")
        sys.stdout.flush()
