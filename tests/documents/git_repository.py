"""Git repositories for tests."""

import os
import subprocess
from pathlib import Path

from howsure.documents.repository.git import FileHistory, history

START = 1_700_000_000


class Repository:
    """A repository whose commits are a day apart."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.at = START
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, author: str = "Ann") -> str:
        person = {"NAME": author, "EMAIL": "somebody@example.org", "DATE": f"{self.at} +0000"}
        set_by = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in person.items()}
        command = ["git", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(command, cwd=self.root, env=os.environ | set_by, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def write(self, **files: str) -> None:
        for name, text in files.items():
            self.put(f"{name}.md", text)

    def put(self, name: str, text: str) -> None:
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def commit(self, subject: str = "docs: x", author: str = "Ann", *options: str) -> float:
        self.at += 86400
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", subject, *options, author=author)
        return float(self.at)

    def past(self) -> dict[str, FileHistory]:
        found, why = history(self.root)
        assert why == ""
        return found

    def past_without_times(self) -> dict[str, FileHistory]:
        """Return the past without recent commits, which a simulation checks."""
        return {name: one._replace(recent=(), revisions=()) for name, one in self.past().items()}


def long_text(word: str) -> str:
    """Return fifty lines."""
    return "".join(f"{word} {number}\n" for number in range(50))
