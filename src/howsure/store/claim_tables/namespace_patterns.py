"""Patterns of namespaces: `a/b`, `a/b/*` (with everything below) or `a/b/*/1` (with one level below)."""

from collections.abc import Callable
from typing import Any, NamedTuple

from howsure.errors import InputError


class _Namespaces(NamedTuple):
    """Which namespaces a pattern means."""

    base: str
    """All must be this one or below it; empty for all."""
    below: bool
    """Whether those below it are meant too."""
    levels: int | None
    """Slashes that they have at most; None for any number."""


def _read_pattern(pattern: str) -> _Namespaces:
    """Read `a/b`, `a/b/*` or `a/b/*/1`."""
    base, star, depth = pattern.partition("/*")
    if pattern == "*" or pattern.startswith("*/"):
        base, star, depth = "", "*", pattern[1:]
    if depth and not (depth.startswith("/") and depth[1:].isdecimal() and len(depth) <= 4):  # noqa: PLR2004
        raise InputError(f"invalid namespace pattern {pattern!r}", field="namespace", hint="a/b, a/b/* or a/b/*/1")
    levels = int(depth[1:]) + (base.count("/") if base else -1) if depth else None
    return _Namespaces(base if star else pattern, bool(star), levels)


def namespace_test(pattern: str) -> Callable[[str], bool]:
    """Return a function that says whether a pattern means a namespace, as the condition in SQL does.

    >>> [namespace_test(pattern)("a/b/c") for pattern in ("a/b/c", "a/*", "a/*/1", "*", "b")]
    [True, True, False, True, False]
    """
    base, below, levels = _read_pattern(pattern)
    if not below:
        return base.__eq__

    def test(namespace: str) -> bool:
        inside = not base or namespace == base or namespace.startswith(base + "/")
        return inside and (levels is None or namespace.count("/") <= levels)

    return test


def namespace_condition(pattern: str, parameters: dict[str, Any]) -> str:
    """Return the condition for `a/b`, `a/b/*` or `a/b/*/1`; add its values to `parameters`."""
    base, below, levels = _read_pattern(pattern)
    if not below:
        parameters["namespace"] = pattern
        return "c.namespace = :namespace"
    inside = "1 = 1"
    if base:
        parameters |= {"namespace": base, "below": base + "/", "beyond": base + "0"}  # "0" follows "/" in ASCII
        inside = "(c.namespace = :namespace OR (c.namespace >= :below AND c.namespace < :beyond))"
    if levels is None:
        return inside
    slashes = "LENGTH(c.namespace) - LENGTH(REPLACE(c.namespace, '/', ''))"
    parameters["levels"] = levels
    return f"({inside} AND {slashes} <= :levels)"
