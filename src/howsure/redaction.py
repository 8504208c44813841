"""Keep keys and passwords out of messages, logs and what is stored."""

import re
from collections.abc import Mapping

HIDDEN = "[redacted]"
"""Written in place of a secret."""
_SHORTEST_HEADER = 6
"""Shorter header values are not taken for secrets: they would hide ordinary words."""
_RECOGNISED_BY = 16
"""A long secret is recognised by this many first characters, since endpoints often quote it shortened or masked."""


class SecretFilter:
    """Replaces known keys and header values in texts.

    >>> SecretFilter("abc-123")("the key abc-123 is wrong")
    'the key [redacted] is wrong'
    """

    def __init__(self, key: str = "", headers: Mapping[str, str] | None = None) -> None:
        """Remember the secrets: the key, and all header values that are long enough to be one."""
        # The last word of a header too: "Bearer abc" may be quoted without "Bearer".
        values = {word for value in (headers or {}).values() for word in (value, value.rpartition(" ")[2])}
        secrets = {key} | {value for value in values if len(value) >= _SHORTEST_HEADER}
        patterns = [_pattern(secret) for secret in sorted(filter(None, secrets), key=len, reverse=True)]
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def __call__(self, text: str) -> str:
        """Return a text in which the secrets are replaced."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text


def _pattern(secret: str) -> str:
    if len(secret) <= _RECOGNISED_BY:
        return re.escape(secret)
    return rf"{re.escape(secret)}|{re.escape(secret[:_RECOGNISED_BY])}[\w.*-]*"


def hide_password(address: str) -> str:
    """Return the address of a database without user, password and query; a path is returned unchanged.

    >>> hide_password("postgresql://ann:secret@db:5432/claims?sslmode=require")
    'postgresql://db:5432/claims'
    """
    if "://" not in address:
        return address
    scheme, _, rest = address.partition("://")
    place, _, query = rest.partition("?")
    if "@" in place:
        place = place.rpartition("@")[2]
    elif "@" in query:  # a password with an unescaped question mark
        place = "..."
    return f"{scheme}://{place}"


def has_password(address: str) -> bool:
    """Return whether the address of a database holds a password, also one in its query or of libpq's key=value form.

    >>> has_password("postgresql://ann:secret@db/claims"), has_password("postgresql://db/claims?password=x")
    (True, True)
    >>> has_password("postgresql://ann@db/claims"), has_password("claims.db")
    (False, False)
    """
    scheme, separator, rest = address.partition("://")
    if not separator or scheme.lower().startswith("sqlite"):
        return False
    user = rest.rpartition("@")[0] if "@" in rest else ""
    return ":" in user or re.search(r"(?i)[?&](?:ssl)?password=", rest) is not None
