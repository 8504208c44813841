"""Every write, sync, truncation, rename and link of an operation fails in turn: nothing is lost or half written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.store.fault_points import MODES, OPERATIONS
from tests.store.test_faults import preload as preload  # noqa: PLC0414 - the fixture

QUICK = {"replace", "backup jsonl"}
LONG = [pytest.param(name, tuple(MODES), marks=pytest.mark.soak) for name in OPERATIONS]
CLEAR = (
    "disk is full",
    "disk I/O error",
    "Input/output error",
    "after a disk error",
    "No space left on device",
    "unable to open database",
    "no folder for temporary files can be written to",
)


@pytest.mark.parametrize(("operation", "modes"), [*((name, ("once",)) for name in sorted(QUICK)), *LONG])
def test_a_fault_at_any_point_loses_nothing(
    operation: str, modes: tuple[str, ...], preload: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.store.fault_points", str(tmp_path), operation, *modes]
    environment = os.environ | {"LD_PRELOAD": preload, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    print(operation, found["points"], "points,", found["runs"], "runs,", found["refused"], "refused")  # noqa: T201
    assert found["wrong"] == []
    assert found["points"] >= 5
    assert found["refused"] >= 5
    unclear = [error for error in found["errors"] if not any(words in error for words in CLEAR)]
    assert unclear == []
