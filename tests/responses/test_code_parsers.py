"""Parsing code within limits."""

import resource
import sys
from pathlib import Path

import pytest

from howsure.responses import code_parsers
from howsure.responses.code_checks import check_blocks
from howsure.responses.code_parsers import Limits, all_valid, is_valid

SMALL = [
    ("python", "print(1)", True),
    ("py", "def (", False),
    ("json", "{}", True),
    ("json", "{", False),
    ("toml", "a = 1", True),
    ("toml", "a = = 1", False),
    ("yaml", "a: [1]", True),
    ("yml", "a: [1", False),
    ("rust", "fn", None),
    ("toml", "a = " + "[" * 2000, None),
]
LARGE = "value = [1, 2, 3]\n" * 4000
"""72,000 characters."""


@pytest.mark.parametrize(("language", "content", "expected"), SMALL)
def test_a_child_process_says_the_same(
    language: str, content: str, expected: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_valid(language, content) is expected
    assert all_valid([(language, content)]) is expected
    monkeypatch.setattr(code_parsers, "SMALL", 0)
    assert all_valid([(language, content)], Limits(seconds=20)) is expected


def test_large_blocks_are_parsed_in_a_child_process() -> None:
    patient = Limits(seconds=20)
    assert all_valid([("python", LARGE)], patient) is True
    assert all_valid([("python", LARGE), ("python", "def (")], patient) is False
    assert all_valid([("json", "[" + "1," * 500_000 + "1]")]) is True


def test_four_megabytes_of_code_take_neither_time_nor_memory() -> None:
    """They took 15 s and 2.1 GB, while nobody else was answered."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    checks = check_blocks(f"```python\n{LARGE * 55}\n```\n")
    assert checks is not None
    assert checks.syntax_valid is None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


def test_many_blocks_are_limited_together() -> None:
    checks = check_blocks("```python\nx = [1, 2]\n```\n" * 60_000)
    assert checks is not None
    assert checks.syntax_valid is None


def test_limits_of_time_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all_valid([("python", LARGE)], Limits(seconds=0.01)) is None
    monkeypatch.setattr(code_parsers, "_CHILD", "import time; print('true', flush=True); time.sleep(60)")
    assert all_valid([("python", LARGE), ("python", "def (")], Limits(seconds=1)) is True  # the first was done in time
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert all_valid([("python", LARGE)]) is None


def test_the_child_process_runs_nothing_of_the_folder_it_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(open('ran', 'w').write('x'))")
    monkeypatch.chdir(tmp_path)
    assert all_valid([("python", LARGE)], Limits(seconds=20)) is True
    assert [file.name for file in tmp_path.iterdir()] == ["json.py"]
