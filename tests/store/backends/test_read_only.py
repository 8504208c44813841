"""Stores that are only read: by wish, or because the file cannot be written to."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from howsure.errors import StoreError
from howsure.serve.desk import Desk
from howsure.serve.errors import AccessDeniedError
from howsure.serve.operations import operation
from howsure.serve.tokens import Tokens
from howsure.store import transfer
from howsure.store.backends import schema
from howsure.sure import open as open_store
from tests.conftest import NOW, Run

Plain = Callable[..., "subprocess.CompletedProcess[bytes]"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Return a backup of a store with a claim and a decision, in a folder of its own."""
    folder = tmp_path / "backups"
    folder.mkdir()
    with open_store(str(tmp_path / "s.db")) as sure:
        sure.claims.add("The cache is safe", source="user_input:ann")
        sure.responses.check("It works.", agent="ann", knowledge=0.9)
        transfer.backup(sure.session, folder / "backup.db")
    return folder / "backup.db"


@pytest.fixture
def plain(tmp_path: Path) -> Plain:
    """Return a function that runs howsure with the rights of an ordinary user, even if root runs the tests."""
    drop = ["setpriv", "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []

    def run(*words: str) -> "subprocess.CompletedProcess[bytes]":
        environment = os.environ | {"HOME": str(tmp_path), "COLUMNS": "100"}
        command = [*drop, sys.executable, "-m", "howsure", *words]
        return subprocess.run(command, capture_output=True, check=False, env=environment, stdin=subprocess.DEVNULL)

    return run


def test_a_store_is_read_and_never_changed(backup: Path) -> None:
    before = contents(backup.parent)
    with open_store(str(backup), read_only=True) as sure:
        (claim,) = sure.claims.find(text="cache").claims
        assert sure.claims.explain(claim.id).claim.statement == "The cache is safe"
        assert sure.ledger.stats().all.total == 1
        for write in (
            lambda: sure.claims.add("Another"),
            lambda: sure.responses.check("x", agent="ann"),
            lambda: sure.ledger.purge(everything=True),
        ):
            with pytest.raises(StoreError, match=r"backup.db is read-only"):
                write()
    assert contents(backup.parent) == before


def test_a_read_only_store_follows_its_writer(address: str) -> None:
    with open_store(address) as writer, open_store(address, read_only=True) as reader:
        writer.claims.add("Written meanwhile")
        assert [claim.statement for claim in reader.claims.find().claims] == ["Written meanwhile"]
        with pytest.raises(StoreError, match="is read-only .it was opened for reading only"):
            reader.claims.add("No")


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no store .*nowhere.db"):
        open_store(str(tmp_path / "deeper" / "nowhere.db"), read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_an_older_store_is_not_migrated(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE notes (key {serial});\n"))
    with pytest.raises(StoreError, match="has schema 1, and 2 is needed .it is read-only"):
        open_store(str(backup), read_only=True)


@pytest.mark.parametrize("folder_mode", [0o755, 0o555])
@pytest.mark.parametrize("kind", ["backup", "store"])
def test_a_file_that_cannot_be_written_to_is_read(
    backup: Path, tmp_path: Path, plain: Plain, folder_mode: int, kind: str
) -> None:
    path = backup
    if kind == "store":
        path = tmp_path / "closed" / "s.db"
        path.parent.mkdir()
        (tmp_path / "s.db").rename(path)
    path.chmod(0o444)
    path.parent.chmod(folder_mode)
    try:
        before = path.read_bytes()
        for words in (("claim", "find", "cache"), ("stats",), ("ledger", "list"), ("store", "stats")):
            done = plain(*words, "--store", str(path))
            assert (done.returncode, done.stderr) == (0, b""), words
            assert done.stdout
        done = plain("claim", "add", "No", "--store", str(path))
        assert (done.returncode, done.stdout) == (2, b"")
        assert f"the store {path} is read-only".encode() in done.stderr
        assert path.read_bytes() == before
    finally:
        path.parent.chmod(0o755)


def test_a_server_shows_a_backup(backup: Path) -> None:
    before = contents(backup.parent)
    command = [sys.executable, "-m", "howsure", "serve", "--read-only", str(backup), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            first = server.stdout.readline()
            assert ", read-only at http" in first
            url = first.split(" at ")[1].split(" ")[0]
            found = httpx2.get(f"{url}/v1/claims?text=cache", timeout=60).json()
            assert [claim["statement"] for claim in found["claims"]] == ["The cache is safe"]
            for path in ("/overview", "/claims", "/agents?decision=", "/reliability"):
                page = httpx2.get(f"{url}{path}", timeout=60)
                assert (page.status_code, 'method="post"' in page.text) == (200, False), path
            refused = httpx2.post(f"{url}/v1/claims", json={"statement": "No"}, timeout=60)
            assert (refused.status_code, "read-only" in refused.text) == (403, True)
        finally:
            server.terminate()
            server.wait()
    assert contents(backup.parent) == before


def test_tokens_only_read_a_read_only_store(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as sure:
        _, secret = Tokens(sure.session).create("ann", "admin")
    with open_store(str(tmp_path / "s.db"), read_only=True) as sure:
        desk = Desk(sure, requires_tokens=True)
        caller = desk.authenticate(secret)
        assert caller.scope == "read"
        desk.authorize(caller, operation("claims.find"))
        with pytest.raises(AccessDeniedError, match="the store is read-only"):
            desk.authorize(caller, operation("claims.add"))
        desk.close()


@pytest.mark.parametrize("name", ["copy.db", "copy.jsonl"])
def test_restoring_says_what_is_left_out(howsure: Run, tmp_path: Path, name: str) -> None:
    with open_store(str(tmp_path / "s.db"), clock=lambda: NOW) as sure:
        sure.claims.add("kept")
        for who in ("ann", "bob"):
            Tokens(sure.session).create(who)
        sure.peers.add("http://other.example:8765", trust=0.5)
        transfer.backup(sure.session, tmp_path / name)
    done = howsure("store", "restore", str(tmp_path / name), "--store", str(tmp_path / "new.db"))
    assert done.returncode == 0, done.stderr
    assert b"not restored, since a backup gives no access: 2 tokens and 1 peer" in done.stderr
    words = ("store", "restore", str(tmp_path / name), "--json", "--store", str(tmp_path / "newer.db"))
    assert json.loads(howsure(*words).stdout)["left_out"] == {"tokens": 2, "peers": 1}


@pytest.mark.parametrize("name", ["nofile", "nofile.db", "nofile.jsonl"])
def test_restoring_nothing_names_the_file(howsure: Run, tmp_path: Path, name: str) -> None:
    done = howsure("store", "restore", str(tmp_path / name), "--store", str(tmp_path / "s.db"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert str(tmp_path / name).encode() in done.stderr


def test_a_database_without_a_store_is_not_called_an_old_one(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE t (a)")
    with pytest.raises(StoreError, match="there is no howsure store in"):
        open_store(str(tmp_path / "other.db"), read_only=True)
