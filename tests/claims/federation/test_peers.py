"""The register of peers: what may be in it, and what is never in it."""

from pathlib import Path
from typing import Any

import pytest

from howsure.claims.federation.page import PeerReport
from howsure.claims.federation.peers import MAX_PEERS, checked_address
from howsure.errors import InputError, NotFoundError
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock

URL = "https://howsure.example"
in_a_file = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


def test_peers_are_added_listed_and_removed(sure: Sure, address: str) -> None:
    added = sure.peers.add(f"{URL}/", trust=0.8)
    assert (added.name, added.url, added.trust, added.token, added.time_limit) == ("howsure.example", URL, 0.8, "", 5.0)
    sure.peers.add("http://[::1]:8765/deep/", trust=0, name="near", token_env="NEAR_TOKEN", time_limit=0.5)  # noqa: S106
    with open_store(address) as again:
        assert [peer.name for peer in again.peers.all()] == ["howsure.example", "near"]
        near = again.peers.get("near")
        assert (near.url, near.token, near.created_at) == ("http://[::1]:8765/deep", "env:NEAR_TOKEN", NOW)
        assert (near.seen_at, near.failed_at, near.failure) == (None, None, "")
        assert again.peers.remove("near") == near
    assert [peer.name for peer in sure.peers.all()] == ["howsure.example"]
    for use in (sure.peers.remove, sure.peers.get, sure.peers.test):
        with pytest.raises(NotFoundError, match="unknown peer 'howsure.exampel' .did you mean howsure.example"):
            use("howsure.exampel")


def test_addresses_are_kept_in_one_form() -> None:
    assert checked_address("HTTP://Example.COM:80/A/b//") == "http://example.com:80/A/b"
    assert checked_address("http://example.com:") == "http://example.com"
    assert checked_address("https://xn--bcher-kva.example") == "https://xn--bcher-kva.example"


@in_a_file
@pytest.mark.parametrize(
    "url",
    [
        "",
        "howsure.example",
        "//howsure.example",
        "ftp://howsure.example",
        "file:///etc/passwd",
        "http://",
        "http:///path",
        "http://howsure.example/?a=b",
        "http://howsure.example/?",
        "http://howsure.example/#top",
        "http://howsure.example:70000",
        "http://howsure.example:x",
        "http://[::1",
        "http://howsure.example/a b",
        "http://howsure.example\r\nHost: elsewhere",
        "http://howsure.example\\@elsewhere",
        "http://bücher.example",
        "http://" + "a" * 500,
        " http://howsure.example",
    ],
)
def test_invalid_server_addresses_are_refused(sure: Sure, url: str) -> None:
    with pytest.raises(InputError) as caught:
        sure.peers.add(url, trust=0.5)
    assert caught.value.field == "url"
    assert caught.value.hint
    assert sure.peers.all() == []


def test_an_address_with_a_password_is_refused_and_not_repeated(sure: Sure) -> None:
    with pytest.raises(InputError) as caught:
        sure.peers.add("https://ann:hunter22@howsure.example", trust=0.5)
    assert caught.value.field == "url"
    assert "hunter22" not in str(caught.value)


@in_a_file
@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"trust": 1.1}, "trust"),
        ({"trust": -0.1}, "trust"),
        ({"trust": float("nan")}, "trust"),
        ({"trust": "much"}, "trust"),
        ({"name": ""}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "\x1b[2J"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"time_limit": 0}, "time_limit"),
        ({"time_limit": 61}, "time_limit"),
        ({"token_env": "A-B"}, "token_env"),
        ({"token_env": ""}, "token_env"),
        ({"token_env": "howsure_abcdefghijklmnopqrstuvwxyz0123456789"}, "token_env"),
        ({"token_env": "A", "token_file": "b"}, "token_file"),
        ({"token_file": "a\nb"}, "token_file"),
    ],
)
def test_invalid_fields_are_named(sure: Sure, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        sure.peers.add(URL, **({"trust": 0.5} | given))
    assert caught.value.field == field
    assert "abcdefg" not in str(caught.value), "it may be the token itself"
    assert sure.peers.all() == []


def test_a_name_and_an_address_are_given_once(sure: Sure) -> None:
    sure.peers.add(URL, trust=0.5, name="a")
    for url, name, field in ((URL, "b", "url"), ("http://b.example", "a", "name")):
        with pytest.raises(InputError, match="the peer a at https://howsure.example exists already") as caught:
            sure.peers.add(url, trust=0.5, name=name)
        assert caught.value.field == field


def test_the_number_of_peers_is_limited(sure: Sure) -> None:
    for number in range(MAX_PEERS):
        sure.peers.add(f"http://peer{number}.example", trust=0.5)
    with pytest.raises(InputError, match=f"there are {MAX_PEERS} peers already"):
        sure.peers.add(URL, trust=0.5)


def test_a_token_file_is_stored_as_an_absolute_path(
    sure: Sure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sure.peers.add(URL, trust=0.5, token_file="b.token").token == f"file:{tmp_path}/b.token"  # noqa: S106


def test_answering_peers_are_recorded_occasionally(sure: Sure, clock: Clock) -> None:
    sure.peers.add(URL, trust=0.5, name="a")

    def noted(status: Any, reason: str = "") -> tuple[Any, ...]:
        sure.peers.note([PeerReport("a", status, 1.0, reason=reason)])
        peer = sure.peers.get("a")
        return peer.seen_at, peer.failed_at, peer.failure

    assert noted("answered") == (NOW, None, "")
    clock.now += 30
    assert noted("answered") == (NOW, None, ""), "not again so soon"
    assert noted("refused", "why") == (NOW, NOW + 30, "refused: why"), "but something new at once"
    clock.now += 31
    assert noted("answered") == (NOW + 61, NOW + 30, "refused: why")
    clock.now += 61
    assert noted("answered") == (NOW + 122, NOW + 30, "refused: why")


def test_peers_are_not_exported(sure: Sure) -> None:
    sure.peers.add(URL, trust=0.5)
    assert "howsure.example" not in str(list(sure.claims.export()))
