"""Writing: whole or not at all, with nothing left over, and with the permissions of what was there."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from howsure.documents import replace_file as writing
from howsure.documents.replace_file import ChangedError, replace_file
from howsure.errors import HowsureError


@pytest.fixture(params=["nameless", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Go both ways: with files that have no name until they are whole, and where there are none."""
    if request.param == "named":
        monkeypatch.setattr(writing, "_OPEN_FILES", "/nowhere")
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
        "import os, sys\nfrom pathlib import Path\nfrom howsure.documents import replace_file as writing\n"
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
