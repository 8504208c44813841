"""Write results: to a Rich console for people, as JSON for programs."""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from howsure.errors import InputError, StoreError

if TYPE_CHECKING:
    from rich.console import Console

GOOD, REFUSED, NO_JUDGEMENT = 0, 1, 2
"""Exit codes: good result, bad result, error."""


def console(*, stderr: bool = False) -> "Console":
    """Return a Rich console that follows the terminal's width and NO_COLOR, and exits quietly on a closed pipe."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> NoReturn:
            closed_pipe()

    return Quiet(stderr=stderr, highlight=False)


def json_line(value: Any) -> bytes:
    """Return a value as one line of JSON."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def write_json(value: Any) -> None:
    """Write a value as one line of JSON and flush it."""
    try:
        text = json_line(value)
    except TypeError as error:  # for example a string with a lone surrogate
        raise InputError(f"the result cannot be written as JSON: {error}") from error
    if sys.stdout is None:
        raise InputError("stdout is closed")
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        closed_pipe()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise StoreError(f"the result could not be written: {error.strerror}") from error


def write_json_lines(values: Iterable[Any]) -> None:
    """Write each value as one line of JSON."""
    for value in values:
        write_json(value)


_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}


def visible(text: str) -> str:
    r"""Return a text without what would steer a terminal: what agents write is shown, and does nothing.

    >>> visible("\x1b[2Jhello")
    '\ufffd[2Jhello'
    """
    return text.translate(_CONTROLS)


def complain(message: object) -> None:
    """Print a message to stderr."""
    print(f"howsure: {message}", file=sys.stderr)


def closed_pipe() -> NoReturn:
    """Exit quietly after the reader has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(GOOD)


def when(at: float) -> str:
    """Return a time as text, in UTC, as options such as --now read it.

    >>> when(1800000000)
    '2027-01-15 08:00:00Z'
    """
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
