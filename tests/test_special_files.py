"""Pipes, devices and links in the place of files, and who may read what is written."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from howsure.bulk.api import Bulk
from howsure.cli.install import read_settings, write_settings
from howsure.errors import HowsureError, InputError, StoreError
from howsure.files import atomic_write, check_replaceable, get_umask
from howsure.graph.compiler import compile_module
from howsure.replace_file import ChangedError, replace_file
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


@pytest.mark.usefixtures("umask")
def test_reading_the_umask_leaves_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0)
    os.umask(before)
    assert get_umask() == before
    monkeypatch.setattr(os, "umask", None)  # on Linux, another thread could make a file meanwhile
    if Path("/proc/self/status").exists():
        assert get_umask() == before


def test_a_link_in_the_place_of_a_temporary_file_leads_nowhere(tmp_path: Path) -> None:
    path, victim = tmp_path / "export.jsonl", tmp_path / "victim"
    victim.write_text("mine")

    def write() -> None:
        with atomic_write(path) as part:
            (temporary,) = tmp_path.glob(".export.jsonl.*")
            temporary.unlink()  # as somebody may who can write to this folder
            temporary.symlink_to(victim)
            part.write_text("stolen")
            part.chmod(0o666)

    mode = victim.stat().st_mode
    with pytest.raises(OSError, match="its temporary file was replaced by another program"):
        write()
    assert (victim.read_text(), victim.stat().st_mode) == ("mine", mode)
    assert list(tmp_path.iterdir()) == [victim]


def test_a_folder_that_became_a_link_is_not_written_through(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    (root / "docs").mkdir(parents=True)
    outside.mkdir()
    for folder in (root / "docs", outside):
        (folder / "a.md").write_bytes(b"old")
    (root / "docs").rename(root / "away")
    (root / "docs").symlink_to(outside)
    for before, name in ((b"old", "a.md"), (None, "a.csv.meta")):
        with pytest.raises(ChangedError):
            replace_file(root / "docs" / name, before, b"new", root=root)
    (root / "docs").unlink()
    (root / "away").rename(root / "docs")
    replace_file(root / "docs" / "a.md", b"old", b"new", root=root)
    assert [path.read_bytes() for path in (root / "docs" / "a.md", outside / "a.md")] == [b"new", b"old"]
    assert [path.name for path in outside.iterdir()] == ["a.md"]


def test_settings_of_a_project_that_link_to_a_file_elsewhere_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.json"
    own.write_text("{}\n")
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    Path(".claude/settings.json").symlink_to(own)
    with pytest.raises(InputError, match="outside of this folder"):
        read_settings(Path(".claude/settings.json"))
    with pytest.raises(InputError, match="outside of this folder"):
        write_settings(Path(".claude/settings.json"), "{}\n", '{"a": 1}\n')
    assert own.read_text() == "{}\n"
    write_settings(tmp_path / "project" / ".claude" / "settings.json", "{}\n", '{"a": 1}\n')  # named by its whole path
    assert own.read_text() == '{"a": 1}\n'


def test_settings_with_hard_links_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}\n")
    (tmp_path / "copy.json").hardlink_to(path)
    with pytest.raises(HowsureError, match="2 hard links"):
        write_settings(path, "{}\n", '{"a": 1}\n')


def test_a_table_that_appeared_during_a_run_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"

    def appear(*_: object) -> None:
        path.write_text("mine")

    with pytest.raises(InputError, match="it exists by now"):
        Bulk().score([CLAIM], sources=[], out=str(path), progress=appear)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_partitions_that_others_could_have_written_are_not_used(tmp_path: Path) -> None:
    claims, out, work = tmp_path / "claims.csv", tmp_path / "scores.csv", tmp_path / ".scores.csv.parts"
    claims.write_text("id,statement,tier\na,x,task\n")
    sources = tmp_path / "sources.csv"
    sources.write_text("claim,source_type,source_id,contribution\na,doc,d,0.5\n")
    bulk = Bulk(clock=lambda: 1000.0)

    def stop(what: str, *_: object) -> None:
        if what.startswith("part 2 "):
            raise KeyboardInterrupt

    def interrupt() -> None:
        with pytest.raises(KeyboardInterrupt):
            bulk.score(str(claims), sources=str(sources), out=str(out), partitions=2, engine="duckdb", progress=stop)

    interrupt()
    assert work.stat().st_mode & 0o777 == 0o700
    for part in work.glob("part-*"):
        part.write_text("forged")
    work.chmod(0o777)
    bulk.score(str(claims), sources=str(sources), out=str(out), partitions=2, engine="duckdb")
    assert not any("forged" in part.read_text() for part in out.iterdir())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    work.symlink_to(elsewhere)
    bulk.score(str(claims), sources=str(sources), out=str(out), partitions=2, engine="duckdb", replace=True)
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]
    assert sorted(path.name for path in out.iterdir()) == ["part-00000.csv", "part-00001.csv"]


def test_code_is_not_loaded_from_a_folder_of_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    module = compile_module("def double(x):\n    return x + x\n", tmp_path)
    assert module.double(2) == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files have no names here")  # noqa: PTH112
def test_the_name_of_an_open_file_is_not_replaced(tmp_path: Path) -> None:
    """Where standard output goes to a file, /dev/stdout is one, and root may replace its name for all programs."""
    with (tmp_path / "output").open("wb") as output:
        names = [f"/dev/fd/{output.fileno()}", f"/proc/self/fd/{output.fileno()}"]
        (tmp_path / "link").symlink_to("/dev/fd")
        for name in (*names, str(tmp_path / "link" / str(output.fileno()))):
            assert Path(name).is_file()
            with pytest.raises(OSError, match="it is not a regular file"):
                check_replaceable(name)
    with pytest.raises(OSError, match="it is not a regular file"):
        check_replaceable("/dev/stdout")
    check_replaceable(tmp_path / "output")
    check_replaceable("output")
