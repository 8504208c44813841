"""Digests: what two texts have in common only if they are the same."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:  # Python's own, which is there at once; hashlib loads OpenSSL, in a tenth of the time of a whole decision
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # its name before Python 3.12
        except ImportError:  # pragma: no cover - a Python without its own
            from hashlib import sha256

__all__ = ["sha256"]
