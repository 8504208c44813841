"""howsure learn and howsure apply: from a file of outcomes to probabilities."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from howsure.learn.fit import read_fit
from tests.cli.test_eval import write
from tests.conftest import Run


def _rows(size: int, seed: int = 0) -> list[dict[str, Any]]:
    dice = random.Random(seed)
    rows = []
    for place in range(size):
        score = dice.choice([0.8, 0.9, 1.0, 1.0])
        rows.append({"id": place, "s": score, "agent": dice.choice("ab"), "y": int(dice.random() < 5 * score - 4.02)})
    return rows


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_a_fit_is_learned_and_applied(kind: str, tmp_path: Path, howsure: Run) -> None:
    data, out = write(tmp_path, kind, _rows(300)), tmp_path / "fit.json"
    done = howsure("learn", data, "--score", "s", "--outcome", "y", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert b"300 outcomes" in done.stdout
    assert b"better beyond noise" in done.stdout
    applied = howsure("apply", str(out), data, "--score", "s", "--json", "--promise", "0.05")
    assert applied.returncode == 0, applied.stderr
    lines = [json.loads(line) for line in applied.stdout.splitlines()]
    fit = read_fit(out)
    threshold = fit.promise(0.05).threshold
    assert threshold is not None
    assert len(lines) == 300
    for line, row in zip(lines, _rows(300), strict=True):
        assert str(line["id"]) == str(row["id"])
        assert line["s"] == row["s"]
        assert line["lower"] <= line["probability"] <= line["upper"]
        assert line["probability"] == pytest.approx(fit.estimate(row["s"]).probability)
        assert line["passes"] is (row["s"] >= threshold)
    assert {line["passes"] for line in lines} == {True, False}


def test_groups_and_factors_are_learned(tmp_path: Path, howsure: Run) -> None:
    data, out = write(tmp_path, "jsonl", _rows(200)), tmp_path / "fit.json"
    done = howsure("learn", data, "--score", "s", "--outcome", "y", "--group", "agent", "--out", str(out), "--json")
    assert json.loads(done.stdout)["group_columns"] == ["agent"]
    assert howsure("apply", str(out), data).stdout.count(b"line ") == 200
    done = howsure("learn", data, "--factor", "s=1.5", "--factor", "id", "--outcome", "y", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert read_fit(out).factor_names == ("s", "id")
    applied = howsure("apply", str(out), data, "--json", "--promise", "0.4")
    assert "passes" in json.loads(applied.stdout.splitlines()[0])
    again = howsure("learn", data, "--score", "s", "--outcome", "y", "--replaces", str(out))
    assert again.returncode == 0, again.stderr


def test_any_range_of_scores_is_taken(tmp_path: Path, howsure: Run) -> None:
    rows = [{"s": place - 30.0, "y": int(place > 25)} for place in range(60)]
    done = howsure("learn", write(tmp_path, "csv", rows), "--score", "s", "--outcome", "y")
    assert b"not between 0 and 1: standardized" in done.stdout


def test_wrong_input_is_an_error(tmp_path: Path, howsure: Run) -> None:
    data, out = write(tmp_path, "jsonl", _rows(30)), tmp_path / "fit.json"
    for options, message in (
        (["--outcome", "y"], b"what to learn?"),
        (["--outcome", "y", "--factor", "s=x"], b"'x' is not a number"),
        (["--outcome", "y", "--score", "agent"], b"line 1: agent: 'b' is not a finite number"),
        (["--outcome", "y", "--score", "s", "--replaces", "nowhere"], b"cannot read nowhere"),
    ):
        done = howsure("learn", data, *options)
        assert done.returncode == 2
        assert message in done.stderr, done.stderr
    assert howsure("learn", data, "--score", "s", "--outcome", "y", "--out", str(out)).returncode == 0
    (tmp_path / "other.jsonl").write_text('{"t": 1}\n')
    done = howsure("apply", str(out), str(tmp_path / "other.jsonl"), "--json")
    assert (done.returncode, b"line 1: s: missing" in done.stderr) == (2, True)
    done = howsure("apply", data, data)
    assert (done.returncode, b"not a fit" in done.stderr) == (2, True)


def test_few_outcomes_and_a_score_that_ranks_backwards_are_named(tmp_path: Path, howsure: Run) -> None:
    few = write(tmp_path, "jsonl", [{"s": 0.9, "y": 1}, {"s": 0.2, "y": 0}])
    for more in ((), ("--json",)):
        done = howsure("learn", few, "--score", "s", "--outcome", "y", *more)
        assert b"too few outcomes to say how good the fit is: 2 instead of at least 20" in done.stderr
        assert b"better beyond noise" not in done.stdout
    rows = [{"s": place / 100, "y": int(place < 40)} for place in range(100)]
    done = howsure("learn", write(tmp_path, "jsonl", rows), "--score", "s", "--outcome", "y")
    assert b"s ranks backwards: the higher it is, the more often the outcome is wrong" in done.stderr
