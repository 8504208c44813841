"""howsure plot, as people and programs use it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from howsure.charts.api import Charts
from howsure.cli.plot import plot
from howsure.settings import RETENTION
from howsure.sure import open as open_store
from tests.charts.story import CALLS, Told, tell
from tests.conftest import NOW, Clock, Run


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Told]:
    """Give the address of a store in which something of everything has happened."""
    folder, clock = tmp_path_factory.mktemp("plot"), Clock()
    address = str(folder / "story.db")
    with open_store(address, actor="tester", clock=clock) as sure:
        told = tell(sure, clock, folder)
    return address, told


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what was decided in the story, however long ago that is by the clock of this machine."""
    monkeypatch.setenv(RETENTION.variable, "36500")


def test_every_chart_of_the_library_has_a_command(howsure: Run) -> None:
    charts = {name for name in vars(Charts) if not name.startswith("_")}
    found = howsure("plot", "--list")
    assert found.returncode == 0
    assert {line.split()[0] for line in found.stdout.decode().splitlines()} == charts
    assert len(plot.registered_commands) == len(charts) == 13


def test_charts_go_into_files(howsure: Run, store: tuple[str, Told], tmp_path: Path) -> None:
    address, told = store
    for arguments, name, starts in (
        (("claims", "lock", "--order", "upper", "--tier", "project", "--dark"), "a.svg", b"<svg "),
        (("relations", told.claim, "--depth", "2", "--width", "400"), "b.png", b"\x89PNG"),
        (("life", told.claim, "--past", "30d", "--future", "12h"), "c.json", b"{\n"),
    ):
        done = howsure("plot", *arguments, "--now", str(NOW), "--out", str(tmp_path / name), "--store", address)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).read_bytes().startswith(starts)
        assert done.stdout == b""
        assert done.stderr.decode().startswith(f"{tmp_path / name}: ")
    assert int.from_bytes((tmp_path / "b.png").read_bytes()[16:20]) == 800


def test_piped_output_is_the_chart_as_json(howsure: Run, store: tuple[str, Told], tmp_path: Path) -> None:
    address, told = store
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps(call) + "\n" for call in CALLS))
    now = ("--now", str(NOW))
    for arguments in (
        ("waterfall", told.claim, "--formula", "beta", *now),
        ("formulas", told.claim, *now),
        ("decisions", "--agent", "agent-1", "--last", "60d", *now),
        ("reliability", *now),
        ("scores", "--by", "week", *now),
        ("investigation", told.trace),
        ("investigation", "--file", str(run)),
        ("synthesis", told.synthesis),
        ("documents", str(told.folder), "--exclude", "notes.md", *now),
    ):
        done = howsure("plot", *arguments, "--store", address)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["width"] == "container"
        assert found["config"]["background"] == "#ffffff"
        assert len(found["layer"]) > 1, "a picture of nothing"


def test_on_a_terminal_it_says_where_it_wrote(store: tuple[str, Told], tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "howsure", "plot", "claims", "--store", store[0]],
            stdout=theirs,
            stderr=subprocess.PIPE,
            check=False,
            env=os.environ | {"TMPDIR": str(tmp_path)},
        )
    finally:
        os.close(theirs)
        os.close(ours)
    path, _, about = done.stderr.decode().partition(": ")
    assert (done.returncode, Path(path).name) == (0, "claims.svg")
    assert Path(path).read_text().startswith("<svg")
    assert "claims" in about


def test_errors_are_one_line_and_nothing_is_written(howsure: Run, store: tuple[str, Told], tmp_path: Path) -> None:
    address, told = store
    (tmp_path / "there.svg").mkdir()
    run = tmp_path / "run.jsonl"
    run.write_text('{"tool": "grep", "target": "a", "results": 1}\n')
    for arguments, why in (
        (("waterfall", "c123", "--out", "a.svg"), "claim: unknown claim 'c123'"),
        (("synthesis", "a123", "--out", "a.svg"), "decision_id: there is no decision 'a123'"),
        (("claims", "--out", "a.gif"), "out: unknown chart format 'a.gif'"),
        (("claims", "--out", "none/a.svg"), "out: the folder none does not exist (create it first)"),
        (("claims", "--out", "there.svg"), "out: there.svg is not a plain file"),
        (("claims", "--width", "10", "--out", "a.svg"), "width: 10 is not between 240 and 4000"),
        (("life", told.claim, "--past", "soon", "--out", "a.svg"), "past: invalid duration 'soon'"),
        (("scores", "--by", "colour", "--out", "a.svg"), "by: 'colour' is not one of agent, "),
        (("investigation", "--out", "a.svg"), "trace: which investigation?"),
        (("investigation", "b", "--file", str(run), "--out", "a.svg"), f"trace: {run} has no trace 'b'"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "howsure", "plot", *arguments, "--store", address],
            capture_output=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 2, arguments
        assert done.stdout == b""
        said = done.stderr.decode()
        assert said.startswith(f"howsure: {why}"), said
        assert said.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.jsonl", "there.svg"]
    unknown = howsure("plot", "clams")
    assert unknown.returncode == 2
    assert "Did you mean 'claims'?" in unknown.stderr.decode()


def test_an_empty_store_gives_a_chart_that_says_so(howsure: Run, tmp_path: Path) -> None:
    done = howsure("plot", "claims", "--store", str(tmp_path / "new.db"), "--out", str(tmp_path / "a.svg"))
    assert done.returncode == 0, done.stderr
    assert b"No claims match" in (tmp_path / "a.svg").read_bytes()
    assert b"howsure claim add" in done.stderr
