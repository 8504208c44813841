"""The commands `howsure trust` and `howsure untrust`, and what an agent reaches with a file in its working folder."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a working folder in which the agent has lowered its threshold."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "howsure.toml").write_text('project = "web"\n[thresholds]\ndefault = 0.0\n[judge]\nkey = "hush"\n')
    monkeypatch.chdir(folder)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def test_an_agent_cannot_lower_its_own_threshold(work: Path, howsure: Run, tmp_path: Path) -> None:
    given = ("gate", "-", "--agent", "ann", "--knowledge", "0.1", "--json", "--store", str(tmp_path / "s.db"))
    done = howsure(*given, stdin=b"It is so.")
    assert (done.returncode, json.loads(done.stdout)["threshold_from"]) == (1, "the default for the agent type")
    (said,) = done.stderr.decode().splitlines()
    assert said.startswith("ignored thresholds.default, judge.key of ")
    assert said.endswith(f"howsure trust {work})")
    assert b"trust" in howsure("doctor").stdout

    trusted = howsure("trust", ".")
    assert trusted.returncode == 0
    assert b"thresholds.default = 0.0  (loosens a gate)" in trusted.stdout
    assert b"hush" not in trusted.stdout
    done = howsure(*given, stdin=b"It is so.")
    answer = json.loads(done.stdout)
    assert (answer["threshold"], answer["threshold_from"]) == (0.0, "set for all responses")
    (loosened,) = answer["warnings"]
    assert loosened.startswith("the gate is loosened: the threshold 0, set for all responses, is below the default 0.")
    assert done.stderr.decode() == f"howsure: {loosened}\n"
    rows = [json.loads(line) for line in howsure("doctor", "--json").stdout.splitlines()]
    assert [(row["state"], row["detail"].partition(" = ")[0]) for row in rows if row["what"] == "gate"] == [
        ("warning", "loosened: below the default 0.8: thresholds.default")
    ]

    listed = json.loads(howsure("trust", "--list", "--json").stdout)
    assert listed == {"path": str(work / "howsure.toml"), "state": "trusted"}
    (work / "howsure.toml").write_text("[gate]\nshadow = true\n")
    assert howsure("trust", "--list").stdout.startswith(b"changed")
    assert howsure(*given, stdin=b"It is so.").returncode == 1
    assert howsure("untrust", ".").returncode == 0
    assert howsure("untrust", ".").returncode == 1
    assert howsure("trust", "--list").stdout == b"no folder is trusted\n"


def test_what_cannot_be_trusted_is_reported(work: Path, howsure: Run, tmp_path: Path) -> None:
    (work / "howsure.toml").write_text("[thresholds]\ndefault = 75\n")
    done = howsure("trust", ".")
    assert (done.returncode, b"75 is not between 0 and 1" in done.stderr) == (2, True)
    done = howsure("trust", str(tmp_path))
    assert (done.returncode, b"there is no howsure.toml in" in done.stderr) == (2, True)


@pytest.mark.parametrize("content", ["x = [", "[gate]\nshadow = true\n", "project = 5\n", '[code]\ntypes = "x"\n'])
def test_a_hook_blocks_whatever_the_agent_writes(work: Path, howsure: Run, tmp_path: Path, content: str) -> None:
    (work / "howsure.toml").write_text(content)
    store = ("--store", str(tmp_path / "s.db"))
    used = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Grep", "tool_input": {"pattern": "x"}}
    howsure("hook", *store, stdin=json.dumps(used | {"tool_response": "No matches found"}).encode())
    event = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "It is so."}
    answer = json.loads(howsure("hook", *store, stdin=json.dumps(event).encode()).stdout)
    assert answer.get("decision") == "block", answer
