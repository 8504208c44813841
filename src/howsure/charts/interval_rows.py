"""Rows of intervals: one line of words each, and below it a bar from the lower to the upper bound."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from howsure.charts import vega
from howsure.charts.vega import LETTER, Layer
from howsure.formulas.interval import Interval

ROW, _TOP, _BAR, _THICK = 44.0, 14.0, 22.0, 11.0
"""Pixels: a row, its line of words, where its bar begins, and how thick that is."""


class Row(NamedTuple):
    """One interval, and what is said about it."""

    label: str
    interval: Interval
    note: str = ""
    """What else there is to say, shown before the numbers."""
    before: Interval | None = None
    """What it was before, shown as an outline."""
    known: bool = True
    """Whether anything is known; where not, the bar has the colour of that."""


def draw_rows(lines: Sequence[Row], about: str) -> dict[str, Any]:
    """Return the picture of some intervals, one below the other."""
    rows = [_row(place, line) for place, line in enumerate(lines)]
    layers = [_rail(), _bars(), _middles(), *_words()]
    if any(line.before is not None for line in lines):
        layers.insert(2, _outlines())
    return vega.spec(about, ROW * len(lines) + 4, layers, rows)


def _row(place: int, line: Row) -> dict[str, Any]:
    top = place * ROW
    note = f"{line.note} {line.interval}".strip()
    before = {} if line.before is None else {"was_lower": line.before.lower, "was_upper": line.before.upper}
    return {
        "label": vega.label(line.label),
        "note": note,
        "room": round(len(note) * LETTER + 16),
        "lower": line.interval.lower,
        "upper": line.interval.upper,
        "midpoint": line.interval.midpoint,
        "band": vega.band(line.interval.midpoint if line.known else None),
        "words": top + _TOP,
        "top": top + _BAR,
        "bottom": top + _BAR + _THICK,
        "over": top + _BAR - 3,
        "under": top + _BAR + _THICK + 3,
    } | before


_SPAN = {"y": vega.pixels("top"), "y2": {"field": "bottom"}}
_LOWER, _UPPER = vega.confidence("lower", grid=False), {"field": "upper"}


def _rail() -> Layer:
    return {
        "mark": vega.mark("rect", "rail", cornerRadius=3),
        "encoding": {"x": {"value": 0}, "x2": {"value": "width"}, **_SPAN},
    }


def _bars() -> Layer:
    told = vega.tooltip(label="", lower="lower", midpoint="middle", upper="upper")
    return {
        "mark": vega.mark("rect", "bar", cornerRadius=3),
        "encoding": {"x": _LOWER, "x2": _UPPER, **_SPAN, "fill": vega.bands(), "tooltip": told},
    }


def _outlines() -> Layer:
    return {
        "mark": vega.mark("rect", "outline", filled=False, cornerRadius=3, strokeDash=[3, 2]),
        "encoding": {"x": vega.confidence("was_lower", grid=False), "x2": {"field": "was_upper"}, **_SPAN},
    }


def _middles() -> Layer:
    ends = {"y": vega.pixels("over"), "y2": {"field": "under"}}
    return {
        "mark": vega.mark("rule", "middle"),
        "encoding": {"x": vega.confidence("midpoint", grid=False), **ends},
    }


def _words() -> list[Layer]:
    at = {"y": vega.pixels("words")}
    left = vega.text("label", align="left", baseline="alphabetic", limit={"expr": "max(width - datum.room, 40)"})
    right = vega.text("number", align="right", baseline="alphabetic")
    return [
        {"mark": left, "encoding": {"x": {"value": 0}, **at, "text": vega.field("label")}},
        {"mark": right, "encoding": {"x": {"value": "width"}, **at, "text": vega.field("note")}},
    ]
