"""Random inputs at every door: howsure answers or refuses, and never fails."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.fuzz.__main__ import throw_all

COUNT = int(os.environ.get("HOWSURE_FUZZ", "1000000"))
QUICK = ["http", "mcp", "otlp", "library", "models", "texts", "gate", "hooks", "documents", "traces", "imports"]
"""Doors that need nothing which takes long to load."""


def test_a_few_inputs_at_most_doors_are_answered() -> None:
    tally = throw_all(60, 1, QUICK)
    assert tally.taken.total() >= 60
    assert not tally.bugs


@pytest.mark.soak
def test_no_input_is_a_traceback() -> None:
    command = [sys.executable, "-m", "tests.fuzz", str(COUNT), "1"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stdout.decode()
    assert done.stdout.endswith(b"0 tracebacks\n")


def fail() -> None:
    raise KeyError("x")


class TestTheFuzzerItself:
    """A fuzzer that cannot fail would find nothing."""

    def test_reports_an_error_that_is_raised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tests.fuzz.library.score", lambda *_: fail())
        assert throw_all(3, 1, ["models"]).bugs.total() == 3

    def test_reports_an_internal_error_of_the_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("howsure.serve.desk.Desk.run", lambda *_, **__: fail())
        assert throw_all(10, 1, ["http"]).bugs.total() >= 1
