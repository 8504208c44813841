"""Learn by how much an agent does better than its type, and its type than all (offsets of groups).

An offset is added to the log-odds. It is drawn to that of the broader group as if 1 / precision were its variance, so a
group with few outcomes is judged nearly like its type, and one with many by its own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from howsure.arrays import np
from howsure.formulas.learned import LIMIT, GroupOffset
from howsure.learn.calibration import sigmoid
from howsure.learn.frames import number_groups

if TYPE_CHECKING:
    from howsure.arrays import Floats

PRECISION = 4.0
"""How strongly a group is drawn to the broader one: as strongly as 16 outcomes at a probability of one half."""
_ROUNDS = 30

Path = tuple[str, ...]
"""Names of a group, from the broad one to the narrow one."""


def fit_offsets(
    probabilities: "Floats", outcomes: "Floats", paths: Sequence[Path], precision: float = PRECISION
) -> tuple[GroupOffset, ...]:
    """Return the offset of every group and subgroup, the broad ones first.

    Args:
        probabilities: What all groups together say, after calibration.
        outcomes: 1 right, 0 wrong.
        paths: The group of each outcome, from the broad name to the narrow one.
        precision: How strongly a group is drawn to the broader one.

    >>> found = fit_offsets(np.full(40, 0.5), np.ones(40), [("a",)] * 40)
    >>> found[0].path, round(found[0].offset, 2)
    (('a',), 1.63)
    """
    inside = np.clip(probabilities, 1e-6, 1.0 - 1e-6)
    logits = np.log(inside / (1.0 - inside))
    found: list[GroupOffset] = []
    total: dict[Path, float] = {}
    for depth in range(1, max(map(len, paths), default=0) + 1):
        rows = [row for row, path in enumerate(paths) if len(path) >= depth]
        prefixes = [paths[row][:depth] for row in rows]
        numbers, count = number_groups(prefixes)
        own, spread = _solve(logits[rows], outcomes[rows], np.asarray(numbers), count, precision)
        for path, place in sorted(dict(zip(prefixes, numbers, strict=True)).items()):
            total[path] = float(np.clip(total.get(path[:-1], 0.0) + own[place], -LIMIT, LIMIT))
            found.append(GroupOffset(path, total[path], float(spread[place])))
        logits[rows] += own[numbers]
    return tuple(found)


def _solve(
    logits: "Floats", outcomes: "Floats", numbers: Any, count: int, precision: float
) -> tuple["Floats", "Floats"]:
    """Return the offset of each group with the highest posterior, and its standard error, by Newton's method.

    The posterior is convex in each offset; a step is limited to 1, so that it cannot leap over the solution for good.
    """
    own = np.zeros(count)
    for _ in range(_ROUNDS):
        chance = sigmoid(logits + own[numbers])
        gradient = np.bincount(numbers, chance - outcomes, count) + precision * own
        curvature = np.bincount(numbers, chance * (1.0 - chance), count) + precision
        step = np.clip(gradient / curvature, -1.0, 1.0)
        own = own - step
        if np.abs(step).max() < 1e-10:  # noqa: PLR2004
            break
    return own, 1.0 / np.sqrt(curvature)
