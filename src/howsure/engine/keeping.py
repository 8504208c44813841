"""Keeping: how much of a text that was judged is written down, and what never is."""

import re
from functools import lru_cache
from typing import NamedTuple

from howsure.core.digest import sha256
from howsure.errors import InputError
from howsure.settings import Keep

START = 200
"""Characters of a text that are kept by default."""
HIDDEN = "[redacted]"
SECRETS = {
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)": ("private key",),
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}": ("sk-", "pk-", "rk-", "sk_", "pk_", "rk_"),
    r"\bgh[pousr]_[A-Za-z0-9]{20,}": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    r"\bAKIA[0-9A-Z]{16}\b": ("akia",),
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}": ("xox",),
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*": ("eyj",),
    r"(?i)\b(?:password|passwd|secret|token|api[_-]?key)\b[\"']?\s*[:=]\s*[\"']?[^\s\"',;]{4,}": (
        "passw",
        "secret",
        "token",
        "key",
    ),
    r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{12,}=*": ("bearer",),
    r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)": ("://",),
}
"""What looks like a key or a password, and what a text has to contain, in small letters, for that to be looked for."""
_WINDOW = 20_000
"""Characters at the start of a text that are looked through where only the start is kept."""


class Kept(NamedTuple):
    """What is written down of a text."""

    digest: str | None
    """SHA-256 of the text, to recognise it by."""
    content: str | None


def kept(text: str | None, keep: Keep, redact: tuple[str, ...] = ()) -> Kept:
    """Return what to write down of a text. What is redacted is gone before anything is cut off.

    >>> kept("The password: hunter2 is in the vault.", "all").content
    'The [redacted] is in the vault.'
    """
    if text is None or keep == "nothing":
        return Kept(None, None)
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    seen = text if keep == "all" else text[:_WINDOW]
    clean = redacted(seen, redact)
    return Kept(digest, clean if keep == "all" else clean[:START])


def redacted(text: str, own: tuple[str, ...] = ()) -> str:
    """Return a text without what looks like a secret, and without what fits the user's own patterns."""
    small = text.lower()
    for pattern, signs in SECRETS.items():
        if any(sign in small for sign in signs):
            text = re.sub(pattern, HIDDEN, text)
    for compiled in patterns(own):
        text = compiled.sub(HIDDEN, text)
    # A store keeps neither of these, and a text that was judged must not fail to be written down for them.
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


@lru_cache(maxsize=16)
def patterns(given: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return the user's patterns, ready to be used; refuse what is none."""
    found = []
    for pattern in given:
        try:
            found.append(re.compile(pattern))
        except re.error as error:
            raise InputError(f"{pattern!r} is no regular expression: {error}", field="ledger.redact") from None
    return tuple(found)
