"""Keys by which the same statement, or the same triple, is found again."""

import unicodedata
from hashlib import sha256


def normalise(text: str) -> str:
    """Return a statement without case, repeated white space and final punctuation, to compare it with others.

    >>> normalise("  The Sky  is blue. ")
    'the sky is blue'
    """
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.split()).rstrip(".! ")


def _digest(*parts: str) -> str:
    return sha256("\x1f".join(map(normalise, parts)).encode()).hexdigest()[:32]


def statement_key(statement: str) -> str:
    """Return a key that is equal for statements that say the same."""
    return _digest(statement)


def triple_key(subject: str | None, predicate: str | None, object_: str | None) -> str | None:
    """Return a key that is equal for triples that say the same; None if a part is missing."""
    if subject is None or predicate is None or object_ is None:
        return None
    return _digest(subject, predicate, object_)
