"""Draw documents as a tree map: one tile each, coloured by its score."""

from collections import Counter
from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.treemap import Box, Frame, Tile, layout_treemap
from howsure.charts.vega import LETTER, Layer
from howsure.documents.document import Document, Report, utf8_text
from howsure.documents.labels import SCORE_BANDS
from howsure.wording import pluralize

WIDE, HIGH, LEAST = 720.0, 420.0, 500.0
"""Size of the map in pixels before it is stretched to its container, and the smallest area of a tile."""
_EMPTY = (
    "There are no documents here. "
    "Choose another folder: sure.charts.documents(folder), or howsure plot documents FOLDER."
)


def documents_chart(report: Report) -> Chart:
    """Return the tree map of the report of a scan."""
    title = f"Documents of {vega.label(report.root, 60)} by score"
    if not report.documents:
        return vega.empty_chart("documents", title, _EMPTY)
    frames, tiles = layout_treemap(report.documents, Box(0.0, 0.0, WIDE, HIGH), LEAST)
    about = _about(report)
    layers = [*_frames([_frame(one) for one in frames]), *_tiles([_tile(one) for one in tiles])]
    return Chart("documents", title, about, vega.spec(about, HIGH, layers), [_row(one) for one in report.documents])


def _row(one: Document) -> dict[str, Any]:
    names = ("kind", "score", "milestone", "state", "months", "action")
    return {"path": utf8_text(one.path)} | {name: getattr(one, name) for name in names}


def _about(report: Report) -> str:
    counts = Counter(vega.band(one.score) for one in report.documents)
    listed = "; ".join(f"{band}: {counts[band]:,}" for band in (*SCORE_BANDS, vega.UNKNOWN) if counts[band])
    shares = f" ({listed})" if listed else ""
    mean = "" if report.score is None else f", mean score {report.score:.2f}"
    due = sum(one.action not in {"none", "unknown"} for one in report.documents)
    known = [one for one in report.documents if one.score is not None]
    worst = min(known, key=lambda one: (one.score, one.path), default=None)
    lowest = "" if worst is None else f" The lowest is {vega.label(utf8_text(worst.path), 80)} with {worst.score:.2f}."
    verb = "needs" if due == 1 else "need"
    return f"{pluralize(len(report.documents), 'document')}{mean}{shares}. {due:,} {verb} action.{lowest}"


def _box(box: Box) -> dict[str, float]:
    return {"x": box.x, "y": box.y, "right": box.x + box.width, "bottom": box.y + box.height, "wide": box.width}


def _frame(one: Frame) -> dict[str, Any]:
    return {"label": vega.label(utf8_text(one.name), 60), "depth": one.depth} | _box(one.box)


def _tile(one: Tile) -> dict[str, Any]:
    scores = [document.score for document in one.documents if document.score is not None]
    mean = sum(scores) / len(scores) if scores else None
    box = one.box.inside(0.75, 0.75)
    number = len(one.documents)
    name = one.name or f"{number:,} documents"
    text = f"{utf8_text(one.path)}: {number:,} documents" if number > 1 else utf8_text(one.path)
    return _box(box) | {
        "label": vega.label(utf8_text(name), 60),
        "text": vega.label(text, 200),
        "value": "unknown" if mean is None else f"{mean:.2f}",
        "band": vega.band(mean),
        "high": box.height,
        "needs": round(min(len(name), 6) * LETTER + 8),
    }


def _span() -> dict[str, Any]:
    across = vega.number("x", scale={"domain": [0, WIDE], "nice": False}, axis=None)
    along = vega.number("y", scale={"domain": [HIGH, 0], "nice": False}, axis=None)
    return {"x": across, "x2": {"field": "right"}, "y": along, "y2": {"field": "bottom"}}


def _frames(values: list[dict[str, Any]]) -> list[Layer]:
    span = _span()
    at = {"x": span["x"], "y": span["y"], "text": vega.field("label")}
    words = vega.text("note", align="left", baseline="top", dx=5, dy=3, limit=_limit(10))
    named = [one for one in values if one["label"]]
    return [
        {"data": {"values": values}, "mark": vega.mark("rect", "frame"), "encoding": span},
        {"data": {"values": named}, "mark": words, "encoding": at},
    ]


def _tiles(values: list[dict[str, Any]]) -> list[Layer]:
    span = _span()
    legend: dict[str, Any] = {"title": None, "orient": "bottom", "columns": 3, "symbolType": "square"}
    legend["values"] = [band for band in (*SCORE_BANDS, vega.UNKNOWN) if any(one["band"] == band for one in values)]
    tooltip = vega.tooltip(text="", value="score")
    at = {"x": span["x"], "y": span["y"]}
    name = vega.text("tile", align="left", baseline="top", dx=5, dy=5, limit=_limit(10), opacity=_fits(20))
    score = vega.text("tile", align="left", baseline="top", dx=5, dy=20, opacity=_fits(36))
    data = {"data": {"values": values}}
    fill = vega.bands(legend=legend)
    return [
        data
        | {
            "mark": vega.mark("rect", "tile-area", cornerRadius=2),
            "encoding": span | {"fill": fill, "tooltip": tooltip},
        },
        data | {"mark": name, "encoding": at | {"text": vega.field("label")}},
        data | {"mark": score, "encoding": at | {"text": vega.field("value")}},
    ]


def _limit(border: int) -> dict[str, str]:
    return {"expr": f"max(datum.wide / {WIDE:g} * width - {border}, 1)"}


def _fits(high: int) -> dict[str, str]:
    return {"expr": f"datum.wide / {WIDE:g} * width > datum.needs && datum.high > {high} ? 1 : 0"}
