"""Draw rows of intervals: a line of text each, and below it a bar from the lower to the upper bound."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from howsure.charts import vega
from howsure.charts.vega import LETTER, Layer
from howsure.formulas.interval import Interval

ROW, _TOP, _BAR, _THICK = 44.0, 14.0, 22.0, 11.0
"""Pixels: height of a row, baseline of its text, top and height of its bar."""


class Row(NamedTuple):
    """One interval with its label."""

    label: str
    interval: Interval
    note: str = ""
    """Shown before the numbers."""
    before: Interval | None = None
    """The interval of the step before, drawn as an outline."""
    known: bool = True
    """False for a claim without sources, whose bar has the colour of unknown."""
    estimate: float | None = None
    """The number that the tick marks and the colour shows; default: the middle of the interval."""


def draw_rows(rows: Sequence[Row], about: str) -> dict[str, Any]:
    """Return the Vega-Lite specification of intervals, one below the other.

    >>> drawn = draw_rows([Row("The sky is blue", Interval(0.5, 0.8))], "One claim")
    >>> drawn["data"]["values"][0]["note"], drawn["height"]
    ('[0.50, 0.80]', 48)
    """
    values = [_values(place, row) for place, row in enumerate(rows)]
    layers = [_rail(), _bars(), _middles(), *_words()]
    if any(row.before is not None for row in rows):
        layers.insert(2, _outlines())
    return vega.spec(about, ROW * len(rows) + 4, layers, values)


def _values(place: int, row: Row) -> dict[str, Any]:
    top = place * ROW
    middle = row.interval.midpoint if row.estimate is None else row.estimate
    note = f"{row.note} {row.interval}".strip()
    before = {} if row.before is None else {"was_lower": row.before.lower, "was_upper": row.before.upper}
    return {
        "label": vega.label(row.label),
        "note": note,
        "room": round(len(note) * LETTER + 16),
        "lower": row.interval.lower,
        "upper": row.interval.upper,
        "midpoint": middle,
        "band": vega.band(middle if row.known else None),
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
    tooltip = vega.tooltip(label="", lower="lower", midpoint="middle", upper="upper")
    return {
        "mark": vega.mark("rect", "bar", cornerRadius=3),
        "encoding": {"x": _LOWER, "x2": _UPPER, **_SPAN, "fill": vega.bands(), "tooltip": tooltip},
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
