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
    """Give a function that takes what is being done, how much of it was done, and how much there is; 0, if unknown."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    with _bar("{task.description} {task.fields[told]}", drawn=True) as bar:
        task = bar.add_task("", total=None, visible=False, told="")

        def show(what: str, done: int, total: int) -> None:
            told = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
            bar.update(task, description=what, completed=done, total=total or None, told=told, visible=True)

        yield show


def _bar(words: str, *, drawn: bool = False) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    line = (BarColumn(min(40, console.width // 4)),) if drawn else ()
    columns = (SpinnerColumn(), TextColumn(words), *line, TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)
