"""Progress: how far a long piece of work has come, shown on a terminal and nowhere else."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress(what: str) -> Iterator[Callable[[int], None]]:
    """Give a function that takes how much was done, where nobody knows how much there is."""
    if not sys.stderr.isatty():
        yield lambda _count: None
        return
    with _bar("{task.description} {task.completed:,}") as bar:
        task = bar.add_task(what, total=None)
        yield lambda count: bar.update(task, completed=count)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that takes what is being done, how much of it was done, and how much there is."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    with _bar("{task.description} {task.completed:,} of {task.total:,}") as bar:
        task = bar.add_task("", total=1, visible=False)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total, visible=True)


def _bar(words: str) -> Any:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(words), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
