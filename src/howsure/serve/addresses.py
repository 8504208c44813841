"""Addresses: which are this machine's own, and who a browser says it speaks for.

A page from anywhere can make a browser send requests to this machine, and can even give its own name this machine's
address. So a server that asks for no token answers only to the names of this machine, and none answers to other pages.
"""

import socket
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from howsure.errors import InputError, shown

LOCAL = "localhost"


def loopback(host: str) -> bool:
    """Say whether nobody but this machine reaches an address.

    >>> loopback("127.0.0.1"), loopback("::1"), loopback("0.0.0.0"), loopback("10.0.0.7")
    (True, True, False, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise InputError(f"there is no address {shown(host)}", field="host", hint="like 127.0.0.1") from None
    return bool(found) and all(ip_address(address[0]).is_loopback for *_, address in found)


def host_of(header: str) -> str:
    """Return the name in a Host header, without the port; nothing for one that is none.

    >>> host_of("LocalHost:8765"), host_of("[::1]:80"), host_of("evil.example"), host_of("a b")
    ('localhost', '::1', 'evil.example', '')
    """
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port
    except ValueError:
        return ""
    plain = parts.netloc == header and "@" not in header and not any(sign in header for sign in " /\\?#,")
    return (parts.hostname or "") if plain else ""


def own_name(header: str, names: Iterable[str] = ()) -> bool:
    """Say whether a Host header names this machine as nobody else is called, or by one of the names it was given."""
    host = host_of(header)
    if host == LOCAL or (host and host in {name.lower() for name in names}):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def same_origin(origin: str, host: str) -> bool:
    """Say whether a page is ours: it comes from where it now sends a request to.

    >>> same_origin("http://localhost:8765", "localhost:8765"), same_origin("https://evil.example", "localhost:8765")
    (True, False)
    """
    try:
        parts = urlsplit(origin)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        here = urlsplit(f"{parts.scheme}://{host}")
        own = here.port or {"http": 80, "https": 443}.get(here.scheme)
    except ValueError:
        return False
    return bool(parts.hostname) and parts.scheme in ("http", "https") and (parts.hostname, port) == (here.hostname, own)
