"""`howsure token`: made, listed and revoked on the command line."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from howsure.serve.tokens import Tokens
from howsure.sure import open as open_store

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def token(tmp_path: Path) -> Run:
    """Run the command as a process of its own, on a store of its own."""

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        script = "import sys; sys.argv[0] = 'howsure'; from howsure.cli.token import token; token()"
        environment = os.environ | {"HOME": str(tmp_path), "HOWSURE_STORE": str(tmp_path / "t.db"), "COLUMNS": "120"}
        command = [sys.executable, "-c", script, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    return run


def test_a_token_is_made_listed_and_revoked(token: Run, tmp_path: Path) -> None:
    assert "There are no tokens" in token("list").stdout
    made = token("create", "ci", "--scope", "write", "--expires", "12h")
    secret = made.stdout.strip()
    assert made.returncode == 0
    assert secret.startswith("howsure_")
    assert secret not in made.stderr
    assert "ci may write until" in made.stderr
    listed = token("list").stdout
    assert "ci" in listed
    assert "valid" in listed
    assert secret not in listed
    with open_store(str(tmp_path / "t.db")) as sure:
        found = Tokens(sure.session).find(secret)
        assert found is not None
        assert (found.expires_at or 0) - found.created_at == 12 * 3600
    assert "is revoked" in token("revoke", "ci").stdout
    assert "revoked" in token("list").stdout


def test_programs_read_json(token: Run) -> None:
    made = json.loads(token("create", "ci", "--expires", "never", "--json").stdout)
    assert (made["scope"], made["expires_at"]) == ("read", None)
    listed = json.loads(token("list", "--json").stdout)
    assert (listed["id"], listed["state"]) == (made["id"], "valid")
    assert "token" not in listed
    assert "digest" not in listed


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("create", "ci", "--scope", "wirte"), "did you mean write?"),
        (("create", "ci", "--expires", "soon"), "like 12h, 90d"),
        (("create", "ci", "--expires", "999999y"), "invalid lifetime"),
        (("create", "  "), "invalid name"),
        (("revoke", "nobody"), "unknown token 'nobody'"),
    ],
)
def test_errors_are_reported(token: Run, arguments: tuple[str, ...], problem: str) -> None:
    done = token(*arguments)
    assert done.returncode != 0
    assert problem in done.stderr
