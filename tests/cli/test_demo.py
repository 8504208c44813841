"""The demo ends with the dashboard: on a terminal until Ctrl-C, elsewhere just long enough to see it."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from howsure.cli.sample import fill
from howsure.shapes import DAY
from howsure.sure import open as open_store
from tests.conftest import NOW, Run, hear_ctrl_c

NO_WAY_OUT = {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""}
"""A proxy that is not there: the demo needs none."""
COMMAND = [sys.executable, "-m", "howsure", "demo", "--no-pause"]


def test_without_a_terminal_the_dashboard_is_requested_once(tmp_path: Path) -> None:
    done = subprocess.run(
        COMMAND, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | NO_WAY_OUT | {"TMPDIR": str(tmp_path), "COLUMNS": "200"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"The dashboard answers at http://127.0.0.1:\d+/ \([\d,]+ bytes\)", done.stdout)
    assert list(tmp_path.iterdir()) == []


def test_the_dashboard_can_be_left_out() -> None:
    done = subprocess.run([*COMMAND, "--no-dashboard"], capture_output=True, text=True, timeout=60, check=True)
    assert "dashboard" not in done.stdout


def test_on_a_terminal_the_dashboard_runs_until_ctrl_c(tmp_path: Path) -> None:
    terminal, end = pty.openpty()
    environment = os.environ | {"TMPDIR": str(tmp_path), "COLUMNS": "200", "TERM": "xterm"}
    process = subprocess.Popen(
        COMMAND, stdin=end, stdout=end, stderr=end, env=environment, preexec_fn=hear_ctrl_c,  # noqa: PLW1509
    )  # fmt: skip
    os.close(end)
    try:
        shown = _until(terminal, r"http://127\.0\.0\.1:\d+/")
        address = re.findall(r"http://127\.0\.0\.1:\d+/", shown)[0]
        for _ in range(100):
            try:
                with urllib.request.urlopen(address, timeout=30) as page:  # noqa: S310
                    assert b"How sure are we" in page.read()
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail(f"nobody answers at {address}")
        process.send_signal(signal.SIGINT)
        assert "The sample is deleted." in _until(terminal, "The sample is deleted")
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert list(tmp_path.iterdir()) == []


def _until(terminal: int, pattern: str) -> str:
    shown = ""
    until = time.monotonic() + 90
    while not re.search(pattern, shown):
        ready, _, _ = select.select([terminal], [], [], max(until - time.monotonic(), 0))
        assert ready, shown
        shown += os.read(terminal, 65536).decode("ascii", "replace")
    return shown


def test_the_sample_is_the_same_for_everybody_and_shows_something_of_everything(tmp_path: Path) -> None:
    found = []
    for name in ("a.db", "b.db"):
        with open_store(str(tmp_path / name), clock=lambda: NOW) as sure:
            fill(sure, NOW)
            records = sure.ledger.find(limit=1000).decisions
            claims = sure.claims.find(limit=100, now=NOW).claims
            found.append(
                (
                    sorted((one.model, one.at, one.agent, one.score, one.decision) for one in records),
                    [(one.statement, one.interval) for one in claims],
                )
            )
            assert {one.model for one in records} == {"response", "investigation", "overall", "document"}
            assert {one.decision for one in records if one.model == "response"} == {"pass", "block", "review"}
            assert {one.status for one in claims} == {"active", "challenged"}
            assert min(one.at for one in records) > NOW - 30 * DAY
            assert max(one.at for one in records) <= NOW
    assert found[0] == found[1]


@pytest.mark.parametrize("width", ["40", "120"])
def test_the_demo_shows_all_five_models_at_any_width(howsure: Run, width: str) -> None:
    done = howsure("demo", "--no-dashboard", COLUMNS=width)
    assert done.returncode == 0, done.stderr
    shown = " ".join(done.stdout.decode().split())
    for thing in ("a claim", "a response", "an investigation", "a synthesis", "a document"):
        assert thing in shown
    assert "block" in shown
    assert "I don't know: my confidence is 3%, and 80% is needed" in shown
    assert all(len(line) <= int(width) for line in done.stdout.decode().splitlines())
