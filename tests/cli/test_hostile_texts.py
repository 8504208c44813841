"""What agents, files and errors say is shown on a terminal, and does not steer it."""

import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from howsure.cli.app import run
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Run

EVIL = "\x1b[2J\x1b]0;pwned\x07\x9b31m\x7f\rX"
"""Clears the screen, sets the title, rings, colours, and returns to the start of the line."""
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _fill(sure: Sure) -> tuple[str, str]:
    claim = sure.claims.add(f"The sky {EVIL} is blue", source=f"agent:{EVIL}", contribution=0.9, subject=EVIL).id or ""
    other = sure.claims.challenge(claim, statement=f"The sky {EVIL} is green", source=f"user:{EVIL}").challenger.id
    sure.claims.relate(other, "supports", sure.claims.add(f"Grass {EVIL}").id or "")
    decision = sure.responses.check(f"I think {EVIL} so.", agent=f"ann {EVIL}", project=EVIL, knowledge=0.2).id
    sure.ledger.outcome(decision, "wrong", by=f"bob {EVIL}", note=EVIL)
    return claim, decision


@pytest.fixture
def store(tmp_path: Path) -> tuple[str, str, str]:
    """Give a store of hostile texts, a claim and a decision in it."""
    address = str(tmp_path / "s.db")
    with open_store(address, actor=f"ann {EVIL}") as sure:
        return (address, *_fill(sure))


def _check(out: str, errors: str, what: object) -> None:
    for text in (out, errors):
        found = STEERS.search(text)
        assert found is None, f"{what} printed {found[0]!r}: {text[max(0, found.start() - 80) :][:200]!r}"
        assert "Traceback" not in text


def _run(
    arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> tuple[object, str, str]:
    """Run a command in this process; return its exit code and what it printed."""
    monkeypatch.setattr(sys, "argv", ["howsure", *arguments])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    code: object = 0
    try:
        run()
    except SystemExit as ended:
        code = ended.code
    return (code, *capfd.readouterr())


def test_texts_of_agents_do_not_steer_a_terminal(
    howsure: Run,
    store: tuple[str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    address, claim, decision = store
    (tmp_path / "calls.jsonl").write_text(
        json.dumps({"tool": "Read", "target": EVIL, "output": EVIL, "success": True}) + "\n"
    )
    (tmp_path / "results.json").write_text(
        json.dumps([{"source": EVIL, "text": f"The port is 80. {EVIL}"}, {"source": "b", "text": "The port is 81."}])
    )
    (tmp_path / "context.txt").write_text(f"The port {EVIL} is 81.")
    (tmp_path / "response.txt").write_text(f"The port {EVIL} is 80. I think {EVIL} so.")
    response, context = str(tmp_path / "response.txt"), str(tmp_path / "context.txt")
    commands: list[tuple[str, ...]] = [
        ("claim", "find", "sky"),
        ("claim", "find", EVIL),
        ("claim", "show", claim),
        ("claim", "history", claim),
        ("claim", "explain", claim),
        ("claim", "reflect", "sky"),
        ("claim", "get", EVIL),
        ("claim", "add", f"new {EVIL}", "--source", f"a:{EVIL}"),
        ("claim", "add", "new", "--source", EVIL),
        ("claim", "relate", claim, EVIL, claim),
        ("claim", "forget", claim, "--reason", EVIL),
        ("ledger", "list"),
        ("ledger", "show", decision),
        ("ledger", "list", "--agent", EVIL),
        ("stats",),
        ("stats", "--by", "project"),
        ("stats", "--agent", EVIL),
        ("gate", response, "--agent", EVIL, "--context", context),
        ("gate", str(tmp_path / EVIL.replace("/", ""))),
        ("gate", response, "--policy", EVIL),
        ("outcome", EVIL, "right"),
        ("ground", response, context),
        ("ground", response, "--context", context),
        ("synthesize", str(tmp_path / "results.json")),
        ("conflicts", response),
        ("investigate", str(tmp_path / "calls.jsonl")),
        ("janitor", "--dry-run"),
        ("store", "check"),
        ("store", "stats"),
        ("store", "backup", str(tmp_path / f"copy{EVIL}.jsonl")),
        ("store", "backup", str(tmp_path / f"copy{EVIL}.jsonl")),
        ("store", "restore", str(tmp_path / EVIL)),
        ("token", "create", f"tok {EVIL}"),
        ("token", "list"),
        ("peer", "add", f"https://{EVIL}"),
        ("models", EVIL),
        ("explain", "response", response),
        ("bulk", "score", f"{EVIL}.csv"),
        (EVIL,),
        (f"--{EVIL}",),
        ("claim", EVIL),
        ("claim", "find", f"--{EVIL}"),
        ("settings", EVIL),
        ("scan", str(tmp_path / EVIL)),
    ]
    monkeypatch.setenv("HOWSURE_STORE", address)
    monkeypatch.setenv("HOME", str(tmp_path))
    good = 0
    for command in commands:
        code, out, errors = _run(command, monkeypatch, capfd)
        good += code in (0, 1)
        _check(out, errors, command)
    assert good >= 15
    done = howsure("gate", response, "--agent", EVIL, "--context", context, HOWSURE_STORE=address)
    _check(done.stdout.decode(), done.stderr.decode(), "gate")


def test_names_of_files_and_settings_do_not_steer_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / f"work{EVIL}".replace("\r", "")
    folder.mkdir()
    (folder / f"a{EVIL}.md").write_text(f"# Title {EVIL}\n\nTODO {EVIL}\n")
    (folder / f"b{EVIL}.csv").write_text("a,b\n1,2\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOWSURE_STORE", str(tmp_path / "s.db"))
    monkeypatch.setenv("HOME", str(tmp_path))

    def check(*command: str) -> None:
        _, out, errors = _run(command, monkeypatch, capfd)
        _check(out, errors, command)

    evil = json.dumps(EVIL)
    for content in (f"project = {evil}\n", "[gate]\nshadow = true\n", f"{evil} = 1\n", "x = ["):
        (folder / "howsure.toml").write_text(content)
        for words in ("scan .", "settings project", "trust .", "trust --list", "untrust ."):
            check(*words.split())
    check("doctor")
    (folder / "howsure.toml").unlink()
    for words in ("scan .", "scan . --write", "scan . --check", "scan . --markdown", "scan . --csv", "review"):
        check(*words.split())
    check("scan", ".", "--fail-under", "0.99")
    check("document", "show", f"a{EVIL}.md")
    check("hook", "install", "--yes")
    check("mcp", "install", "--yes")


def test_a_log_does_not_steer_a_terminal(howsure: Run, tmp_path: Path) -> None:
    name = f"s{EVIL}.db"
    done = howsure("-vv", "claim", "add", f"x {EVIL}", "--source", "a:b", HOWSURE_STORE=f"{tmp_path}/{name}")
    assert b"opened" in done.stderr
    _check(done.stdout.decode(), done.stderr.decode(), "-vv")
