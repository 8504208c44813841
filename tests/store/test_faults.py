"""Faults of disks: what was acknowledged is kept, and a write that failed is reported."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.errors import StoreError
from howsure.store import transfer
from howsure.store.backends.database import connect
from howsure.sure import open as open_store
from tests.conftest import Run
from tests.store.children import fill_up, result, sound

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture(scope="module")
def preload(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build faults.c."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler (cc)")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    source = Path(__file__).parent / "faults.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return str(library)


def _mount(folder: Path, *options: str) -> None:
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("needs the right to mount")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a disk of 2 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    _mount(folder, "-t", "tmpfs", "-o", "size=2m", "tmpfs")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that cannot be written to, not even by root, with a store of one claim in it."""
    folder, inside = tmp_path / "fixed", tmp_path / "open"
    folder.mkdir()
    inside.mkdir()
    with open_store(str(inside / "store.db")) as sure:
        sure.claims.add("kept")
    _mount(folder, "--bind", str(inside))
    _mount(folder, "-o", "remount,bind,ro")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as sure, sure.session.database.read() as transaction:
        settings = [transaction.value(f"PRAGMA {name}") for name in ("journal_mode", "synchronous", "foreign_keys")]
    # On Linux the log is synced after the commit, elsewhere by SQLite within it (2: FULL).
    assert settings == ["wal", 1 if sys.platform == "linux" else 2, 1]


def test_sqlite_syncs_by_itself_if_the_log_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("howsure.store.backends.write_ahead_log.WriteAheadLog.__init__", fail)
    with open_store(str(tmp_path / "store.db")) as sure:
        sure.claims.add("kept", source="log:a")
        with sure.session.database.read() as transaction:
            assert transaction.value("PRAGMA synchronous") == 2


def test_what_was_acknowledged_is_there_after_a_power_failure(tmp_path: Path, preload: str) -> None:
    """Writers end their turn before they sync, so that one's sync may have to cover what another has committed."""
    found = result("fail_power", tmp_path / "store.db", tmp_path, 30, LD_PRELOAD=preload)
    assert len(found["copies"]) > 5
    assert any(0 < count < len(found["said"]) for _, count in found["copies"])
    for copy, count in found["copies"][:: max(1, len(found["copies"]) // 10)]:
        claims = sound(copy)
        with open_store(copy) as sure:
            decisions = {decision.id for decision in sure.ledger.find(limit=1000).decisions}
        for kind, name in found["said"][:count]:
            assert name in (claims if kind == "claim" else decisions)


def test_a_commit_in_postgresql_waits_for_the_disk(postgres_address: str) -> None:
    database = connect(postgres_address)
    with database.read() as transaction:
        assert transaction.value("SHOW synchronous_commit") == "on"
    database.close()


def test_every_acknowledged_claim_was_synced(tmp_path: Path, preload: str) -> None:
    found = result("syncs", tmp_path / "store.db", 20, LD_PRELOAD=preload)
    assert len(found) == 20
    assert min(found) >= 1


def test_a_write_that_fails_anywhere_is_reported_and_loses_nothing(tmp_path: Path, preload: str) -> None:
    address = str(tmp_path / "store.db")
    found = result("broken", address, 40, LD_PRELOAD=preload)
    assert found["raised"] == []
    assert len(found["said"]) > 10
    assert len(found["refused"]) > 40
    assert {error.partition(" failed: ")[2].partition(" (")[0] for error in found["refused"]} == {
        "database or disk is full",
        "disk I/O error",
        "the disk did not confirm the commit",
    }
    kept = sound(address)
    assert all(kept.get(name) == statement for name, statement in found["said"])


def test_a_read_that_fails_anywhere_is_reported(content: bytes, tmp_path: Path, preload: str) -> None:
    found = result("unreadable", tmp_path / "good.db", 60, LD_PRELOAD=preload)
    assert found["raised"] == []
    assert set(found["read"]) == {150}
    assert len(found["refused"]) > 20
    sound(str(tmp_path / "good.db"))


def _use_up(disk: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        (disk / "rest").write_bytes(bytes(2_000_000))


def test_a_full_disk_is_reported_and_loses_nothing(small_disk: Path, howsure: Run) -> None:
    address, ballast = str(small_disk / "store.db"), small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    with open_store(address) as sure:
        found = fill_up(sure)
        assert "database or disk is full (free some space" in found["error"]
        assert len(sure.claims.find(limit=None).claims) == len(found["said"])
        sure.session._accessed.clear()  # what was read cannot be noted now
    _use_up(small_disk)
    said = set(found["said"])
    for number in range(50):  # small claims fit into what is left of the log, and must be kept
        refused = howsure("claim", "add", f"small claim {number}", "--store", address, "--json")
        if refused.returncode:
            break
        said.add(json.loads(refused.stdout)["id"])
    assert refused.returncode == 2
    assert refused.stdout == b""
    assert b"full" in refused.stderr
    assert b"Traceback" not in refused.stderr
    assert howsure("store", "check", "--store", address).returncode == 0
    with open_store(address) as sure:
        for name in ("copy.db", "copy.jsonl"):
            with pytest.raises(StoreError, match="the backup could not be written"):
                transfer.backup(sure.session, small_disk / name)
    assert not list(small_disk.glob("copy*"))
    ballast.unlink()
    assert sound(address).keys() == said
    with open_store(address) as sure:
        assert sure.claims.add("one more").outcome == "created"


def test_a_full_disk_can_be_read(small_disk: Path) -> None:
    address = str(small_disk / "store.db")
    with open_store(address) as sure:
        said = fill_up(sure)["said"]
    _use_up(small_disk)
    for _ in range(4):  # noting that it was read fits into what is left of the log, once
        with open_store(address) as sure:
            assert len(sure.claims.find(limit=None).claims) == len(said)


@LINUX
def test_a_file_size_limit_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    found = result("fill", address, 800_000)
    assert "disk I/O error" in found["error"]
    assert len(found["said"]) > 3
    assert sound(address).keys() == set(found["said"])


def test_an_unwritable_folder_is_reported(read_only: Path, howsure: Run) -> None:
    before = {path: path.read_bytes() for path in read_only.iterdir()}
    for name in ("store.db", "new.db", "deeper/new.db"):
        with pytest.raises(StoreError, match=str(read_only / name)), open_store(str(read_only / name)) as sure:
            sure.claims.add("x")
    done = howsure("claim", "add", "x", "--store", str(read_only / "store.db"))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert {path: path.read_bytes() for path in read_only.iterdir()} == before


def test_a_store_on_a_disk_that_cannot_be_written_to_can_be_read(read_only: Path, howsure: Run) -> None:
    before = {path: path.read_bytes() for path in read_only.iterdir()}
    with open_store(str(read_only / "store.db")) as sure:
        assert [claim.statement for claim in sure.claims.find().claims] == ["kept"]
    assert b"kept" in howsure("claim", "find", "--store", str(read_only / "store.db")).stdout
    assert {path: path.read_bytes() for path in read_only.iterdir()} == before


def test_a_link_on_such_a_disk_to_a_store_that_lives_is_read_as_it_lives(read_only: Path, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "alive.db")) as alive:
        (tmp_path / "open" / "link.db").symlink_to(tmp_path / "alive.db")
        with open_store(str(read_only / "link.db")) as linked:
            alive.claims.add("written meanwhile")
            assert [claim.statement for claim in linked.claims.find().claims] == ["written meanwhile"]
