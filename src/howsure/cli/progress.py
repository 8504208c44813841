"""Show on a terminal how far long work has come."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from howsure.progress import Progress, silent


@contextmanager
def show_progress() -> Iterator[Progress]:
    """Yield a function that draws progress on stderr; one that does nothing if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True)
    columns = (
        rich.SpinnerColumn(),
        rich.TextColumn("{task.description} {task.fields[counts]}"),
        rich.BarColumn(min(40, console.width // 4)),
        rich.TimeElapsedColumn(),
    )
    with rich.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, visible=False, counts="")

        def show(stage: str, done: int, total: int) -> None:
            counts = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
            bar.update(task, description=stage, completed=done, total=total or None, counts=counts, visible=True)

        yield show
