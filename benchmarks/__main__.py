"""Run the benchmarks and print their tables: `python -m benchmarks [NAME...]`."""

import platform
import sys
from importlib import import_module

from rich.console import Console

NAMES = ("formulas", "markers", "startup", "claims", "gate", "conflicts", "documents", "load", "bulk")


def main() -> None:
    """Run those that are named, or all."""
    out = Console()
    out.print(f"Python {platform.python_version()} on {platform.machine()}, {platform.system()}\n")
    for name in sys.argv[1:] or NAMES:
        out.print(import_module(f"benchmarks.{name}").table())
        out.print()


main()
