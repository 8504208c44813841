"""Bulk scoring at ten million claims, against what one would do instead; and how it grows up to there.

HOWSURE_BENCH_BULK sets how many claims, HOWSURE_BENCH_SPARK how many of them on Spark (0: none). Every run is a process
of its own, and both sides of a comparison have to give the same answer.
"""

import importlib.metadata
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from rich.console import Console
from rich.table import Table

from benchmarks.bulk_rivals import make

ROOT = Path(__file__).parent.parent
SIZE = int(os.environ.get("HOWSURE_BENCH_BULK", "10000000"))
SPARK = int(os.environ.get("HOWSURE_BENCH_SPARK", str(SIZE)))
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PICTURE = ROOT / "docs" / "images" / "scale.svg"
CLOSE = 1e-9
LARGEST = {"one_shot_postgres": 1_000_000, "spark_generated": SPARK}
"""Claims from which on a curve is not measured any further."""
CURVES = {
    "one_shot_duckdb": "duckdb, file to file",
    "one_shot_arrays": "arrays, file to file",
    "one_shot_postgres": "postgres, table to table",
    "spark_generated": "spark on this machine, file to file",
    "kernel": "arrays that are kept, once more",
}


class Row(NamedTuple):
    """One line of the table."""

    path: str
    ours: str
    instead: str
    ratio: str
    wanted: str
    met: bool


def run(name: str, folder: Path) -> dict[str, Any]:
    """Run one of the rivals, or our own, in a process of its own, and return what it measured."""
    command = [sys.executable, "-m", "benchmarks.bulk_rivals", name, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} failed: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    Console(stderr=True).print(f"{name} in {folder.name}: {found['seconds']:.2f} s, peak {found['peak'] / 1e9:.2f} GB")
    return found


def same(folder: Path, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Make sure that two outputs hold the same intervals for the same claims."""
    one, two = (f"{folder}/{found['out']}" for found in (first, second))
    one, two = (f"{place}/*.parquet" if Path(place).is_dir() else place for place in (one, two))
    query = (
        "SELECT count(*), count(a.id), count(b.id), max(abs(a.lower - b.lower)), max(abs(a.upper - b.upper)) "
        f"FROM '{one}' AS a FULL JOIN '{two}' AS b USING (id)"
    )
    with duckdb.connect() as connection:
        count, ours, theirs, lower, upper = connection.execute(query).fetchall()[0]
    if not count == ours == theirs or not max(lower, upper) <= CLOSE:
        raise ArithmeticError(f"{one} and {two} differ: {count}, {ours}, {theirs} claims, by {lower} and {upper}")


def rows(folder: Path, spark: Path | None) -> list[Row]:
    """Measure every line of the table."""
    hand, auto, by_duckdb = (run(name, folder) for name in ("duckdb_files", "one_shot", "one_shot_duckdb"))
    same(folder, auto, hand)
    same(folder, by_duckdb, hand)
    resident, kernel, naive = (run(name, folder) for name in ("duckdb_resident", "kernel", "naive"))
    for other in (resident, naive, hand):
        same(folder, kernel, other)
    found = [
        _slower(f"one shot from Parquet, auto ({auto['engine']}), against DuckDB SQL by hand", auto, hand, 1.1),
        _slower("one shot from Parquet, engine duckdb, against DuckDB SQL by hand", by_duckdb, hand, 1.1),
        _faster("resident kernel against DuckDB SQL by hand, tables in memory and prepared", kernel, resident, 15),
        _faster("resident kernel against naive Python", kernel, naive, 80),
        _within(kernel),
    ]
    if spark is not None:
        by_hand, generated = (run(name, spark) for name in ("spark_by_hand", "spark_generated"))
        same(spark, generated, by_hand)
        title = f"generated Spark SQL against Spark SQL by hand, {SPARK:,} claims"
        found.append(_slower(title, generated, by_hand, 1.2))
    peaks = {"auto": auto["peak"], "duckdb": by_duckdb["peak"]}
    told = ", ".join(f"{peak / 1e9:.2f} GB ({name})" for name, peak in peaks.items())
    rival = f"{hand['peak'] / 1e9:.2f} GB by hand"
    found.append(Row("peak memory of the one-shot path", told, rival, "", "under 4 GB", max(peaks.values()) < 4e9))  # noqa: PLR2004
    return found


def _seconds(found: dict[str, Any]) -> str:
    work = f", {found['cpu']:.1f} s of work" if "cpu" in found else ""
    return f"{found['seconds']:.2f} s{work}"


def _slower(path: str, ours: dict[str, Any], other: dict[str, Any], limit: float) -> Row:
    ratio = ours["seconds"] / other["seconds"]
    return Row(path, _seconds(ours), _seconds(other), f"{ratio:.2f} x the time", f"at most {limit:g} x", ratio <= limit)


def _faster(path: str, ours: dict[str, Any], other: dict[str, Any], limit: float) -> Row:
    ratio = other["seconds"] / ours["seconds"]
    return Row(path, _seconds(ours), _seconds(other), f"{ratio:.0f} x", f"at least {limit:g} x", ratio >= limit)


def _within(kernel: dict[str, Any]) -> Row:
    ratio = kernel["seconds"] / kernel["summed"]
    path = f"resident kernel against summing the same {kernel['bytes'] / 1e9:.2f} GB in numpy"
    summed = f"{kernel['summed']:.3f} s"
    return Row(path, _seconds(kernel), summed, f"{ratio:.1f} x the time", "within 25 x", ratio <= 25)  # noqa: PLR2004


def growth(folder: Path) -> dict[str, dict[int, float]]:
    """Measure each curve at 10,000 claims, ten times as many, and so on."""
    sizes = [10**power for power in range(4, 9) if 10**power <= SIZE]
    found: dict[str, dict[int, float]] = {name: {} for name in CURVES}
    for size in sizes:
        place = folder / f"{size}"
        place.mkdir(exist_ok=True)
        if not (place / "claims.parquet").exists():
            make(size, place)
        for name, curve in found.items():
            if size <= LARGEST.get(name, SIZE):
                curve[size] = run(name, place)["seconds"]
    return {name: curve for name, curve in found.items() if curve}


def picture(curves: dict[str, dict[int, float]]) -> str:
    """Return the curves as SVG, both axes logarithmic."""
    left, top, wide, tall = 70, 40, 560, 320
    sizes = sorted({size for curve in curves.values() for size in curve})
    times = [seconds for curve in curves.values() for seconds in curve.values()]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(sizes[0]), max(math.log10(sizes[-1]), math.log10(sizes[0]) + 1)

    def at(size: float, seconds: float) -> tuple[float, float]:
        x = left + wide * (math.log10(size) - first) / (last - first)
        return x, top + tall * (1 - (math.log10(seconds) - low) / (high - low))

    style = "text{font:12px system-ui,sans-serif;fill:#555}@media(prefers-color-scheme:dark){text{fill:#bbb}}"
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="420" viewBox="0 0 900 420">',
        f"<style>{style}</style><title>Seconds by number of claims</title>",
    ]
    for power in range(low, high + 1):
        y = at(sizes[0], 10.0**power)[1]
        parts.append(f'<line x1="{left}" y1="{y:.0f}" x2="{left + wide}" y2="{y:.0f}" stroke="#8884"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{10.0**power:g} s</text>')
    parts += [
        f'<text x="{at(size, 10.0**low)[0]:.0f}" y="{top + tall + 20}" text-anchor="middle">{size:,}</text>'
        for size in sizes
    ]
    colours = ("#27a", "#2a7", "#a57", "#d82", "#666")
    for colour, (name, curve) in zip(colours, curves.items(), strict=False):
        points = [at(size, seconds) for size, seconds in sorted(curve.items())]
        listed = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        parts.append(f'<polyline points="{listed}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{colour}"/>' for x, y in points]
        x, y = points[-1]
        parts.append(f'<text x="{x + 10:.0f}" y="{y + 4:.0f}" style="fill:{colour}">{CURVES[name]}</text>')
    return "\n".join([*parts, "</svg>", ""])


def table() -> Table:
    """Return the table of results, and write it down with the machine and the curves."""
    with tempfile.TemporaryDirectory(prefix="howsure-bench-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        place = folder / f"{SIZE}"
        place.mkdir()
        make(SIZE, place)
        spark = None
        if SPARK:
            spark = folder / f"{SPARK}"
            if SPARK != SIZE:
                spark.mkdir()
                make(SPARK, spark)
        curves = growth(folder)  # from small to large: what has to be compiled is compiled early
        measured = rows(place, spark)
    title = f"{SIZE:,} claims, {3 * SIZE:,} sources, {SIZE:,} relations"
    found = Table(title=title, title_justify="left")
    for name in ("path", "howsure", "instead", "ratio", "wanted", ""):
        found.add_column(name, justify="left" if name == "path" else "right")
    for row in measured:
        found.add_row(*row[:-1], "met" if row.met else "missed")
    RESULTS.write_text(report(title, measured, curves))
    PICTURE.write_text(picture(curves))
    return found


def report(title: str, measured: list[Row], curves: dict[str, dict[int, float]]) -> str:
    """Return the results as a page."""
    packages = ("duckdb", "numpy", "numba", "pyarrow", "pyspark", "psycopg")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()
    lines = [
        "# Bulk scoring, measured",
        "",
        "Written by `python -m benchmarks bulk`. float64, both sides give the same answer to 1e-9.",
        "",
        (
            f"Machine: {os.cpu_count()} cores, {memory:.0f} GiB, {platform.machine()}, {platform.system()}; "
            f"Python {platform.python_version()}, {versions}. Load at the end: {load[0]:.1f}."
        ),
        "",
        f"## {title}",
        "",
        "| path | howsure | instead | ratio | wanted | |",
        "|---|---|---|---|---|---|",
        *(f"| {' | '.join(row[:-1])} | {'met' if row.met else 'missed'} |" for row in measured),
        "",
        "## Growth, in seconds",
        "",
    ]
    sizes = sorted({size for curve in curves.values() for size in curve})
    lines += [f"| claims | {' | '.join(f'{size:,}' for size in sizes)} |", f"|---|{'---|' * len(sizes)}"]
    for name, curve in curves.items():
        cells = [f"{curve[size]:.3g}" if size in curve else "" for size in sizes]
        lines.append(f"| {CURVES[name]} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])
