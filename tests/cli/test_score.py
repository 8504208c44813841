"""howsure score: good lines are answered, bad lines are named."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Run, hear_ctrl_c

GOOD = {"constituents": [[0.5, 1.0]], "assessed_upper": 0.8}
CLAIM = {"provenance": [{"source_type": "user", "source_id": "ann", "contribution": 0.8}], "stale_at": 0}


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def test_a_score_can_be_computed_again_from_its_output(howsure: Run) -> None:
    from howsure.formulas import scoring
    from howsure.formulas.model import row_and_steps
    from howsure.formulas.ops import FLOATS

    answer = json.loads(
        howsure("score", "noisy_or", "--set", "boost_factor=0.3", "--now", "9", stdin=_line(CLAIM)).stdout
    )
    assert answer["spec"]["name"] == "noisy_or"
    assert answer["spec"]["parameters"]["boost_factor"] == 0.3
    model = scoring.build("noisy_or", answer["spec"]["parameters"])
    row = row_and_steps(type(model))[0](**answer["row"])
    assert model.formula(row, FLOATS)._asdict() == answer["steps"]


def test_claims_take_formulas_and_say_how_many_sources(howsure: Run) -> None:
    done = howsure(
        "score", "claims", "-f", "beta", "-f", "noisy_or", "--now", "1970-01-01T00:00:00Z", stdin=_line(CLAIM)
    )
    answer = json.loads(done.stdout)
    assert list(answer)[:3] == ["beta", "noisy_or", "sources"]
    assert answer["noisy_or"] == pytest.approx([0.8 * 2 / 3, 0.8])
    assert answer["scores"]["beta"]["width"] == pytest.approx(answer["beta"][1] - answer["beta"][0])


def test_without_a_time_the_clock_is_read(howsure: Run) -> None:
    stale = CLAIM | {"tier": "persistent", "stale_at": time.time() - 0.5 * 365.25 * 86400}
    answer = json.loads(howsure("score", "claims", stdin=_line(stale)).stdout)
    assert answer["noisy_or"][1] == pytest.approx(0.4, abs=1e-3)


def test_a_file_or_a_json_array_can_be_read(howsure: Run, tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([GOOD, GOOD], indent=1))
    done = howsure("score", "derived", str(path))
    assert [json.loads(line)["upper"] for line in done.stdout.splitlines()] == [0.8, 0.8]
    path.write_text("[1, 2")
    assert b"not JSON" in howsure("score", "derived", str(path)).stderr


@pytest.mark.parametrize(
    ("model", "line", "message"),
    [
        ("derived", b'{"assessed_upper": 0.5}', "line 2: constituents: this field is missing"),
        ("derived", b'{"constituents": [], "assessed_upper": 0.5}', "line 2: constituents: a derived claim needs"),
        ("derived", b'{"constituents": [[0.9, 0.1]], "assessed_upper": 1}', "line 2: constituents[0]: the lower bound"),
        (
            "derived",
            b'{"constituents": [[0, 1]], "assessed_upper": "x"}',
            "line 2: assessed_upper: 'x' is not a number",
        ),
        (
            "derived",
            b'{"constituents": [[0, 1]], "assessed_upper": 1e999}',
            "line 2: assessed_upper: inf is not a finite number",
        ),
        (
            "derived",
            b'{"constituents": [[0, 1]], "assessed_upper": NaN}',
            "line 2: assessed_upper: nan is not a finite number",
        ),
        ("derived", b'{"constituents": [[0, 1]], "assesed_upper": 1}', "did you mean assessed_upper?"),
        ("derived", b"[1, 2]", "line 2: a list of 2 is not an object"),
        ("derived", b"3", "line 2: 3 is not an object"),
        ("derived", b'{"constituents": ', "line 2: not JSON"),
        ("derived", b'{"a": "\xff"}', "line 2: not UTF-8: byte 0xff at position 7"),
        ("derived", b"[" * 5000, "line 2: not JSON"),
        (
            "derived",
            _line({"constituents": "x" * 10_000_000, "assessed_upper": 1}),
            "(10000000 characters) is not a list",
        ),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_judged(howsure: Run, model: str, line: bytes, message: str) -> None:
    done = howsure("score", model, stdin=_line(GOOD) + line.strip() + b"\n" + _line(GOOD))
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert len(done.stderr) < 500
    assert b"Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) == 1
    going = howsure("score", model, "--keep-going", stdin=_line(GOOD) + line.strip() + b"\n" + _line(GOOD))
    assert going.returncode == 2
    answers = [json.loads(answer) for answer in going.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, False]
    assert answers[1]["error"]["line"] == 2
    assert b"1 of 3 lines could not be judged" in going.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["noisyor"], "there is no model 'noisyor' (did you mean noisy_or?)"),
        (["claims", "--formula", "betta"], "there is no claim formula 'betta' (did you mean beta?)"),
        (["claims", "--formula", "overall"], "there is no claim formula 'overall'"),
        (["overall", "--formula", "beta"], "overall takes no formula"),
        (["claims", "--set", "boost=1"], "unknown parameter 'boost'"),
        (["claims", "--set", "boost_factor"], "'boost_factor' is not NAME=VALUE"),
        (["claims", "--set", "boost_factor=high"], "boost_factor: 'high' is not a number"),
        (["claims", "--set", "a=1", "--set", "a.b=2"], "a is set as a value and as a group"),
        (["claims", "-f", "all", "-f", "nope"], "there is no claim formula 'nope'"),
        (["claims", "--set", "diversity_types=0"], "diversity_types: 0 is not between 1 and"),
        (["claims", "--now", "nan"], "now: nan is not a finite number"),
        (["investigation", "--set", "tools.make=verification"], "make must either build or test"),
        (["investigation", "--set", "stop_below=0.9"], "0.9 is above proceed_from"),
        (["document", "--set", "c_min=0.9"], "0.9 is above c_max"),
        (["claims", "--now", "yesterday"], "now: 'yesterday' is not a time"),
        (["claims", "no/such/file"], "cannot read no/such/file: No such file or directory"),
        (["claims", "."], "cannot read .: Is a directory"),
    ],
)
def test_bad_options_are_named(howsure: Run, arguments: list[str], message: str) -> None:
    done = howsure("score", *arguments, stdin=_line(CLAIM))
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stdout == b""


def test_setting_one_entry_of_a_table_keeps_the_others(howsure: Run) -> None:
    line = _line({"agent_type": "validator"})
    done = howsure("score", "response", "--set", "thresholds.planner=0.5", stdin=line)
    assert json.loads(done.stdout)["threshold"] == 0.85


def test_a_line_that_is_a_list_is_a_bad_line_and_not_a_file(howsure: Run) -> None:
    done = howsure("score", "derived", "-k", stdin=b"[1]\n" + _line(GOOD))
    assert ["error" in json.loads(line) for line in done.stdout.splitlines()] == [True, False]


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(howsure: Run) -> None:
    done = howsure("score", "derived", stdin=b"\xef\xbb\xbf" + _line(GOOD).replace(b"\n", b"\r\n"))
    assert json.loads(done.stdout)["upper"] == 0.8


def test_a_full_output_device_is_reported(howsure: Run) -> None:
    command = [sys.executable, "-m", "howsure", "score", "derived"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, input=_line(GOOD), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"the result could not be written: No space left on device" in done.stderr


def test_a_text_of_ten_megabytes_is_scored(howsure: Run) -> None:
    text = "It might be tested. " * 500_000
    done = howsure("score", "subresult", stdin=_line({"content": text}))
    assert done.returncode == 0
    assert json.loads(done.stdout)["row"]["hedges"] == 500_000


def test_no_input_gives_no_output(howsure: Run) -> None:
    done = howsure("score", "derived", stdin=b"\n\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def _start(*arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "howsure", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT, preexec_fn=hear_ctrl_c)  # noqa: PLW1509


def test_each_score_is_printed_at_once_and_ctrl_c_ends_quietly() -> None:
    with _start("score", "derived") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(_line(GOOD))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["upper"] == 0.8
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == b""


def test_a_closed_pipe_ends_quietly() -> None:
    with _start("score", "derived") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        try:
            process.stdin.write(_line(GOOD) * 1000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == b""
