"""Add a table to a TOML text, or remove one, and leave the rest of the text exactly as it is."""

import json
import re
from collections.abc import Mapping
from typing import Any

from howsure.errors import InputError
from howsure.files import load_toml

_HINT = "nothing was changed"


def parse_toml(text: str) -> dict[str, Any]:
    """Return TOML as data.

    Raises:
        InputError: if it is not TOML.
    """
    try:
        return load_toml(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:  # a whole number may have too many digits
        raise InputError(f"the settings are not TOML: {error}", hint=_HINT) from None


def append_table(text: str, name: str, values: Mapping[str, str | list[str]]) -> str:
    r"""Return the text with a table at its end.

    >>> append_table("a = 1\n", "b.c", {"d": "e"})
    'a = 1\n\n[b.c]\nd = "e"\n'
    """
    # JSON's texts and lists of texts are TOML's, too.
    lines = [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    before = text.rstrip("\r\n")
    return (before + "\n\n" if before else "") + "\n".join(lines) + "\n"


def remove_table(text: str, name: str) -> str:
    r"""Return the text without a table and its sub-tables; comments above the next table stay.

    Raises:
        InputError: if the table is written in another way, such as inline.

    >>> remove_table("a = 1\n\n[b.c]\nd = 2\n\n# e\n[e]\n", "b.c")
    'a = 1\n\n# e\n[e]\n'
    """
    header = rf"[ \t]*\[{re.escape(name)}(?:\.[^\]\n]*)?\][^\n]*"
    body = r"(?:\n(?![ \t]*(?:\[|#)|[ \t]*\n[ \t]*(?:\[|#))[^\n]*)*"
    rest = re.sub(rf"(?m)(?:^[ \t]*\n)?^{header}{body}(?:\n|\Z)", "", text)
    after, before = parse_toml(rest), parse_toml(text)
    *parents, last = name.split(".")
    holder: Any = before
    for parent in parents:
        holder = holder.get(parent, {})
    holder.pop(last, None)
    if _without_empty(after) != _without_empty(before):
        raise InputError(f"{name} is not a table of its own, so it cannot be removed", hint=f"edit the file; {_HINT}")
    return rest if rest.strip() else ""


def _without_empty(data: dict[str, Any]) -> dict[str, Any]:
    """Return data without empty tables at the top, which a removed sub-table may leave."""
    return {key: value for key, value in data.items() if value != {}}
