"""Levels: named ranges of a score."""

from functools import lru_cache
from typing import NamedTuple

from howsure.formulas.ops import above, at_least


class Level(NamedTuple):
    """A named range of scores, from a threshold upwards."""

    name: str
    start: float
    meaning: str
    exclusive: bool = False
    """Whether the start itself belongs to the next lower level."""


@lru_cache(maxsize=64)
def with_starts(levels: tuple[Level, ...], starts: tuple[float, ...]) -> tuple[Level, ...]:
    """Return the levels with other starts; the last level has none."""
    return (*(level._replace(start=start) for level, start in zip(levels, starts, strict=False)), levels[-1])


def level_of(score: float, levels: tuple[Level, ...]) -> Level:
    """Return the level of a score. Levels are listed from the highest down; the last one catches the rest.

    >>> level_of(0.9, (Level("HIGH", 0.9, "sure", exclusive=True), Level("LOW", 0.0, "unsure"))).name
    'LOW'
    """
    for level in levels[:-1]:
        if (above if level.exclusive else at_least)(score, level.start):
            return level
    return levels[-1]
