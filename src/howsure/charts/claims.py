"""The intervals of claims, drawn one below the other."""

from howsure.charts import interval_rows, vega
from howsure.charts.chart import Chart
from howsure.claims.find import Page, StoredClaim

_EMPTY = 'No claims fit. Add one with sure.claims.add("...", source="type:id"), or howsure claim add.'


def claims_chart(page: Page) -> Chart:
    """Return the chart of a page of claims."""
    found = page.claims
    if not found:
        return vega.nothing("claims", "Claims", _EMPTY)
    title = "How sure we are of a claim" if len(found) == 1 else f"How sure we are of {len(found):,} claims"
    about = _about(found, more=page.cursor is not None)
    lines = [interval_rows.Row(one.statement, one.interval, _note(one), known=one.sources > 0) for one in found]
    return Chart("claims", title, about, interval_rows.draw_rows(lines, about), [_row(one) for one in found])


def _row(one: StoredClaim) -> dict[str, object]:
    names = ("id", "statement", "namespace", "tier", "status", "sources")
    bounds = {"lower": one.interval.lower, "midpoint": one.interval.midpoint, "upper": one.interval.upper}
    return {name: getattr(one, name) for name in names} | bounds


def _note(one: StoredClaim) -> str:
    if one.sources == 0:
        return "no sources"
    return "" if one.status == "active" else one.status


def _about(found: list[StoredClaim], *, more: bool) -> str:
    first, last = found[0], found[-1]
    parts = [f"{vega.quoted(first.statement)} lies within {first.interval}"]
    if len(found) > 1:
        parts = [f"{len(found):,} claims, from {vega.quoted(first.statement)} within {first.interval}"]
        parts.append(f"to {vega.quoted(last.statement)} within {last.interval}")
    said = " ".join(parts) + "; each bar goes from the lower to the upper bound, with a tick in the middle."
    challenged = sum(one.status == "challenged" for one in found)
    if challenged:
        said += f" {challenged:,} {'is' if challenged == 1 else 'are'} challenged."
    return f"{said} There are more that fit." if more else said
