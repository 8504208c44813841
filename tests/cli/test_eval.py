"""howsure eval reads files and prints measures."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn import metrics as sklearn

from tests.conftest import Run

ROWS = [{"s": 0.9, "t": 0.5, "y": 1, "g": "a"}, {"s": 0.8, "t": 0.6, "y": 1, "g": "a"}]
ROWS += [{"s": 0.85, "t": 0.1, "y": 0, "g": "b"}]
ROWS += [{"s": 0.2, "t": 0.4, "y": 0, "g": "b"}, {"s": 0.6, "t": 0.9, "y": 1, "g": "c"}]


def write(folder: Path, kind: str, rows: list[dict[str, Any]]) -> str:
    path = folder / f"data.{kind}"
    if kind == "parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif kind == "csv":
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return str(path)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_every_format_gives_the_same_numbers(kind: str, tmp_path: Path, howsure: Run) -> None:
    done = howsure("eval", write(tmp_path, kind, ROWS), "--score", "s", "--outcome", "y", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    outcomes, scores = [row["y"] for row in ROWS], [row["s"] for row in ROWS]
    assert found["n"] == 5
    assert found["brier"] == pytest.approx(sklearn.brier_score_loss(outcomes, scores))
    assert found["auroc"] == pytest.approx(sklearn.roc_auc_score(outcomes, scores))
    assert found["log_loss"] == pytest.approx(sklearn.log_loss(outcomes, scores))
    assert found["ece"] == pytest.approx((0.1 + abs(1.65 - 1) + 0.2 + 0.4) / 5)


def test_columns_are_compared_and_charts_written(tmp_path: Path, howsure: Run) -> None:
    file, options = write(tmp_path, "csv", ROWS), ["--score", "s", "--outcome", "y"]
    page = tmp_path / "page.html"
    done = howsure("eval", file, *options, "--group", "g", "--compare", "t", "--out", str(page))
    assert done.returncode == 0, done.stderr
    assert b"in 3 groups" in done.stdout
    assert b"Brier score" in done.stdout
    assert page.read_text().count("<svg ") == 2
    chart = tmp_path / "chart.json"
    assert howsure("eval", file, *options, "--out", str(chart), "--chart", "risk-coverage").returncode == 0
    assert "Risk against coverage" in chart.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "x", "--outcome", "y"], b"has no column 'x'"),
        (["--score", "s", "--outcome", "g"], b"line 1: g: 'a' is not an outcome"),
        (["--score", "s", "--outcome", "y", "--out", "x.gif"], b"unknown chart format"),
        (["--score", "s", "--outcome", "y", "--out", "x.svg", "--chart", "pie"], b"unknown chart 'pie'"),
        (["--score", "s", "--outcome", "y", "--out", "/no/x.html"], b"does not exist"),
    ],
)
def test_wrong_options_are_errors(options: list[str], message: bytes, tmp_path: Path, howsure: Run) -> None:
    done = howsure("eval", write(tmp_path, "jsonl", ROWS), *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path, howsure: Run) -> None:
    page = tmp_path / "page.html"
    page.mkdir()
    done = howsure("eval", write(tmp_path, "jsonl", ROWS), "--score", "s", "--outcome", "y", "--out", str(page))
    assert (done.returncode, b"page.html cannot be written" in done.stderr) == (2, True)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, howsure: Run) -> None:
    file = tmp_path / "x.jsonl"
    for content, message in ((None, b"no such file"), ("{", b"line 1: not JSON"), ("[1]", b"line 1: not an object")):
        if content is not None:
            file.write_text(content)
        done = howsure("eval", str(file), "--score", "s", "--outcome", "y")
        assert done.returncode == 2
        assert message in done.stderr


def test_scores_that_are_no_probabilities_are_named(tmp_path: Path, howsure: Run) -> None:
    file = write(tmp_path, "csv", [{"s": 85, "y": 1}])
    printed = " ".join(howsure("eval", file, "--score", "s", "--outcome", "y").stdout.decode().split())
    assert printed.startswith("1 outcome, 1 right;")
    assert "s is not between 0 and 1: it is not a probability" in printed


@pytest.mark.parametrize(
    ("rows", "few"),
    [
        ([{"s": 0.5, "y": 1}], True),
        ([{"s": 0.9, "y": 1}] * 2, True),
        ([{"s": 0.9, "y": place % 2} for place in range(19)], True),
        ([{"s": 0.9, "y": place % 2} for place in range(20)], False),
    ],
)
def test_few_outcomes_have_no_intervals(tmp_path: Path, howsure: Run, rows: list[dict[str, Any]], *, few: bool) -> None:
    done = howsure("eval", write(tmp_path, "jsonl", rows), "--score", "s", "--outcome", "y")
    assert done.returncode == 0, done.stderr
    assert (b"too few for intervals, which need at least 20 outcomes" in done.stdout) is few
    brier = next(line for line in done.stdout.decode().splitlines() if line.startswith("Brier"))
    assert ("[" not in brier) is few


def test_a_score_that_ranks_backwards_is_named(tmp_path: Path, howsure: Run) -> None:
    rows = [{"s": place / 100, "t": 1 - place / 100, "y": int(place < 40)} for place in range(100)]
    file = write(tmp_path, "jsonl", rows)
    done = howsure("eval", file, "--score", "t", "--outcome", "y", "--compare", "s")
    assert b"s ranks backwards: the higher it is, the more often the outcome is wrong" in done.stdout
    assert b"t ranks backwards" not in done.stdout
