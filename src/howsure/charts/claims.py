"""Draw intervals of claims one below the other: of several claims, or of one under every formula."""

from howsure.charts import interval_rows, vega
from howsure.charts.chart import Chart
from howsure.charts.waterfall import formula_label
from howsure.claims.claim import Claim
from howsure.claims.find import ClaimPage
from howsure.formulas.interval import Interval
from howsure.shapes.encode import encode

_EMPTY = 'No claims match. Add one with sure.claims.add("...", source="type:id"), or howsure claim add.'


def claims_chart(page: ClaimPage) -> Chart:
    """Return the chart of a page of claims."""
    claims = page.claims
    if not claims:
        return vega.empty_chart("claims", "Claims", _EMPTY)
    title = "Confidence of a claim" if len(claims) == 1 else f"Confidence of {len(claims):,} claims"
    about = _about(claims, more=page.cursor is not None)
    lines = [interval_rows.Row(one.statement, one.interval, _note(one), known=one.sources > 0) for one in claims]
    return Chart("claims", title, about, interval_rows.draw_rows(lines, about), [_row(one) for one in claims])


def _row(one: Claim) -> dict[str, object]:
    names = ("id", "statement", "namespace", "tier", "status", "sources")
    bounds = {"lower": one.interval.lower, "midpoint": one.interval.midpoint, "upper": one.interval.upper}
    return {name: getattr(one, name) for name in names} | bounds


def _note(one: Claim) -> str:
    if one.sources == 0:
        return "no sources"
    return "" if one.status == "active" else one.status


def _about(claims: list[Claim], *, more: bool) -> str:
    first, last = claims[0], claims[-1]
    parts = [f"{vega.quoted(first.statement)} lies within {first.interval}"]
    if len(claims) > 1:
        parts = [f"{len(claims):,} claims, from {vega.quoted(first.statement)} within {first.interval}"]
        parts.append(f"to {vega.quoted(last.statement)} within {last.interval}")
    text = " ".join(parts) + "; each bar goes from the lower to the upper bound, with a tick in the middle."
    challenged = sum(one.status == "challenged" for one in claims)
    if challenged:
        text += f" {challenged:,} {'is' if challenged == 1 else 'are'} challenged."
    return f"{text} More claims match." if more else text


def formulas_chart(statement: str, intervals: dict[str, Interval], own: str) -> Chart:
    """Return the chart of one claim's interval under every formula; `own` is the store's."""
    own_label = " (the store's formula)"
    lines = [
        interval_rows.Row(f"{formula_label(name)}{own_label if name == own else ''}", interval)
        for name, interval in intervals.items()
    ]
    table = [{"formula": name} | encode(interval) for name, interval in intervals.items()]
    listed = ", ".join(f"{formula_label(name)} {interval}" for name, interval in intervals.items())
    about = f"{vega.quoted(statement)} under {len(intervals)} formulas: {listed}."
    return Chart(
        "formulas",
        f"{vega.quoted(statement, 60)} under every formula",
        about,
        interval_rows.draw_rows(lines, about),
        table,
    )
