"""The life of a claim: its interval over time, as it was known, and as it will age."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.vega import LETTER, Layer
from howsure.claims.claim import Claim, ClaimEvent
from howsure.formulas.interval import Interval

EVENTS, BETWEEN, AHEAD = 60, 40, 48
"""Moments to compute: at most so many changes, evenly spaced ones in the past, and in the future."""
_JUST = 1e-3
"""Seconds before a change at which the interval is computed too, so that a step is drawn as a step."""
_HEIGHT, _NARROW = 260, 280.0
"""Pixels: height, and the narrowest width for which labels must not overlap."""
_EDGE = 1e-6
_DRAWN = 200
"""Only the last so many changes are marked."""

Read = Callable[[Sequence[float], Sequence[float]], tuple[list[Interval], list[Interval]]]
"""Computes the intervals at past moments, by what was known then, and at future ones."""


class Span(NamedTuple):
    """The time to draw, with the current moment in it."""

    start: float
    now: float
    end: float


def span_of(claim: Claim, now: float, past: float | None, future: float | None, half_life: float) -> Span:
    """Return the time to draw: from when the claim was created until it will have lost half of its confidence."""
    start = claim.created_at if past is None else max(claim.created_at, now - past)
    stale = now if claim.stale_at is None else max(claim.stale_at, now)
    end = stale + half_life if future is None else now + future
    return Span(min(start, now), now, max(end, now + _JUST))


def moments(span: Span, events: Sequence[float], stale: float | None = None) -> tuple[list[float], list[float]]:
    """Return the moments to compute in the past (also at each change and just before it) and in the future."""
    turn = set() if stale is None else {stale}
    inside = sorted({at for at in events if span.start < at <= span.now})
    step = max(1, -(-len(inside) // EVENTS))
    changes = inside[::-step][::-1]
    even = _evenly(span.start, span.now, BETWEEN)
    just = [at - _JUST for at in changes if at - _JUST > span.start]
    ahead = _evenly(span.now, span.end, AHEAD)
    past = {*even, *changes, *just, *(at for at in turn if span.start < at < span.now)}
    return sorted(past), sorted({*ahead, *(at for at in turn if span.now < at < span.end)})


def _evenly(start: float, end: float, parts: int) -> list[float]:
    """Return evenly spaced moments; the first and last are exactly the start and the end."""
    return [*(min(start + (end - start) * place / parts, end) for place in range(parts)), end]


def life_chart(claim: Claim, history: Sequence[ClaimEvent], span: Span, read: Read) -> Chart:
    """Return the chart of a claim's interval over time."""
    past, ahead = moments(span, [event.at for event in history], claim.stale_at)
    before, after = read(past, ahead)
    rows = [_row(at, "past", interval) for at, interval in zip(past, before, strict=True)]
    rows += [_row(at, "future", interval) for at, interval in zip(ahead, after, strict=True)]
    first, today, end = rows[0], rows[len(past) - 1], rows[-1]
    about = (
        f"{vega.quoted(claim.statement)}: {_interval(first)} on {vega.day(span.start)}, "
        f"{_interval(today)} on {vega.day(span.now)}, and {_interval(end)} on {vega.day(span.end)}, "
        f"if nothing happens until then."
    )
    if claim.stale_at is not None:
        began = "has aged since" if claim.stale_at <= span.now else "will age from"
        about += f" It {began} {vega.day(claim.stale_at)}."
    marks = _marks(claim, history, span)
    values = [row | {"at": vega.milliseconds(row["at"])} for row in rows]
    time = _time(span)
    layers = [*_areas(values[: len(past)], values[len(past) :], time), *_moments(marks, time)]
    return Chart(
        "life",
        f"{vega.quoted(claim.statement, 60)} over time",
        about,
        vega.spec(about, _HEIGHT, layers),
        rows,
    )


def _row(at: float, when: str, interval: Interval) -> dict[str, Any]:
    return {"at": at, "when": when, "lower": interval.lower, "upper": interval.upper}


def _interval(row: dict[str, Any]) -> Interval:
    return Interval(row["lower"], row["upper"])


def _marks(claim: Claim, history: Sequence[ClaimEvent], span: Span) -> list[dict[str, Any]]:
    """Return the marks: now, when it becomes stale, and its changes, each labelled if there is room."""
    marks: list[dict[str, Any]] = [{"at": span.now, "what": "now", "kind": "now"}]
    if claim.stale_at is not None and span.start < claim.stale_at < span.end:
        marks.append({"at": claim.stale_at, "what": "stale", "kind": "stale"})
    marks += [
        {"at": event.at, "what": vega.label(event.action, 24), "kind": "event"}
        for event in history[-_DRAWN:]
        if span.start <= event.at <= span.now
    ]
    rules = [_share(mark["at"], span) for mark in marks if mark["kind"] != "event"]
    taken: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for mark in marks:
        event = mark["kind"] == "event"
        share, wide = _share(mark["at"], span), (len(mark["what"]) * LETTER + 8) / _NARROW
        sides = {"left": (share, share + wide), "right": (share - wide, share)}
        crossed = rules if event else ()
        free = [side for side, where in sides.items() if _free(where, taken[event], crossed)]
        mark |= {"align": free[0] if free else "", "lane": "bottom" if event else "top", "text": mark["what"]}
        if free:
            taken[event].append(sides[free[0]])
        mark["at"] = vega.milliseconds(float(mark["at"]))
    return marks


def _share(at: float, span: Span) -> float:
    return (at - span.start) / max(span.end - span.start, 1e-9)


def _free(where: tuple[float, float], taken: Sequence[tuple[float, float]], rules: Sequence[float]) -> bool:
    """Say whether a label fits: inside the chart, and clear of other labels and lines."""
    start, end = where
    inside = start >= -_EDGE and end <= 1.0 + _EDGE
    return inside and all(end <= a or b <= start for a, b in taken) and not any(start < rule < end for rule in rules)


def _areas(past: list[dict[str, Any]], ahead: list[dict[str, Any]], time: dict[str, Any]) -> list[Layer]:
    """Return the interval over time: an area with a line at each bound."""
    layers: list[Layer] = []
    for values, style, how in ((past, "interval", {}), (ahead, "projected", {"strokeDash": [4, 3]})):
        between = {"x": time, "y": vega.confidence("lower"), "y2": {"field": "upper"}}
        layers.append({"data": {"values": values}, "mark": vega.mark("area", style), "encoding": between})
        for bound in ("lower", "upper"):
            line = vega.mark("line", "bound", **how)
            at = {"x": time, "y": vega.confidence(bound)}
            layers.append({"data": {"values": values}, "mark": line, "encoding": at})
    return layers


def _moments(marks: list[dict[str, Any]], time: dict[str, Any]) -> list[Layer]:
    """Return lines for now and for when it becomes stale, triangles for changes, and labels beside them."""
    dots = vega.mark("point", "event", shape="triangle-up", size=70, filled=True, opacity=1, yOffset=-5)
    foot, tooltip = {"y": {"value": "height"}}, {"tooltip": vega.tooltip(what="")}
    drawn: list[tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = [
        (vega.mark("rule", "guide", strokeDash=[2, 3]), {}, {"kind": "stale"}),
        (vega.mark("rule", "now"), {}, {"kind": "now"}),
        (dots, foot | tooltip, {"kind": "event"}),
    ]
    for align, aside in (("left", 5), ("right", -5)):
        high = vega.text("note", align=align, dx=0, baseline="bottom", dy=-4)
        low = vega.text("note", align=align, dx=aside, baseline="bottom", dy=-9)
        words = {"text": vega.field("text")}
        drawn += [
            (high, words | {"y": {"value": 0}}, {"align": align, "lane": "top"}),
            (low, words | foot, {"align": align, "lane": "bottom"}),
        ]
    layers = []
    for mark, at, only in drawn:
        values = [one for one in marks if all(one[name] == value for name, value in only.items())]
        if values:
            layers.append({"data": {"values": values}, "mark": mark, "encoding": {"x": time} | at})
    return layers


def _time(span: Span) -> dict[str, Any]:
    return vega.moment("at", axis=vega.calendar(span.end - span.start))
