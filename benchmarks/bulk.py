"""Measure bulk scoring of ten million claims against hand-written alternatives, and how it grows with size.

HOWSURE_BENCH_BULK sets the number of claims, HOWSURE_BENCH_SPARK how many of them Spark scores (0: none, as without
Java). Every comparison is between new processes, which must give the same intervals. Growth is measured warm: one
process per engine, which has scored a small table before. Spark's largest size is taken from the comparison, which
takes minutes, so that its start-up does not matter. The results are written to RESULTS.md and docs/scale.md.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from rich.console import Console
from rich.table import Table

from benchmarks.bulk_data import make
from benchmarks.bulk_report import Curves, Row, publish

ROOT = Path(__file__).parent.parent
SIZE = int(os.environ.get("HOWSURE_BENCH_BULK", "10000000"))
SPARK = min(int(os.environ.get("HOWSURE_BENCH_SPARK", "5000000")), SIZE) if shutil.which("java") else 0
CLOSE = 1e-9
SMALLEST = 10_000
LARGEST = {"postgres": 1_000_000, "spark": SPARK}
"""Largest number of claims that is measured for an engine."""


class Measurements(NamedTuple):
    """The comparisons, and the points of the curves that they measure."""

    rows: list[Row]
    curves: Curves


def run(name: str, *folders: Path) -> dict[str, Any]:
    """Run one measurement in a new process, and return its result."""
    command = [sys.executable, "-m", "benchmarks.bulk_runs", name, *map(str, folders)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} failed: {done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    numbers = {key: round(value, 3) for key, value in result.items() if isinstance(value, float)}
    Console(stderr=True).print(f"{name} in {folders[-1].name}: {numbers}")
    return result


def same(folder: Path, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Raise an error unless two outputs hold the same intervals for the same claims."""
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


def by_turns(names: tuple[str, ...], folder: Path) -> list[dict[str, Any]]:
    """Run rivals that take about as long one after the other, twice, and return the quicker run of each."""
    rounds = [[run(name, folder) for name in names] for _ in range(2)]
    return [min(found, key=lambda measured: float(measured["seconds"])) for found in zip(*rounds, strict=True)]


def compare(folder: Path, spark: Path | None) -> Measurements:
    """Measure every line of the table."""
    hand, auto, by_duckdb = by_turns(("duckdb_files", "one_shot", "one_shot_duckdb"), folder)
    same(folder, auto, hand)
    same(folder, by_duckdb, hand)
    resident, kernel, naive = (run(name, folder) for name in ("duckdb_resident", "kernel", "naive"))
    for other in (resident, naive, hand):
        same(folder, kernel, other)
    curves: Curves = {}
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
        curves["spark"] = {SPARK: generated["checked"] + generated["seconds"]}
    peaks = {"auto": auto["peak"], "duckdb": by_duckdb["peak"]}
    told = ", ".join(f"{peak / 1e9:.2f} GB ({name})" for name, peak in peaks.items())
    rival = f"{hand['peak'] / 1e9:.2f} GB by hand"
    found.append(Row("peak memory of the one-shot path", told, rival, "", "under 4 GB", max(peaks.values()) < 4e9))  # noqa: PLR2004
    return Measurements(found, curves)


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


def grow(folder: Path, full: Curves) -> Curves:
    """Measure each engine at 10,000 claims, ten times as many, and so on, but not what was measured already."""
    sizes = sorted({10**power for power in range(4, 9) if SMALLEST <= 10**power <= SIZE} | {SIZE})
    found: Curves = {}
    for name in ("duckdb", "arrays", "postgres", "spark", "kept"):
        wanted = [size for size in sizes if size <= LARGEST.get(name, SIZE) and size not in full.get(name, {})]
        if not wanted or (name == "spark" and not SPARK):
            continue
        measured = run(name, *(_made(folder, size) for size in wanted))
        found[name] = {int(size): seconds for size, seconds in measured.items()} | full.get(name, {})
    return found


def _made(folder: Path, size: int) -> Path:
    place = folder / f"{size}"
    if not place.exists():
        place.mkdir()
        make(size, place)
    return place


def table() -> Table:
    """Measure, write it down, and return the table of results."""
    with tempfile.TemporaryDirectory(prefix="howsure-bench-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        run("arrays", _made(folder, SMALLEST))  # what has to be compiled is compiled
        measured = compare(_made(folder, SIZE), _made(folder, SPARK) if SPARK else None)
        curves = grow(folder, measured.curves)
    title = f"{SIZE:,} claims, {3 * SIZE:,} sources, {SIZE:,} relations"
    found = Table(title=title, title_justify="left")
    for name in ("path", "howsure", "instead", "ratio", "wanted", ""):
        found.add_column(name, justify="left" if name == "path" else "right")
    for row in measured.rows:
        found.add_row(*row[:-1], "met" if row.met else "missed")
    publish(title, measured.rows, curves)
    return found
