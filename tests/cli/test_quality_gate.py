"""howsure quality-gate, as a person, a script or pre-commit uses it."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from howsure.sure import open as open_store
from tests.conftest import ROOT

RULES = ["TESTS_EXIST", "TESTS_PASS", "COVERAGE", "CONFIDENCE_REQUIREMENTS"]
GateRun = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a folder with code, a test, and a report that covers enough."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text("")
    (folder / "test_shop.py").write_text("")
    (folder / "coverage.json").write_text('{"totals": {"percent_covered": 85.0}}')
    return folder


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Give the place of a store."""
    return str(tmp_path / "s.db")


@pytest.fixture
def gate(tmp_path: Path, project: Path, store: str) -> GateRun:
    """Run the gate in the project, as a process of its own."""

    def run(*arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        environment = {"HOME": str(tmp_path), "HOWSURE_STORE": store, "COLUMNS": "200", "NO_COLOR": "1"} | more
        done = subprocess.run(
            [sys.executable, "-m", "howsure", "quality-gate", *arguments],
            cwd=project,
            capture_output=True,
            text=True,
            env=os.environ | environment,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return done

    return run


def python(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


def statuses(done: "subprocess.CompletedProcess[str]") -> dict[str, str]:
    found: dict[str, Any] = json.loads(done.stdout)
    return {check["rule"]: check["status"] for check in found["checks"]}


def test_each_check_and_the_overall_result_are_shown(gate: GateRun) -> None:
    done = gate()
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines == [
        "PASSED   TESTS_EXIST              1 of 2 code files are tests",
        "SKIPPED  TESTS_PASS               no test command given: pass one to run the tests",
        "PASSED   COVERAGE                 85.00% is covered according to coverage.json, and at least 80.00% is needed",
        "SKIPPED  CONFIDENCE_REQUIREMENTS  no agent given: pass one to check its confidence",
        "",
        "The gate is passed: 2 passed, 2 skipped.",
    ]


def test_a_failure_exits_1(gate: GateRun) -> None:
    done = gate("--test-command", python("raise SystemExit(3)"))
    assert done.returncode == 1
    assert "FAILED   TESTS_PASS" in done.stdout
    assert "The gate is not passed: 2 passed, 1 failed, 1 skipped." in done.stdout


def test_the_result_can_be_json(gate: GateRun, project: Path) -> None:
    done = gate("--json", "--test-command", python("pass"), "--agent", "ann")
    found = json.loads(done.stdout)
    assert (done.returncode, found["passed"], found["strict"], found["agent"]) == (0, True, False, "ann")
    assert [check["rule"] for check in found["checks"]] == RULES
    assert list(statuses(done).values()) == ["PASSED", "PASSED", "PASSED", "WARNING"]


def test_with_strict_a_warning_fails(gate: GateRun, project: Path) -> None:
    assert gate("--strict").returncode == 0
    (project / "coverage.json").unlink()
    done = gate("--json")
    assert (done.returncode, statuses(done)["COVERAGE"]) == (0, "WARNING")
    done = gate("--json", "--strict")
    found = json.loads(done.stdout)
    assert (done.returncode, found["passed"], found["strict"]) == (1, False, True)
    assert "The gate is not passed: 1 passed, 1 warning, 2 skipped." in gate("--strict").stdout
    assert "The gate is passed: 1 passed, 2 warnings, 1 skipped." in gate("--agent", "ann").stdout


def test_file_names_are_ignored(gate: GateRun) -> None:
    done = gate("shop.py", "no such file.py", "--json", "docs/../x")
    assert (done.returncode, list(statuses(done))) == (0, RULES)


def test_every_option_counts(gate: GateRun, project: Path, tmp_path: Path, store: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    done = gate("--json", "--folder", str(tmp_path / "elsewhere"), "--coverage", "coverage.json")
    assert list(statuses(done).values()) == ["FAILED", "SKIPPED", "PASSED", "SKIPPED"]
    assert gate("--min-coverage", "0.9").returncode == 1
    with open_store(store) as sure:
        sure.responses.check(agent="ann", agent_type="clerk", knowledge=0.9, code=0.7, certainty=0.7, history=0.6)
    asked = ("--json", "--agent", "ann", "--store", store)
    confidence = "CONFIDENCE_REQUIREMENTS"
    assert statuses(gate(*asked, HOWSURE_STORE=""))[confidence] == "PASSED"
    assert statuses(gate(*asked, "--agent-type", "patcher"))[confidence] == "FAILED"
    assert statuses(gate(*asked, "--max-age-hours", "0"))[confidence] == "WARNING"


def test_tests_have_a_time_limit(gate: GateRun) -> None:
    done = gate("--json", "--test-command", python("import time; time.sleep(60)"), HOWSURE_CODE_TIME_LIMIT="0.5")
    assert (done.returncode, statuses(done)["TESTS_PASS"]) == (1, "FAILED")
    assert "did not end within 0.5 seconds" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--folder", "nowhere"], "howsure: folder: folder nowhere does not exist"),
        (["--test-command", "/no/such"], "howsure: command: cannot run /no/such"),
        (["--min-coverage", "80"], "howsure: min_coverage: 80.0 is not between 0 and 1"),
        (["--nonsense"], "No such option"),
    ],
)
def test_failing_to_judge_exits_2(gate: GateRun, arguments: list[str], problem: str) -> None:
    done = gate(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr


def test_names_of_agents_are_shown_as_they_are(gate: GateRun) -> None:
    assert "no response of [red]x[/] was checked" in gate("--agent", "[red]x[/]").stdout


def test_each_status_has_a_colour_on_a_terminal(gate: GateRun) -> None:
    shown = gate("--test-command", python("raise SystemExit(1)"), NO_COLOR="", FORCE_COLOR="1", TERM="xterm").stdout
    assert "\x1b[32mPASSED" in shown
    assert "\x1b[1;31mFAILED" in shown
    assert "\x1b[2mSKIPPED" in shown


def test_the_gate_works_as_a_pre_commit_hook(tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    path = ROOT / ".pre-commit-hooks.yaml"
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(path)],
        capture_output=True,
        text=True,
        env=os.environ | {"HOME": str(tmp_path), "PRE_COMMIT_HOME": str(tmp_path / "pre-commit")},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    hook = next(one for one in yaml.safe_load(path.read_text()) if one["id"] == "howsure-quality-gate")
    assert (hook["entry"], hook["language"]) == ("howsure quality-gate", "python")
    assert (hook["pass_filenames"], hook["always_run"]) == (False, True)
