"""Which addresses of stores are accepted, and what a wrong one leaves behind: nothing, and no password."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError, StoreError
from howsure.settings import STORE, current
from howsure.store.backends.address import read_address
from howsure.sure import open as open_store
from tests.conftest import Run, trust_folder

WRONG = [
    ("postgresql+psycopg://ann:secret@db/x", "did you mean postgresql://?"),
    ("postgressql://ann:secret@db/x", "did you mean postgresql://?"),
    ("mysql://ann:secret@db/x", "pass a file"),
    ("file:///secret/x.db", "unknown scheme 'file'"),
    ("sqlite+pysqlite:///secret.db", "did you mean sqlite:///?"),
    ("sqlite://secret.db", "sqlite:///claims.db"),
    ("sqlite:secret@x.db", "sqlite:///claims.db"),
    ("sqlite:///", "names a file"),
    ("sqlite:///:memory:", "names a file"),
    ("sqlite:///x.db?key=secret", "takes no options"),
    ("postgresql:/ann:secret@db/x", "starts with postgresql://"),
    ("postgres:secret@db/x", "starts with postgres://"),
    ("ann:secret@db/x", "unknown scheme 'ann'"),
    ('"postgresql://ann:secret@db/x"', "did you mean postgresql://?"),
    (" postgresql://ann:secret@db/x", "did you mean postgresql://?"),
    ("x://ann:secret@db/x", "no known scheme"),
    ("://ann:secret@db", "no known scheme"),
    ("host=db user=ann password=secret", "write it as postgresql://"),
    ("dbname=x password = secret", "write it as postgresql://"),
    (":memory:", "not a store"),
    ("  ", "not a store"),
]


@pytest.mark.parametrize(("address", "message"), WRONG)
def test_other_addresses_are_refused_without_their_password(
    address: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for create in (False, True):
        with pytest.raises(InputError) as refused:
            open_store(address, create=create)
        assert message in str(refused.value)
        assert "secret" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_refuses_them_too(howsure: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for words in (["claim", "add", "x"], ["gate", "--agent", "a"], ["store", "migrate"], ["settings"]):
        done = howsure(*words, HOWSURE_STORE="postgresql+psycopg://ann:secret@db/x")
        assert b"secret" not in done.stdout + done.stderr
        if words != ["settings"]:
            assert done.returncode == 2
            assert b"did you mean postgresql://?" in done.stderr
    assert list(folder.iterdir()) == []


def test_known_forms_are_read() -> None:
    assert read_address("POSTGRESQL://ann:secret@db/x") == "postgresql://ann:secret@db/x"
    assert read_address("postgres:///x") == "postgres:///x"
    assert read_address("SQLite:///a b.db") == "a b.db"
    assert read_address("sqlite:////var/x.db") == "/var/x.db"
    assert read_address("sqlite:///~/x.db") == os.path.expanduser("~/x.db")  # noqa: PTH111
    for path in ("x.db", "./a@b:c.db", "C:/x.db", "C:\\x.db", "/srv/a=b/x.db", "a b.db", "note:x.db"):
        assert read_address(path) == path


@given(st.text(max_size=30), st.sampled_from(["://", ":/", "@"]), st.text(max_size=30))
def test_any_text_is_a_path_a_known_address_or_refused(start: str, middle: str, end: str) -> None:
    try:
        place = read_address(start + middle + end)
    except InputError:
        return
    assert place.startswith(("postgresql://", "postgres://")) or "://" not in place or start.lower() == "sqlite"


def test_a_sqlite_address_opens_the_file(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/x.db") as sure:
        sure.claims.add("The sky is blue", source="user_input:ann")
    with open_store(str(tmp_path / "x.db")) as sure:
        assert sure.claims.count().total == 1


def test_a_sqlite_address_in_a_file_is_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "howsure.toml").write_text('store = "sqlite:///x.db"')
    trust_folder(tmp_path, tmp_path / "config")
    chosen = current(str(tmp_path), {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert read_address(chosen.value(STORE)) == str(tmp_path / "x.db")
    with open_store(settings=chosen):
        assert (tmp_path / "x.db").exists()


def test_a_folder_that_does_not_exist_is_created_only_if_told_so(tmp_path: Path) -> None:
    path = tmp_path / "typo" / "deep" / "x.db"
    with pytest.raises(StoreError, match="does not exist.*misspelt"):
        open_store(str(path))
    assert not path.parent.parent.exists()
    open_store(str(path), create=True).close()
    open_store(str(path)).close()


def test_the_command_line_creates_a_folder_only_if_told_so(howsure: Run, tmp_path: Path) -> None:
    store = tmp_path / "typo" / "x.db"
    for words in (["claim", "add", "x"], ["gate", "--agent", "a"], ["store", "migrate"]):
        done = howsure(*words, "--store", str(store))
        assert done.returncode == 2
        assert b"does not exist" in done.stderr
        assert not store.parent.exists()
    for number, words in enumerate((["claim", "add", "x"], ["gate", "--knowledge", "1"], ["store", "migrate"])):
        new = tmp_path / str(number) / "x.db"
        assert howsure(*words, "--create", "--store", str(new)).returncode in (0, 1)
        assert new.exists()


def test_the_folder_of_the_default_store_is_created(howsure: Run, tmp_path: Path) -> None:
    for number, words in enumerate((["claim", "add", "x"], ["store", "migrate"])):
        done = howsure(*words, XDG_DATA_HOME=str(tmp_path / str(number) / "share"))
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_only_the_owner_may_read_the_files_of_a_store(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with open_store(str(tmp_path / "x.db")) as sure:
            sure.claims.add("The sky is blue", source="user_input:ann")
            from howsure.store.transfer import backup

            backup(sure.session, tmp_path / "backup.db")
            backup(sure.session, tmp_path / "backup.jsonl")
            files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert set(files) >= {"x.db", "x.db-wal", "backup.db", "backup.jsonl"}
    assert set(files.values()) == {0o600}


def test_a_link_to_a_new_file_creates_it_for_its_owner_only(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "x.db")
    open_store(str(tmp_path / "link.db")).close()
    assert stat.S_IMODE((tmp_path / "x.db").stat().st_mode) == 0o600


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it is a folder: name a file in it, like .*howsure.db"):
        open_store(str(tmp_path))
