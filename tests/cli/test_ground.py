"""howsure ground: one response with its context, and pairs as JSON Lines."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Run, hear_ctrl_c

CONTEXT = "The gateway listens on port 8443. TLS 1.3 is required."


def _pairs(*pairs: object) -> bytes:
    return "".join(json.dumps(pair) + "\n" for pair in pairs).encode()


def test_pairs_come_back_with_their_support(howsure: Run) -> None:
    pairs = [
        {"id": 1, "context": CONTEXT, "response": "The gateway listens on port 8443."},
        {"id": 2, "context": ["Nothing.", CONTEXT], "response": "TLS 1.2 is required."},
        {"id": 3, "context": CONTEXT, "response": "Der Port ist nicht die 8443."},
    ]
    done = howsure("ground", "--pairs", "-", "--json", "--reader", "words", stdin=_pairs(*pairs))
    assert (done.returncode, done.stderr) == (0, b"")
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert [line["id"] for line in (first, second, third)] == [1, 2, 3]
    assert first["support"] > 0.9
    assert first["sentences"][0]["finding"] == "supported"
    assert second["support"] < 0.3
    assert second["sentences"][0]["finding"] == "contradicted"
    assert second["sentences"][0]["quote"] == {"context": 1, "start": 34, "end": 54, "text": "TLS 1.3 is required."}
    assert third["support"] is None
    assert third["sentences"][0]["finding"] == "cannot judge"


@pytest.mark.parametrize(
    ("response", "code", "said"),
    [
        ("TLS 1.3 is required.", 0, "0.97 supported: TLS 1.3 is required."),
        ("TLS 1.2 is required.", 1, "context: TLS 1.3 is required."),
        ("Is it?", 2, "Support cannot be judged"),
    ],
)
def test_one_response_is_compared(howsure: Run, tmp_path: Path, response: str, code: int, said: str) -> None:
    file = tmp_path / "context.txt"
    file.write_text(CONTEXT)
    done = howsure("ground", "-", "--context", str(file), "--reader", "words", stdin=response.encode())
    assert (done.returncode, done.stderr) == (code, b"")
    assert said in done.stdout.decode()
    (line,) = howsure("ground", "-", "-c", str(file), "--json", stdin=response.encode()).stdout.splitlines()
    assert set(json.loads(line)) == {"support", "sentences", "reader"}


def test_pairs_are_shown_to_people(howsure: Run) -> None:
    done = howsure(
        "ground",
        "--pairs",
        "-",
        "--reader",
        "words",
        stdin=_pairs({"context": CONTEXT, "response": "TLS 1.2 is\x1b[2J required."}),
    )
    assert done.returncode == 0
    assert b"contradicted" in done.stdout
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"response": "a"}', "line 2: context: it is missing"),
        (b'{"context": "a"}', "line 2: response: it is missing"),
        (b'{"context": 5, "response": "a"}', "line 2: context"),
        (b'{"context": "a", "response": 5}', "line 2: response: 5 is not a text"),
        (b"[1]", "line 2: a list of 1 is not an object"),
        (b"{", "line 2: not JSON"),
    ],
)
def test_a_bad_line_is_an_error(howsure: Run, line: bytes, said: str) -> None:
    good = _pairs({"context": CONTEXT, "response": "TLS 1.3 is required."})
    done = howsure("ground", "--pairs", "-", "--json", stdin=good + line + b"\n")
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "pass either a response or --pairs"),
        (["-", "--pairs", "-"], "pass either a response or --pairs"),
        (["-"], "there is no text to compare with"),
        (["--pairs", "-", "-c", "-"], "the contexts are in the pairs"),
        (["nofile", "-c", "nofile"], "cannot read nofile"),
    ],
)
def test_options_that_do_not_fit_are_an_error(howsure: Run, words: list[str], said: str) -> None:
    done = howsure("ground", *words)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)
    assert said in done.stderr.decode()


def test_a_file_that_is_not_text_is_an_error(howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / "context.bin"
    file.write_bytes(b"\xff\xfe")
    done = howsure("ground", "-", "-c", str(file), stdin=b"It is so.")
    assert (done.returncode, b"not UTF-8" in done.stderr) == (2, True)


def test_ctrl_c_ends_quietly_while_a_model_reads(tmp_path: Path) -> None:
    """A model that goes on in native code aborted the process while the interpreter shut down, in 1 of 4 runs."""
    pairs = [
        {"context": f"{CONTEXT} It is number {n}.", "response": f"Gateway {n} needs TLS 1.3."} for n in range(4000)
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_bytes(_pairs(*pairs))
    command = [sys.executable, "-m", "howsure", "ground", "--pairs", str(file), "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, cwd=ROOT, preexec_fn=hear_ctrl_c) as process:  # noqa: PLW1509
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == b""
