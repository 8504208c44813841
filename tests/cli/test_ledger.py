"""howsure gate, ledger, stats and outcome in odd terminals and with odd arguments."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from howsure.investigations.api import ToolCallInput
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


def _lines(done: Any) -> list[str]:
    return [" ".join(line.split()) for line in done.stdout.decode().splitlines()]


def test_outcomes_that_were_reported_within_a_second_are_all_explained(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "a.db")
    with open_store(store) as sure:
        decision = sure.responses.check("It is so.", agent="a", now=1_800_000_000.0)
        sure.ledger.outcome(decision.id, "right", by="ann", now=1_800_000_010.2)
        sure.ledger.outcome(decision.id, "wrong", by="bob", now=1_800_000_010.7)
    explained = _lines(howsure("ledger", "explain", decision.id, "--store", store))
    assert explained[-2:] == [
        "2027-01-15 08:00:10Z right by ann (person)",
        "2027-01-15 08:00:10Z wrong by bob (person)",
    ]


def test_the_newest_decision_is_called_last(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "a.db")
    open_store(store).close()
    assert b"there is no decision '@last'" in howsure("ledger", "show", "@last", "--store", store).stderr
    with open_store(store) as sure:
        newest = sure.responses.check("It is so.", agent="new").id
        sure.responses.check("It is so.", agent="old", now=1_700_000_000.0)
    done = howsure("outcome", "@last", "wrong", "--store", store)
    assert (done.returncode, done.stdout.decode()) == (0, f"1 recorded: {newest}\n")
    assert howsure("outcome", "@last", "down", "--store", store).returncode == 0
    shown = _lines(howsure("ledger", "show", "@last", "--store", store))
    assert shown[0] == f"id {newest}"
    assert shown[-1].startswith("outcome wrong")
    assert _lines(howsure("ledger", "explain", "@last", "--store", store))[0] == f"id {newest}"


def test_an_empty_list_says_whether_there_is_no_decision_or_none_that_fits(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "a.db")
    open_store(store).close()
    assert _lines(howsure("ledger", "list", "--store", store))[0].startswith("No decisions yet.")
    with open_store(store) as sure:
        sure.responses.check("It is so.", agent="a")

    def said(*filters: str) -> str:
        return " ".join(_lines(howsure("ledger", "list", *filters, "--store", store)))

    assert said("--agent", "nobody") == "No decision fits."
    assert said("--decision", "stop") == "No decision fits."
    assert said("--decision", "passed") == "No decision fits. --decision passed: did you mean pass?"


def test_statistics_call_what_met_its_threshold_passed(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "a.db")
    with open_store(store) as sure:
        sure.responses.check("It is so.", agent="a")
    printed = " ".join(_lines(howsure("stats", "--store", store)))
    assert " needed right passed " in printed
    assert "success" not in printed


def test_statistics_count_each_decision_once(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    with open_store(store) as sure:
        for text, knowledge in (("It is so.", 0.9), ("It is so.", 0.1), ("It is so.", None)):
            sure.responses.check(text, agent="a", knowledge=knowledge, history=0.9)
    said = " ".join(howsure("stats", "--store", store).stdout.decode().split())
    assert "3 decisions in 7d: 1 passed, 1 blocked, 1 to review; " in said


def test_what_only_another_model_has_is_named(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    with open_store(store) as sure:
        call = ToolCallInput("grep", {"pattern": "Parser"}, 2)
        state = sure.investigations.assess("Where is the parser?", [call], record=True)
        sure.ledger.outcome(state.id or "", "right")
    assert b"howsure learn --kind investigation" in howsure("learn", "--store", store).stderr
    shown = howsure("stats", "--store", store, COLUMNS="200").stdout
    assert b"No decisions of the model response in the last 7d. --by model shows all models." in shown
