"""howsure gate, ledger, stats and outcome in odd terminals and with odd arguments."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from howsure.sure import open as open_store
from tests.conftest import Run


def test_control_characters_of_agents_are_not_printed(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    with open_store(store) as sure:
        found = sure.responses.check("\x1b]0;PWNED\x07\x1b[2J text", agent="ev\x1b[31mil\nagent")
        claim = sure.claims.add("\x1b[2J claim", source="u:a")
    for command in (
        ("ledger", "list"),
        ("ledger", "show", found.id),
        ("stats",),
        ("claim", "find"),
        ("claim", "show", claim.id),
    ):
        done = howsure(*(str(word) for word in command), "--store", store)
        assert done.returncode == 0
        assert b"\x1b" not in done.stdout


def test_a_decision_does_not_depend_on_who_reads_it(tmp_path: Path) -> None:
    def run(*arguments: str, **more: Any) -> int:
        read, write = os.pipe()
        os.close(read)
        command = [sys.executable, "-m", "howsure", *arguments, "--store", str(tmp_path / "s.db")]
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, cwd=tmp_path, **more)
        os.close(write)
        assert b"Traceback" not in done.stderr
        return done.returncode

    for form in ((), ("--json",)):
        assert run("gate", "--knowledge", "0.1", "--history", "0", *form) == 1
        assert run("gate", "--knowledge", "1", "--code", "1", "--history", "1", *form) == 0
        assert run("quality-gate", "--test-command", "false", *form) == 1
    narrow = {"env": os.environ | {"PYTHONIOENCODING": "ascii"}}
    assert run("gate", "--agent", "é", "--knowledge", "1", "--code", "1", "--history", "1", **narrow) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("ledger", "list", "--agent", "\udcff"),
        ("ledger", "show", "\udcff"),
        ("stats", "--agent", "\udcff"),
        ("stats", "--last", "²d"),
        ("outcome", "\udcff", "right"),
        ("ledger", "purge", "--before", "yesterday", "--yes"),
    ],
)
def test_invalid_arguments_exit_2(howsure: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = howsure(*arguments, "--store", str(tmp_path / "s.db"))
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)


def test_a_list_breaks_no_words_in_a_terminal_of_80_columns(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    with open_store(store) as sure:
        short = sure.responses.check("It is so.", agent="support", knowledge=0.9)
        long = sure.responses.check("It is so.", agent="an-agent-with-a-long-name", knowledge=0.1)
        sure.ledger.outcome(short.id, "corrected")
    shown = howsure("ledger", "list", "--store", store, COLUMNS="80").stdout.decode().split()
    for word in (
        short.id,
        long.id,
        "support",
        "an-agent-with-a-long-name",
        "decision",
        "outcome",
        "corrected",
        "block",
    ):
        assert word in shown
