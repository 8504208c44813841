"""A piece of JSON put into a JSON text, or taken out of it, with the rest of the text left as it is."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

Path = Sequence[str | int]
"""Names and places that lead to a value, from the outside in."""

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n\ufeff]*")


class Item(NamedTuple):
    """Where a member of an object, or an element of a list, stands in the text."""

    name: str | int
    start: int
    value: int
    end: int


def appended(text: str, path: Path, value: Any, name: str | None = None) -> str:
    r"""Return the text with a value at the end of the list at a path, or of the object there, by name.

    >>> appended('{\n  "a": [1]\n}', [], {"c": 2}, "b")
    '{\n  "a": [1],\n  "b": {\n    "c": 2\n  }\n}'
    """
    at = _value(text, path)
    found, end = _items(text, at)
    root, _ = _items(text, _value(text, []))
    before = text[at + 1 : found[0].start] if found else ""
    if ("\n" not in before) if found else _flat(text, root):
        new = _member(json.dumps(value), name)
        return text[: found[-1].end] + ", " + new + text[found[-1].end :] if found else _filled(text, at, end, new)
    line = "\r\n" if "\r\n" in text else "\n"
    unit = _indent(text, root) or "  "
    indent = before.rpartition("\n")[2] if found else unit * (len(path) + 1)
    new = line + indent + _member(json.dumps(value, indent=unit), name).replace("\n", line + indent)
    if found:
        return text[: found[-1].end] + "," + new + text[found[-1].end :]
    return _filled(text, at, end, new + line + unit * len(path))


def removed(text: str, path: Path) -> str:
    r"""Return the text without the value at a path.

    >>> removed('{\n  "a": [1],\n  "b": 2\n}', ["b"])
    '{\n  "a": [1]\n}'
    """
    at = _value(text, path[:-1])
    found, end = _items(text, at)
    place = max(place for place, item in enumerate(found) if item.name == path[-1])
    if len(found) == 1:
        return _filled(text, at, end, "")
    if place:
        return text[: found[place - 1].end] + text[found[place].end :]
    return text[: found[0].start] + text[found[1].start :]


def _filled(text: str, at: int, end: int, inside: str) -> str:
    """Return the text with something else between two brackets."""
    return text[: at + 1] + inside + text[end - 1 :]


def _member(value: str, name: str | None) -> str:
    return value if name is None else f"{json.dumps(name)}: {value}"


def _flat(text: str, root: list[Item]) -> bool:
    """Say whether the whole text is written in one line."""
    return bool(root) and "\n" not in text.strip()


def _indent(text: str, root: list[Item]) -> str:
    """Return what the outermost members are indented by."""
    start = text[: root[0].start].rpartition("\n")[2] if root else ""
    return start if not start.strip() else ""


def _value(text: str, path: Path) -> int:
    """Return where the value at a path begins. Of members with the same name the last one counts."""
    at = _after_blank(text, 0)
    for name in path:
        at = next(item.value for item in reversed(_items(text, at)[0]) if item.name == name)
    return at


def _items(text: str, at: int) -> tuple[list[Item], int]:
    """Return what stands in the object or list that begins at a place, and where it ends."""
    found: list[Item] = []
    place = _after_blank(text, at + 1)
    while text[place] not in "]}":
        if found:
            place = _after_blank(text, place + 1)
        start, name = place, len(found)
        if text[at] == "{":
            name, place = _DECODER.raw_decode(text, place)
            place = _after_blank(text, _after_blank(text, place) + 1)
        _, end = _DECODER.raw_decode(text, place)
        found.append(Item(name, start, place, end))
        place = _after_blank(text, end)
    return found, place + 1


def _after_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at
