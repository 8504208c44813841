"""Cut and redact a judged text before it is stored."""

from typing import NamedTuple

from howsure.files import sha256
from howsure.redaction import redact_secrets
from howsure.settings import Keep

START = 200
"""Characters of a text that are kept by default."""
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
    """Return the start of a text up to a whole word, or all of one without blanks: half a secret is not recognised."""
    if len(text) <= _WINDOW:
        return text
    start = text[:_WINDOW]
    return start[: max(start.rfind(" "), start.rfind("\n"), 0)] or text
