"""Files that are no store, damaged stores and locks: each is reported, and nothing acknowledged is lost.

Savepoints undo a part of a transaction, and errors of SQLite name the store.
"""

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from howsure.claims.tiers import PurgedClaim
from howsure.errors import HowsureError, StoreError
from howsure.store import check as upkeep
from howsure.store import requests
from howsure.store.backends.database import Transaction
from howsure.store.backends.sqlite import ErrorTranslation
from howsure.store.transfer import restore
from howsure.sure import open as open_store
from tests.conftest import Run
from tests.store.children import sound, started

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable


def test_a_file_that_is_not_a_store_is_reported_and_left_unchanged(tmp_path: Path, howsure: Run) -> None:
    folder, text, short = tmp_path / "folder", tmp_path / "text", tmp_path / "short"
    folder.mkdir()
    text.write_bytes(b"Dear diary, today I was no database. " * 500)
    short.write_bytes(b"no")
    before = {text: text.read_bytes(), short: short.read_bytes()}
    wanted = {folder: "unable to open", text: "not a database", short: "not a database", text / "x": "the folder of"}
    for path, words in wanted.items():
        with pytest.raises(StoreError, match=words):
            open_store(str(path))
    done = howsure("store", "check", "--store", str(text))
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(tmp_path.iterdir()) == [folder, short, text]


def test_a_file_of_another_program_is_refused_and_left_unchanged(tmp_path: Path, howsure: Run) -> None:
    path = tmp_path / "firefox.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmarks (id INTEGER PRIMARY KEY AUTOINCREMENT)")
    before = path.read_bytes()
    done = howsure("claim", "add", "The sky is blue", "--store", str(path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"firefox.db is a SQLite file of another program, with 'bookmarks' in it (choose another" in done.stderr
    with pytest.raises(StoreError, match="of another program"):
        open_store(str(path))
    with open_store(str(tmp_path / "store.db")) as sure, pytest.raises(StoreError, match="of another program"):
        restore(sure.session, path)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path)) as other:  # what is left is SQLite's own
        other.execute("DROP TABLE bookmarks")
    with open_store(str(path)) as sure:
        assert sure.claims.add("x").outcome == "created"


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    with open_store(str(tmp_path / "store.db")) as sure:
        assert sure.claims.add("x").outcome == "created"


def test_a_truncated_store_is_reported_and_left_unchanged(content: bytes, tmp_path: Path, howsure: Run) -> None:
    path = tmp_path / "store.db"
    for share in (0.001, 0.01, 0.5, 0.9):
        before = content[: int(len(content) * share)]
        path.write_bytes(before)
        with pytest.raises(StoreError, match=r"malformed \(restore a backup|not a database"):
            open_store(str(path))
        assert path.read_bytes() == before
    done = howsure("store", "check", "--store", str(path))
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert path.read_bytes() == before


def _use(address: str) -> bool:
    """Do a bit of everything, and say whether all was well. Errors of ours are fine, others are not."""
    well = True
    try:
        with open_store(address) as sure:
            uses: list[Callable[[], bool]] = [
                lambda: not upkeep.check(sure.session),
                lambda: len(sure.claims.find(limit=None).claims) == 150,
                lambda: len(sure.claims.find("number", limit=None).claims) == 150,
                lambda: sure.claims.add("claim number 7", source="log:b").outcome == "corroborated",
                lambda: sum("claim" in record for record in sure.claims.export()) == 150,
            ]
            for use in uses:
                try:
                    well = use() and well
                except HowsureError:
                    well = False
    except HowsureError:
        return False
    return well


def test_a_damaged_page_never_goes_unnoticed(content: bytes, tmp_path: Path) -> None:
    dice = random.Random(0)
    assert _use(str(tmp_path / "good.db"))
    for number in range(len(content) // 4096):
        path = tmp_path / f"{number}.db"
        path.write_bytes(content[: number * 4096] + dice.randbytes(4096) + content[(number + 1) * 4096 :])
        assert not _use(str(path)), number


def test_damaged_bytes_are_store_errors(content: bytes, tmp_path: Path) -> None:
    """SQLite's message quotes the damaged text, which need not be Unicode any more."""
    path = tmp_path / "store.db"
    path.write_bytes(content.replace(b"INDEX relations_by_source", b"I\xf3DEX relations_by_source"))
    assert not _use(str(path))
    dice = random.Random(2)
    for _ in range(20):
        damaged = bytearray(content)
        for _ in range(20):
            damaged[dice.randrange(len(damaged))] ^= dice.randrange(1, 256)
        path.write_bytes(damaged)
        _use(str(path))
        for name in ("store.db-wal", "store.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)


def _held(address: str, seconds: float) -> "subprocess.Popen[bytes]":
    process = started("hold", address, seconds)
    assert process.stdout is not None
    assert process.stdout.readline() == b'"held"\n'
    return process


def test_a_writer_waits_for_another(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with open_store(address) as sure, _held(address, 60) as holder, ThreadPoolExecutor() as pool:
        adding = pool.submit(sure.claims.add, "x")
        with pytest.raises(TimeoutError):
            adding.result(timeout=0.3)
        holder.kill()
        assert adding.result().outcome == "created"
    assert list(sound(address).values()) == ["x"]


def test_readers_do_not_wait_for_writers(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        sure.claims.add("x")
    with _held(address, 60) as holder:
        with open_store(address) as sure:
            assert len(sure.claims.find().claims) == 1
        assert holder.poll() is None
        holder.kill()


def test_a_writer_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = str(tmp_path / "store.db")
    open_store(address).close()
    monkeypatch.setattr("howsure.store.backends.sqlite.WRITE_TIMEOUT", 0.1)
    with open_store(address) as sure:
        with _held(address, 60) as holder:
            with pytest.raises(StoreError, match="database is locked .another process has been"):
                sure.claims.add("x")
            holder.kill()
        assert sure.claims.add("x").outcome == "created"


def test_a_purge_that_leaves_text_in_the_log_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads meanwhile still sees the claim, so the log cannot be emptied before they are done."""
    monkeypatch.setattr("howsure.store.backends.checkpoints.SETTLE_TIMEOUT", 0.1)
    address = str(tmp_path / "store.db")

    def left() -> list[str]:
        return [path.name for path in tmp_path.iterdir() if b"xyzzy" in path.read_bytes()]

    with open_store(address) as sure, open_store(address) as other:
        claim = str(sure.claims.add("the launch code is xyzzy").id)
        second = str(sure.claims.add("another claim").id)
        with other.session.database.read() as transaction:
            assert transaction.value("SELECT COUNT(*) FROM claims") == 2
            assert sure.claims.purge(claim) == PurgedClaim(claim, erased=False)
            assert left() == ["store.db-wal"]
        assert sure.claims.find("xyzzy").claims == []
        assert sure.claims.purge(second) == PurgedClaim(second, erased=True)
        assert left() == []


def _add(transaction: Transaction, name: str) -> None:
    requests.insert(transaction, "ann", name, 0.0, "add", "digest")


def _add_twice(transaction: Transaction, name: str) -> None:
    with transaction.savepoint():
        _add(transaction, name)
        _add(transaction, name)


def test_a_savepoint_undoes_its_own_part_only(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as sure, sure.session.write() as transaction:
        _add(transaction, "before")
        with transaction.savepoint():
            _add(transaction, "outer")
            with pytest.raises(sqlite3.IntegrityError):
                _add_twice(transaction, "inner")
        rows = transaction.rows("SELECT name FROM requests ORDER BY name")
    assert rows == [("before",), ("outer",)]


def test_errors_name_the_store_and_a_remedy() -> None:
    with (
        pytest.raises(StoreError, match=r"the store a\.db failed: database is locked") as failed,
        ErrorTranslation("a.db"),
    ):
        raise sqlite3.OperationalError("database is locked")
    assert failed.value.hint
    with pytest.raises(StoreError, match="malformed"), ErrorTranslation("a.db"):
        b"\xff".decode()


@pytest.mark.parametrize("error", [sqlite3.IntegrityError("unique"), sqlite3.ProgrammingError("closed"), KeyError("x")])
def test_mistakes_of_the_program_are_not_blamed_on_the_store(error: Exception) -> None:
    with pytest.raises(type(error)), ErrorTranslation("a.db"):
        raise error
