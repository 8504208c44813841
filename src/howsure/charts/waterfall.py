"""Draw how the interval of one claim comes about, step by step."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from howsure.charts import interval_rows, vega
from howsure.charts.chart import Chart
from howsure.claims.explain import ClaimExplanation
from howsure.formulas.claim import ClaimCase, ClaimFormula, by_age
from howsure.formulas.interval import Interval
from howsure.store.backends.deadline import yield_with_breaks

MAX_SOURCES = 8
"""Sources that get a step of their own; the rest share one."""
_SAME = 5e-7
"""Smaller changes of the midpoint are not marked as up or down."""


class Step(NamedTuple):
    """The interval of a claim after one more thing was taken into account."""

    what: str
    """What was added in this step."""
    interval: Interval


def steps_of(explained: ClaimExplanation, formula: ClaimFormula) -> list[Step]:
    """Return the steps that lead to a claim's interval: sources, age, neighbours, trust, constituents."""
    evidence = explained.evidence
    steps = list(_by_sources(evidence, formula))
    last = replace(evidence, stale_at=None, supported_by=(), contradicted_by=(), trust=1.0)
    supporting, contradicting = evidence.supported_by, evidence.contradicted_by
    stale = evidence.stale_at is not None and evidence.stale_at < evidence.now
    changes: tuple[tuple[str, dict[str, Any], bool], ...] = (
        (f"stale for {formula.age(evidence):.2g} half-lives", {"stale_at": evidence.stale_at}, stale),
        (
            _several(supporting, "a claim supports it", "{} claims support it"),
            {"supported_by": supporting},
            bool(supporting),
        ),
        (
            _several(contradicting, "a claim contradicts it", "{} claims contradict it"),
            {"contradicted_by": contradicting},
            bool(contradicting),
        ),
        (f"trust {evidence.trust:g}", {"trust": evidence.trust}, evidence.trust < 1.0),
    )
    for what, change, applies in yield_with_breaks(changes):
        last = replace(last, **change)
        if applies:
            steps.append(Step(what, formula.interval(last)))
    if explained.derived is not None:
        bound = Interval(explained.derived["lower"], explained.derived["upper"])
        below = explained.constituents
        steps.append(Step(_several(below, "what it was derived from", "the {} it was derived from"), bound))
    return steps


def _by_sources(evidence: ClaimCase, formula: ClaimFormula) -> Iterator[Step]:
    """Yield the interval after each source, all of them fresh and without related claims."""
    counted = [entry for entry in by_age(evidence.sources) if entry.contribution]
    names = list(dict.fromkeys((entry.source_type, entry.source_id) for entry in counted))

    def interval(most: int) -> Interval:
        some = set(names[:most])
        fresh = tuple(entry for entry in counted if (entry.source_type, entry.source_id) in some)
        return formula.interval(ClaimCase(evidence.now, fresh, evidence.tier, weights=evidence.weights))

    if not names:
        yield Step("no source counts", interval(0))
    for place, (kind, name) in enumerate(names[:MAX_SOURCES], start=1):
        best = max(
            entry.contribution or 0.0 for entry in counted if (entry.source_type, entry.source_id) == (kind, name)
        )
        yield Step(f"{kind}:{name} says {best:.2f}", interval(place))
    if len(names) > MAX_SOURCES:
        yield Step(_several(names[MAX_SOURCES:], "one more source", "{} more sources"), interval(len(names)))


def _several(things: Sequence[object], one: str, many: str) -> str:
    return one if len(things) == 1 else many.format(f"{len(things):,}")


def waterfall_chart(explained: ClaimExplanation, formula: ClaimFormula) -> Chart:
    """Return the chart of how a claim's interval comes about."""
    steps = steps_of(explained, formula)
    statement = vega.quoted(explained.claim.statement)
    lines, table = [], []
    before: Interval | None = None
    for place, (what, interval) in enumerate(steps, start=1):
        lines.append(interval_rows.Row(what, interval, _arrow(before, interval), before))
        changes = Interval(0.0, 0.0) if before is None else before
        table.append(
            {
                "step": place,
                "what": what,
                "lower": interval.lower,
                "upper": interval.upper,
                "lower_change": interval.lower - changes.lower,
                "upper_change": interval.upper - changes.upper,
            }
        )
        before = interval
    end = explained.claim.interval
    title = f"{vega.quoted(explained.claim.statement, 60)}, step by step, by {formula_label(formula.name)}"
    listed = "; ".join(f"{what}: {interval}" for what, interval in steps)
    about = f"{statement} by {formula.name}, step by step. {listed}. It stands at {end}."
    return Chart("waterfall", title, about, interval_rows.draw_rows(lines, about), table)


def _arrow(before: Interval | None, now: Interval) -> str:
    """Return an arrow up or down if the midpoint changed."""
    if before is None or abs(now.midpoint - before.midpoint) < _SAME:
        return ""
    return "▲" if now.midpoint > before.midpoint else "▼"


def formula_label(formula: str) -> str:
    """Return the name of a formula as it is drawn."""
    return vega.label(formula.replace("_", " "), 40)
