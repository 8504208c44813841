"""Read the address of a store: a path, sqlite:///PATH, or a postgresql:// address."""

import os
import re

from howsure.errors import InputError, nearest

SCHEMES = ("postgresql", "postgres", "sqlite")
EXPECTED = "pass a file, sqlite:///FILE or a postgresql:// address"

# A scheme has two letters or more, since C:/x.db is a path on Windows. Files of variables often hold quotes.
_SCHEME = re.compile(r"[\s\"']*([A-Za-z][A-Za-z0-9+.-]+):(?=(/)?)")
_CONNECTION_STRING = re.compile(r"(^|\s)(host|hostaddr|port|dbname|user|password|service)\s*=")


def read_address(address: str) -> str:
    """Return a path, or an address that starts with postgresql:// or postgres://.

    No message shows more of a wrong address than its scheme, because the rest may hold a password.

    Raises:
        InputError: if the address is empty or of an unknown kind.

    >>> read_address("sqlite:////var/lib/howsure.db"), read_address("sqlite:///claims.db"), read_address("claims.db")
    ('/var/lib/howsure.db', 'claims.db', 'claims.db')
    """
    if not address.strip() or address == ":memory:":
        raise InputError(f"{address!r} is not a store", field="store", hint=EXPECTED)
    if _CONNECTION_STRING.search(address):
        raise InputError("a connection string is not a store address", field="store", hint="write it as postgresql://")
    match = _SCHEME.match(address)
    if match is None or not (match[2] or "@" in address):
        if "://" in address:
            raise InputError("the store address has no known scheme", field="store", hint=EXPECTED)
        return address
    scheme, rest = match[1].lower(), address[match.end() :]
    if match.start(1) or scheme not in SCHEMES:  # quotes or spaces come before it
        close = nearest(scheme.partition("+")[0], SCHEMES)  # SQLAlchemy adds the driver: postgresql+psycopg
        slashes = ":///" if "sqlite" in close else "://"
        hint = f"{close[:-1]}{slashes}?" if close.startswith("did you mean") else EXPECTED
        raise InputError(f"unknown scheme {match[1][:40]!r} of the store address", field="store", hint=hint)
    if scheme == "sqlite":
        return _sqlite_path(rest)
    if not rest.startswith("//"):
        raise InputError(f"a {scheme} address starts with {scheme}://", field="store", hint=f"{scheme}://HOST/DATABASE")
    return f"{scheme}:{rest}"


def _sqlite_path(rest: str) -> str:
    """Return the path of a sqlite address, given what follows its colon."""
    path = rest.removeprefix("///")
    if path == rest or not path or path == ":memory:":
        hint = "sqlite:///claims.db, or sqlite:////var/lib/claims.db for an absolute path"
        raise InputError("a sqlite address starts with sqlite:/// and names a file", field="store", hint=hint)
    if "?" in path:
        raise InputError("a sqlite address takes no options", field="store", hint="howsure serve has --read-only")
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib starts slowly
