"""Recognise in a listing of files what it shows about a project: build system, layout, tests, documentation."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from howsure.errors import InputError, nearest, shown
from howsure.shapes import Within, decode_as

_DEEPEST = 6
FACTORS = {
    "build system": re.compile(
        r"(^|[\s/])(pyproject\.toml|setup\.(py|cfg)|package\.json|Cargo\.toml|go\.mod|CMakeLists\.txt|[Mm]akefile|"
        r"pom\.xml|build\.gradle(\.kts)?|meson\.build|Gemfile|composer\.json|BUILD(\.bazel)?|[\w.-]+\.csproj)(?=[\s:,]|$)",
        re.MULTILINE,
    ),
    "source layout": re.compile(
        r"(^|[\s/])((src|lib|app|pkg|cmd|internal|source)/?(?=[\s/]|$)|[\w-]+\.(py|[jt]sx?|go|rs|java|kt|c|cc|cpp|h|rb|cs)\b)",
        re.MULTILINE,
    ),
    "tests": re.compile(
        r"(^|[\s/])(tests?|specs?|__tests__)/?(?=[\s/]|$)|(^|[\s/])test_\w+|\w+(_test|\.test|\.spec)\.\w+", re.MULTILINE
    ),
    "documentation": re.compile(r"(^|[\s/])(README|docs?/?(?=[\s/]|$)|CONTRIBUTING|CHANGELOG)", re.MULTILINE),
}
"""Facts about a project, and the names in a listing that show each."""


def find_factors(listing: str) -> list[str]:
    r"""Return which factors a listing shows.

    >>> find_factors("README.md\npyproject.toml\nsrc/\ntests/\n")
    ['build system', 'source layout', 'tests', 'documentation']
    """
    return [name for name, pattern in FACTORS.items() if pattern.search(listing)]


def collect_names(value: Any) -> str:
    """Return every text in what a tool returned, one per line.

    >>> find_factors(collect_names({"entries": [{"name": "src", "type": "folder"}, {"name": "go.mod"}]}))
    ['build system', 'source layout']
    """
    return "\n".join(_names(value))


def _names(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list) and depth < _DEEPEST:
        for part in value:
            yield from _names(part, depth + 1)
            if isinstance(value, Mapping):
                yield from _names(value[part], depth + 1)


def count_factors(factors: Any) -> int:
    """Return how many factors were understood, from a number or a list of names.

    Raises:
        InputError: if a name is unknown or the number is out of range.

    >>> count_factors(["build_system", "tests", "tests"]), count_factors(3)
    (2, 3)
    """
    if isinstance(factors, list | tuple | set | frozenset):
        return len({_find_factor(name) for name in factors})
    number: int = decode_as(Annotated[int, Within(0, len(FACTORS))], factors, "factors")
    return number


def _find_factor(name: Any) -> str:
    plain = re.sub(r"[_-]", " ", name).casefold().strip() if isinstance(name, str) else ""
    if plain not in FACTORS:
        hint = nearest(plain, FACTORS) if plain else f"one of: {', '.join(FACTORS)}"
        raise InputError(f"unknown factor {shown(name)}", field="factors", hint=hint)
    return plain
