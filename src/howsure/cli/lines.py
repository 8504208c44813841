"""Read JSON Lines from a file or stdin, each value with its line number."""

import codecs
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import orjson

from howsure.errors import InputError

STDIN = "-"


@contextmanager
def opened(file: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, or stdin for '-'."""
    if file == STDIN:
        if sys.stdin is None:
            raise InputError("there is no input to read", hint="give a file")
        if sys.stdin.isatty():
            print("howsure: reading JSON from the terminal, one object per line; end with Ctrl-D", file=sys.stderr)
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(file).open("rb"))
            stream.peek(1)  # a folder opens, but cannot be read
        except OSError as error:
            raise InputError(f"cannot read {file}: {error.strerror}", hint="give a file, or - for stdin") from error
        yield stream


def records(stream: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield each JSON value with its line number, or an InputError in place of a line that is not JSON.

    If the file holds one JSON array, yield its elements, counted from 1.
    """
    lines = enumerate(stream, start=1)
    for number, line in lines:
        text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).strip()
        if not text:
            continue
        if text.startswith(b"["):
            yield from _array(number, text, lines)
        else:
            yield number, parsed(text)
        break
    for number, line in lines:
        if text := line.strip():
            yield number, parsed(text)


def _array(number: int, first: bytes, lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, Any]]:
    """Yield the elements of the array that starts here; an array followed by other lines is one value."""
    alone = parsed(first)
    following = next(lines, None)
    if following is not None and isinstance(alone, list):
        yield number, alone
        if text := following[1].strip():
            yield following[0], parsed(text)
        return
    if following is not None:
        alone = parsed(b"".join((first, b"\n", following[1], *(line for _, line in lines))))
    if isinstance(alone, list):
        yield from enumerate(alone, start=1)
    else:
        yield number, alone


def parsed(text: bytes) -> Any:
    """Return the value of a JSON text, or an InputError if it is not JSON."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        try:
            decoded = text.decode()
        except UnicodeDecodeError as wrong:
            problem = f"not UTF-8: byte {text[wrong.start]:#04x} at position {wrong.start}"
            return InputError(problem, hint="save it as UTF-8")
        try:
            return json.loads(decoded)  # accepts NaN and huge numbers, so that decoding can name the field
        except (ValueError, RecursionError):
            return InputError(f"not JSON: {error.msg} at position {error.pos}", hint="one object per line")
