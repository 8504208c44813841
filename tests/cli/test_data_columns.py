"""Columns of files that commands name."""

from pathlib import Path

import pytest

from howsure.cli.data_columns import read_columns, read_lines
from howsure.errors import InputError
from howsure.learn.evaluation import evaluate
from howsure.progress import silent
from tests.cli.test_eval import ROWS, write


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_columns_are_read_from_every_format(kind: str, tmp_path: Path) -> None:
    found = read_columns(write(tmp_path, kind, ROWS), ["s", "g"], silent)
    assert list(map(float, found["s"])) == [row["s"] for row in ROWS]
    assert found["g"] == [row["g"] for row in ROWS]
    with pytest.raises(InputError, match="has no column 'gg'.*did you mean g"):
        read_columns(write(tmp_path, kind, ROWS), ["gg"], silent)


def test_lines_keep_their_numbers_and_cells_may_be_missing(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"a": 1}\n\n{"b": 2}\n')
    assert list(read_lines(str(file), silent)) == [(1, {"a": 1}), (3, {"b": 2})]
    assert read_columns(str(file), ["a", "b"], silent) == {"a": [1, None], "b": [None, 2]}
    file.write_text('{"a": 1}\n\n7\n')
    with pytest.raises(InputError, match="line 3: not an object"):
        list(read_lines(str(file), silent))


def test_source_columns_of_a_csv_file_are_not_merged(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("source_type,source_id,contribution\nuser,ann,0.5\n")
    expected = {"source_type": "user", "source_id": "ann", "contribution": "0.5"}
    assert list(read_lines(str(file), silent)) == [(2, expected)]


def test_errors_name_the_line_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('s,y,note\n0.5,1,"two\nlines"\n\n0.5,maybe,\n')
    columns = read_columns(str(file), ["s", "y"], silent)
    assert columns.lines == [3, 5]
    with pytest.raises(InputError, match="line 5: y: 'maybe' is not an outcome"), columns.lines_in_errors():
        evaluate(columns, score="s", outcome="y")


def test_a_row_with_too_many_cells_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("s,y\n0.5,1\n0.5,1,2\n")
    with pytest.raises(InputError, match="line 3: there are more cells than columns"):
        read_columns(str(file), ["s", "y"], silent)
