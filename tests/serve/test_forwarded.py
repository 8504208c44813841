"""Limits count the address of the client behind a trusted proxy, and nobody can forge it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.serve.forwarded import find_client, parse_networks
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.serve.serving import Client, serving

PROXY = parse_networks(["127.0.0.0/8", "10.1.2.3", "fd00::/8"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["6.6.6.6, 192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["6.6.6.6", "192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["192.0.2.1, 10.1.2.3"], "192.0.2.1"),
        ("127.0.0.1", ["192.0.2.1:4711"], "192.0.2.1"),
        ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("fd00::1", ["2001:db8::1"], "2001:db8::1"),
        ("::ffff:127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["::ffff:192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["evil"], "127.0.0.1"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("198.51.100.9", ["192.0.2.1"], "198.51.100.9"),
        ("198.51.100.9", ["127.0.0.1"], "198.51.100.9"),
        ("not an address", ["192.0.2.1"], "not an address"),
    ],
)
def test_the_client_is_the_last_address_that_is_no_trusted_proxy(peer: str, forwarded: list[str], client: str) -> None:
    assert find_client(peer, forwarded, PROXY) == client


@given(st.lists(st.text(max_size=40)))
def test_what_a_client_sends_before_never_counts(forged: list[str]) -> None:
    assert find_client("127.0.0.1", [*forged, "192.0.2.1"], PROXY) == "192.0.2.1"
    assert find_client("198.51.100.9", forged, PROXY) == "198.51.100.9"


@pytest.mark.parametrize("text", ["", "localhost", "10.0.0.1/8", "*"])
def test_an_invalid_proxy_is_reported(text: str) -> None:
    with pytest.raises(InputError, match="invalid address"):
        parse_networks([text])


def _attempt(client: Client, forwarded: str) -> int:
    form = client.get("/login", headers={"X-Forwarded-For": forwarded})
    (csrf,) = set(re.findall(r'name="csrf" value="(\w+)"', form.text))
    headers = {"X-Forwarded-For": forwarded, "Origin": str(client.base_url).rstrip("/")}
    return client.post("/login", data={"csrf": csrf, "token": "wrong", "next": "/"}, headers=headers).status_code


def test_logins_are_counted_by_the_client_behind_a_trusted_proxy(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.serve.pages.login.ATTEMPTS", 1e-6)  # once, and then not for days
    Tokens(sure.session).create("ann", "admin")
    with serving(sure, tokens=True, pages=True, trusted_proxies=["127.0.0.1"]) as client:
        assert _attempt(client, "192.0.2.1") == 401
        assert _attempt(client, "192.0.2.1") == 429
        assert _attempt(client, "192.0.2.2") == 401, "another client has its own attempts"
        assert _attempt(client, "6.6.6.6, 192.0.2.2") == 429, "what the client itself sent does not count"
    with serving(sure, tokens=True, pages=True) as client:
        assert _attempt(client, "192.0.2.1") == 401
        assert _attempt(client, "192.0.2.2") == 429, "an untrusted peer cannot choose its address"
