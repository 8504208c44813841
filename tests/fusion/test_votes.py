"""Votes are read from any table."""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.errors import InputError
from howsure.fusion.votes import Votes, read_verified, read_votes

ROWS = [("q1", "ann", "x"), ("q1", "bob", "y"), ("q2", "ann", "x")]
DICTS = [{"item": item, "source": source, "value": value} for item, source, value in ROWS]
COLUMNS = {name: [row[name] for row in DICTS] for name in ("item", "source", "value")}


def decode(votes: Votes) -> list[tuple[Any, ...]]:
    columns = [getattr(votes, name) for name in ("items", "sources", "values")]
    return list(zip(*([one.labels[code] for code in one.codes] for one in columns), strict=True))


@pytest.mark.parametrize(
    "table",
    [
        ROWS,
        DICTS,
        COLUMNS,
        iter(ROWS),
        pa.table(COLUMNS),
        pa.table({name: pa.array(cells).dictionary_encode() for name, cells in COLUMNS.items()}),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).astype("category"),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pd.DataFrame(COLUMNS).rename(columns={"item": "task", "source": "worker", "value": "label"}),
        pd.DataFrame(COLUMNS).set_index(["item", "source"]),
        pa.table(COLUMNS).to_reader(),
        np.array(ROWS),
        pd.DataFrame(COLUMNS).to_records(index=False),
        duckdb.sql(f"SELECT * FROM (VALUES {', '.join(map(str, ROWS))}) t(task, worker, label)"),
    ],
    ids=[
        "tuples",
        "dicts",
        "columns",
        "iterator",
        "arrow",
        "dictionary",
        "pandas",
        "category",
        "polars",
        "lazy",
        "crowd-kit",
        "index",
        "stream",
        "array",
        "records",
        "duckdb",
    ],
)
def test_every_table_gives_the_same_votes(table: Any) -> None:
    assert decode(read_votes(table)) == ROWS


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_every_file_gives_the_same_votes(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"votes.{kind}"
    if kind == "parquet":
        parquet.write_table(pa.table(COLUMNS), path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in DICTS))
    else:
        comma = "," if kind == "csv" else "\t"
        path.write_text("\n".join(map(comma.join, [("item", "source", "value"), *ROWS])) + "\n")
    assert decode(read_votes(str(path))) == decode(read_votes(path)) == ROWS


def test_cells_of_a_csv_file_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("item,source,value\n007,ann,1.50\n007,bob,NA\n")
    assert decode(read_votes(path)) == [("007", "ann", "1.50"), ("007", "bob", "NA")]


@pytest.mark.parametrize("missing", [None, float("nan"), "", pd.NA])
def test_rows_with_missing_cells_are_left_out(missing: Any) -> None:
    votes = read_votes([*ROWS, ("q3", "ann", missing), (missing, "eve", "x")])
    assert decode(votes) == ROWS
    assert votes.left_out == 2
    assert votes.sources.labels == ["ann", "bob"]
    frame = pd.DataFrame([*ROWS, ("q3", "ann", missing)], columns=["item", "source", "value"])
    assert decode(read_votes(frame)) == ROWS


def test_weights_and_kinds_are_optional() -> None:
    rows = [
        {**row, "weight": weight, "kind": kind} for row, weight, kind in zip(DICTS, [1, None, 0.5], "aab", strict=True)
    ]
    votes = read_votes(rows)
    assert votes.weights is not None
    assert votes.kinds is not None
    assert votes.weights.tolist() == [1.0, 1.0, 0.5]
    assert votes.kinds.tolist() == [1, 2]
    assert read_votes(ROWS).kinds is None
    assert np.array_equal(read_votes([(*row, 2.0) for row in ROWS]).weights, [2.0] * 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ([], "empty"),
        ([("q1", "ann")], "not \\(item, source, value\\)"),
        ([{"item": 1, "source": 2}], "no column 'value'"),
        ([("q1", "ann", ["x"])], "list or dict"),
        ([("q1", "ann", "x", "much")], "weight is not a number"),
        ("no such file.csv", "no such file"),
        (7, "votes: cannot read a table from int"),
        (["abc", "abd"], "not \\(item, source, value\\)"),
        ({"item": ["q1"], "source": ["ann", "bob"], "value": ["x"]}, "differ in length: 1 of 'item', 2 of 'source'"),
        (
            {"item": ["q1", "q2"], "source": ["ann", "bob"], "value": ["x", "x"], "weight": [1.0], "kind": ["a"]},
            "differ in length: 2 of 'item', 2 of 'source', 2 of 'value', 1 of 'weight', 1 of 'kind'",
        ),
        (pl.DataFrame({"item": ["q1"], "source": ["ann"], "value": [["x"]]}), "list or dict"),
        (pd.concat([pd.DataFrame(COLUMNS)] * 2, axis=1), "two columns 'item'"),
        (pd.DataFrame(COLUMNS).rename(columns={"item": "id"}), "rename the one with the item to item or task"),
    ],
)
def test_what_is_no_table_of_votes_is_refused(table: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_votes(table)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_text("no")
    (tmp_path / "empty.jsonl").write_text("")
    for name in ("broken.parquet", "empty.jsonl"):
        with pytest.raises(InputError, match=name):
            read_votes(tmp_path / name)


def test_verified_items_are_a_dict_or_a_table() -> None:
    assert read_verified({"q1": "x"}) == {"q1": "x"}
    assert read_verified([("q1", "x"), ("q2", None)]) == {"q1": "x"}
    assert read_verified(pd.DataFrame({"item": ["q1"], "value": ["x"]})) == {"q1": "x"}
    assert read_verified({"item": ["q1"], "value": ["x"]}) == {"q1": "x"}
    assert read_verified(pd.Series({"q1": "x"})) == {"q1": "x"}
    assert read_verified({"q1": "x", "q2": None, "q3": float("nan")}) == {"q1": "x"}
    with pytest.raises(InputError, match="list or dict"):
        read_verified({"q1": ["x"]})
    with pytest.raises(InputError, match="two verified values"):
        read_verified([("q1", "x"), ("q1", "y")])
    with pytest.raises(InputError, match="verified: the columns differ in length: 2 of 'item', 1 of 'value'"):
        read_verified({"item": ["q1", "q2"], "value": ["x"]})
