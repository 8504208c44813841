"""Generated source is compiled once, and its machine code is cached on disk."""

import subprocess
import sys
from pathlib import Path

import pytest

from howsure.graph.compiler import compile_module

TEXT = "from numba import njit\n\n\n@njit(cache=True)\ndef double(x):\n    return x + x\n"


def test_compiled_code_is_read_from_the_cache(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from howsure.graph.compiler import compile_module; "
        f"module = compile_module({TEXT!r}, Path(sys.argv[1])); module.double(1.5); "
        "print(sum(module.double.stats.cache_hits.values()))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    hits = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert hits == ["0\n", "1\n"]


def test_the_users_cache_folder_is_used_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compile_module.cache_clear()
    module = compile_module(TEXT)
    assert [module.__file__] == [str(path) for path in (tmp_path / "howsure" / "kernels").glob("*.py")]


def test_a_source_that_was_changed_is_written_anew(tmp_path: Path) -> None:
    module = compile_module(TEXT, tmp_path)
    assert module.double(2) == 4
    (file,) = tmp_path.glob("*.py")
    file.write_text(TEXT.replace("x + x", "x * 100"))
    compile_module.cache_clear()
    assert compile_module(TEXT, tmp_path).double(3.5) == 7.0
    assert file.read_text() == TEXT


def test_an_unwritable_folder_does_not_prevent_compilation(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert compile_module(TEXT, tmp_path / "file" / "folder").double(2) == 4
