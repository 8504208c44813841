"""The address of the client behind a trusted proxy, for limits and the access log.

Anybody can send X-Forwarded-For. So it is read only if the connection comes from a trusted proxy, and from its end: a
proxy appends the address that it has seen, and the last one that is not a trusted proxy itself is the client.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from howsure.errors import InputError, shown

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return networks from addresses such as 127.0.0.1 and 10.0.0.0/8.

    Raises:
        InputError: if a text is neither an address nor a network.

    >>> parse_networks(["127.0.0.1", "10.0.0.0/8"])
    (IPv4Network('127.0.0.1/32'), IPv4Network('10.0.0.0/8'))
    """
    networks = []
    for text in texts:
        try:
            networks.append(ip_network(text.strip()))
        except ValueError:
            hint = "an address like 127.0.0.1, or a network like 10.0.0.0/8"
            raise InputError(f"invalid address {shown(text)}", field="trusted-proxy", hint=hint) from None
    return tuple(networks)


def find_client(peer: str, forwarded: Iterable[str], trusted: tuple[Network, ...]) -> str:
    """Return the address of the client.

    Args:
        peer: Where the connection comes from.
        forwarded: The values of X-Forwarded-For, in order.
        trusted: Addresses of trusted proxies.

    >>> trusted = parse_networks(["10.0.0.0/8"])
    >>> find_client("10.0.0.1", ["6.6.6.6, 192.0.2.7, 10.0.0.2"], trusted)
    '192.0.2.7'
    >>> find_client("198.51.100.1", ["6.6.6.6"], trusted)
    '198.51.100.1'
    """
    client = peer
    addresses = [address for value in forwarded for address in value.split(",")]
    while addresses and _is_trusted(client, trusted):
        address = _parse(addresses.pop())
        if address is None:  # what a trusted proxy passed on unread says nothing
            break
        client = str(address)
    return client


def _parse(text: str) -> Address | None:
    """Return an address, which may have a port; None if it is none."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _is_trusted(text: str, trusted: tuple[Network, ...]) -> bool:
    address = _parse(text)
    return address is not None and any(address in network for network in trusted)


class ForwardedClient:
    """ASGI middleware that replaces the address of a trusted proxy by that of its client."""

    def __init__(self, app: ASGIApp, trusted: tuple[Network, ...]) -> None:
        """Wrap an application that is reached through these proxies."""
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope.get("client"):
            peer, port = scope["client"]
            client = find_client(peer, Headers(scope=scope).getlist("x-forwarded-for"), self._trusted)
            scope = {**scope, "client": (client, port if client == peer else 0)}
        await self._app(scope, receive, send)
