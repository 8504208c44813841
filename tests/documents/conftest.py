"""Fixtures of the tests of documents."""

from pathlib import Path

import pytest

from tests.documents.git_repository import Repository
from tests.documents.scans import git


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Give a repository with pages, a program and data."""
    folder = tmp_path / "site"
    (folder / "_data").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "index.md").write_text(
        "---\nsources:\n  - url: a\n    confirmed: true\n---\n# Home\n[x](docs/guide.md)\n"
    )
    (folder / "docs" / "guide.md").write_text("# Guide\n[gone](../missing.md)\n")
    (folder / "tool.py").write_text("import os\n")
    (folder / "_data" / "hours.csv").write_text("a,b\n")
    (folder / "image.txt").write_bytes(b"\x00\x01")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let git read no settings of the machine or its user."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")


@pytest.fixture
def repository(plain_git: None, tmp_path: Path) -> Repository:
    """Give an empty git repository."""
    return Repository(tmp_path / "repository")
