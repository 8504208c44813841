"""Pieces of Vega-Lite specifications that charts share."""

import textwrap
from collections.abc import Sequence
from typing import Any

from howsure.charts.chart import Chart
from howsure.documents.labels import SCORE_BANDS, score_band
from howsure.shapes import DAY
from howsure.wording import single_line, utc_time

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
UNKNOWN = "unknown"
LONGEST = 160
"""Characters of a text that are drawn; the rows of the chart hold the whole text."""
LETTER = 6.0
"""Estimated width of a character in pixels."""
_WRAP = 40
_NO_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}")
"""Characters that are not allowed in XML, so not in SVG."""

Layer = dict[str, Any]


def spec(about: str, height: float, layers: Sequence[Layer], rows: Sequence[Any] = (), **more: Any) -> dict[str, Any]:
    """Return a specification of layers, as wide as its container; data shared by layers is stored once."""
    datasets: dict[int, tuple[str, list[Any]]] = {}
    drawn = [_named(layer, datasets) for layer in layers]
    return {
        "$schema": SCHEMA,
        "description": about,
        "width": "container",
        "height": round(height),
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": list(rows)},
        **({"datasets": dict(datasets.values())} if datasets else {}),
        "layer": drawn,
        **more,
    }


def _named(layer: Layer, datasets: dict[int, tuple[str, list[Any]]]) -> Layer:
    """Return a layer that refers to its data by name."""
    if "layer" in layer:
        return layer | {"layer": [_named(one, datasets) for one in layer["layer"]]}
    if "data" not in layer:
        return layer
    values = layer["data"]["values"]
    name, _ = datasets.setdefault(id(values), (f"data{len(datasets) + 1}", values))
    return layer | {"data": {"name": name}}


def empty_chart(name: str, title: str, about: str) -> Chart:
    """Return a chart without data that says what to do."""
    lines = textwrap.wrap(single_line(about), _WRAP)
    mark = text("quiet", align="left", baseline="top", lineBreak="\n")
    layer = {"data": {"values": [{"text": "\n".join(lines)}]}, "mark": mark, "encoding": {"text": field("text")}}
    layer["encoding"] |= {"x": {"value": 0}, "y": {"value": 8}}
    return Chart(name, title, about, spec(about, 24 + 18 * len(lines), [layer]), [])


def field(name: str, **more: Any) -> dict[str, Any]:
    """Return the encoding of a nominal field."""
    return {"field": name, "type": "nominal", **more}


def number(name: str, **more: Any) -> dict[str, Any]:
    """Return the encoding of a quantitative field."""
    return {"field": name, "type": "quantitative", **more}


def pixels(name: str) -> dict[str, Any]:
    """Return the encoding of a field that holds pixels."""
    return {"field": name, "type": "quantitative", "scale": None}


def moment(name: str, **more: Any) -> dict[str, Any]:
    """Return the encoding of a field of moments in milliseconds since 1970, shown in UTC."""
    return {"field": name, "type": "temporal", "scale": {"type": "utc"}, **more}


def calendar(seconds: float) -> dict[str, Any]:
    """Return a time axis with hours, days, months or years, depending on its length."""
    forms = ((3 * DAY, "%b %d, %H:%M"), (150 * DAY, "%b %d"), (1500 * DAY, "%b %Y"))
    form = next((form for most, form in forms if seconds < most), "%Y")
    return {"title": None, "grid": False, "labelOverlap": True, "tickCount": 5, "format": form}


def confidence(name: str, **axis: Any) -> dict[str, Any]:
    """Return the encoding of a field of numbers from 0 to 1."""
    shown = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f", "title": None, **axis}
    return number(name, scale={"domain": [0, 1], "nice": False}, axis=shown)


def text(style: str, **more: Any) -> dict[str, Any]:
    """Return a text mark."""
    return {"type": "text", "style": style, **more}


def mark(kind: str, style: str, **more: Any) -> dict[str, Any]:
    """Return a mark with a style of the theme."""
    return {"type": kind, "style": style, **more}


def bands(**more: Any) -> dict[str, Any]:
    """Return the encoding of the field `band`, the band of a score, which gives the colour."""
    scale = {"domain": [*SCORE_BANDS, UNKNOWN], "range": "ordinal"}
    return field("band", scale=scale, **({"legend": None} | more))


def band(score: float | None) -> str:
    """Return the name of the band of a score.

    >>> band(0.8), band(None)
    ('0.75 to 0.9', 'unknown')
    """
    return UNKNOWN if score is None else SCORE_BANDS[int(score_band(score)[1:])]


def label(words: str, most: int = LONGEST) -> str:
    r"""Return a text as it is drawn: one line, visible characters only, shortened.

    >>> label("a\n b\u202e", 20)
    'a b\\u202e'
    """
    line = single_line(words[: 20 * LONGEST]).translate(_NO_XML)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def quoted(words: str, most: int = 80) -> str:
    """Return a shortened text in quotes."""
    return f'"{label(words, most)}"'


def of(who: str) -> str:
    """Return " of NAME", or nothing for an empty name."""
    return f" of {who}" if who else ""


def milliseconds(at: float) -> int:
    """Return a moment in milliseconds, clamped to what JavaScript and Python have dates for."""
    return round(utc_time(at).timestamp() * 1000)


def day(at: float) -> str:
    """Return the UTC date of a moment.

    >>> day(1_800_000_000.0)
    '2027-01-15'
    """
    return utc_time(at).date().isoformat()


def window(since: float, until: float) -> str:
    """Return a time window in words.

    >>> window(1_800_000_000.0, 1_800_100_000.0)
    'from 2027-01-15 to 2027-01-16'
    """
    return f"from {day(since)} to {day(until)}"


def tooltip(**titles: str) -> list[dict[str, Any]]:
    """Return the tooltip of a mark: fields and their titles."""
    return [{"field": name, "type": "nominal", "title": title} for name, title in titles.items()]
