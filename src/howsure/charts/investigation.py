"""Draw how confident an investigation was after each step."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from howsure.agents.traces import Trace
from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.vega import Layer
from howsure.errors import InputError, shown
from howsure.formulas.investigation import BANDS, Investigation
from howsure.formulas.ops import at_least
from howsure.formulas.tool_calls import CATEGORIES
from howsure.investigations.inquiry import Inquiry, Standing, load_inquiry
from howsure.investigations.replay import replay
from howsure.ledger.api import Ledger
from howsure.store.backends.deadline import yield_with_breaks
from howsure.store.ledger_tables import tool_calls
from howsure.store.text_rules import check_name
from howsure.wording import pluralize

_HEIGHT = 280
_NAMED_STEPS = 16
"""Up to this many steps, the axis names each tool; beyond it shows numbers."""
_DRAWN_STEPS = 500
"""If there are more steps, this many are drawn, evenly spread from the first to the last."""
_LEGEND_COLUMNS = 4
"""Categories that fit beside each other in the legend."""
_TITLE = "Confidence after each step"
_EMPTY = "No step of this investigation was recorded. Hooks, agents and sure.investigations record them under a trace."
_NO_EVIDENCE = "No step of this investigation counts: searches, reads, builds and tests are evidence, edits are not."


class Step(NamedTuple):
    """One tool call, and the score of the investigation after it."""

    number: int
    tool: str
    target: str
    category: str
    recovery: bool
    score: float
    band: str
    decision: str


def list_steps(inquiry: Inquiry, standings: Sequence[Standing]) -> list[Step]:
    """Return the steps of an inquiry, by how sure it was after each of its calls."""
    categories = {tool: where.partition(".")[0] for tool, where in inquiry.model.tools.items()}
    return [
        Step(number, call.tool, call.target, categories.get(call.tool, ""), call.recovery, *standing)
        for number, (call, standing) in enumerate(
            yield_with_breaks(zip(inquiry.calls, standings, strict=True)), start=1
        )
    ]


def draw_trace(model: Investigation, trace: Trace) -> Chart:
    """Return the timeline of a trace that is not in the store."""
    inquiry = Inquiry(trace.question, model=model)
    replay(trace, inquiry)
    again = Inquiry(trace.question, model=model)
    standings = []
    for call in inquiry.calls:
        again.add(call)
        standings.append(again.standing)
    return draw_inquiry(again, standings, trace.question)


def draw_recorded(ledger: Ledger, model: Investigation, name: str) -> Chart:
    """Return the timeline of an investigation in the store, by the id of its trace or of its decision.

    Raises:
        NotFoundError: if there is neither a trace nor a decision of that name.
        InputError: if the decision is not about an investigation.
    """
    standings: list[Standing] = []
    inquiry = load_inquiry(ledger.session, model, check_name(name, "trace"), standings=standings)
    question = ""
    if not inquiry.calls and not _has_calls(ledger, name):
        decision = ledger.get(name)
        if decision.model != model.name:
            problem = f"{shown(name)} is a decision of the model {decision.model}, not an investigation"
            raise InputError(problem, field="trace")
        question = (decision.content or "").strip()
        if decision.trace_id:
            name = decision.trace_id
            inquiry = load_inquiry(ledger.session, model, name, standings=standings)
    if not inquiry.calls and _has_calls(ledger, name):
        return vega.empty_chart("investigation", _TITLE, _NO_EVIDENCE)
    return draw_inquiry(inquiry, standings, question)


def _has_calls(ledger: Ledger, trace: str) -> bool:
    """Return whether tool calls of a trace are stored, evidence or not."""
    with ledger.session.database.read() as transaction:
        return tool_calls.count(transaction, trace) > 0


def draw_inquiry(inquiry: Inquiry, standings: Sequence[Standing], question: str = "") -> Chart:
    """Return the timeline of an inquiry, by how sure it was after each of its calls."""
    steps = list_steps(inquiry, standings)
    if not steps:
        return vega.empty_chart("investigation", _TITLE, _EMPTY)
    return investigation_chart(steps, inquiry, question)


def investigation_chart(steps: list[Step], inquiry: Inquiry, question: str) -> Chart:
    """Return the timeline of an investigation with at least one step."""
    last = steps[-1]
    low = next((one for one in steps if not at_least(one.score, inquiry.model.proceed_from)), None)
    recoveries = sum(one.recovery for one in steps)
    about = (
        f"{pluralize(len(steps), 'step')}{f' to answer {vega.quoted(question)}' if question.strip() else ''}: "
        f"{steps[0].score:.2f} after the first, {max(one.score for one in steps):.2f} at best, "
        f"{last.score:.2f} at the end, which is {last.band}: {last.decision}."
    )
    if low is not None:
        about += f" It fell below {inquiry.model.proceed_from:g}, where it should recover, after step {low.number}."
    if recoveries:
        about += f" {recoveries:,} of the steps were recoveries."
    rows = [one._asdict() for one in yield_with_breaks(steps)]
    drawn = _sample(steps)
    values = [one._asdict() | {"step": _named(one), "kind": _kind(one)} for one in drawn]
    for value in values:
        value |= {"target": vega.label(value["target"], 60), "tool": vega.label(value["tool"], 24)}
    layers = [*_guides(inquiry), *_timeline(drawn)]
    return Chart("investigation", _TITLE, about, vega.spec(about, _HEIGHT, layers, values), rows)


def _sample(steps: list[Step]) -> list[Step]:
    """Return the steps to draw."""
    if len(steps) <= _DRAWN_STEPS:
        return steps
    return [steps[place * (len(steps) - 1) // (_DRAWN_STEPS - 1)] for place in range(_DRAWN_STEPS)]


def _named(one: Step) -> str:
    return f"{one.number} {vega.label(one.tool, 14)}"


def _kind(one: Step) -> str:
    return "recovery" if one.recovery else "step"


def _timeline(steps: list[Step]) -> list[Layer]:
    few = len(steps) <= _NAMED_STEPS
    axis: dict[str, Any] = {"title": None, "labelAngle": -40, "labelLimit": 90, "grid": False, "ticks": False}
    across: dict[str, Any] = {"field": "step", "type": "ordinal", "sort": None, "axis": axis}
    if not few:
        axis = {"title": "step", "grid": False, "tickMinStep": 1, "format": "d"}
        across = vega.number("number", scale={"domain": [1, steps[-1].number], "nice": False, "padding": 10}, axis=axis)
    up = vega.confidence("score")
    used = [name for name in CATEGORIES if any(one.category == name for one in steps)]
    colour = vega.field("category", scale={"domain": list(CATEGORIES), "range": "category"})
    colour["legend"] = {"title": None, "orient": "top", "values": used, "symbolType": "circle"}
    if len(used) > _LEGEND_COLUMNS:
        colour["legend"]["columns"] = 3
    tooltip = vega.tooltip(number="step", tool="tool", target="target", score="score", band="band")
    at = {"x": across, "y": up}
    rings = vega.mark("point", "ring", shape="circle", size=190 if few else 80, filled=False, opacity=1)
    dots = vega.mark("point", "node", shape="circle", size=90 if few else 30, filled=True, opacity=1)
    layers: list[Layer] = [
        {"mark": vega.mark("line", "trend"), "encoding": at | {"order": vega.number("number")}},
        {"mark": dots, "encoding": at | {"fill": colour, "tooltip": tooltip}},
    ]
    if any(one.recovery for one in steps):
        only = [{"filter": {"field": "kind", "equal": "recovery"}}]
        words = vega.text("note", align="right", baseline="bottom", dx=-10, dy=-4)
        first = [*only, {"filter": {"field": "number", "equal": next(one.number for one in steps if one.recovery)}}]
        layers.append({"transform": only, "mark": rings, "encoding": at})
        layers.append({"transform": first, "mark": words, "encoding": at | {"text": {"value": "recovery"}}})
    return layers


def _guides(inquiry: Inquiry) -> list[Layer]:
    """Return lines where each band begins, and where an investigation may proceed."""
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
