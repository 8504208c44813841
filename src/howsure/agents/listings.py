"""Discovery: how much of a project a listing of its files shows."""

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
"""What there is to know about a project, and by what one sees it in a listing."""


def factors_in(listing: str) -> list[str]:
    r"""Return which factors a listing shows.

    >>> factors_in("README.md\npyproject.toml\nsrc/\ntests/\n")
    ['build system', 'source layout', 'tests', 'documentation']
    """
    return [name for name, pattern in FACTORS.items() if pattern.search(listing)]


def listing(value: Any) -> str:
    """Return every name in what a tool returned, one to a line.

    >>> factors_in(listing({"entries": [{"name": "src", "type": "folder"}, {"name": "go.mod"}]}))
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


def counted(factors: Any) -> int:
    """Return how many factors were understood, given as a number or by their names.

    >>> counted(["build_system", "tests", "tests"]), counted(3)
    (2, 3)
    """
    if isinstance(factors, list | tuple | set | frozenset):
        return len({_factor(name) for name in factors})
    number: int = decode_as(Annotated[int, Within(0, len(FACTORS))], factors, "factors")
    return number


def _factor(name: Any) -> str:
    plain = re.sub(r"[_-]", " ", name).casefold().strip() if isinstance(name, str) else ""
    if plain not in FACTORS:
        hint = nearest(plain, FACTORS) if plain else f"there are: {', '.join(FACTORS)}"
        raise InputError(f"{shown(name)} is no factor", field="factors", hint=hint)
    return plain
