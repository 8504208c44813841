"""Rows are written as JSON Lines, CSV and Parquet."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from howsure.errors import InputError
from howsure.fusion.output import arrow_table, parse_output_path, write_columns

COLUMNS: dict[str, list[Any]] = {
    "item": ["a", "b"],
    "value": ["=1", "ü"],
    "probability": [0.25, 1.0],
    "group": [None, 1],
}


def test_every_format_holds_the_same_rows(tmp_path: Path) -> None:
    for suffix in ("jsonl", "csv", "tsv", "parquet"):
        write_columns(tmp_path / f"out.{suffix}", COLUMNS)
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == rows
    assert parquet.read_table(tmp_path / "out.parquet").to_pylist() == rows
    texts = [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in rows]
    for suffix, comma in (("csv", ","), ("tsv", "\t")):
        with (tmp_path / f"out.{suffix}").open(newline="") as file:
            assert list(csv.DictReader(file, delimiter=comma)) == texts


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(ValueError, match="shorter|longer"):
        write_columns(path, {"a": [1, 2], "b": [1]})
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


def test_outputs_are_checked_before_the_work(tmp_path: Path) -> None:
    assert parse_output_path(tmp_path / "out.CSV").name == "out.CSV"
    with pytest.raises(InputError, match="does not exist"):
        parse_output_path(tmp_path / "missing" / "out.csv")
    with pytest.raises(InputError, match="could not be written"):
        write_columns(tmp_path / "missing" / "out.csv", COLUMNS)


def test_cells_of_several_types_become_texts() -> None:
    assert arrow_table({"value": [1, "x", None]}).to_pylist() == [{"value": "1"}, {"value": "x"}, {"value": None}]
