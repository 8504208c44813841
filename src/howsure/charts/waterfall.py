"""Steps: how the interval of one claim comes about, and what other formulas make of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from howsure.charts import interval_rows, vega
from howsure.charts.chart import Chart
from howsure.claims.explain import Explanation
from howsure.formulas.claim import ClaimCase, ClaimFormula, by_age
from howsure.formulas.interval import Interval

MOST = 8
"""Sources that are drawn one by one; the rest come together."""
_SAME = 5e-7


class Stage(NamedTuple):
    """The interval of a claim, as far as some of what is known is counted."""

    what: str
    """What is counted, beyond the stage before."""
    interval: Interval


def stages(explained: Explanation, formula: ClaimFormula) -> list[Stage]:
    """Return the stages of a claim's interval, from its first source to how it stands."""
    evidence = _own(explained)
    found = list(_by_sources(evidence, formula))
    last = replace(evidence, stale_at=None, supported_by=(), contradicted_by=(), trust=1.0)
    for_, no = evidence.supported_by, evidence.contradicted_by
    stale = evidence.stale_at is not None and evidence.stale_at < evidence.now
    more: tuple[tuple[str, dict[str, Any], bool], ...] = (
        (f"stale for {formula.age(evidence):.2g} half-lives", {"stale_at": evidence.stale_at}, stale),
        (_several(for_, "a claim supports it", "{} claims support it"), {"supported_by": for_}, bool(for_)),
        (_several(no, "a claim contradicts it", "{} claims contradict it"), {"contradicted_by": no}, bool(no)),
        (f"trust {evidence.trust:g}", {"trust": evidence.trust}, evidence.trust < 1.0),
    )
    for what, change, told in more:
        last = replace(last, **change)
        if told:
            found.append(Stage(what, formula.interval(last)))
    if explained.derived is not None:
        bound = Interval(explained.derived["lower"], explained.derived["upper"])
        below = explained.around.constituents
        found.append(Stage(_several(below, "what it was derived from", "the {} it was derived from"), bound))
    return found


def _own(explained: Explanation) -> ClaimCase:
    """Return what the formula looked at: of a derived claim, the inference alone."""
    evidence = explained.around.evidence
    inferred = tuple(entry for entry in evidence.provenance if entry.source_type == "inference")
    return replace(evidence, provenance=inferred) if explained.around.constituents and inferred else evidence


def _by_sources(evidence: ClaimCase, formula: ClaimFormula) -> Iterator[Stage]:
    """Give the interval by the first source alone, then by one more each, all fresh and without neighbours."""
    counted = [entry for entry in by_age(evidence.provenance) if entry.contribution]
    names = list(dict.fromkeys((entry.source_type, entry.source_id) for entry in counted))

    def interval(most: int) -> Interval:
        some = set(names[:most])
        fresh = tuple(entry for entry in counted if (entry.source_type, entry.source_id) in some)
        return formula.interval(ClaimCase(evidence.now, fresh, evidence.tier))

    if not names:
        yield Stage("no source counts", interval(0))
    for place, (kind, name) in enumerate(names[:MOST], start=1):
        best = max(
            entry.contribution or 0.0 for entry in counted if (entry.source_type, entry.source_id) == (kind, name)
        )
        yield Stage(f"{kind}:{name} says {best:.2f}", interval(place))
    if len(names) > MOST:
        yield Stage(_several(names[MOST:], "one more source", "{} more sources"), interval(len(names)))


def _several(things: Sequence[object], one: str, many: str) -> str:
    return one if len(things) == 1 else many.format(f"{len(things):,}")


def waterfall_chart(explained: Explanation, formula: ClaimFormula) -> Chart:
    """Return the chart of how a claim's interval comes about."""
    found = stages(explained, formula)
    statement = vega.quoted(explained.claim.statement)
    lines, table = [], []
    before: Interval | None = None
    for place, (what, interval) in enumerate(found, start=1):
        lines.append(interval_rows.Row(what, interval, _sign(before, interval), before))
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
    title = f"{vega.quoted(explained.claim.statement, 60)}, step by step, by {_name(formula.name)}"
    told = "; ".join(f"{what}: {interval}" for what, interval in found)
    about = f"{statement} by {formula.name}, step by step. {told}. It stands at {end}."
    return Chart("waterfall", title, about, interval_rows.draw_rows(lines, about), table)


def _sign(before: Interval | None, now: Interval) -> str:
    """Return which way an interval has gone."""
    if before is None or abs(now.midpoint - before.midpoint) < _SAME:
        return ""
    return "▲" if now.midpoint > before.midpoint else "▼"


def formulas_chart(statement: str, found: dict[str, Interval], own: str) -> Chart:
    """Return the chart of one claim's interval under several formulas."""
    lines = [
        interval_rows.Row(f"{_name(name)}{' (the store reads by this)' if name == own else ''}", interval)
        for name, interval in found.items()
    ]
    table = [{"formula": name} | interval.as_dict() for name, interval in found.items()]
    told = ", ".join(f"{_name(name)} {interval}" for name, interval in found.items())
    about = f"{vega.quoted(statement)} under {len(found)} formulas: {told}."
    return Chart(
        "formulas",
        f"{vega.quoted(statement, 60)} under every formula",
        about,
        interval_rows.draw_rows(lines, about),
        table,
    )


def _name(formula: str) -> str:
    return vega.label(formula.replace("_", " "), 40)
