"""Benchmark of start-up: howsure commands, compared with a Python process that does nothing."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from rich.table import Table

from benchmarks.timing import best

PYTHON = sys.executable
COMMAND = str(Path(PYTHON).with_name("howsure"))
COMMANDS = {
    "python -c pass": [PYTHON, "-c", "pass"],
    'python -c "import howsure"': [PYTHON, "-c", "import howsure"],
    "howsure --version": [COMMAND, "--version"],
    "howsure score derived": [COMMAND, "score", "derived"],
    'python -c "import rich.console, typer"': [PYTHON, "-c", "import rich.console, typer"],
}


def _run(command: list[str]) -> None:
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)


def table() -> Table:
    """Measure and return the results as a table."""
    results = Table(title="start-up", title_justify="left")
    for name in ("process", "ms", "against python -c pass"):
        results.add_column(name, justify="left" if name == "process" else "right")
    baseline = 0.0
    for name, command in COMMANDS.items():
        seconds, _ = best(partial(_run, command), 20)
        baseline = baseline or seconds
        results.add_row(name, f"{seconds * 1000:.1f}", f"{seconds / baseline:.1f} x")
    return results
