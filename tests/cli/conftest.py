"""Commands on a store of their own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.documents.scans import git

Call = Callable[..., Any]


@pytest.fixture
def run(howsure: Run, tmp_path: Path) -> Call:
    """Run a command on a store of its own, and return what it says; JSON where that is asked for."""

    def call(*arguments: str, code: int = 0, stdin: bytes = b"") -> Any:
        done = howsure(*arguments, stdin=stdin, HOWSURE_STORE=str(tmp_path / "s.db"), HOWSURE_ACTOR="tester")
        assert done.returncode == code, (done.stdout, done.stderr)
        assert b"Traceback" not in done.stderr
        if "--json" in arguments and code == 0:
            try:
                return [json.loads(line) for line in done.stdout.splitlines()]
            except json.JSONDecodeError:
                return json.loads(done.stdout)
        return (done.stdout + done.stderr).decode()

    return call


def add_claim(run: Call, text: str, *more: str) -> dict[str, Any]:
    """Add a claim by the command line, and return it."""
    options = more or ("--source", "user_input:ann", "--contribution", "0.8")
    (found,) = run("claim", "add", text, *options, "--json")
    return dict(found)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Give a repository."""
    folder = tmp_path / "site"
    (folder / "_data").mkdir(parents=True)
    (folder / "index.md").write_text("---\ntitle: Home\nsources:\n  - url: a\n    confirmed: true\n---\n# Home\n")
    (folder / "old.md").write_text("plain\n")
    (folder / "_data" / "hours.yml").write_text("data_metadata:\n  validated: 2025-01-01\nrows: []\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder
