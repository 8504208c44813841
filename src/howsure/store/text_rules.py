"""Check that a store can hold a text."""

from functools import lru_cache
from typing import Any

from howsure.errors import InputError, shown

MAX_DEPTH = 5
"""Parts of a namespace."""
MAX_BYTES = {"statement": 65_536, "namespace": 500, "source_type": 500, "source_id": 1000}
"""Largest size of a text in UTF-8, by field; 2000 for any other."""


MAX_NAME_BYTES = 600
"""Largest size of a name in the ledger."""


def is_short_ascii(text: str) -> bool:
    """Fast path: True for short ASCII text, which is valid for every field."""
    return len(text) <= MAX_BYTES["namespace"] and text.isascii() and "\x00" not in text


def check_text(name: str, text: str | None, field: str = "") -> None:
    """Raise InputError if a store cannot hold a text: NUL bytes, lone surrogates, too many bytes.

    Args:
        name: The name of the field, which decides how long the text may be.
        text: The text; None is valid.
        field: The name to report, if it differs.
    """
    if text is None or is_short_ascii(text):
        return
    if "\x00" in text:
        raise InputError("a text cannot contain a NUL byte", field=field or name)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InputError("the text is broken Unicode (a lone surrogate)", field=field or name) from None
    largest = MAX_BYTES.get(name, 2000)
    if size > largest:
        hint = f"at most {largest}; a claim is a statement, not a document"
        raise InputError(f"{size} bytes are too many", field=field or name, hint=hint)


def check_name(text: Any, field: str) -> str:
    """Return a name of an agent, task or project; raise InputError if it is too long or cannot be stored."""
    if not isinstance(text, str):
        raise InputError(f"{shown(text)} is not a text", field=field)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        size = MAX_NAME_BYTES + 1
    if "\x00" in text or size > MAX_NAME_BYTES:
        raise InputError(
            f"invalid name {shown(text)}", field=field, hint=f"at most {MAX_NAME_BYTES} bytes of Unicode text"
        )
    return text


def check_content(text: str, field: str) -> str:
    """Return a text of any length; raise InputError if it contains NUL bytes or lone surrogates."""
    if "\x00" in text or (not text.isprintable() and text.encode("utf-8", "replace").decode() != text):
        raise InputError("the text contains a NUL byte or a lone surrogate", field=field)
    return text


@lru_cache(maxsize=1024)
def check_namespace(namespace: str) -> None:
    """Raise InputError unless this is a valid namespace: 1 to 5 non-empty parts, no wildcards."""
    parts = namespace.split("/")
    if not all(part.strip() for part in parts) or "*" in namespace:
        raise InputError(f"invalid namespace {shown(namespace)}", field="namespace", hint="like team/project")
    if len(parts) > MAX_DEPTH:
        raise InputError(f"{len(parts)} parts are too many", field="namespace", hint=f"at most {MAX_DEPTH}")
