"""howsure investigate: runs of agents, drawn and judged."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.agents.test_traces import TRANSCRIPT
from tests.conftest import Run


def test_the_command_line_draws_a_run(howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, TRANSCRIPT)))
    for width in ("40", "80", "160"):
        done = howsure("investigate", str(file), COLUMNS=width)
        text = done.stdout.decode()
        assert (done.returncode, "warning: the latest tests failed: pytest" in text.replace("\n", " ")) == (0, True)
        assert max(map(len, text.splitlines())) <= int(width)
    found = json.loads(howsure("investigate", str(file), "--json").stdout)
    assert [step["tool"] for step in found["steps"]] == ["Grep", "Read", "Bash"]
    brief = howsure("investigate", str(file), "--brief", "--record", "--agent", "ann").stdout.decode()
    assert brief.count("\n") == 1
    assert b"ann" in howsure("ledger", "list").stdout
    weak = howsure("investigate", "-", stdin=b'{"tool": "grep", "target": "x", "results": 0}')
    assert weak.returncode == 1
    wrong = howsure("investigate", "-", stdin=b"{")
    assert (wrong.returncode, b"Traceback" in wrong.stderr) == (2, False)


def test_json_has_the_chance_of_success_with_its_reasons(howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, TRANSCRIPT)))
    found = json.loads(howsure("investigate", str(file), "--json", "--record").stdout)
    assert 0.0 < found["chance"] < 1.0
    assert found["chance_basis"] == "uncalibrated prior"
    assert found["course"]["check_passed"] is False
    assert "the last check failed" in [reason["words"] for reason in found["chance_reasons"]]
    drawn = " ".join(howsure("investigate", str(file)).stdout.decode().split())
    assert f"chance of success {found['chance']:.2f}, uncalibrated prior:" in drawn
    recorded = json.loads(howsure("ledger", "list", "--json").stdout)
    assert recorded["detail"]["answer"]["chance"] == found["chance"]


def calls(*made: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, made)).encode()


@pytest.mark.parametrize("width", [24, 40, 60, 79, 80, 100, 200])
def test_however_narrow_it_is_the_score_is_shown(howsure: Run, width: int) -> None:
    long = {"tool": "grep", "target": "a/very/long/path/" * 20 + "parser.py", "results": 2}
    strange = {"tool": "tool_" * 40, "arguments": {"query": "x"}, "output": "y"}
    done = howsure(
        "investigate",
        "-",
        stdin=calls(*[long] * 9, strange, long | {"target": "two\nlines\x1b[2J"}),
        COLUMNS=str(width),
    )
    lines = done.stdout.decode().splitlines()
    rows = [line for line in lines if re.match(r" ?\d+ ", line)]
    assert len(rows) == 11
    assert [re.findall(r"0\.\d\d(?!\d)", row) for row in rows] == [["0.65"]] * 11
    assert max(map(len, lines)) <= width
    if width >= 40:
        assert rows[0].split()[3] == "grep"


def test_every_target_on_which_evidence_agrees_is_named(howsure: Run) -> None:
    made = [
        {"tool": tool, "target": name, "results": 1}
        for name in ("lexer", "parser", "tokens")
        for tool in ("grep", "read")
    ]
    text = howsure("investigate", "-", stdin=calls(*made)).stdout.decode()
    assert "also agreed on: parser, tokens" in text
    found = json.loads(howsure("investigate", "-", "--json", stdin=calls(*made)).stdout)
    assert found["converging_targets"] == ["lexer", "parser", "tokens"]
    assert [one["target"] for one in found["agreements"]] == ["lexer", "parser", "tokens"]
    many = [{"tool": tool, "target": f"t{number}", "results": 1} for number in range(30) for tool in ("grep", "read")]
    assert "and 19 more" in howsure("investigate", "-", stdin=calls(*many)).stdout.decode()


def test_a_value_that_cannot_be_is_refused_by_step_and_field(howsure: Run) -> None:
    done = howsure("investigate", "-", stdin=calls({"tool": "gh", "results": 1, "complete": 2}))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"howsure: stdin, step 1.complete: 2 is not between 0 and 1\n"
