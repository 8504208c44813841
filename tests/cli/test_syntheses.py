"""howsure synthesize and conflicts, as a person or a script uses them; and what happens when nobody expected it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from howsure.cli import app
from tests.conftest import Run, require_package

FINE = {"id": "a", "content": "The host is fine."}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"results": None}, "results: null is not a list"),
        ({"results": 5}, "results: 5 is not a list"),
        ({"results": FINE}, "results: an object of 2 is not a list"),
        ({"results": "x"}, "results: 'x' is not a list"),
        ({"results": [FINE], "query": 5}, "query: 5 is not a text"),
        ({"results": [FINE], "query": ["q"]}, "query: a list of 1 is not a text"),
        ({"results": [None]}, "results[0]: null is not an object"),
        ([FINE, FINE], "'a' is the id of two sub-results"),
        (5, "results[0]: 5 is not an object"),
        (None, "results[0]: null is not an object"),
        ("x", "results[0]: 'x' is not an object"),
        ({"query": "q"}, "results: this field is missing"),
        ({}, "results: this field is missing"),
        ({"foo": 1}, "results[0].id: this field is missing, and 'foo' is unknown"),
        (FINE | {"foo": 1}, "results[0].foo: unknown field 'foo'"),
    ],
)
def test_invalid_input_is_reported(howsure: Run, given: Any, said: str) -> None:
    done = howsure("synthesize", "-", stdin=json.dumps(given).encode())
    assert done.returncode == 2
    assert done.stderr.decode().startswith("howsure: ")
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_question_may_be_missing(howsure: Run) -> None:
    given: list[dict[str, Any]] = [{"results": [FINE], "query": None}, {"results": [FINE]}]
    for one in given:
        found = json.loads(howsure("synthesize", "-", "--json", stdin=json.dumps(one).encode()).stdout)
        assert (found["query"], found["decision"]) == ("", "answer")
    asked = howsure("synthesize", "-", "--query", "How?", "--json", stdin=json.dumps(given[0]).encode())
    assert json.loads(asked.stdout)["query"] == "How?"


def test_the_json_holds_the_rules_of_the_synthesis(howsure: Run) -> None:
    done = howsure("synthesize", "-", "--minimum", "0.1", "--json", stdin=json.dumps(FINE).encode())
    found = json.loads(done.stdout)
    assert found["rules"] == {
        "minimum": 0.1,
        "conflict_threshold": 0.5,
        "max_claims": 50,
        "provenance": True,
        "warn_below": 0.5,
    }
    assert found["stages"]["scored by"] == "heuristic"
    assert found["models"]["overall"]["version"] == 1


def test_findings_that_cannot_be_stored_are_reported(howsure: Run) -> None:
    given = json.dumps({"query": "How\x00?", "results": [FINE]}).encode()
    done = howsure("synthesize", "-", "--keep", "notes", stdin=given)
    assert (done.returncode, b"1 claim created" in done.stdout) == (0, True)
    assert b"no conclusion was kept: statement: a text cannot contain a NUL byte" in done.stderr
    bad = json.dumps([FINE, {"id": "b", "content": "The fan\x00 is on."}]).encode()
    done = howsure("synthesize", "-", "--keep", "notes", stdin=bad)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)
    assert b"b#1.statement: a text cannot contain a NUL byte" in done.stderr


@pytest.mark.parametrize("threshold", ["nan", "inf", "-1", "2", "high"])
def test_a_threshold_that_is_none_is_refused(howsure: Run, threshold: str) -> None:
    done = howsure("conflicts", "-", "--threshold", threshold, stdin=b"The lamp is on.\nThe lamp is off.\n")
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)
    assert b"threshold" in done.stderr


def test_a_byte_order_mark_is_ignored(howsure: Run) -> None:
    given = json.dumps({"query": "How is it?", "results": [FINE]}).encode()
    done = howsure("synthesize", "-", "--json", stdin=b"\xef\xbb\xbf" + given)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["query"] == "How is it?"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b'["The lamp is on.", null]', "statements[1]: null is not a text"),
        (b'["The lamp is on.", 5]', "statements[1]: 5 is not a text"),
        (b'["The lamp is on."', "not JSON"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_invalid_lists_of_statements_are_reported(howsure: Run, given: bytes, said: str) -> None:
    done = howsure("conflicts", "-", stdin=given)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)
    assert said in done.stderr.decode()


FAULTY = """
import howsure.cli.models
def models():
    '''Fail.'''
    raise {error}
howsure.cli.models.models = models
from howsure.cli import main
main()
"""


@pytest.mark.parametrize("error", ["ZeroDivisionError('no\\nway \\x1b[31m')", "KeyError('x')", "RecursionError()"])
def test_unexpected_errors_are_reported_as_bugs(tmp_path: Path, error: str) -> None:
    script = FAULTY.format(error=error)

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", script, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    done = run("models")
    name = error.partition("(")[0]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"howsure: this is a bug in howsure: {name}")
    assert done.stderr.count("\n") == 1
    assert "-vv" in done.stderr
    assert "\x1b" not in done.stderr
    verbose = run("-vv", "models")
    assert verbose.returncode == 2
    assert "Traceback (most recent call last)" in verbose.stderr
    assert verbose.stderr.splitlines()[-1].startswith("howsure: this is a bug in howsure")


def test_errors_of_the_machine_are_not_reported_as_bugs(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(arguments: list[str]) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(app, "build", build)
    with pytest.raises(OSError, match="No space left"):
        app.run()


def test_conflicts_by_the_installed_reader_are_named_and_can_be_left_out(howsure: Run) -> None:
    require_package("howsure_reader")
    statements = b"The release was postponed.\nThe release took place as planned.\n"
    done = howsure("conflicts", "-", "--json", stdin=statements)
    assert (done.returncode, json.loads(done.stdout)["reason"].startswith("read so by rules+small")) == (1, True)
    assert howsure("conflicts", "-", "--json", "--reader", "rules", stdin=statements).stdout == b""


def test_conflicts_are_shown_with_the_numbers_of_their_lines(howsure: Run) -> None:
    text = b"The port is open.\n\n\nThe timeout is 30 s.\nThe timeout is 60 s.\n"
    shown = howsure("conflicts", "-", "--reader", "rules", stdin=text).stdout.decode()
    assert "  4: The timeout is 30 s.\n  5: The timeout is 60 s." in shown
