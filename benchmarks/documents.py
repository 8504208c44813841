"""Documents: a scan of a tree, against looking for each pattern in each file as the source document does."""

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
WORDS = (
    "The parser reads the header before anything else and keeps what it has seen. ",
    "A retry is made when the connection was closed, with a longer pause each time. ",
    "Nobody should rely on the order of the entries, which may change at any time. ",
    "Values that are out of range are refused with an error that names the field. ",
)
MARKED = (
    "# Heading\n", "| a | b |\n", "sources: two of them\n", "evidence: strong\n", "visited: yes\n", "see https://example.org/\n",
    "def main():\n", "class Parser:\n", "import os\n", "assert it\n", "run pytest\n", "the coverage is high\n",
    "title: Page\n", "description: more\n", "next_review: 2027-01-01\n", "we validate it\n",
)  # fmt: skip


def grow(folder: Path) -> int:
    """Make a tree of pages, programs and data; return its size in bytes."""
    dice = random.Random(5)
    total = 0
    for number in range(FILES):
        place = folder / f"part{number % 40}" / f"section{number % 7}"
        if number < 280:  # noqa: PLR2004 - each folder once
            place.mkdir(parents=True, exist_ok=True)
        paragraphs = []
        size = dice.randrange(BYTES // 2, BYTES * 3 // 2)
        while size > 0:
            paragraph = "".join(dice.choices(WORDS, k=6)) + "\n\n"
            if dice.random() < 0.05:  # noqa: PLR2004
                paragraph += dice.choice(MARKED)
            paragraphs.append(paragraph)
            size -= len(paragraph)
        text = "".join(paragraphs)
        (place / f"page{number}{'.py' if number % 5 == 0 else '.md'}").write_text(text)
        total += len(text)
    return total


def naive(folder: Path) -> dict[str, frozenset[str]]:
    """Look for every pattern in every file, one after the other."""
    patterns = [pattern.pattern for pattern in load_builtin_pack("default").patterns]
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_text()
            found[path.relative_to(folder).as_posix()] = frozenset(one for one in patterns if one in text)
    return found


def naive_by_pattern(folder: Path) -> dict[str, frozenset[str]]:
    """Scan the tree once for every pattern, as one would with `grep` in a loop."""
    found: dict[str, set[str]] = {}
    for pattern in load_builtin_pack("default").patterns:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                matches = found.setdefault(path.relative_to(folder).as_posix(), set())
                if pattern.pattern in path.read_text():
                    matches.add(pattern.pattern)
    return {path: frozenset(matches) for path, matches in found.items()}


def scanned(folder: Path, cache: Path | None) -> tuple[float, Scan]:
    """Return how long a scan with its report took, and the scan."""
    start = time.perf_counter()
    found = Scan(ScanOptions((folder,), load_builtin_pack("default"), cache=cache), NOW)
    found.report()
    return time.perf_counter() - start, found


def quickest(folder: Path, cache: Path, *, anew: bool) -> tuple[float, Scan]:
    """Return the quickest of some scans: each the first of the tree, or with what is kept of it."""
    found = []
    for _ in range(REPEATS):
        for kept in cache.parent.glob("cache.*") if anew else ():
            kept.unlink()
        found.append(scanned(folder, cache))
    return min(found, key=lambda one: one[0])


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Measure, and give the rows of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder, cache = Path(place) / "tree", Path(place) / "cache.json"
        folder.mkdir()
        total = grow(folder)
        naive(folder / "part0")  # warm up
        start = time.perf_counter()
        expected = naive(folder)
        slow = time.perf_counter() - start
        start = time.perf_counter()
        if naive_by_pattern(folder) != expected:
            raise ArithmeticError("the naive ways differ")
        slower = time.perf_counter() - start
        first, found = quickest(folder, cache, anew=True)
        matches = {entry.file.path: frozenset(entry.facts.matches) for entry in found.entries}
        if matches != expected:
            raise ArithmeticError("the scan found other patterns than looking for each of them")
        time.sleep(2.1)  # what was changed within two seconds is read again
        scanned(folder, cache)
        second, again = quickest(folder, cache, anew=False)
        if again.reused != len(expected):
            raise ArithmeticError(f"only {again.reused} of {len(expected)} files were known")
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
        yield "", "second scan, nothing changed", f"{second:.2f} s", f"{first / second:.1f} x the first"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        yield "", "peak memory: this process, largest worker", f"{peak:,.0f} MB", f"{workers:,.0f} MB"


def table() -> Table:
    """Return the table of results."""
    found = Table(title="documents: scanning a tree", title_justify="left")
    for name in ("tree", "way", "time", "faster"):
        found.add_column(name, justify="left" if name in ("tree", "way") else "right")
    for row in rows():
        found.add_row(*row)
    return found
