"""Run the benchmarks and print their tables: `python -m benchmarks [NAME...]`."""

import platform
import sys

from rich.console import Console
from rich.table import Table

NAMES = ("formulas", "markers", "startup", "claims", "gate", "fits", "conflicts", "documents", "load", "pages", "bulk")


def run(name: str) -> Table:  # noqa: C901 - one case for each benchmark
    """Run one benchmark and return its table; exit with a message if the name is unknown."""
    # Imported one by one: `documents` measures peak memory, which the database libraries of the others would raise.
    match name:
        case "formulas":
            from benchmarks.formulas import table
        case "markers":
            from benchmarks.markers import table
        case "startup":
            from benchmarks.startup import table
        case "claims":
            from benchmarks.claims import table
        case "gate":
            from benchmarks.gate import table
        case "fits":
            from benchmarks.fits import table
        case "conflicts":
            from benchmarks.conflicts import table
        case "documents":
            from benchmarks.documents import table
        case "load":
            from benchmarks.load import table
        case "pages":
            from benchmarks.pages import table
        case "bulk":
            from benchmarks.bulk import table
        case _:
            sys.exit(f"unknown benchmark {name!r} (known: {', '.join(NAMES)})")
    return table()


def main(names: list[str]) -> None:
    """Run the named benchmarks, or all of them without a name."""
    out = Console()
    out.print(f"Python {platform.python_version()} on {platform.machine()}, {platform.system()}\n")
    for name in names or NAMES:
        out.print(run(name))
        out.print()


if __name__ == "__main__":
    main(sys.argv[1:])
