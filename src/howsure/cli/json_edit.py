"""Insert a value into a JSON text, or remove one, and leave the rest of the text exactly as it is."""

import json
from collections.abc import Sequence
from typing import Any

from howsure.errors import InputError
from howsure.json_items import Item, find_items, refuse_constant, skip_blank

UNCHANGED = "it has to be a JSON object; nothing was changed"
Path = Sequence[str | int]
"""Keys and indexes that lead to a value, from the outside in."""

_BOM = "\ufeff"


def parse_object(text: str) -> dict[str, Any]:
    """Return settings as data, {} for a blank text; raise InputError unless they are a JSON object."""
    try:
        settings = json.loads(text.removeprefix(_BOM).strip() or "{}", parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the settings are not JSON: {error}", hint=UNCHANGED) from None
    if not isinstance(settings, dict):
        raise InputError("the settings are not a JSON object", hint=UNCHANGED)
    return settings


def append_value(text: str, path: Path, value: Any, name: str | None = None) -> str:
    r"""Return the text with a value appended to the list at a path, or to the object there under a name.

    >>> append_value('{\n  "a": [1]\n}', [], {"c": 2}, "b")
    '{\n  "a": [1],\n  "b": {\n    "c": 2\n  }\n}'
    """
    at = _find_value(text, path)
    items, end = find_items(text, at)
    root, _ = find_items(text, _find_value(text, []))
    before = text[at + 1 : items[0].start] if items else ""
    if ("\n" not in before) if items else _is_one_line(text, root):
        new = _member(json.dumps(value), name)
        if not items:
            return _replace_inside(text, at, end, new)
        return text[: items[-1].end] + ", " + new + text[items[-1].end :]
    line = "\r\n" if "\r\n" in text else "\n"
    unit = _find_indent(text, root) or "  "
    indent = before.rpartition("\n")[2] if items else unit * (len(path) + 1)
    new = line + indent + _member(json.dumps(value, indent=unit), name).replace("\n", line + indent)
    if items:
        return text[: items[-1].end] + "," + new + text[items[-1].end :]
    return _replace_inside(text, at, end, new + line + unit * len(path))


def remove_value(text: str, path: Path) -> str:
    r"""Return the text without the value at a path.

    >>> remove_value('{\n  "a": [1],\n  "b": 2\n}', ["b"])
    '{\n  "a": [1]\n}'
    """
    at = _find_value(text, path[:-1])
    items, end = find_items(text, at)
    place = max(place for place, item in enumerate(items) if item.name == path[-1])
    if len(items) == 1:
        return _replace_inside(text, at, end, "")
    if place:
        return text[: items[place - 1].end] + text[items[place].end :]
    return text[: items[0].start] + text[items[1].start :]


def _replace_inside(text: str, at: int, end: int, inside: str) -> str:
    """Return the text with other content between two brackets."""
    return text[: at + 1] + inside + text[end - 1 :]


def _member(value: str, name: str | None) -> str:
    return value if name is None else f"{json.dumps(name)}: {value}"


def _is_one_line(text: str, root: list[Item]) -> bool:
    """Return whether the whole text is written in one line."""
    return bool(root) and "\n" not in text.strip()


def _find_indent(text: str, root: list[Item]) -> str:
    """Return the indentation of the outermost members."""
    start = text[: root[0].start].rpartition("\n")[2] if root else ""
    return start if not start.strip() else ""


def _find_value(text: str, path: Path) -> int:
    """Return where the value at a path begins. Of members with the same name the last one counts, as for a parser."""
    at = skip_blank(text, 1 if text.startswith(_BOM) else 0)
    for name in path:
        at = next(item.value for item in reversed(find_items(text, at)[0]) if item.name == name)
    return at
