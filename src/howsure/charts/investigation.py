"""An investigation as a timeline: how sure it was after each step."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.agents.traces import Trace
from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.vega import Layer
from howsure.errors import InputError, shown
from howsure.formulas.investigation import BANDS
from howsure.formulas.ops import at_least
from howsure.formulas.tool_calls import CATEGORIES, ToolCall
from howsure.investigations.api import Inquiry
from howsure.investigations.evidence import looked_at
from howsure.investigations.replay import scored
from howsure.ledger.api import check_name
from howsure.wording import pluralize

if TYPE_CHECKING:
    from howsure.sure import Sure

_HEIGHT, _FEW = 280, 16
"""Pixels; steps that are named below the picture."""
_DRAWN = 500
"""Steps that are drawn, at most: of more, as many evenly between the first and the last."""
_WIDE = 4
"""Categories that have room beside each other."""
_EMPTY = "No step of this investigation is kept. sure.investigations, hooks and agents record them under a trace."


class Step(NamedTuple):
    """One call, and how sure the investigation was after it."""

    number: int
    tool: str
    target: str
    category: str
    recovery: bool
    score: float
    band: str
    decision: str


def steps(calls: Iterable[ToolCall], inquiry: Inquiry) -> list[Step]:
    """Return how sure an investigation is after each of its calls; the inquiry is a fresh one."""
    found = []
    for number, call in enumerate(calls, start=1):
        inquiry.add(call)
        category = inquiry.model.tools.get(call.tool, "").partition(".")[0]
        now = inquiry.score
        about = (now["score"], now["band"], now["decision"])
        found.append(Step(number, call.tool, call.target, category, call.recovery, *about))
    return found


def made_steps(sure: "Sure", which: str | Trace) -> Chart:
    """Return the timeline of an investigation: of a run, or by its trace, or by its id in the ledger."""
    model = sure.investigations.model
    if isinstance(which, Trace):
        inquiry = Inquiry(which.question, model=model)
        scored(which, inquiry)
        return _replayed(inquiry, which.question)
    inquiry = looked_at(sure, check_name(which, "trace"))
    question = ""
    if not inquiry.calls:
        record = sure.ledger.get(which)
        if record.model != model.name:
            raise InputError(f"{shown(which)} is a record of {record.model}, no investigation", field="trace")
        question = (record.content or "").strip()
        inquiry = looked_at(sure, record.trace_id) if record.trace_id else inquiry
    return _replayed(inquiry, question)


def _replayed(inquiry: Inquiry, question: str) -> Chart:
    again = Inquiry(question, model=inquiry.model)
    found = steps(inquiry.calls, again)
    if not found:
        return vega.nothing("investigation", "How sure after each step", _EMPTY)
    return investigation_chart(found, again, question)


def investigation_chart(found: list[Step], inquiry: Inquiry, question: str) -> Chart:
    """Return the timeline of an investigation that has made some steps."""
    last = found[-1]
    low = next((one for one in found if not at_least(one.score, inquiry.model.proceed_from)), None)
    recoveries = sum(one.recovery for one in found)
    about = (
        f"{pluralize(len(found), 'step')}{f' to answer {vega.quoted(question)}' if question.strip() else ''}: "
        f"{found[0].score:.2f} after the first, {max(one.score for one in found):.2f} at best, "
        f"{last.score:.2f} at the end, which is {last.band}: {last.decision}."
    )
    if low is not None:
        about += f" It was below {inquiry.model.proceed_from:g}, where it should recover, after step {low.number}."
    if recoveries:
        about += f" {recoveries:,} of the steps were made to recover."
    rows = [one._asdict() for one in found]
    drawn = _some(found)
    values = [one._asdict() | {"step": _named(one), "kind": _kind(one)} for one in drawn]
    for value in values:
        value |= {"target": vega.label(value["target"], 60), "tool": vega.label(value["tool"], 24)}
    layers = [*_guides(inquiry), *_timeline(drawn)]
    return Chart("investigation", "How sure after each step", about, vega.spec(about, _HEIGHT, layers, values), rows)


def _some(found: list[Step]) -> list[Step]:
    """Return the steps that are drawn."""
    if len(found) <= _DRAWN:
        return found
    return [found[place * (len(found) - 1) // (_DRAWN - 1)] for place in range(_DRAWN)]


def _named(one: Step) -> str:
    return f"{one.number} {vega.label(one.tool, 14)}"


def _kind(one: Step) -> str:
    return "recovery" if one.recovery else "step"


def _timeline(found: list[Step]) -> list[Layer]:
    few = len(found) <= _FEW
    axis: dict[str, Any] = {"title": None, "labelAngle": -40, "labelLimit": 90, "grid": False, "ticks": False}
    across: dict[str, Any] = {"field": "step", "type": "ordinal", "sort": None, "axis": axis}
    if not few:
        axis = {"title": "step", "grid": False, "tickMinStep": 1, "format": "d"}
        across = vega.number("number", scale={"domain": [1, found[-1].number], "nice": False, "padding": 10}, axis=axis)
    up = vega.confidence("score")
    used = [name for name in CATEGORIES if any(one.category == name for one in found)]
    colour = vega.field("category", scale={"domain": list(CATEGORIES), "range": "category"})
    colour["legend"] = {"title": None, "orient": "top", "values": used, "symbolType": "circle"}
    if len(used) > _WIDE:
        colour["legend"]["columns"] = 3
    told = vega.tooltip(number="step", tool="tool", target="target", score="score", band="band")
    at = {"x": across, "y": up}
    rings = vega.mark("point", "ring", shape="circle", size=190 if few else 80, filled=False, opacity=1)
    dots = vega.mark("point", "node", shape="circle", size=90 if few else 30, filled=True, opacity=1)
    layers: list[Layer] = [
        {"mark": vega.mark("line", "trend"), "encoding": at | {"order": vega.number("number")}},
        {"mark": dots, "encoding": at | {"fill": colour, "tooltip": told}},
    ]
    if any(one.recovery for one in found):
        only = [{"filter": {"field": "kind", "equal": "recovery"}}]
        words = vega.text("note", align="right", baseline="bottom", dx=-10, dy=-4)
        first = [*only, {"filter": {"field": "number", "equal": next(one.number for one in found if one.recovery)}}]
        layers.append({"transform": only, "mark": rings, "encoding": at})
        layers.append({"transform": first, "mark": words, "encoding": at | {"text": {"value": "recovery"}}})
    return layers


def _guides(inquiry: Inquiry) -> list[Layer]:
    """Return where each band begins, and from where an investigation may proceed."""
    starts = [*inquiry.model.band_starts, 0.0]
    values = [{"score": start, "text": one.name} for start, one in zip(starts, BANDS, strict=True)]
    limit = [{"score": inquiry.model.proceed_from, "text": f"proceed from {inquiry.model.proceed_from:g}"}]
    up = {"y": vega.confidence("score")}
    beside = up | {"x": {"value": "width"}, "text": vega.field("text")}
    words = vega.text("note", align="left", baseline="bottom", dx=8, dy=-1)
    inside = vega.text("note", align="right", baseline="top", dx=-2, dy=3)
    return [
        {"data": {"values": values[:-1]}, "mark": vega.mark("rule", "base"), "encoding": up},
        {"data": {"values": limit}, "mark": vega.mark("rule", "limit", strokeDash=[4, 3]), "encoding": up},
        {"data": {"values": values}, "mark": words, "encoding": beside},
        {"data": {"values": limit}, "mark": inside, "encoding": beside},
    ]
