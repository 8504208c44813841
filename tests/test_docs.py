"""Every example in the documentation runs and prints what the page shows."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _blocks(path: Path) -> list[tuple[str, str]]:
    return [(match[1], match[2]) for match in BLOCK.finditer(path.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_python_examples_run_and_print_what_they_say(page: Path) -> None:
    names: dict[str, object] = {}
    printed = ""
    for kind, block in _blocks(page):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block, str(page), "exec"), names)  # noqa: S102 - our own examples
            printed = out.getvalue()
        elif kind == "text" and printed:
            assert printed == block
            printed = ""
    assert not printed, "an example prints something that the page does not show"


CONSOLE = [
    pytest.param(block, id=f"{page.relative_to(ROOT)} {number}")
    for page in PAGES
    for number, (kind, block) in enumerate(_blocks(page))
    if kind == "console"
]


@pytest.mark.parametrize("block", CONSOLE)
def test_console_examples_show_what_comes_out(block: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(tmp_path), "LANG": "C.UTF-8", "COLUMNS": "80"}
    command, _, expected = block.removeprefix("$ ").partition("\n")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, check=False)
    shown = done.stdout + done.stderr + (f"[exit {done.returncode}]\n" if done.returncode else "")
    assert [line.rstrip() for line in shown.splitlines()] == [line.rstrip() for line in expected.splitlines()]


def test_there_are_examples() -> None:
    kinds = [kind for page in PAGES for kind, _ in _blocks(page)]
    assert kinds.count("python") >= 10
    assert kinds.count("console") >= 5


def test_every_command_is_documented() -> None:
    from howsure.cli.app import COMMANDS

    text = (ROOT / "docs" / "cli.md").read_text()
    assert all(f"`howsure {command}" in text for command in COMMANDS)


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "index.md").read_text()
    assert all(path.name in listed for path in folder.glob("0*.md"))


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120
