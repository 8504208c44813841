"""Markup: texts and numbers as HTML. Whatever comes from outside goes through `safe`."""

from collections.abc import Sequence
from datetime import date
from html import escape

from howsure.documents.bands import score_band
from howsure.wording import escape_invisible, pluralize, shorten


def safe(text: str) -> str:
    """Return a text as HTML that shows it and does nothing, in an attribute too.

    >>> safe('"><b>')
    '&quot;&gt;&lt;b&gt;'
    """
    return escape(escape_invisible(text), quote=True)


def path(text: str, most: int = 300) -> str:
    """Return a path, its last part set off; it may break after each folder."""
    *folders, name = shorten(escape_invisible(text), most).split("/")
    before = "".join(f"{escape(folder)}/<wbr>" for folder in folders)
    return f'<bdi class="path">{f"<span>{before}</span>" if before else ""}<b>{escape(name)}</b></bdi>'


def day(value: date) -> str:
    """Return a day as people write it."""
    return f'<time datetime="{value.isoformat()}">{value.day} {value:%b %Y}</time>'


def bar(value: float | None, limit: float | None = None) -> str:
    """Return a score as a bar from 0 to 1, with a mark at the limit. It only shows what stands beside it in words."""
    filled = "" if value is None else f'<rect class="{score_band(value)}" width="{_share(value)}" height="6"/>'
    mark = "" if limit is None else f'<rect class="limit" x="{_share(limit, 98.0)}" width="2" height="6"/>'
    return (
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f'<rect class="rail" width="100" height="6"/>{filled}{mark}</svg>'
    )


def _share(value: float, most: float = 100.0) -> str:
    return f"{max(0.0, min(value, 1.0)) * most:.1f}"


def histogram(scores: Sequence[float], bins: int = 20) -> str:
    """Return how many scores fall into each of some equal parts of 0 to 1, as columns."""
    counts = [0] * bins
    for score in scores:
        counts[max(0, min(int(score * bins + 1e-9), bins - 1))] += 1
    most = max(*counts, 1)
    columns = []
    for place, count in enumerate(counts):
        height = 0.0 if not count else max(count / most * 84.0, 2.0)
        low, high = place / bins, (place + 1) / bins
        words = f"{low:.2f} to {high:.2f}: {pluralize(count, 'document')}"
        columns.append(
            f'<g><title>{words}</title><rect class="hit" x="{place * 16}" width="16" height="88"/>'
            f'<rect class="{score_band(low + 0.5 / bins)}" x="{place * 16 + 1}" y="{86 - height:.1f}" width="14" '
            f'height="{height:.1f}" rx="2"/></g>'
        )
    return (
        f'<svg class="histogram" viewBox="0 0 {bins * 16} 104" role="img" aria-label="How many documents have which '
        f'score">{"".join(columns)}<path class="axis" d="M0 87.5H{bins * 16}"/><text x="0" y="101">0</text>'
        f'<text x="{bins * 8}" y="101" text-anchor="middle">0.5</text>'
        f'<text x="{bins * 16}" y="101" text-anchor="end">1</text></svg>'
    )
