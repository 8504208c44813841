"""Print results: for people by the renderer of their type, for programs as JSON."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

import orjson

from howsure.errors import HowsureError, InputError, StoreError
from howsure.shapes.encode import encode
from howsure.wording import visible

if TYPE_CHECKING:
    from rich.console import Console

GOOD, REFUSED, NO_JUDGEMENT = 0, 1, 2
"""Exit codes: good result, bad result, error."""

Renderer = TypeVar("Renderer", bound=Callable[[Any], None])
Lines = TypeVar("Lines", bound=Callable[[Any], Iterable[Any]])
_RENDERERS: dict[type, Callable[[Any], None]] = {}
_LINES: dict[type, Callable[[Any], Iterable[Any]]] = {}


STILL_IN_LOG = (
    "; its text stays in the log of the store while others read an older state, and is erased by the next purge"
)
"""What is added if something was deleted whose text could not be erased from the files yet."""


def console(*, stderr: bool = False) -> "Console":
    """Return a Rich console that follows the terminal's width and NO_COLOR, and exits quietly on a closed pipe.

    Control characters in what is printed are made visible: only Rich itself steers the terminal. Only a text that is
    printed by itself may have markup. The cells of a table are data: a folder may be called [slug].
    """
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.text import Text

    class Quiet(Console):
        def print(self, *objects: Any, markup: bool = True, **options: Any) -> None:  # type: ignore[override]
            # A class of Rich that is not imported cannot have been passed.
            table = sys.modules.get("rich.table")
            # Programs that read a table, such as grep, want a row in one line.
            if self.is_terminal and len(objects) == 1 and table is not None and isinstance(objects[0], table.Table):
                from howsure.cli.narrow import stack_rows

                objects = (*(stack_rows(objects[0], self) or objects),)
                options = {"sep": "\n"} | options
            shown = [Text.from_markup(one, emoji=False) if markup and isinstance(one, str) else one for one in objects]
            super().print(*shown, **options)

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

        def on_broken_pipe(self) -> NoReturn:
            closed_pipe()

    return Quiet(stderr=stderr, highlight=False, markup=False, emoji=False)


def json_line(value: Any) -> bytes:
    """Return a value as one line of JSON."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def write_json(value: Any) -> None:
    """Write a value as one line of JSON and flush it."""
    try:
        text = json_line(value)
    except TypeError as error:  # for example a string with a lone surrogate
        raise InputError(f"the result cannot be written as JSON: {error}") from error
    _write(text)


def write_json_error(error: HowsureError) -> None:
    """Write an error as one line of JSON, in the place of the result of a line."""
    parts = {"line": error.line, "field": error.field, "problem": error.problem, "hint": error.hint}
    write_json({"error": {name: part for name, part in parts.items() if part not in (None, "")}})


def write_json_batch(values: Iterable[Any]) -> None:
    """Write values as JSON Lines in one go, which is faster than one by one."""
    try:
        text = b"".join(map(json_line, values))
    except TypeError as error:
        raise InputError(f"the result cannot be written as JSON: {error}") from error
    _write(text)


def _write(text: bytes) -> None:
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


def say(text: str, *, end: str = "\n", flush: bool = False) -> None:
    """Print a line to stdout, with control characters made visible."""
    print(visible(text), end=end, flush=flush)


def complain(message: object) -> None:
    """Print a message to stderr."""
    print(visible(f"howsure: {message}"), file=sys.stderr)


def closed_pipe() -> NoReturn:
    """Exit quietly after the reader has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(GOOD)


MORE = "There is more: raise --limit, or use --json, whose last line has the cursor of the next page."
"""Printed below a page for people, instead of the cursor, which is a kilobyte long."""


class _HasInterval(Protocol):
    @property
    def sources(self) -> int: ...
    @property
    def interval(self) -> object: ...


def interval_words(claim: _HasInterval) -> str:
    """Return the interval of a claim, or that there is no evidence: [0.00, 0.00] would look as if it were false."""
    return str(claim.interval) if claim.sources else "no evidence"


def when(at: float) -> str:
    """Return a time as text, in UTC, as options such as --now read it.

    >>> when(1800000000)
    '2027-01-15 08:00:00Z'
    """
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, OverflowError):  # beyond the year 9999
        return f"{at:.0f}"


def renders(kind: type) -> Callable[[Renderer], Renderer]:
    """Register a function that prints a result of this type for people."""

    def register(function: Renderer) -> Renderer:
        _RENDERERS[kind] = function
        return function

    return register


def writes(kind: type) -> Callable[[Lines], Lines]:
    """Register a function that returns the JSON values of a result of this type, one for each line."""

    def register(function: Lines) -> Lines:
        _LINES[kind] = function
        return function

    return register


def show(result: Any, *, json: bool, line: str | None = None) -> None:
    """Print a result, by `line` if given (nothing if it is empty)."""
    if json:
        for value in _json_lines(result):
            write_json(value)
    elif line is not None:
        if line:
            print(visible(line))
    elif type(result) in _RENDERERS:
        _RENDERERS[type(result)](result)
    else:
        _print_plain(result)


def _json_lines(result: Any) -> Iterator[Any]:
    if type(result) in _LINES:
        yield from map(encode, _LINES[type(result)](result))
    elif isinstance(result, list | Iterator) or type(result) is tuple:
        yield from map(encode, result)
    elif isinstance(result, bool | int | float | str | None):
        yield {"result": result}  # as over HTTP
    else:
        yield encode(result)


def _print_plain(result: Any) -> None:
    """Print a result that has no renderer: its fields, one to a line."""
    from rich.table import Table
    from rich.text import Text

    data = encode(result)
    if not isinstance(data, Mapping):
        console().print(Text(visible(str(data))))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in data.items():
        table.add_row(Text(name.replace("_", " "), style="dim"), Text(visible(str(value))))
    console().print(table)
