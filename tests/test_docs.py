"""Every example in the documentation runs and prints what the page shows."""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.judge.server import JudgeServer, Request, Step, streamed, text

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _blocks(path: Path) -> list[tuple[str, str]]:
    return [(match[1], match[2]) for match in BLOCK.finditer(path.read_text())]


def _say(request: Request) -> Step:
    """Answer as a language model that knows one port and makes up the other."""
    said = f"The gateway listens on port {9443 if 'admin' in request.said('user') else 8443}."
    return streamed([said[:11], said[11:]]) if request.body.get("stream") else text(said)


@pytest.fixture(scope="module")
def language_model() -> Iterator[str]:
    """The address of an OpenAI-compatible endpoint."""
    with JudgeServer() as server:
        server.otherwise = _say
        yield server.url


@pytest.fixture
def surroundings(language_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What examples find: a language model, and a store of their own."""
    monkeypatch.setenv("OPENAI_BASE_URL", language_model)
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    monkeypatch.setenv("HOWSURE_STORE", str(tmp_path / "howsure.db"))


@pytest.mark.usefixtures("surroundings")
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


NOT_OURS = re.compile(
    r"(?:pip|pipx|tool|uv) install (?:-\S+ )*['\"]?howsure\b(?!-)|uvx (?:--with \S+ )?howsure|['\"]howsure\["
)
"""Commands that install howsure from a package index, where the name is not ours yet."""


def test_nothing_installs_a_name_that_is_not_ours() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    texts = [
        ROOT / name
        for name in listed
        if re.search(r"\.(md|py|toml|ya?ml|html|json|sh|ipynb)$|Dockerfile|Makefile", name)
    ]
    assert len(texts) > 100
    wrong = [
        f"{path.relative_to(ROOT)}: {line.strip()[:100]}"
        for path in texts
        if path.name != "pyproject.toml" and path != Path(__file__)  # where extras name each other
        for line in path.read_text(errors="replace").splitlines()
        if NOT_OURS.search(line)
    ]
    assert wrong == []


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120
