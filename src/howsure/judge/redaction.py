"""Redaction: keys and passwords are sent, and never shown."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from howsure.errors import InputError, shown
from howsure.judge.fence import cleaned

HIDDEN = "[redacted]"
_SHORTEST_HEADER = 6
_KNOWN_BY = 16
"""Characters by which a long key is recognised, also where its end was cut off or replaced."""
_LONGEST_LINE = 300
_SENDABLE = re.compile(r"[\x20-\x7e]*")


class Redactor:
    """Takes keys and passwords out of texts.

    >>> Redactor("abc-123", {})("the key abc-123 is wrong")
    'the key [redacted] is wrong'
    """

    def __init__(self, key: str, headers: Mapping[str, str]) -> None:
        """Remember what is never shown: the key, and headers long enough to be one."""
        words = {word for value in headers.values() for word in (value, value.rpartition(" ")[2])}
        secret = {key} | {word for word in words if len(word) >= _SHORTEST_HEADER}
        signs = [_sign(word) for word in sorted(filter(None, secret), key=len, reverse=True)]
        self._secret = re.compile("|".join(signs)) if signs else None

    def __call__(self, text: str) -> str:
        """Return a text without them."""
        return self._secret.sub(HIDDEN, text) if self._secret else text

    def line(self, text: str) -> str:
        """Return a text that others wrote as one short line, without them."""
        return " ".join(cleaned(self(text)).split())[:_LONGEST_LINE]


def _sign(secret: str) -> str:
    """Return a pattern for a secret."""
    if len(secret) <= _KNOWN_BY:
        return re.escape(secret)
    return rf"{re.escape(secret)}|{re.escape(secret[:_KNOWN_BY])}[\w.*-]*"


def checked_address(base_url: str) -> str:
    """Return an endpoint's address, or say what is wrong with it."""
    try:
        parts = urlsplit(base_url)
        host = (parts.hostname or "").encode("idna") if parts.port != 0 else b""
    except ValueError:  # a port that is no number, or a host that is no name
        host = b""
    if not host or parts.scheme not in ("http", "https"):
        raise InputError(f"{shown(base_url)} is no address of an endpoint", field="base_url", hint="https://host/v1")
    if parts.username or parts.password or parts.query or parts.fragment:  # not shown: it may hold a password
        raise InputError("an address with a user, a password or a query", field="base_url", hint="use key or headers")
    return base_url


def checked_header(value: str, field: str) -> str:
    """Return what is sent as a header, without space around it; what cannot be sent is refused, and not shown."""
    if not _SENDABLE.fullmatch(value.strip()):
        raise InputError("there are characters in it that cannot be sent", field=field)
    return value.strip()
