"""Pipes, devices and links in the place of files, and who may read what is written."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from howsure.bulk.api import Bulk
from howsure.cli.install import write_settings
from howsure.errors import HowsureError, InputError, StoreError
from howsure.files import atomic_write
from howsure.store.transfer import backup
from howsure.sure import open as open_store
from howsure.trust import list_trusted, trust_file

CLAIM = {"id": "a", "statement": "x", "tier": "task"}


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Make a pipe that nobody writes to."""
    path = tmp_path / "pipe.json"
    os.mkfifo(path)
    return path


def test_a_pipe_or_a_device_is_not_a_store(pipe: Path) -> None:
    for path in (str(pipe), "/dev/full", "/dev/zero"):
        with pytest.raises(StoreError, match="is not a regular file"):
            open_store(path)
        with pytest.raises(HowsureError):
            open_store(path, read_only=True)


def _replace(path: Path) -> None:
    with atomic_write(path) as part:
        part.write_text("new")


@pytest.mark.parametrize(
    "write",
    [
        _replace,
        lambda path: Bulk().score([CLAIM], sources=[], out=str(path), replace=True),
        lambda path: write_settings(path, "", "{}"),
    ],
)
def test_a_pipe_is_not_replaced_by_a_file(pipe: Path, write: Callable[[Path], object]) -> None:
    with pytest.raises((OSError, InputError), match="it is not a regular file"):
        write(pipe)
    assert pipe.is_fifo()
    assert list(pipe.parent.iterdir()) == [pipe]


def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    _replace(link)
    assert (target.read_text(), link.read_text(), link.is_symlink()) == ("old", "new", False)


def test_a_trusted_file_that_became_a_pipe_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "howsure.toml"
    path.write_bytes(b"")
    trust_file(str(path), b"", str(tmp_path / "config"))
    path.unlink()
    os.mkfifo(path)
    assert [file.state for file in list_trusted(str(tmp_path / "config"))] == ["gone"]


@pytest.fixture(params=[0, 0o022, 0o377])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set the umask of this process."""
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_what_may_hold_secrets_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(0o700)
    home.chmod(0o700)
    with open_store(str(home / "claims.db")) as sure:
        sure.claims.add("The key is 7341", source="user_input:ann")
        backup(sure.session, home / "backup.jsonl")
        backup(sure.session, home / "backup.db")
        _replace(home / "other")
        files = {path.name: path.stat().st_mode & 0o077 for path in home.iterdir()}
    assert len(files) >= 5
    assert not any(files.values()), files
