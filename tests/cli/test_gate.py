"""The gate and the ledger on the command line."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from howsure.cli import gate, hook
from howsure.cli.app import build
from howsure.cli.quick import COMMANDS, plain
from howsure.errors import InputError
from howsure.responses.api import Responses
from howsure.sure import open as open_store
from tests.conftest import Run, trust_folder

BLOCK = """\
Composite Confidence: 75.00%
Confidence Level: MODERATE
Threshold: 75.00%
Threshold Met: True
Should Block: False

Factor Scores:
  Knowledge Base: 80.00%
  Code Validation: 90.00%
  Response Certainty: 70.00%
  Agent History: 50.00%
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "store.db")


def test_the_gate_prints_the_block_of_the_source_document(howsure: Run, store: str) -> None:
    given = ("--agent", "archon-planner-1", "--agent-type", "planner", "--store", store, "--policy", "nlnh")
    done = howsure("gate", *given, "--knowledge", "0.8", "--code", "0.9", "--certainty", "0.7")
    assert done.returncode == 0
    assert done.stdout.decode().startswith(BLOCK)
    done = howsure("gate", *given, "--knowledge", "0.8", "--code=0.9", "--certainty", "0.7", "--history", "0.75")
    assert done.stdout.startswith(b"Composite Confidence: 80.00%")


def test_the_exit_code_says_whether_a_response_may_be_sent(howsure: Run, store: str, tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("I think it might work, perhaps.")
    blocked = howsure("gate", str(answer), "--agent", "a", "--knowledge", "0.9", "--store", store)
    assert (blocked.returncode, b"Say instead: I don't know" in blocked.stdout) == (1, True)
    review = howsure("gate", "-", "--agent", "a", "--history", "1", "--store", store, stdin=b"Definitely confirmed.")
    assert (review.returncode, b"Decision: review" in review.stdout) == (1, True)
    passed = howsure("gate", "-", "--agent", "a", "--code", "1", "--knowledge", "1", "--store", store, stdin=b"Tested.")
    assert (passed.returncode, b"Decision: pass" in passed.stdout) == (0, True)
    empty = howsure("gate", "-", "--agent", "a", "--store", store)
    assert empty.returncode == 1


def test_json_holds_all_of_it(howsure: Run, store: str) -> None:
    done = howsure("gate", "-", "--agent", "a", "--json", "--store", store, stdin=b"Perhaps.")
    found = json.loads(done.stdout)
    assert {"composite", "level", "threshold", "decision", "reason", "factors", "lifts", "message", "spec"} <= set(
        found
    )
    shown = json.loads(howsure("ledger", "show", found["id"], "--json", "--store", store).stdout)
    assert (shown["decision"], shown["score"]) == (found["decision"], found["composite"])


def test_a_byte_order_mark_is_no_part_of_the_text(howsure: Run, store: str, tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    file.write_bytes(b"\xef\xbb\xbfIt works.")
    digests = set()
    for arguments, stdin in (
        ([str(file)], b""),
        (["-"], file.read_bytes()),
        ([], file.read_bytes()),
        ([], b"It works."),
    ):
        assert howsure("gate", *arguments, "--store", store, stdin=stdin).returncode < 2
        shown = json.loads(howsure("ledger", "show", "@last", "--json", "--store", store).stdout)
        digests.add(shown["digest"])
    assert len(digests) == 1


def test_retrieval_results_come_from_a_file(howsure: Run, store: str, tmp_path: Path) -> None:
    for content in ('[0.92, {"similarity": 0.85}]', '{"similarity": 0.92}\n{"score": 0.85}\n'):
        (tmp_path / "found.json").write_text(content)
        done = howsure("gate", "--agent", "a", "--knowledge", str(tmp_path / "found.json"), "--store", store)
        assert b"Knowledge Base: 97.74%" in done.stdout
        done = howsure("gate", "--knowledge", str(tmp_path / "found.json"), "--store", store, "--policy=nlnh")
        assert b"Knowledge Base: 100.00%" in done.stdout
    (tmp_path / "found.json").write_text("[")
    done = howsure("gate", "--agent", "a", "--knowledge", str(tmp_path / "found.json"), "--store", store)
    assert (done.returncode, b"knowledge: " in done.stderr) == (2, True)
    done = howsure("gate", "-", "--agent", "a", "--knowledge", "-", "--store", store, stdin=b"[0.9]")
    assert (done.returncode, b"cannot both be stdin" in done.stderr) == (2, True)
    done = howsure("gate", "-", "--agent", "a", "--context", "-", "--store", store, stdin=b"It works.")
    assert (done.returncode, b"the response and the context cannot both be stdin" in done.stderr) == (2, True)
    done = howsure("gate", "--agent", "a", "--knowledge", str(tmp_path / "missing.json"), "--store", store)
    assert (done.returncode, b"a number from 0 to 1, a file" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--knowledge", "2"),
        ("--knowledge", "much"),
        ("--agnet", "a"),
        ("nothing.txt",),
        ("--code", "1", "--run-tests", "true"),
        ("--on-ledger-error", "never"),
        ("--policy", "evidense"),
        ("--knowledge",),
    ],
)
def test_errors_are_reported(howsure: Run, store: str, arguments: tuple[str, ...]) -> None:
    done = howsure("gate", *arguments, "--store", store)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    assert done.stderr


@pytest.mark.parametrize(("name", "options"), [("gate", gate.OPTIONS), ("hook", hook.OPTIONS)])
def test_quick_commands_take_what_the_full_command_line_takes(name: str, options: dict[str, type]) -> None:
    command: Any = typer.main.get_command(build([name])).commands[name]  # type: ignore[attr-defined]
    command = command if name == "gate" else command.commands["run"]
    taken = {one.name: one for one in command.params if one.param_type_name == "option" and one.name != "help"}
    assert set(taken) == set(options)
    assert [one.name for one in command.params if one.param_type_name == "argument"] == [COMMANDS[name]]
    for option in taken.values():
        (flag,) = option.opts
        value = [] if options[option.name] is bool else ["1"]
        assert plain([flag, *value], options, "x") == {option.name: True if not value else options[option.name]("1")}


def test_the_gate_offers_what_the_method_takes() -> None:
    """Who adds a parameter to `Responses.check` decides whether the gate offers it."""
    taken = set(inspect.signature(Responses.check).parameters) - {"self"}
    left_out = {"from_distance", "now", "lookups"}  # a function; the clock of tests; what from_trace computes
    assert set(gate.OPTIONS) - {"store", "create", "json"} | {"text"} == taken - left_out


@pytest.mark.parametrize(
    "words",
    [["--help"], ["-h"], ["--agen", "a"], ["--json=1"], ["a", "b"], ["--agent"], ["--agent", "--json"], ["--", "x"]],
)
def test_unusual_arguments_are_left_to_the_parser(words: list[str]) -> None:
    assert plain(words, gate.OPTIONS, "text") is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"caf\xe9 au lait", b"byte 0xe9 at offset 3"),
        (b"\xef\xbb\xbfcaf\xe9", b"byte 0xe9 at offset 6"),
        ("It works.".encode("utf-16"), b"byte 0xff at offset 0"),
        ("It costs 5 \u20ac".encode()[:-1], b"byte 0xe2 at offset 11"),
        (b"x" * 2000 + b"\xff", b"byte 0xff at offset 2,000"),
    ],
)
def test_a_text_that_is_not_utf_8_is_refused(
    howsure: Run, store: str, tmp_path: Path, content: bytes, said: bytes
) -> None:
    file, good = tmp_path / "answer.txt", tmp_path / "good.txt"
    file.write_bytes(content)
    good.write_text("It works.", encoding="utf-8")
    ways: list[tuple[list[str], bytes, str, str]] = [
        ([str(file)], b"", "file", str(file)),
        (["-"], content, "file", "stdin"),
        ([], content, "file", "stdin"),
        (["--context", str(file), str(good)], b"", "context", str(file)),
        (["--context", "-", str(good)], content, "context", "stdin"),
        (["--knowledge", str(file), str(good)], b"", "knowledge", str(file)),
    ]
    for words, stdin, field, name in ways:
        done = howsure("gate", "--store", store, *words, stdin=stdin)
        assert (done.returncode, done.stdout) == (2, b""), words
        assert done.stderr.startswith(f"howsure: {field}: {name} is not UTF-8: ".encode() + said)
        assert b"iconv" in done.stderr
    assert not Path(store).exists()  # nothing was decided


def test_a_gate_loads_only_what_it_needs(store: str) -> None:
    code = (
        "import sys, os; os._exit = lambda code: (print(*sys.modules, file=sys.stderr), sys.exit(code));"
        "from howsure.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "gate", "--agent", "a", "--knowledge", "1", "--store", store]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    loaded = set(done.stderr.split())
    assert "howsure.responses.api" in loaded
    for name in ("typer", "rich", "click", "asyncio", "numpy", "psycopg", "pathlib", "orjson", "hashlib"):
        assert name not in loaded
    for name in ("howsure.claims.api", "howsure.formulas.claim", "howsure.ledger.statistics"):
        assert name not in loaded


def test_outcomes_and_statistics(howsure: Run, store: str) -> None:
    assert b"No decisions" in howsure("stats", "--store", store).stdout
    ids = []
    for number in range(4):
        done = howsure(
            "gate", "--agent", f"a{number % 2}", "--knowledge", "0.9", "--code", "1", "--json", "--store", store
        )
        ids.append(json.loads(done.stdout)["id"])
    assert howsure("outcome", ids[0], "right", "--by", "ann", "--store", store).stdout == b"1 recorded\n"
    lines = f'{{"id": "{ids[1]}", "outcome": "wrong"}}\n{{"id": "x", "outcome": "right"}}\n'.encode()
    done = howsure("outcome", "--file", "-", "--store", store, stdin=lines)
    assert (done.returncode, done.stdout) == (2, b"1 recorded, 1 failed\n")
    assert b"line 2" in done.stderr
    for wrong in ((), (ids[0],), (ids[0], "good"), (ids[0], "right", "--file", "-"), ("nothing", "right")):
        assert howsure("outcome", *wrong, "--store", store).returncode == 2
    shown = howsure("stats", "--store", store, COLUMNS="120").stdout.decode()
    assert "4 decisions in 7d" in shown
    assert "1 of 2 responses with a known outcome was right" in shown
    found = json.loads(howsure("stats", "--by", "agent", "--json", "--store", store).stdout)
    assert [(group["name"], group["total"]) for group in found["groups"]] == [("a0", 2), ("a1", 2)]
    for width in ("40", "80", "200"):
        text = howsure("stats", "--store", store, COLUMNS=width).stdout.decode()
        assert max(len(line) for line in text.splitlines()) <= int(width)
    assert howsure("stats", "--by", "nothing", "--store", store).returncode == 2
    assert howsure("stats", "--last", "long", "--store", store).returncode == 2


def test_the_ledger_can_be_exported_and_imported(howsure: Run, store: str, tmp_path: Path) -> None:
    assert b"No decisions" in howsure("ledger", "list", "--store", store).stdout
    for agent in ("ann", "bob"):
        howsure("gate", "-", "--agent", agent, "--knowledge", "0.2", "--store", store, stdin=b"The answer is 42.")
    listed = howsure("ledger", "list", "--store", store).stdout.decode()
    assert "ann" in listed
    assert "block" in listed
    assert howsure("ledger", "export", str(tmp_path / "out"), "--store", store).stdout == b"2 written\n"
    other = str(tmp_path / "other.db")
    assert howsure("ledger", "import", str(tmp_path / "out"), "--store", other).stdout == b"2 imported\n"
    (tmp_path / "out" / "confidences-2020-01-01.jsonl").write_text("{broken\n")
    done = howsure("ledger", "import", str(tmp_path / "out"), "--store", other)
    assert (done.returncode, done.stdout) == (2, b"0 imported\n")
    assert b"confidences-2020-01-01.jsonl, line 1" in done.stderr
    assert howsure("ledger", "purge", "--store", other).returncode == 2
    assert howsure("ledger", "purge", "--agent", "ann", "--store", other).returncode == 1  # nobody says yes
    assert howsure("ledger", "purge", "--agent", "ann", "--yes", "--store", other).stdout == b"1 purged\n"
    assert howsure("ledger", "purge", "--everything", "--yes", "--store", other).stdout == b"1 purged\n"


def test_settings_come_from_the_nearest_place(howsure: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "project" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "project" / "howsure.toml").write_text(
        'store = "decisions.db"\nproject = "web"\n[thresholds.agents]\nann = 0.4\n[ledger]\nkeep = "nothing"\n'
    )
    users = tmp_path / "config" / "howsure"
    users.mkdir(parents=True)
    (users / "howsure.toml").write_text('formula = "beta"\nproject = "mine"\n')
    trust_folder(tmp_path / "project", tmp_path / "config")
    monkeypatch.chdir(deep)
    given = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOWSURE_RESPONSES_LOOKBACK_HOURS": "48"}
    rows = {row["name"]: row for row in map(json.loads, howsure("settings", "--json", **given).stdout.splitlines())}
    file, users_file = str(tmp_path / "project" / "howsure.toml"), str(users / "howsure.toml")
    assert {
        name: (rows[name]["value"], rows[name]["from"]) for name in ("project", "formula", "ledger.retention_days")
    } == {
        "project": ("web", file),
        "formula": ("beta", users_file),
        "ledger.retention_days": (90.0, "default"),
    }
    assert rows["responses.lookback_hours"]["from"] == "HOWSURE_RESPONSES_LOOKBACK_HOURS"
    assert rows["store"]["value"] == str(tmp_path / "project" / "decisions.db")
    done = howsure("gate", "--agent", "ann", "--knowledge", "0.5", "--json", **given)
    assert (done.returncode, json.loads(done.stdout)["threshold_from"]) == (0, "set for the agent")
    assert (tmp_path / "project" / "decisions.db").exists()
    assert b"web" in howsure("settings", **given).stdout


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("formla = 1", "did you mean formula?"),
        ("[thresholds]\ndefault = 2", "thresholds.default: 2 is not between 0 and 1, in "),
        ("[thresholds]\nagent = {}", "did you mean thresholds.agents?"),
        ("x = [", "cannot read"),
        ("[ledger]\nkeep = 'some'", "ledger.keep: 'some' is not one of"),
        ("[ledger]\nredact = ['(']", "invalid regular expression"),
    ],
)
def test_an_invalid_setting_is_reported(
    howsure: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, told: str
) -> None:
    (tmp_path / "howsure.toml").write_text(content)
    trust_folder(tmp_path, tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    given = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    done = howsure("gate", "-", "--agent", "a", "--store", str(tmp_path / "s.db"), stdin=b"text", **given)
    assert (done.returncode, done.stdout) == (2, b"")
    assert told in done.stderr.decode()


def test_a_password_in_the_address_of_a_store_is_not_shown(howsure: Run) -> None:
    shown = howsure("settings", HOWSURE_STORE="postgresql://ann:hunter2@db/claims").stdout
    assert b"hunter2" not in shown
    assert b"postgresql://db/claims" in shown


def test_a_closed_pipe_is_not_an_error(store: str) -> None:
    command = [sys.executable, "-m", "howsure", "gate", "--agent", "a", "--store", store]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_full_output_device_is_reported(store: str, form: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "howsure", "gate", "--agent", "a", "--knowledge", ".9", "--store", store, *form]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"howsure: the decision could not be written: No space left on device\n"


def test_piped_text_is_judged(howsure: Run, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "s.db"), "--json")
    about = ("--agent", "a", "--knowledge", "1", "--code", "1", "--history", "1")
    piped = json.loads(howsure("gate", *about, *store, stdin=b"I think it might work, perhaps.").stdout)
    named = json.loads(howsure("gate", "-", *about, *store, stdin=b"I think it might work, perhaps.").stdout)
    without = json.loads(howsure("gate", *about, *store, stdin=b"").stdout)
    assert piped["composite"] == named["composite"] != without["composite"]
    with open_store(str(tmp_path / "s.db")) as sure:
        assert sure.ledger.get(piped["id"]).content == "I think it might work, perhaps."
        assert sure.ledger.get(without["id"]).content is None
    (tmp_path / "answer.txt").write_text("From a file.")
    with (tmp_path / "answer.txt").open("rb") as file:  # < answer.txt
        command = [sys.executable, "-m", "howsure", "gate", *about, *store]
        done = subprocess.run(command, stdin=file, capture_output=True, check=False)
    with open_store(str(tmp_path / "s.db")) as sure:
        assert sure.ledger.get(json.loads(done.stdout)["id"]).content == "From a file."
    found = howsure("gate", "--agent", "a", "--knowledge", "-", *store, stdin=b"[0.9, 0.8]")
    assert json.loads(found.stdout)["factors"][0]["score"] is not None
    with open_store(str(tmp_path / "s.db")) as sure:
        assert sure.ledger.get(json.loads(found.stdout)["id"]).content is None


def test_a_silent_pipe_is_not_a_response(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    with os.fdopen(read) as silent:
        monkeypatch.setattr(gate, "PATIENCE", 0.05)
        monkeypatch.setattr(sys, "stdin", silent)
        with pytest.raises(InputError, match="no response came on stdin within 0.05 s .pass - to wait"):
            gate.check(None, str(tmp_path / "s.db"), {"agent": "a"})
        os.write(write, b"Late, but here.")
        os.close(write)
        assert gate.check(None, str(tmp_path / "s.db"), {"agent": "a"}).recorded


def test_a_terminal_is_told_that_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, end = os.openpty()
    os.write(terminal, b"Said by hand.\n\x04")  # Ctrl-D
    with os.fdopen(end) as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        assert gate.check("-", str(tmp_path / "s.db"), {"agent": "a"}).recorded
    os.close(terminal)
    assert "end with Ctrl-D" in capsys.readouterr().err


def test_a_response_in_place_of_its_file_is_explained(howsure: Run) -> None:
    done = howsure("gate", "The gateway listens on port 8443.")
    assert done.returncode == 2
    assert b"echo TEXT | howsure gate -" in done.stderr


def test_a_promise_without_a_fit_says_what_is_missing(howsure: Run, tmp_path: Path) -> None:
    given = ("gate", "--agent", "a", "--knowledge", "0.9", "--promise", "0.05", "--store", str(tmp_path / "s.db"))
    said = howsure(*given, stdin=b"It is so.").stdout.decode()
    assert "Threshold" not in said
    assert "Promise: at most 5.00% wrong, which cannot be made: learn and apply a fit first" in said
