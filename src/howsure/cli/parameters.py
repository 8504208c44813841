"""Read what the command line names: parameters, JSON, times, durations and files."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import orjson

from howsure.errors import HowsureError, InputError, shown
from howsure.shapes import Amount, Moment, decode_as, decoder

STDIN = "-"
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_557_600.0}
"""Seconds of each unit of a duration."""


def parse_parameters(settings: Sequence[str]) -> dict[str, Any]:
    """Parse NAME=VALUE pairs. A value is JSON or else plain text; a dotted name sets a member of a group.

    >>> parse_parameters(["boost_factor=0.2", "half_life.task=3600"])
    {'boost_factor': 0.2, 'half_life': {'task': 3600}}
    """
    found: dict[str, Any] = {}
    for setting in settings:
        name, text = split_setting(setting, "like boost_factor=0.2")
        if not setting.isprintable():
            raise InputError(f"{shown(setting)} has characters that cannot be shown", field="set")
        try:
            value: Any = orjson.loads(text)
        except orjson.JSONDecodeError:
            value = text
        *groups, last = name.split(".")
        place: Any = found
        for group in groups:
            place = place.setdefault(group, {})
            if not isinstance(place, dict):
                raise InputError(f"{group} is set as a value and as a group", field="set")
        place[last] = value
    return found


def split_setting(setting: str, hint: str) -> tuple[str, str]:
    """Split NAME=VALUE into its name and value; raise InputError with this hint if it has another form."""
    name, equals, text = setting.partition("=")
    if not equals or not name:
        raise InputError(f"{shown(setting)} is not NAME=VALUE", field="set", hint=hint)
    return name, text


def parse_json(text: str, field: str) -> Any:
    """Read a value that is written as JSON.

    Raises:
        InputError: if it is not JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", field=field, hint='like {"name": 0.5}') from None


def parse_moment(text: str, field: str = "now") -> float:
    """Parse a time: seconds since 1970, or an ISO date or time (UTC unless it has an offset).

    >>> parse_moment("1800000000"), parse_moment("2027-01-15T08:00:00Z")
    (1800000000.0, 1800000000.0)
    """
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        try:
            return float(decoder(Moment)(seconds))
        except InputError as error:
            raise error.under(field) from None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"{shown(text)} is not a time", field=field, hint="seconds since 1970 or 2027-01-15T08:00Z"
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def moment(text: str | None) -> float | None:
    """Parse a time; None if it is not given."""
    return None if text is None else parse_moment(text)


def parse_duration(text: str, field: str = "every") -> float:
    """Parse a duration: a number and its unit.

    >>> parse_duration("90m")
    5400.0
    """
    number, unit = text[:-1], text[-1:]
    if unit not in UNITS or not (number.isascii() and number.replace(".", "", 1).isdigit()) or not float(number) > 0:
        raise InputError(f"invalid duration {text!r}", field=field, hint="like 30m, 12h, 7d, 8w or 1y")
    return float(number) * UNITS[unit]


def parse_seconds(text: str, field: str) -> float:
    """Parse a duration: a number and its unit, or a number of seconds.

    >>> parse_seconds("12h", "ttl"), parse_seconds("90", "ttl")
    (43200.0, 90.0)
    """
    try:
        seconds = float(text)
    except ValueError:
        return parse_duration(text, field)
    return float(decode_as(Amount, seconds, field))


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value not in (None, (), [])}


def first_word_after(command: str, words: Sequence[str]) -> str | None:
    """Return the first word after a command that is not an option; None if there is none.

    >>> first_word_after("claim", ["howsure", "-v", "claim", "add", "x"])
    'add'
    """
    after = list(words)[list(words).index(command) + 1 :] if command in words else []
    return next((word for word in after if not word.startswith("-")), None)


@contextmanager
def open_input(file: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, or stdin for '-'. An error about one of its lines names the file."""
    if file == STDIN:
        if sys.stdin is None:
            raise InputError("there is no input to read", hint="give a file")
        if sys.stdin.isatty():
            print("howsure: reading from the terminal; end with Ctrl-D", file=sys.stderr)
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(file).open("rb"))
            stream.peek(1)  # a folder opens, but cannot be read
        except OSError as error:
            raise InputError(f"cannot read {file}: {error.strerror}", hint="give a file, or - for stdin") from error
        try:
            yield stream
        except HowsureError as error:
            if error.line is not None:
                error.file = file
            raise


def read_text(file: str) -> str:
    """Return the text of a file, or of stdin for '-', without a byte order mark.

    Raises:
        InputError: if it cannot be read, or is not UTF-8.
    """
    with open_input(file) as stream:
        content = stream.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8: {error.reason}", field="file", hint="save it as UTF-8") from None
