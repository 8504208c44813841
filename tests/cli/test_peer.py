"""howsure peer, and howsure claim find --federated, as processes of their own."""

import json
from pathlib import Path

import pytest

from howsure.serve.tokens import Tokens
from howsure.sure import open as open_store
from tests.conftest import Run
from tests.serve.serving import serving


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "home.db")


def test_peers_on_the_command_line(howsure: Run, home: str, tmp_path: Path) -> None:
    def run(*arguments: str, code: int = 0, **environment: str) -> str:
        done = howsure(*arguments, "--store", home, **environment)
        assert done.returncode == code, done.stderr
        return (done.stdout + done.stderr).decode()

    assert "No peers yet." in run("peer", "list")
    with open_store(str(tmp_path / "b.db")) as b:
        b.claims.add("The sky is \x1b[31mblue", source="user:ann", contribution=0.9)
        _, secret = Tokens(b.session).create("home", "read")
        with serving(b, tokens=True) as client:
            url = str(client.base_url)
            added = run("peer", "add", url, "--trust", "0.5", "--name", "b", "--token-env", "B_TOKEN")
            assert added == f"b at {url} is a peer, trusted 0.5\n"
            run("claim", "add", "The sea is wet", "--source", "user:bob", "--contribution", "0.2")
            assert "there is no token in the variable B_TOKEN" in run("peer", "test", "b", code=1)
            assert run("peer", "test", "b", B_TOKEN=secret).startswith("b answered in ")
            assert json.loads(run("peer", "test", "b", "--json", B_TOKEN=secret))["claims"] == 1
            shown = run("claim", "find", "--federated", B_TOKEN=secret)
            assert "The sky is \N{REPLACEMENT CHARACTER}[31mblue" in shown
            assert "b [0.30, 0.45]" in shown
            assert "here [0.13, 0.20]" in shown
            assert "1 peer asked: 1 answered" in shown
            *lines, last = map(json.loads, run("claim", "find", "--federated", "--json", B_TOKEN=secret).splitlines())
            assert [(line["peer"], round(line["upper"], 9)) for line in lines] == [("b", 0.45), (None, 0.2)]
            assert (last["coverage"]["answered"], last["more"]) == (1, False)
            assert "more: raise --limit" in run("claim", "find", "--federated", "--limit", "1", B_TOKEN=secret)
        shown = run("claim", "find", "--federated", B_TOKEN=secret)
        assert "1 peer asked: 1 unreachable" in shown
        assert "b: unreachable: it cannot be reached: Connection refused" in shown
        assert "No claims fit." in run("claim", "find", "nothing", "--federated", B_TOKEN=secret)
    listed = json.loads(run("peer", "list", "--json"))
    assert (listed["token"], listed["trust"]) == ("env:B_TOKEN", 0.5)
    assert listed["failure"].startswith("unreachable: it cannot be reached")
    assert listed["seen_at"] is not None
    table = run("peer", "list", COLUMNS="200")
    assert "env:B_TOKEN" in table
    assert "5 s" in table
    assert secret not in table + str(listed)
    assert run("peer", "remove", "b") == f"b at {url} was removed\n"
    assert "unknown peer 'b'" in run("peer", "remove", "b", code=2)


def test_a_token_on_its_way_in_the_open_is_warned_of(howsure: Run, home: str) -> None:
    given = ("--trust", "1", "--token-file", "x", "--store", home)
    done = howsure("peer", "add", "http://192.0.2.7", *given)
    assert b"can be read on the way: https is better" in done.stderr
    for url in ("https://192.0.2.7", "http://127.0.0.1"):
        assert howsure("peer", "add", url, *given, "--name", url[:5].strip(":")).stderr == b""
    assert b"Missing option" in howsure("peer", "add", "https://192.0.2.8", "--store", home).stderr
