"""Publish the bulk measurements: RESULTS.md, the chart of the curves, and docs/scale.md."""

import importlib.metadata
import math
import os
import platform
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PAGE = ROOT / "docs" / "scale.md"
PICTURE = ROOT / "docs" / "images" / "scale.svg"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
"""The part of the page between these markers is generated."""
PRICE = 0.05
"""Dollars per core-hour, about the price of spot instances."""
COLOURS = {"duckdb": "#27a", "arrays": "#2a7", "postgres": "#a57", "spark": "#d82", "kept": "#777"}
CURVES = {
    "duckdb": "duckdb, file to file",
    "arrays": "arrays, file to file",
    "postgres": "postgres, table to table",
    "spark": "spark on this machine, file to file",
    "kept": "arrays that are kept, once more",
}

Curves = dict[str, dict[int, float]]
"""Seconds by number of claims, for each engine."""


class Row(NamedTuple):
    """One line of the table."""

    path: str
    ours: str
    instead: str
    ratio: str
    wanted: str
    met: bool


def publish(title: str, rows: list[Row], curves: Curves) -> None:
    """Write all results."""
    lines = [f"## {title}", "", *compared(rows), "", "## Growth, in seconds", "", *grown(curves), ""]
    head = ["# Bulk scoring, measured", "", "Written by `python -m benchmarks bulk`.", "", *machine(), ""]
    RESULTS.write_text("\n".join([*head, *lines]))
    PICTURE.write_text(picture(curves))
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    measured = [
        *machine(),
        "",
        *grown(curves),
        "",
        *steepness(curves),
        "",
        *cost(curves),
        "",
        f"**{title}**",
        "",
        *compared(rows),
    ]
    PAGE.write_text("\n".join([f"{before}{BEGIN}", "", *measured, "", f"{END}{after}"]))


def machine() -> list[str]:
    """Describe the machine and the library versions."""
    packages = ("duckdb", "numpy", "numba", "pyarrow", "pyspark", "psycopg")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions_and_load = f"Python {platform.python_version()}, {versions}; load at the end {os.getloadavg()[0]:.1f}."
    where = f"{os.cpu_count()} cores and {memory:.0f} GiB, {platform.machine()}, {platform.system()}"
    return [f"Measured on {where}; {versions_and_load}"]


def compared(rows: list[Row]) -> list[str]:
    """Return the comparisons as a table."""
    lines = [f"| {' | '.join(row[:-1])} | {'met' if row.met else 'missed'} |" for row in rows]
    return ["| path | howsure | instead | ratio | wanted | |", "|---|---|---|---|---|---|", *lines]


def grown(curves: Curves) -> list[str]:
    """Return the curves as a table."""
    sizes = sorted({size for curve in curves.values() for size in curve})
    lines = [f"| seconds for claims | {' | '.join(f'{size:,}' for size in sizes)} |", f"|---|{'---:|' * len(sizes)}"]
    for name, curve in curves.items():
        cells = [f"{curve[size]:.3g}" if size in curve else "" for size in sizes]
        lines.append(f"| {CURVES[name]} | {' | '.join(cells)} |")
    return lines


def cost(curves: Curves) -> list[str]:
    """Return what a billion claims would cost on Spark, by calculation."""
    if not curves.get("spark"):
        return ["Spark was not measured."]
    size, seconds = max(curves["spark"].items())
    cores = os.cpu_count() or 1
    million = seconds * 1e6 / size
    hours = million * 1000 * cores / 3600
    parts = (
        f"**A billion claims on Spark, by calculation:** {size:,} claims took {seconds:.0f} s on {cores} cores,",
        f"which is {million:.1f} s for a million. A thousand times that on {cores} cores is {hours:.1f} core-hours;",
        f"at ${PRICE:.2f} for a core-hour, **${hours * PRICE:.2f}**, and {hours * 60 / 100:.0f} minutes on 100 cores.",
    )
    return [" ".join(parts)]


def steepness(curves: Curves) -> list[str]:
    """Say how each curve grows over its last step, in words."""
    told = []
    for name, curve in curves.items():
        *_, before, last = [(0, 0.0), *sorted(curve.items())]
        if before[0]:
            times, larger = last[1] / before[1], last[0] / before[0]
            told.append(f"{times:.1f} times as long for {larger:g} times as many ({name})")
    return [f"From the last size but one to the last: {'; '.join(told)}." if told else ""]


def picture(curves: Curves) -> str:
    """Return the curves as SVG, both axes logarithmic."""
    left, top, wide, tall = 70, 40, 560, 320
    sizes = sorted({size for curve in curves.values() for size in curve})
    times = [seconds for curve in curves.values() for seconds in curve.values()]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(sizes[0]), max(math.log10(sizes[-1]), math.log10(sizes[0]) + 1)

    def at(size: float, seconds: float) -> tuple[float, float]:
        x = left + wide * (math.log10(size) - first) / (last - first)
        return x, top + tall * (1 - (math.log10(seconds) - low) / max(high - low, 1))

    style = "text{font:12px system-ui,sans-serif;fill:#555}@media(prefers-color-scheme:dark){text{fill:#bbb}}"
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="420" viewBox="0 0 900 420" role="img">',
        f"<style>{style}</style><title>Seconds by number of claims, for each engine</title>",
        f'<text x="{left}" y="20">Seconds by number of claims</text>',
    ]
    for power in range(low, high + 1):
        y = at(sizes[0], 10.0**power)[1]
        parts.append(f'<line x1="{left}" y1="{y:.0f}" x2="{left + wide}" y2="{y:.0f}" stroke="#8884"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{10.0**power:g} s</text>')
    parts += [
        f'<text x="{at(size, 10.0**low)[0]:.0f}" y="{top + tall + 20}" text-anchor="middle">{size:,}</text>'
        for size in sizes
    ]
    ends: list[tuple[float, str]] = []
    for name, curve in curves.items():
        points = [at(size, seconds) for size, seconds in sorted(curve.items())]
        listed = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        parts.append(f'<polyline points="{listed}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{COLOURS[name]}"/>' for x, y in points]
        ends.append((points[-1][1], name))
    lowest = -math.inf
    for y, name in sorted(ends):  # labels at the height of the last points, none over another
        lowest = max(y + 4, lowest + 16)
        place = f'x="{left + wide + 10}" y="{lowest:.0f}"'
        parts.append(f'<text {place} style="fill:{COLOURS[name]}">{CURVES[name]}</text>')
    return "\n".join([*parts, "</svg>", ""])
