"""Cut and redact a judged text before it is stored."""

import re
from functools import lru_cache
from typing import NamedTuple

from howsure.errors import InputError
from howsure.files import sha256
from howsure.redaction import HIDDEN
from howsure.settings import Keep

START = 200
"""Characters of a text that are kept by default."""
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
_WINDOW = 20_000
"""Characters that are searched for secrets if only the start of a text is kept."""


class KeptText(NamedTuple):
    """What is stored of a text."""

    digest: str | None
    """SHA-256 of the whole text, or None if nothing is kept."""
    content: str | None
    """The text, or its start, without secrets."""


def keep(text: str | None, amount: Keep, patterns: tuple[str, ...] = ()) -> KeptText:
    """Return what to store of a text. It is redacted first and cut afterwards, so that no half of a secret remains.

    >>> keep("The password: hunter2 is in the vault.", "all").content
    'The [redacted] is in the vault.'
    """
    if text is None or amount == "nothing":
        return KeptText(None, None)
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    clean = redact_secrets(text if amount == "all" else _window(text), patterns)
    return KeptText(digest, clean if amount == "all" else clean[:START])


def is_complete(kept: KeptText) -> bool:
    """Say whether a text was kept as it was: neither cut nor redacted.

    >>> is_complete(keep("all of it", "start")), is_complete(keep("x" * 500, "start"))
    (True, False)
    """
    content = kept.content
    return content is not None and sha256(content.encode("utf-8", "surrogatepass")).hexdigest() == kept.digest


def _window(text: str) -> str:
    """Return the start of a text up to a whole word: half a secret would not be recognised."""
    if len(text) <= _WINDOW:
        return text
    start = text[:_WINDOW]
    return start[: max(start.rfind(" "), start.rfind("\n"), 0)] or start[:START]


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
