"""A drawing: the tree map of a scan as SVG, coloured by score or by age, with marks for what is due."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from html import escape

from howsure.charts.treemap import Box, Frame, Tile, treemap
from howsure.documents import labels as wording
from howsure.documents.bands import age_band, score_band
from howsure.documents.document import Document
from howsure.wording import escape_invisible, pluralize, single_line

_OLDEST = ("a4", "a3", "a2", "a1", "a0")
_LETTER = 6.8
"""How wide a letter is, about."""


def drawing(documents: Sequence[Document], name: str, size: tuple[int, int], least: float, today: date) -> str:
    """Return the map of some documents. The name tells one map of a page from another."""
    frames, tiles = treemap(documents, Box(0.0, 0.0, float(size[0]), float(size[1])), least)
    parts = [*(_frame(one) for one in frames), *(_tile(one, name, today) for one in tiles)]
    return (
        f'<svg class="map {name}" viewBox="0 0 {size[0]} {size[1]}" role="group" aria-label="Map of the documents" '
        f'aria-describedby="map-help">{hatch(name)}{"".join(parts)}</svg>'
    )


def hatch(name: str) -> str:
    """Return the pattern of stripes; each picture has its own, since one that is hidden lends none."""
    return (
        f'<defs><pattern id="hatch-{name}" width="7" height="7" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect class="stripe" width="2" height="7"/></pattern></defs>'
    )


def merged(documents: Sequence[Document], size: tuple[int, int], least: float) -> bool:
    """Say whether documents share tiles in a map of that size."""
    return size[0] * size[1] < least * len(documents)


def _frame(frame: Frame) -> str:
    x, y, width, height = frame.box
    drawn = f'<rect class="frame d{min(frame.depth, 3)}" {_place(frame.box)}/>'
    if frame.name and width > 0.0 and height > 0.0:
        label = _fitting(frame.name, width - 12.0)
        drawn += f'<text class="folder" x="{x + 6:.1f}" y="{y + 13:.1f}">{escape(label)}</text>' if label else ""
    return drawn


def _tile(tile: Tile, name: str, today: date) -> str:
    scores = [one.score for one in tile.documents if one.score is not None]
    ages = [one.months for one in tile.documents if one.months is not None]
    score = sum(scores) / len(scores) if scores else None
    months = sum(ages) / len(ages) if ages else None
    action = _action(tile.documents)
    box = tile.box.inside(0.75, 0.75)
    several = len(tile.documents) > 1
    label = tile.name or pluralize(len(tile.documents), "document")
    values = (wording.score(score), wording.age(months))
    return (
        f'<g class="tile{" several" if several else ""} {score_band(score)} {age_band(months)}">'
        f"<title>{escape(_told(tile, today))}</title>"
        f'<rect class="area" {_place(box)} rx="2"/>{_shares(tile.documents, box) if several else ""}'
        f"{_mark(action, box, name)}{_label(box, label, values, marked=action not in ('none', 'unknown'))}</g>"
    )


def _shares(documents: Sequence[Document], box: Box) -> str:
    """Return how the documents of a tile are spread over the bands, the worst first."""
    scores = Counter(score_band(one.score) for one in documents)
    ages = Counter(age_band(one.months) for one in documents)
    bands = (("by-score", scores, ("su", "s0", "s1", "s2", "s3", "s4")), ("by-age", ages, ("au", *_OLDEST)))
    drawn = []
    for mode, counts, order in bands:
        at = box.x
        for band in order:
            width = box.width * counts[band] / len(documents)
            if width:
                drawn.append(f'<rect class="{mode} {band}" {_place(Box(at, box.y, width, box.height))}/>')
            at += width
    return "".join(drawn)


def _told(tile: Tile, today: date) -> str:
    """Return what is known of a tile: what it stands for in the first line, the rest in the others."""
    if len(tile.documents) == 1:
        one = tile.documents[0]
        age = "age unknown" if one.months is None else f"{wording.age(one.months)} old"
        due = "" if one.action == "unknown" else f", {wording.due(one, today)}"
        stage = single_line(f"{one.milestone} {one.state}")
        return f"{escape_invisible(one.path)}\nScore {wording.score(one.score)}, {stage}\n{age}{due}"
    scores = [one.score for one in tile.documents if one.score is not None]
    mean = wording.score(sum(scores) / len(scores) if scores else None)
    number = sum(one.action not in {"none", "unknown"} for one in tile.documents)
    many = pluralize(len(tile.documents), "document")
    return f"{escape_invisible(tile.path) or '.'}\n{many}, mean score {mean}\nSomething is due for {number:,} of them"


def _action(documents: Sequence[Document]) -> str:
    """Return what is due for at least half of the documents."""
    action, number = Counter(one.action for one in documents).most_common(1)[0]
    return action if 2 * number >= len(documents) else "none"


def _mark(action: str, box: Box, name: str) -> str:
    x, y, width, height = box
    side = min(width, height)
    corner = min(11.0, side * 0.5)
    if action == "refresh_or_remove":
        return f'<rect fill="url(#hatch-{name})" {_place(box)}/>'
    if action == "human_validation":
        edge = min(2.0, side * 0.1)
        start = f"{x + width - edge:.1f} {y + edge:.1f}"
        return f'<path class="mark" d="M{start}v{corner:.1f}l{-corner:.1f} {-corner:.1f}z"/>'
    if action == "review":
        radius = min(3.5, side * 0.2)
        return f'<circle class="mark" cx="{x + width - radius - 3:.1f}" cy="{y + radius + 3:.1f}" r="{radius:.1f}"/>'
    if action == "unknown" and side > 6.0:  # noqa: PLR2004 - a smaller one has no room for a line
        return f'<rect class="unknown" {_place(box.inside(2.0, 2.0))} rx="1"/>'
    return ""


def _label(box: Box, name: str, values: tuple[str, str], *, marked: bool) -> str:
    x, y, width, height = box
    if width < 44.0 or height < 20.0:  # noqa: PLR2004 - no room for words
        return ""
    label = _fitting(name, width - (20.0 if marked else 8.0))
    drawn = f'<text class="name" x="{x + 5:.1f}" y="{y + 14:.1f}">{escape(label)}</text>' if label else ""
    if height >= 36.0:  # noqa: PLR2004 - room for a second line
        at = f'x="{x + 5:.1f}" y="{y + 28:.1f}"'
        fits = [value if len(value) * _LETTER <= width - 8.0 else "" for value in values]
        drawn += f'<text class="by-score" {at}>{fits[0]}</text><text class="by-age" {at}>{fits[1]}</text>'
    return drawn


def _fitting(name: str, width: float) -> str:
    """Return as much of a name as has room; nothing, where that would tell nothing."""
    text = escape_invisible(name)
    wide = sum(2 if ord(letter) >= 0x1100 else 1 for letter in text)  # noqa: PLR2004 - most letters from there on are wide
    most = int(width / _LETTER * len(text) / max(wide, 1))
    return text if len(text) <= most else f"{text[: most - 1]}…" if most >= 4 else ""  # noqa: PLR2004


def _place(box: Box) -> str:
    return f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
