"""A picture of a sweep: the distribution of the bound by each reading, and what crosses the threshold."""

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from howsure.bulk.sweep import Sweep

_WIDTH, _LEFT, _PLOT, _ROW, _TOP = 960, 300, 420, 44, 64
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#333}.dim{fill:#777}.title{font-size:16px;font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.dim{fill:#999}}"
)


def picture(sweep: "Sweep") -> str:
    """Return a sweep as SVG: one row per reading, bars by bound, the threshold as a line, counts beside it."""
    rows = [*sweep.variants]
    height = _TOP + _ROW * len(rows) + 30 + (36 + 24 * len(sweep.sources) if sweep.sources else 0)
    title = f"{sweep.claims:,} claims by their {sweep.bound} bound; threshold {sweep.threshold:g}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}">',
        f"<style>{_STYLE}</style><title>{escape(title)}</title>",
        f'<text class="title" x="16" y="28">{escape(title)}</text>',
    ]
    for number, variant in enumerate(rows):
        top = _TOP + _ROW * number
        parts.append(f'<text x="16" y="{top + 24}">{escape(_short(variant.name))}</text>')
        parts += _bars(variant.histogram, sweep.threshold, top)
        change = "" if number == 0 else f"  +{variant.up:,}  -{variant.down:,}"
        told = f"{variant.above:,} reach it{change}"
        parts.append(f'<text class="dim" x="{_LEFT + _PLOT + 16}" y="{top + 24}">{told}</text>')
    bottom = _TOP + _ROW * len(rows)
    line = _LEFT + _PLOT * sweep.threshold
    parts.append(
        f'<line x1="{line:.1f}" y1="{_TOP - 12}" x2="{line:.1f}" y2="{bottom}" stroke="#d33" stroke-dasharray="4 3"/>'
    )
    for share in (0.0, 0.5, 1.0):
        place = _LEFT + _PLOT * share
        parts.append(f'<text class="dim" x="{place:.1f}" y="{bottom + 16}" text-anchor="middle">{share:g}</text>')
    parts += _sources(sweep, bottom + 56)
    return "\n".join([*parts, "</svg>", ""])


def _bars(histogram: tuple[int, ...], threshold: float, top: int) -> list[str]:
    width, tallest = _PLOT / len(histogram), max(*histogram, 1)
    bars = []
    for index, count in enumerate(histogram):
        tall = (_ROW - 10) * count / tallest
        colour = "#2a7" if (index + 0.5) / len(histogram) >= threshold else "#8ac"
        place = f'x="{_LEFT + index * width:.1f}" y="{top + _ROW - 6 - tall:.1f}"'
        bars.append(f'<rect {place} width="{width - 1:.1f}" height="{tall:.1f}" fill="{colour}"/>')
    return bars


def _sources(sweep: "Sweep", top: int) -> list[str]:
    if not sweep.sources:
        return []
    parts = [f'<text class="title" x="16" y="{top}">Without a source, claims that fall below the threshold</text>']
    most = max(1, *(weight.down for weight in sweep.sources))
    for number, weight in enumerate(sweep.sources):
        y = top + 24 * (number + 1)
        wide = _PLOT * weight.down / most
        parts.append(f'<text x="16" y="{y}">{escape(_short(weight.source))}</text>')
        parts.append(f'<rect x="{_LEFT}" y="{y - 12}" width="{wide:.1f}" height="14" fill="#d95"/>')
        told = f"{weight.down:,} of {weight.claims:,} it speaks for"
        parts.append(f'<text class="dim" x="{_LEFT + _PLOT + 16}" y="{y}">{told}</text>')
    return parts


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}\u2026"  # noqa: PLR2004
