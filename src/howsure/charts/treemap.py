"""A tree map: documents as tiles of equal area, folder beside folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from howsure.documents.document import Document

_HEAD, _GAP = 18.0, 2.0
_DEEPEST = 12
"""Folders below folders that are drawn; what lies deeper is drawn with them."""
_HEADED = (56.0, 48.0)
"""Width and height from which a folder has room for its name."""


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    def inside(self, top: float, rest: float) -> "Box":
        """Return what is left within a border."""
        width, height = max(self.width - 2 * rest, 0.0), max(self.height - top - rest, 0.0)
        return Box(self.x + rest, self.y + top, width, height)


class Tile(NamedTuple):
    """A part of the map: a document, or several that would be too small to see."""

    box: Box
    path: str
    """The document, or the folder in which the documents lie."""
    name: str
    """What to write on it."""
    documents: tuple[Document, ...]


class Frame(NamedTuple):
    """The part of the map that belongs to a folder."""

    box: Box
    path: str
    name: str
    """What to write above it; nothing, where there is no room."""
    depth: int


@dataclass
class Branch:
    """A folder, with what lies in it."""

    path: str = ""
    name: str = ""
    branches: dict[str, "Branch"] = field(default_factory=dict)
    leaves: list[Document] = field(default_factory=list)
    size: int = 0
    """Documents in it and below it."""

    def all(self) -> Iterator[Document]:
        """Yield every document in it and below it."""
        yield from self.leaves
        for branch in self.branches.values():
            yield from branch.all()


def treemap(documents: Sequence[Document], box: Box, least: float) -> tuple[list[Frame], list[Tile]]:
    """Return where each folder and each document lies.

    Documents have equal areas; those of a folder that would be smaller than the least area share one tile. Scales with
    the number of documents, and draws no more tiles than fit.
    """
    map_ = _Map(box.width * box.height / max(len(documents), 1), least)
    map_.lay(grow(documents), box, 0)
    return map_.frames, map_.tiles


def grow(documents: Sequence[Document]) -> Branch:
    """Return documents as a tree of folders; a folder that holds nothing but another is one with it."""
    root = Branch()
    for one in documents:
        branch = root
        branch.size += 1
        for part in one.path.split("/")[:-1][:_DEEPEST]:
            path = f"{branch.path}/{part}" if branch.path else part
            branch = branch.branches.setdefault(part, Branch(path, part))
            branch.size += 1
        branch.leaves.append(one)
    return _joined(root)


def _joined(branch: Branch) -> Branch:
    while len(branch.branches) == 1 and not branch.leaves:
        (below,) = branch.branches.values()
        below.name = f"{branch.name}/{below.name}" if branch.name else below.name
        branch = below
    branch.branches = {name: _joined(below) for name, below in branch.branches.items()}
    return branch


class _Map:
    """A map that is being laid out."""

    def __init__(self, unit: float, least: float) -> None:
        self.unit, self.least = unit, least
        self.frames: list[Frame] = []
        self.tiles: list[Tile] = []

    def lay(self, branch: Branch, box: Box, depth: int) -> None:
        """Fill a box with a folder."""
        headed = False
        if depth or branch.path:
            headed = box.width >= _HEADED[0] and box.height >= _HEADED[1]
            self.frames.append(Frame(box, branch.path, branch.name if headed else "", depth))
            box = box.inside(_HEAD if headed else _GAP / 2, _GAP / 2)
        large = [below for below in branch.branches.values() if below.size * self.unit >= self.least]
        large.sort(key=lambda below: (-below.size, below.path))
        small = [
            one for below in branch.branches.values() if below.size * self.unit < self.least for one in below.all()
        ]
        loose = [*branch.leaves, *small]
        alone = self.unit >= self.least
        parts: list[tuple[int, Branch | tuple[Document, ...]]] = [(below.size, below) for below in large]
        if loose:
            parts += [(1, (one,)) for one in loose] if alone else [(len(loose), tuple(loose))]
            parts.sort(key=lambda part: -part[0])
        for (_, part), place in zip(parts, squarify([float(size) for size, _ in parts], box), strict=True):
            if isinstance(part, Branch):
                self.lay(part, place, depth + 1)
            else:
                name = part[0].path.rpartition("/")[2] if alone else "" if headed else branch.name
                self.tiles.append(Tile(place, part[0].path if alone else branch.path, name, part))


def squarify(sizes: Sequence[float], box: Box) -> list[Box]:
    """Return a box for each size, the largest first, as near to squares as they come.

    >>> squarify([2.0, 1.0, 1.0], Box(0.0, 0.0, 4.0, 2.0))[0]
    Box(x=0.0, y=0.0, width=2.0, height=2.0)
    """
    total = sum(sizes)
    scale = box.width * box.height / total if total else 0.0
    areas = [size * scale for size in sizes]
    boxes: list[Box] = []
    start = 0
    while start < len(areas):
        side = min(box.width, box.height)
        end, row = start + 1, areas[start]
        while end < len(areas) and _worst(areas[start], areas[end], row + areas[end], side) <= _worst(
            areas[start], areas[end - 1], row, side
        ):
            row += areas[end]
            end += 1
        box = _row(areas[start:end], row, box, boxes)
        start = end
    return boxes


def _worst(largest: float, smallest: float, row: float, side: float) -> float:
    """Return how far from a square the worst box of a row is."""
    if not (side and smallest and row):
        return float("inf")
    return max(side * side * largest / (row * row), row * row / (side * side * smallest))


def _row(areas: Sequence[float], row: float, box: Box, boxes: list[Box]) -> Box:
    """Lay a row along the shorter side of a box, and return what is left of the box."""
    upright = box.width >= box.height
    side = box.height if upright else box.width
    depth = row / side if side else 0.0
    at = box.y if upright else box.x
    for area in areas:
        length = area / depth if depth else 0.0
        boxes.append(Box(box.x, at, depth, length) if upright else Box(at, box.y, length, depth))
        at += length
    if upright:
        return Box(box.x + depth, box.y, max(box.width - depth, 0.0), box.height)
    return Box(box.x, box.y + depth, box.width, max(box.height - depth, 0.0))
