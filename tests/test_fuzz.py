"""Random inputs at every door: howsure answers or refuses, and never fails."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

COUNT = int(os.environ.get("HOWSURE_FUZZ", "1000000"))


@pytest.mark.parametrize("count", [60, pytest.param(COUNT, marks=pytest.mark.soak)])
def test_no_input_is_a_traceback(count: int) -> None:
    command = [sys.executable, "-m", "tests.fuzz", str(count), "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    assert done.stdout.endswith(b"0 tracebacks\n")
