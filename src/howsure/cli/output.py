"""Output: what people read goes through one console, what programs read goes out line by line."""

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from howsure.errors import InputError, StoreError

if TYPE_CHECKING:
    from rich.console import Console

GOOD, REFUSED, NO_JUDGEMENT = 0, 1, 2
"""Exit codes: good; judged and refused; could not judge."""


def console(*, stderr: bool = False) -> "Console":
    """Return a console for people. It follows the width of the terminal, and leaves colours out where none belong."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> NoReturn:
            closed_pipe()

    return Quiet(stderr=stderr, highlight=False)


def json_line(value: Any) -> bytes:
    """Return a value as one line of JSON."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def write_json(value: Any, *, pretty: bool = False) -> None:
    """Write a value as JSON and send it on its way at once."""
    try:
        text = (
            orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE) if pretty else json_line(value)
        )
    except TypeError as error:  # a name in broken Unicode, for one
        raise InputError(f"the answer cannot be written as JSON: {error}") from error
    if sys.stdout is None:
        raise InputError("there is no output to write to")
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        closed_pipe()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise StoreError(f"the answer could not be written: {error.strerror}") from error


_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}


def visible(text: str) -> str:
    r"""Return a text without what would steer a terminal: what agents write is shown, and does nothing.

    >>> visible("\x1b[2Jhello")
    '\ufffd[2Jhello'
    """
    return text.translate(_CONTROLS)


def complain(message: object) -> None:
    """Tell the user what is wrong, on stderr."""
    print(f"howsure: {message}", file=sys.stderr)


def closed_pipe() -> NoReturn:
    """End quietly: whoever read our output has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(GOOD)


def when(at: float) -> str:
    """Return a moment as people read it, in UTC."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
