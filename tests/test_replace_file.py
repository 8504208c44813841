"""Writing: whole or not at all, with nothing left over, and with the permissions of what was there."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from howsure import replace_file as writing
from howsure.errors import HowsureError
from howsure.replace_file import ChangedError, remove_leftovers, replace_file


@pytest.fixture(params=["nameless", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Go both ways: with files that have no name until they are whole, and where there are none."""
    if request.param == "named":
        monkeypatch.setattr(writing, "OPEN_FILES", "/nowhere")
    return str(request.param)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_takes_the_place_of_another_and_keeps_its_permissions(tmp_path: Path, way: str) -> None:
    place = tmp_path / "run.sh"
    place.write_bytes(b"old")
    place.chmod(0o751)
    replace_file(place, b"old", b"new")
    replace_file(tmp_path / "beside", None, b"{}")
    assert (place.read_bytes(), stat.S_IMODE(place.stat().st_mode)) == (b"new", 0o751)
    assert names(tmp_path) == ["beside", "run.sh"]


def test_a_failed_replacement_leaves_no_files_behind(tmp_path: Path, way: str) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"theirs")
    with pytest.raises(ChangedError, match="a.md was changed by somebody else"):
        replace_file(place, b"old", b"new")
    with pytest.raises(HowsureError, match="cannot be written: No such file or directory"):
        replace_file(tmp_path / "no" / "a.md", None, b"new")
    assert (place.read_bytes(), names(tmp_path)) == (b"theirs", ["a.md"])


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the system has no files without a name")
def test_a_killed_process_leaves_no_files_behind(tmp_path: Path) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"old")
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom howsure import replace_file as writing\n"
        "writing._check_unchanged = lambda *_: os.kill(os.getpid(), 9)\n"
        "writing.replace_file(Path(sys.argv[1]), b'old', b'new' * 1000)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(place)], check=False).returncode == -9
    assert (place.read_bytes(), names(tmp_path)) == (b"old", ["a.md"])


def test_a_file_that_cannot_change_its_group_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"old")
    asked = []

    def refused(_handle: int, owner: int, group: int) -> None:
        asked.append((owner, group))
        if owner != -1:
            raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    replace_file(place, b"old", b"new")
    known = place.stat()
    assert asked == [(known.st_uid, known.st_gid), (-1, known.st_gid)]


def test_an_update_between_the_check_and_the_replacement_is_kept(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"old")
    check = writing._check_unchanged

    def then_somebody_writes(place: Path, path: Path, before: bytes | None) -> None:
        check(place, path, before)
        path.write_bytes(b"theirs")

    monkeypatch.setattr(writing, "_check_unchanged", then_somebody_writes)
    with pytest.raises(ChangedError, match="changed by somebody else"):
        replace_file(place, b"old", b"new")
    with pytest.raises(ChangedError, match="changed by somebody else"):
        replace_file(tmp_path / "b.md", None, b"new")
    assert (place.read_bytes(), (tmp_path / "b.md").read_bytes()) == (b"theirs", b"theirs")
    assert names(tmp_path) == ["a.md", "b.md"]


def test_no_update_is_lost_while_many_write(tmp_path: Path, way: str) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"")

    def append(letter: bytes) -> None:
        for _ in range(30):
            while True:
                before = place.read_bytes()
                try:
                    replace_file(place, before, before + letter)
                except ChangedError:
                    continue
                break

    threads = [Thread(target=append, args=(bytes([letter]),)) for letter in b"xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(place.read_bytes()) == sorted(b"xyz" * 30)
    assert names(tmp_path) == ["a.md"]


def test_hard_links_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"old")
    os.link(place, tmp_path / "b.md")
    with pytest.raises(HowsureError, match="a.md has 2 hard links"):
        replace_file(place, b"old", b"new")
    assert place.samefile(tmp_path / "b.md")
    assert place.read_bytes() == b"old"


def test_a_file_that_would_change_its_owner_is_refused(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    place = tmp_path / "a.md"
    place.write_bytes(b"old")
    os.chown(place, 12345, 12345)
    replace_file(place, b"old", b"new")
    assert (place.stat().st_uid, place.stat().st_gid) == (12345, 12345), "root keeps the owner"

    def refused(_handle: int, _owner: int, _group: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    with pytest.raises(HowsureError, match="belongs to another user or group"):
        replace_file(place, b"new", b"newer")
    assert (place.read_bytes(), names(tmp_path)) == (b"new", ["a.md"])


KILLED = """
import os, sys
from pathlib import Path
from howsure import replace_file as writing
if sys.argv[2] == "named":
    writing.OPEN_FILES = "/nowhere"
real = getattr(writing, sys.argv[3])
def then_die(*given):
    found = real(*given)
    os.kill(os.getpid(), 9)
    return found
setattr(writing, sys.argv[3], then_die)
writing.replace_file(Path(sys.argv[1]), b"old", b"new")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize("step", ["_open_nameless", "_copy_permissions", "_check_unchanged", "_swap", "read_current"])
@pytest.mark.parametrize("kind", ["nameless", "named"])
def test_what_a_killed_process_leaves_is_removed(tmp_path: Path, step: str, kind: str) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(place), kind, step], check=False)
    assert done.returncode == -9
    assert place.read_bytes() == (b"new" if step == "_swap" else b"old")
    remove_leftovers(tmp_path)
    assert names(tmp_path) == ["a.md"]


def test_a_leftover_that_may_be_an_update_stays(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    made = tmp_path / f".a.md.{gone.pid}-00000000.{'0' * 16}-{'1' * 16}.part"
    made.write_bytes(b"somebody's update")
    mine = tmp_path / f".b.md.{os.getpid()}-00000000.new.part"
    mine.write_bytes(b"being written")
    remove_leftovers(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([made, mine])
