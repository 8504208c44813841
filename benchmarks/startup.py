"""Starting up: a process that says its version, against one that does nothing."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from rich.table import Table

from benchmarks.timing import best

PYTHON = sys.executable
COMMAND = str(Path(PYTHON).with_name("howsure"))
WAYS = {
    "python -c pass": [PYTHON, "-c", "pass"],
    'python -c "import howsure"': [PYTHON, "-c", "import howsure"],
    "howsure --version": [COMMAND, "--version"],
    "howsure score derived": [COMMAND, "score", "derived"],
    'python -c "import rich.console, typer"': [PYTHON, "-c", "import rich.console, typer"],
}


def _run(command: list[str]) -> None:
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)


def table() -> Table:
    """Return the table of results."""
    found = Table(title="start-up", title_justify="left")
    for name in ("process", "ms", "against nothing"):
        found.add_column(name, justify="left" if name == "process" else "right")
    nothing = 0.0
    for name, command in WAYS.items():
        seconds, _ = best(partial(_run, command), 20)
        nothing = nothing or seconds
        found.add_row(name, f"{seconds * 1000:.1f}", f"{seconds / nothing:.1f} x")
    return found
