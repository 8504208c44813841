"""Lines: one JSON object per line, from a file or stdin, each with the place it came from."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import orjson

from howsure.errors import HowsureError, InputError

STDIN = "-"


@contextmanager
def opened(file: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, or stdin for '-'."""
    if file == STDIN:
        if sys.stdin.isatty():
            print("howsure: reading JSON from the terminal, one object per line; end with Ctrl-D", file=sys.stderr)
        yield sys.stdin.buffer
        return
    try:
        with Path(file).open("rb") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}", hint="give a file, or - for stdin") from error


def records(stream: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """Give each JSON object with its line, or the error that stands in its place.

    A file that holds one JSON array instead gives its elements, counted from 1.
    """
    for number, line in enumerate(stream, start=1):
        text = line.strip()
        if number == 1 and text.startswith(b"["):
            yield from enumerate(_array(text + b"\n" + stream.read()), start=1)
            return
        if text:
            yield number, parsed(text)


def _array(text: bytes) -> list[Any]:
    found = parsed(text)
    if isinstance(found, HowsureError):
        raise found
    return list(found)


def parsed(text: bytes) -> Any:
    """Return what a piece of JSON says, or an error as a value."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        try:
            text.decode()
        except UnicodeDecodeError as wrong:
            return InputError(f"not UTF-8: byte {text[wrong.start]:#04x} at position {wrong.start}")
        return InputError(f"not JSON: {error.msg} at position {error.pos}", hint="one object per line")
