"""Keeping: how much of a text that was judged is written down, and what never is."""

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
"""What looks like a key or a password, and what a text has to contain, in small letters, for that to be looked for."""
_SIGNS = [(sign, pattern) for pattern, signs in SECRETS.items() for sign in signs]
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
    seen = text if keep == "all" else _window(text)
    clean = redacted(seen, redact)
    return Kept(digest, clean if keep == "all" else clean[:START])


def is_whole(kept: Kept) -> bool:
    """Say whether all of a text was kept: neither cut off nor redacted.

    >>> is_whole(kept("all of it", "start")), is_whole(kept("x" * 500, "start"))
    (True, False)
    """
    content = kept.content
    return content is not None and sha256(content.encode("utf-8", "surrogatepass")).hexdigest() == kept.digest


def _window(text: str) -> str:
    """Return the start of a text, without a last word that was cut: half a secret would not be recognised."""
    if len(text) <= _WINDOW:
        return text
    start = text[:_WINDOW]
    return start[: max(start.rfind(" "), start.rfind("\n"), 0)] or start[:START]


def redacted(text: str, own: tuple[str, ...] = ()) -> str:
    """Return a text without what looks like a secret, and without what fits the user's own patterns."""
    small = text.lower()
    for sign, pattern in _SIGNS:
        if sign in small:
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
