"""Keep keys and passwords out of messages, logs and what is stored."""

import re
from collections.abc import Mapping
from functools import lru_cache

from howsure.errors import InputError

HIDDEN = "[redacted]"
"""Written in place of a secret."""
_SHORTEST_HEADER = 6
"""Shorter header values are not taken for secrets: they would hide ordinary words."""
_RECOGNISED_BY = 16
"""A long secret is recognised by this many first characters, since endpoints often quote it shortened or masked."""
_VALUE = r"""\s*(?:[:=]|=>|:=)\s*(?:"[^"\n]{3,}"?|'[^'\n]{3,}'?|[^\s"',;]{4,})"""
SECRETS = {
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)": (
        "private key",
    ),
    r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}": ("sk-", "pk-", "rk-", "sk_", "pk_", "rk_"),
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|hf_|npm_|pypi-)[A-Za-z0-9_-]{8,}": (
        "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "npm_", "pypi-",
    ),
    r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{12,}": ("akia", "asia"),
    r"(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{20,}": ("aiza",),
    r"(?<![A-Za-z0-9])xox[abprs]-[A-Za-z0-9-]{8,}": ("xox",),
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}": ("eyj",),
    rf"(?i)(?<![A-Za-z0-9])(?:[A-Za-z0-9]{{1,40}}[_-]){{0,6}}(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|"
    rf"access[_-]?key|private[_-]?key)(?:[_-][A-Za-z0-9]{{1,40}}){{0,6}}[\"']?{_VALUE}": (
        "passw", "passphrase", "pwd", "secret", "token", "key",
    ),
    r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/-]{8,}=*": ("bearer", "basic"),
    r"(?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)": ("://",),
}  # fmt: skip
"""Patterns of keys and passwords, each with strings of which a lower-case text must contain one to match at all.

Looking for a string first is much faster than trying every pattern on every text.
"""
_SIGNS = [(sign, pattern) for pattern, signs in SECRETS.items() for sign in signs]


def redact_secrets(text: str, patterns: tuple[str, ...] = ()) -> str:
    """Return a text in which everything that looks like a secret, or matches the user's patterns, is replaced."""
    small = text.lower()
    for sign, pattern in _SIGNS:
        if sign in small:
            text = re.sub(pattern, HIDDEN, text)
    for compiled in compile_patterns(patterns):
        text = compiled.sub(HIDDEN, text)
    # PostgreSQL stores neither NUL nor invalid Unicode, and a decision must not fail to be recorded because of them.
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


@lru_cache(maxsize=16)
def compile_patterns(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Compile the user's patterns.

    Raises:
        InputError: if one of them is not a regular expression.
    """
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise InputError(f"invalid regular expression {pattern!r}: {error}", field="ledger.redact") from None
    return tuple(compiled)


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


def hide_url_passwords(text: str) -> str:
    """Return a text without the user and password of each address in it, which may be given where a file is expected.

    A path has one slash where two were given.

    >>> hide_url_passwords("cannot read postgresql:/ann:secret@host/db: there is no such file")
    'cannot read postgresql:/...@host/db: there is no such file'
    """
    if "@" not in text:
        return text
    return re.sub(r"(?<=:/)(/?)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)", r"\1...", text)


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
