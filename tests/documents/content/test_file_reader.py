"""Files: read by many processes, whoever starts them and whoever ends them."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from howsure.documents.content import file_reader as files
from howsure.documents.repository.tree import LARGEST
from howsure.progress import silent
from howsure.text.patterns import load_builtin_pack
from tests.documents.scans import by_path, scan


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
        "import sys, howsure\nfrom howsure.documents.content import file_reader\n"
        "file_reader._FEW_BYTES = 0\nprint('begun')\n"
        "with howsure.open(sys.argv[2]) as sure:\n"
        "    print(len(sure.documents.scan(sys.argv[1], cache=False, jobs=2).report().documents))\n"
    )
    command = [sys.executable, str(script), str(many), str(tmp_path / "s.db")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("begun\n150\n", "")


def test_worker_processes_give_the_same_facts(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = by_path(scan(many, jobs=1).report())
    handed_out: list[list[Any]] = []

    def noted(pool: ProcessPoolExecutor, what: Any, *given: Any) -> Any:
        handed_out.extend(given)
        return submit(pool, what, *given)

    submit = ProcessPoolExecutor.submit
    monkeypatch.setattr(files, "_FEW_BYTES", 0)
    monkeypatch.setattr(ProcessPoolExecutor, "submit", noted)
    assert by_path(scan(many, jobs=3).report()) == expected
    assert sum(len(batch) for batch in handed_out) > 0


@pytest.mark.parametrize("late", [False, True])
def test_files_of_a_killed_worker_are_read_again(late: bool, many: Path) -> None:
    found = list(scan(many).files)
    readers = files.ReaderPool(load_builtin_pack("default"), LARGEST, 2)
    readers.start()
    assert readers._pool is not None
    if not late:
        readers._pool.submit(files._do_nothing).result()  # it is there
    _kill(readers._pool)
    steps: list[int] = []
    paths = [
        read.path
        for read in readers.read(found, lambda _stage, done, _total: steps.append(done))
        if read.facts is not None
    ]
    assert sorted(paths) == sorted(file.path for file in found)
    assert steps == sorted(steps)
    assert steps[-1] == len(found)


def _kill(pool: ProcessPoolExecutor) -> None:
    for process in pool._processes.values():
        process.kill()
        process.join()


def test_few_files_are_read_without_help(many: Path) -> None:
    readers = files.ReaderPool(load_builtin_pack("default"), LARGEST, 2)
    reading = readers.read(list(scan(many).files), silent)
    next(reading)
    assert readers._pool is None
    assert len(list(reading)) == 149


def test_a_file_that_does_not_tell_its_size_is_read_whole() -> None:
    place = Path("/proc/self/status")
    if not place.exists():
        pytest.skip("there is no /proc")
    data, _ = files.read_content(str(place), LARGEST)
    assert data is not None
    assert data.startswith(b"Name:")
    assert data.endswith(b"\n")
    assert files.read_content(str(place), 10)[0] is None
