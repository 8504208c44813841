"""Find where the members of JSON objects and the elements of lists stand in a text, so that one can be edited."""

import json
import re
from typing import NamedTuple, NoReturn

_BLANK = re.compile(r"[ \t\r\n]*+")


class Item(NamedTuple):
    """A member of an object or an element of a list; numbers are offsets in the text."""

    name: str | int
    """The key of the member, or the index of the element."""
    gap: int
    """Start of the space before it, after a bracket or a comma."""
    start: int
    """Start of its key, or of the element."""
    value: int
    end: int


def skip_blank(text: str, at: int) -> int:
    """Return the offset of the first character from here on that is not blank."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def find_value_end(text: str, at: int) -> int:
    """Return the offset after the value that starts here.

    Raises:
        ValueError: if it is not valid JSON.
    """
    end: int = _DECODER.raw_decode(text, at)[1]
    return end


def find_items(text: str, at: int) -> tuple[list[Item], int]:
    """Return the items of the object or list that starts here, and the offset after it.

    Raises:
        ValueError: if it is not valid JSON.
    """
    is_object = text.startswith("{", at)
    closing = "}" if is_object else "]"
    items: list[Item] = []
    gap = at + 1
    start = skip_blank(text, gap)
    if text.startswith(closing, start):
        return items, start + 1
    while True:
        name: str | int = len(items)
        value = start
        if is_object:
            _expect('"', text, start)
            name, end = _DECODER.raw_decode(text, start)
            colon = skip_blank(text, end)
            _expect(":", text, colon)
            value = skip_blank(text, colon + 1)
        end = find_value_end(text, value)
        items.append(Item(name, gap, start, value, end))
        comma = skip_blank(text, end)
        if text.startswith(closing, comma):
            return items, comma + 1
        _expect(",", text, comma)
        gap = comma + 1
        start = skip_blank(text, gap)


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads although they are not JSON."""
    raise ValueError(f"{name} is not a number in JSON")


_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=refuse_constant)
"""Numbers stay text, so that their size does not matter."""


def _expect(sign: str, text: str, at: int) -> None:
    if not text.startswith(sign, at):
        raise json.JSONDecodeError(f"Expecting {sign}", text, at)
