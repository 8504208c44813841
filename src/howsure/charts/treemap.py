"""Draw tree maps of documents: tiles of equal area, folder beside folder."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from typing import NamedTuple

from howsure.charts.theme import css_variables
from howsure.documents import labels
from howsure.documents.document import Document, Report
from howsure.documents.labels import age_band, score_band
from howsure.documents.report.html import Drawings
from howsure.wording import escape_invisible, pluralize, single_line

_WIDE, _NARROW, _MAX_HEIGHT = 1040, 420, 560
"""Widths of the maps in a report, and their largest height."""
_LEAST_TILE = 150.0
"""Least area of a tile in a report."""
_HEAD, _GAP = 18.0, 2.0
_MAX_DEPTH = 12
"""Levels of folders that are drawn; deeper ones are drawn as part of the last level."""
_HEADED = (56.0, 48.0)
"""Least width and height of a folder with a name."""
_OLDEST = ("a4", "a3", "a2", "a1", "a0")
_LETTER = 6.8
"""Approximate width of a letter in pixels."""


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    def inside(self, top: float, rest: float) -> "Box":
        """Return the rectangle inside a border."""
        width, height = max(self.width - 2 * rest, 0.0), max(self.height - top - rest, 0.0)
        return Box(self.x + rest, self.y + top, width, height)


class Tile(NamedTuple):
    """A tile of the map: one document, or several that would be too small to see."""

    box: Box
    path: str
    """Path of the document, or of the folder of the documents."""
    name: str
    """Label; empty if the frame around it has the same."""
    documents: tuple[Document, ...]


class Frame(NamedTuple):
    """The rectangle of a folder."""

    box: Box
    path: str
    name: str
    """Label; empty if there is no room."""
    depth: int


@dataclass
class Branch:
    """A folder with its folders and documents."""

    path: str = ""
    name: str = ""
    branches: dict[str, "Branch"] = field(default_factory=dict)
    leaves: list[Document] = field(default_factory=list)
    size: int = 0
    """Number of documents in it and below it."""

    def all(self) -> Iterator[Document]:
        """Yield every document in it and below it."""
        yield from self.leaves
        for branch in self.branches.values():
            yield from branch.all()


def layout_treemap(documents: Sequence[Document], box: Box, least: float) -> tuple[list[Frame], list[Tile]]:
    """Lay out documents in a box; return the frames of folders and the tiles of documents.

    Documents have equal areas; if that would be smaller than `least`, the documents of a folder share one tile. It
    takes linear time, and the number of tiles is limited by the area.
    """
    layout = _Layout(box.width * box.height / max(len(documents), 1), least)
    layout.place(build_tree(documents), box, 0)
    return layout.frames, layout.tiles


def build_tree(documents: Sequence[Document]) -> Branch:
    """Return documents as a tree of folders; a folder that holds only another folder is joined with it."""
    root = Branch()
    for one in documents:
        branch = root
        branch.size += 1
        for part in one.path.split("/")[:-1][:_MAX_DEPTH]:
            path = f"{branch.path}/{part}" if branch.path else part
            branch = branch.branches.setdefault(part, Branch(path, part))
            branch.size += 1
        branch.leaves.append(one)
    return _join_single_folders(root)


def _join_single_folders(branch: Branch) -> Branch:
    while len(branch.branches) == 1 and not branch.leaves:
        (below,) = branch.branches.values()
        below.name = f"{branch.name}/{below.name}" if branch.name else below.name
        branch = below
    branch.branches = {name: _join_single_folders(below) for name, below in branch.branches.items()}
    return branch


class _Layout:
    """Collects frames and tiles while folders are laid out."""

    def __init__(self, unit: float, least: float) -> None:
        self.unit, self.least = unit, least
        self.frames: list[Frame] = []
        self.tiles: list[Tile] = []

    def place(self, branch: Branch, box: Box, depth: int) -> None:
        """Fill a box with the content of a folder."""
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
        for (_, part), rectangle in zip(parts, squarify([float(size) for size, _ in parts], box), strict=True):
            if isinstance(part, Branch):
                self.place(part, rectangle, depth + 1)
            else:
                name = part[0].path.rpartition("/")[2] if alone else "" if headed else branch.name
                self.tiles.append(Tile(rectangle, part[0].path if alone else branch.path, name, part))


def squarify(sizes: Sequence[float], box: Box) -> list[Box]:
    """Divide a box by sizes (the largest first) into rectangles that are as square as possible.

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
        while end < len(areas) and _worst_ratio(areas[start], areas[end], row + areas[end], side) <= _worst_ratio(
            areas[start], areas[end - 1], row, side
        ):
            row += areas[end]
            end += 1
        box = _row(areas[start:end], row, box, boxes)
        start = end
    return boxes


def _worst_ratio(largest: float, smallest: float, row: float, side: float) -> float:
    """Return the worst aspect ratio of the boxes in a row."""
    if not (side and smallest and row):
        return float("inf")
    return max(side * side * largest / (row * row), row * row / (side * side * smallest))


def _row(areas: Sequence[float], row: float, box: Box, boxes: list[Box]) -> Box:
    """Lay a row along the shorter side of a box, and return the rest of the box."""
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


def draw_report(report: Report) -> Drawings:
    """Draw the pictures of an HTML report."""
    documents, count = report.documents, len(report.documents)
    wide, narrow = (_WIDE, min(160 + 12 * count, _MAX_HEIGHT)), (_NARROW, min(200 + 16 * count, _MAX_HEIGHT))
    maps = "".join(
        _draw_map(documents, name, size, _LEAST_TILE, report.day) for name, size in (("wide", wide), ("narrow", narrow))
    )
    merged = wide[0] * wide[1] < _LEAST_TILE * count
    scores = [one.score for one in documents if one.score is not None]
    return Drawings(maps, draw_histogram(scores), merged, css_variables())


def draw_histogram(scores: Sequence[float], bins: int = 20) -> str:
    """Draw how many scores fall into each of some equal parts of 0 to 1, as SVG."""
    counts = [0] * bins
    for score in scores:
        counts[max(0, min(int(score * bins + 1e-9), bins - 1))] += 1
    highest = max(*counts, 1)
    columns = []
    for index, count in enumerate(counts):
        height = 0.0 if not count else max(count / highest * 84.0, 2.0)
        low, high = index / bins, (index + 1) / bins
        words = f"{low:.2f} to {high:.2f}: {pluralize(count, 'document')}"
        columns.append(
            f'<g><title>{words}</title><rect class="hit" x="{index * 16}" width="16" height="88"/>'
            f'<rect class="{score_band(low + 0.5 / bins)}" x="{index * 16 + 1}" y="{86 - height:.1f}" width="14" '
            f'height="{height:.1f}" rx="2"/></g>'
        )
    return (
        f'<svg class="histogram" viewBox="0 0 {bins * 16} 104" role="img" aria-label="How many documents have which '
        f'score">{"".join(columns)}<path class="axis" d="M0 87.5H{bins * 16}"/><text x="0" y="101">0</text>'
        f'<text x="{bins * 8}" y="101" text-anchor="middle">0.5</text>'
        f'<text x="{bins * 16}" y="101" text-anchor="end">1</text></svg>'
    )


def _draw_map(documents: Sequence[Document], name: str, size: tuple[int, int], least: float, today: date) -> str:
    """Draw the map of documents; `name` distinguishes the maps of one page."""
    frames, tiles = layout_treemap(documents, Box(0.0, 0.0, float(size[0]), float(size[1])), least)
    parts = [*(_draw_frame(one) for one in frames), *(_draw_tile(one, name, today) for one in tiles)]
    return (
        f'<svg class="map {name}" viewBox="0 0 {size[0]} {size[1]}" role="group" aria-label="Map of the documents" '
        f'aria-describedby="map-help">{_hatch(name)}{"".join(parts)}</svg>'
    )


def _hatch(name: str) -> str:
    """Return the pattern of stripes; each picture has its own, since a hidden one cannot be referred to."""
    return (
        f'<defs><pattern id="hatch-{name}" width="7" height="7" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="stripe" width="2" height="7"/></pattern></defs>'
    )


def _draw_frame(frame: Frame) -> str:
    x, y, width, height = frame.box
    drawn = f'<rect class="frame d{min(frame.depth, 3)}" {_attributes(frame.box)}/>'
    if frame.name and width > 0.0 and height > 0.0:
        label = _fit(frame.name, width - 12.0)
        drawn += f'<text class="folder" x="{x + 6:.1f}" y="{y + 13:.1f}">{escape(label)}</text>' if label else ""
    return drawn


def _draw_tile(tile: Tile, name: str, today: date) -> str:
    scores = [one.score for one in tile.documents if one.score is not None]
    ages = [one.months for one in tile.documents if one.months is not None]
    score = sum(scores) / len(scores) if scores else None
    months = sum(ages) / len(ages) if ages else None
    action = _common_action(tile.documents)
    box = tile.box.inside(0.75, 0.75)
    several = len(tile.documents) > 1
    label = tile.name or pluralize(len(tile.documents), "document")
    values = (labels.format_score(score), labels.format_age(months))
    marked = action not in ("none", "unknown")
    return (
        f'<g class="tile{" several" if several else ""} {score_band(score)} {age_band(months)}">'
        f"<title>{escape(_tooltip(tile, today))}</title>"
        f'<rect class="area" {_attributes(box)} rx="2"/>{_draw_shares(tile.documents, box) if several else ""}'
        f"{_draw_mark(action, box, name)}{_draw_label(box, label, values, marked=marked)}</g>"
    )


def _draw_shares(documents: Sequence[Document], box: Box) -> str:
    """Draw the share of each band in a tile, the worst first."""
    scores = Counter(score_band(one.score) for one in documents)
    ages = Counter(age_band(one.months) for one in documents)
    bands = (("by-score", scores, ("su", "s0", "s1", "s2", "s3", "s4")), ("by-age", ages, ("au", *_OLDEST)))
    drawn = []
    for mode, counts, order in bands:
        at = box.x
        for band in order:
            width = box.width * counts[band] / len(documents)
            if width:
                drawn.append(f'<rect class="{mode} {band}" {_attributes(Box(at, box.y, width, box.height))}/>')
            at += width
    return "".join(drawn)


def _tooltip(tile: Tile, today: date) -> str:
    """Return the tooltip of a tile: what it stands for on the first line, then score and age."""
    if len(tile.documents) == 1:
        one = tile.documents[0]
        age = "age unknown" if one.months is None else f"{labels.format_age(one.months)} old"
        due = "" if one.action == "unknown" else f", {labels.format_due(one, today)}"
        stage = single_line(f"{one.milestone} {one.state}")
        return f"{escape_invisible(one.path)}\nScore {labels.format_score(one.score)}, {stage}\n{age}{due}"
    scores = [one.score for one in tile.documents if one.score is not None]
    mean = labels.format_score(sum(scores) / len(scores) if scores else None)
    number = sum(one.action not in {"none", "unknown"} for one in tile.documents)
    many = pluralize(len(tile.documents), "document")
    return f"{escape_invisible(tile.path) or '.'}\n{many}, mean score {mean}\nSomething is due for {number:,} of them"


def _common_action(documents: Sequence[Document]) -> str:
    """Return the action that is due for at least half of the documents, or `none`."""
    action, number = Counter(one.action for one in documents).most_common(1)[0]
    return action if 2 * number >= len(documents) else "none"


def _draw_mark(action: str, box: Box, name: str) -> str:
    x, y, width, height = box
    side = min(width, height)
    corner = min(11.0, side * 0.5)
    if action == "refresh_or_remove":
        return f'<rect fill="url(#hatch-{name})" {_attributes(box)}/>'
    if action == "human_validation":
        edge = min(2.0, side * 0.1)
        start = f"{x + width - edge:.1f} {y + edge:.1f}"
        return f'<path class="mark" d="M{start}v{corner:.1f}l{-corner:.1f} {-corner:.1f}z"/>'
    if action == "review":
        radius = min(3.5, side * 0.2)
        return f'<circle class="mark" cx="{x + width - radius - 3:.1f}" cy="{y + radius + 3:.1f}" r="{radius:.1f}"/>'
    if action == "unknown" and side > 6.0:  # noqa: PLR2004 - a smaller one has no room for a line
        return f'<rect class="unknown" {_attributes(box.inside(2.0, 2.0))} rx="1"/>'
    return ""


def _draw_label(box: Box, name: str, values: tuple[str, str], *, marked: bool) -> str:
    x, y, width, height = box
    if width < 44.0 or height < 20.0:  # noqa: PLR2004 - no room for words
        return ""
    label = _fit(name, width - (20.0 if marked else 8.0))
    drawn = f'<text class="name" x="{x + 5:.1f}" y="{y + 14:.1f}">{escape(label)}</text>' if label else ""
    if height >= 36.0:  # noqa: PLR2004 - room for a second line
        at = f'x="{x + 5:.1f}" y="{y + 28:.1f}"'
        fits = [value if len(value) * _LETTER <= width - 8.0 else "" for value in values]
        drawn += f'<text class="by-score" {at}>{fits[0]}</text><text class="by-age" {at}>{fits[1]}</text>'
    return drawn


def _fit(name: str, width: float) -> str:
    """Return as much of a name as fits; empty if that would be less than four characters."""
    text = escape_invisible(name)
    wide = sum(2 if ord(letter) >= 0x1100 else 1 for letter in text)  # noqa: PLR2004 - most characters from there on are wide
    most = int(width / _LETTER * len(text) / max(wide, 1))
    return text if len(text) <= most else f"{text[: most - 1]}…" if most >= 4 else ""  # noqa: PLR2004


def _attributes(box: Box) -> str:
    return f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
