"""Lay out a graph with one node per row, and curves between the nodes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

GUTTER, INDENT, ROW = 84.0, 18.0, 46.0
"""Pixels: room for curves on the left, indent per level, and height of a row."""
_POINTS = 14
"""Points of a curve."""
_PORT = 6.5
"""Pixels between the points of a node at which curves of different groups end."""
_NARROW, _PER_ROW, _EDGE = 16.0, 9.0, 4.0


class Place(NamedTuple):
    """A position in pixels from the upper left corner."""

    x: float
    y: float


class Link(NamedTuple):
    """A directed line between two nodes."""

    source: str
    target: str
    group: int = 0
    """Nodes linked to the central one by group 0 lie above it, the others below, group by group."""


def layout(first: str, nodes: Iterable[str], links: Sequence[Link]) -> dict[str, Place]:
    """Return the place of each node: one per row, so that there is room for text beside it.

    Neighbours of a node are next to it and indented one level more; unconnected nodes come last.

    >>> layout("a", ["a", "b", "c"], [Link("b", "a"), Link("c", "a", 1)])["a"]
    Place(x=84.0, y=69.0)
    """
    known = dict.fromkeys([first, *nodes])
    near: dict[str, dict[str, int]] = {name: {} for name in known}
    for link in links:
        if link.source in known and link.target in known and link.source != link.target:
            near[link.source].setdefault(link.target, link.group)
            near[link.target].setdefault(link.source, link.group)
    children, depths = _tree(first, near)
    above = [name for name in children[first] if near[first][name] == 0]
    below = sorted((name for name in children[first] if name not in above), key=lambda name: near[first][name])
    lost = [name for name in known if name not in depths]
    order = [*_walk(above, children), first, *_walk(below, children), *lost]
    return {name: Place(GUTTER + INDENT * depths.get(name, 1), ROW * (row + 0.5)) for row, name in enumerate(order)}


def _tree(first: str, near: Mapping[str, Mapping[str, int]]) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Return the breadth-first tree: the children of each node, and its distance from the first."""
    children: dict[str, list[str]] = {name: [] for name in near}
    depths = {first: 0}
    waiting = [first]
    for name in waiting:
        for other in near[name]:
            if other not in depths:
                depths[other] = depths[name] + 1
                children[name].append(other)
                waiting.append(other)
    return children, depths


def _walk(names: Iterable[str], children: Mapping[str, Sequence[str]]) -> list[str]:
    """Return nodes depth first: each followed by its descendants."""
    order: list[str] = []
    waiting = list(reversed(list(names)))
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting.extend(reversed(children[name]))
    return order


def curves(places: Mapping[str, Place], links: Sequence[Link], radius: float) -> list[list[Place]]:
    """Return the points of the curve of each link, which leaves and reaches nodes on their left.

    Curves of the same group end at the same point of a node.
    """
    ports = _ports(links)
    drawn: dict[tuple[str, str, int], int] = {}
    points = []
    for link in links:
        start, end = (
            Place(places[name].x - radius, places[name].y + ports[name, link.group])
            for name in (link.source, link.target)
        )
        pair = (min(link[:2]), max(link[:2]), link.group)
        drawn[pair] = again = drawn.get(pair, -1) + 1
        bow = _NARROW + _PER_ROW * (abs(start.y - end.y) / ROW + again)
        beyond = max(min(start.x, end.x) - bow, _EDGE)
        points.append([_on_curve(start, end, beyond, step / (_POINTS - 1)) for step in range(_POINTS)])
    return points


def _ports(links: Sequence[Link]) -> dict[tuple[str, int], float]:
    """Return how far above or below the middle of a node the curves of each group end."""
    groups: dict[str, set[int]] = {}
    for link in links:
        for name in (link.source, link.target):
            groups.setdefault(name, set()).add(link.group)
    return {
        (name, group): _PORT * (place - (len(own) - 1) / 2)
        for name, own in groups.items()
        for place, group in enumerate(sorted(own))
    }


def _on_curve(start: Place, end: Place, beyond: float, share: float) -> Place:
    """Return a point of a cubic Bezier curve whose control points lie to the left of its ends."""
    left = 1.0 - share
    a, b, c, d = left**3, 3 * left * left * share, 3 * left * share * share, share**3
    x = a * start.x + (b + c) * beyond + d * end.x
    y = (a + b) * start.y + (c + d) * end.y
    return Place(round(x, 2), round(y, 2))
