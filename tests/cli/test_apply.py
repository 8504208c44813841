"""howsure apply streams: large files are written as they are read."""

import json
from pathlib import Path

from howsure.formulas.learned import CalibrationKnot, LearnedModel, LearnedTerm
from howsure.learn.fit import CHUNK, Fit
from howsure.learn.promise import ScoreLevel
from tests.conftest import Run

MODEL = LearnedModel(terms=(LearnedTerm("s", 1.0, 0.5),), knots=(CalibrationKnot(0.0, 0.1), CalibrationKnot(1.0, 0.9)))
FIT = Fit("calibration", "s", 100, 100, MODEL, levels=(ScoreLevel(0.5, 100, 0),))


def test_more_than_one_chunk_comes_back_in_order(tmp_path: Path, howsure: Run) -> None:
    fit, data = FIT.write(tmp_path / "fit.json"), tmp_path / "a.jsonl"
    size = 2 * CHUNK + 3
    data.write_text("".join(json.dumps({"id": place, "s": place / size}) + "\n" for place in range(size)))
    done = howsure("apply", str(fit), str(data), "--score", "s", "--promise", "0.05", "--json")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["id"] for line in lines] == list(range(size))
    assert all(line["passes"] is (line["s"] >= 0.5) for line in lines)
    assert b"0 of 100 were" in done.stderr


def test_what_was_read_before_a_wrong_line_is_an_error_with_its_number(tmp_path: Path, howsure: Run) -> None:
    fit, data = FIT.write(tmp_path / "fit.json"), tmp_path / "a.jsonl"
    data.write_text('{"s": 0.5}\n{"s": "x"}\n')
    done = howsure("apply", str(fit), str(data), "--json")
    assert done.returncode == 2
    assert b"line 2: s: 'x' is not a finite number" in done.stderr


def test_scores_on_another_scale_than_those_of_the_fit_are_noted(tmp_path: Path, howsure: Run) -> None:
    fit, data = FIT.write(tmp_path / "fit.json"), tmp_path / "a.jsonl"
    data.write_text('{"s": 0.5}\n{"s": 50}\n{"s": -1}\n')
    done = howsure("apply", str(fit), str(data), "--promise", "0.05", "--json")
    assert done.returncode == 0
    assert [json.loads(line)["passes"] for line in done.stdout.splitlines()] == [True, False, False]
    assert b"UserWarning" not in done.stderr
    assert b"2 of 3 scores are not between 0 and 1" in done.stderr
