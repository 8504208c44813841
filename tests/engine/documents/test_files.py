"""Files: read by many processes, whoever starts them and whoever ends them."""

import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from howsure.engine.documents import files
from tests.engine.documents.test_scan import by_path, scan


@pytest.fixture
def many(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(150):
        (folder / f"{number}.md").write_text(f"# {number}\nsources: {'test ' * number}\n")
    return folder


def test_a_program_need_not_guard_itself(many: Path, tmp_path: Path) -> None:
    """Other processes do not run the user's own program again, though it stands in a file without a guard."""
    script = tmp_path / "own.py"
    script.write_text(
        "import sys, howsure\nfrom howsure.engine.documents import files\n"
        "files._FEW_BYTES = files._FEW_FILES = 0\nprint('begun')\n"
        "with howsure.open(sys.argv[2]) as sure:\n"
        "    print(len(sure.documents.scan(sys.argv[1], cache=False, jobs=2).report().documents))\n"
    )
    command = [sys.executable, str(script), str(many), str(tmp_path / "s.db")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("begun\n150\n", "")


def test_what_a_process_that_was_ended_had_to_read_is_read_all_the_same(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = by_path(scan(many, jobs=1).report())

    def broken(*_: Any) -> "Future[list[files.Read]]":
        future: Future[list[files.Read]] = Future()
        future.set_exception(BrokenProcessPool("somebody was killed"))
        return future

    monkeypatch.setattr(files, "_FEW_BYTES", 0)
    monkeypatch.setattr(files, "_FEW_FILES", 0)
    monkeypatch.setattr(ProcessPoolExecutor, "submit", broken)
    assert by_path(scan(many, jobs=2).report()) == expected
