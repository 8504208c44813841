"""Discovery: how much of a project a listing of its files shows."""

import re
from collections.abc import Iterable

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


def counted(factors: int | Iterable[str]) -> int:
    """Return how many factors were understood, given as a number or by their names."""
    return factors if isinstance(factors, int) else len(set(factors) & set(FACTORS))
