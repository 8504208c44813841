"""Patterns of namespaces select levels."""

import pytest

from howsure.errors import InputError
from howsure.sure import Sure

NAMESPACES = ["a", "a/b", "a/b/c", "a/b/c/d", "a0", "ab"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", ["a"]),
        ("a/*", ["a", "a/b", "a/b/c", "a/b/c/d"]),
        ("a/*/1", ["a", "a/b"]),
        ("a/b/*/0", ["a/b"]),
        ("*", NAMESPACES),
        ("*/1", ["a", "a0", "ab"]),
        ("b/*", []),
    ],
)
def test_a_namespace_pattern_selects_levels(sure: Sure, pattern: str, expected: list[str]) -> None:
    for namespace in NAMESPACES:
        sure.claims.add(f"in {namespace}", namespace=namespace)
    assert [one.statement for one in sure.claims.find(namespace=pattern, order="statement", ascending=True).claims] == [
        f"in {namespace}" for namespace in expected
    ]


@pytest.mark.parametrize("pattern", ["a/*/x", "a/*b", "a/*/1000"])
def test_an_invalid_namespace_pattern_is_refused(sure: Sure, pattern: str) -> None:
    with pytest.raises(InputError, match="invalid namespace pattern"):
        sure.claims.find(namespace=pattern)
