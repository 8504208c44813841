"""Benchmark of scanning a tree of documents, compared with searching each file for each pattern."""

import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

from howsure.documents.scan import Scan, ScanOptions
from howsure.text.patterns import load_builtin_pack

FILES = int(os.environ.get("HOWSURE_BENCH_FILES", "20000"))
BYTES = int(os.environ.get("HOWSURE_BENCH_FILE_BYTES", "25000"))
NOW = 1_800_000_000.0
REPEATS = 3
SENTENCES = (
    "The parser reads the header before anything else and keeps what it has seen. ",
    "A retry is made when the connection was closed, with a longer pause each time. ",
    "Nobody should rely on the order of the entries, which may change at any time. ",
    "Values that are out of range are refused with an error that names the field. ",
)
MATCHING_LINES = (
    "# Heading\n", "| a | b |\n", "sources: two of them\n", "evidence: strong\n", "visited: yes\n", "see https://example.org/\n",
    "def main():\n", "class Parser:\n", "import os\n", "assert it\n", "run pytest\n", "the coverage is high\n",
    "title: Page\n", "description: more\n", "next_review: 2027-01-01\n", "we validate it\n",
)  # fmt: skip


def write_tree(folder: Path) -> int:
    """Write a tree of Markdown and Python files and return its size in bytes."""
    dice = random.Random(5)
    total = 0
    for number in range(FILES):
        place = folder / f"part{number % 40}" / f"section{number % 7}"
        if number < 280:  # noqa: PLR2004 - 40 x 7 folders, each made once
            place.mkdir(parents=True, exist_ok=True)
        paragraphs = []
        size = dice.randrange(BYTES // 2, BYTES * 3 // 2)
        while size > 0:
            paragraph = "".join(dice.choices(SENTENCES, k=6)) + "\n\n"
            if dice.random() < 0.05:  # noqa: PLR2004
                paragraph += dice.choice(MATCHING_LINES)
            paragraphs.append(paragraph)
            size -= len(paragraph)
        text = "".join(paragraphs)
        (place / f"page{number}{'.py' if number % 5 == 0 else '.md'}").write_text(text)
        total += len(text)
    return total


def match_by_file(folder: Path) -> dict[str, frozenset[str]]:
    """Return the patterns in each file: read it once and search it for every pattern."""
    patterns = [pattern.pattern for pattern in load_builtin_pack("default").patterns]
    matches = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_text()
            matches[path.relative_to(folder).as_posix()] = frozenset(one for one in patterns if one in text)
    return matches


def match_by_pattern(folder: Path) -> dict[str, frozenset[str]]:
    """Return the patterns in each file: read the whole tree for every pattern, like `grep` in a loop."""
    matches: dict[str, set[str]] = {}
    for pattern in load_builtin_pack("default").patterns:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                of_file = matches.setdefault(path.relative_to(folder).as_posix(), set())
                if pattern.pattern in path.read_text():
                    of_file.add(pattern.pattern)
    return {path: frozenset(of_file) for path, of_file in matches.items()}


def time_scan(folder: Path, cache: Path | None) -> tuple[float, Scan]:
    """Scan the tree and write its report; return the seconds that it took and the scan."""
    start = time.perf_counter()
    scan = Scan(ScanOptions((folder,), load_builtin_pack("default"), cache=cache, everything=True), NOW)
    scan.report()
    return time.perf_counter() - start, scan


def processor_time(folder: Path) -> float:
    """Scan the tree in this process and return its processor time, which means something on a busy machine, too."""
    start = time.process_time()
    Scan(ScanOptions((folder,), load_builtin_pack("default"), jobs=1, everything=True), NOW).report()
    return time.process_time() - start


def time_best_scan(folder: Path, cache: Path, *, fresh: bool) -> tuple[float, Scan]:
    """Return the fastest of several scans; with `fresh`, the cache is deleted before each of them."""
    scans = []
    for _ in range(REPEATS):
        for file in cache.parent.glob("cache.*") if fresh else ():
            file.unlink()
        scans.append(time_scan(folder, cache))
    return min(scans, key=lambda scan: scan[0])


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Measure every way and yield the rows of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder, cache = Path(place) / "tree", Path(place) / "cache.json"
        folder.mkdir()
        total = write_tree(folder)
        match_by_file(folder / "part0")  # warm up
        start, start_cpu = time.perf_counter(), time.process_time()
        expected = match_by_file(folder)
        slow, slow_cpu = time.perf_counter() - start, time.process_time() - start_cpu
        start, start_cpu = time.perf_counter(), time.process_time()
        if match_by_pattern(folder) != expected:
            raise ArithmeticError("both naive searches must find the same patterns")
        slower, slower_cpu = time.perf_counter() - start, time.process_time() - start_cpu
        first, scan = time_best_scan(folder, cache, fresh=True)
        matches = {entry.file.path: frozenset(entry.facts.matches) for entry in scan.scanned_files}
        if matches != expected:
            raise ArithmeticError("the scan and the naive search must find the same patterns")
        alone = min(processor_time(folder) for _ in range(REPEATS))
        time.sleep(2.1)  # the cache does not trust files that changed less than two seconds ago
        time_scan(folder, cache)
        second, cached = time_best_scan(folder, cache, fresh=False)
        if cached.reused != len(expected):
            raise ArithmeticError(f"only {cached.reused} of {len(expected)} files came from the cache")
        start = time.perf_counter()
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                path.read_bytes()
        reading = time.perf_counter() - start
        what = f"{FILES:,} files, {total / 1e6:,.0f} MB"
        yield what, "a scan of the tree per pattern", f"{slower:.2f} s", f"{slow / slower:.1f} x"
        yield "", "each pattern in each file, read once", f"{slow:.2f} s", "1.0 x"
        yield "", "reading the files alone, one core", f"{reading:.2f} s", f"{slow / reading:.1f} x"
        times = f"{slow / first:.1f} x, {slower / first:.1f} x the scan per pattern"
        yield "", "first scan, scores included", f"{first:.2f} s", times
        times = f"{slow_cpu / alone:.1f} x, {slower_cpu / alone:.1f} x the scan per pattern"
        yield "", "first scan in one process, processor time", f"{alone:.2f} s", times
        yield "", "second scan, nothing changed", f"{second:.2f} s", f"{first / second:.1f} x the first"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        yield "", "peak memory: this process, largest worker", f"{peak:,.0f} MB", f"{workers:,.0f} MB"


def table() -> Table:
    """Measure and return the results as a table."""
    results = Table(title="documents: scanning a tree", title_justify="left")
    for name in ("tree", "way", "time", "faster"):
        results.add_column(name, justify="left" if name in ("tree", "way") else "right")
    for row in rows():
        results.add_row(*row)
    return results
