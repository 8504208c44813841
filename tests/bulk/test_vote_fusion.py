"""Fusing votes inside DuckDB gives the numbers of numpy."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import howsure
from howsure.bulk.vote_fusion import FusedTables, fuse_votes
from howsure.errors import InputError


def votes(seed: int, wrong_values: int) -> pa.Table:
    """Votes with repeated rows, sources that contradict themselves, items with one source, and missing cells."""
    dice = np.random.default_rng(seed)
    size = 3000
    item, source = dice.integers(0, 600, size), dice.integers(0, 40, size)
    said = np.where(dice.random(size) < 0.4 + source / 80, 0, dice.integers(1, wrong_values + 1, size))
    columns = {"item": item, "source": source, "value": said}
    return pa.table({name: pa.array([*(f"{name[0]}{n}" for n in cells), None]) for name, cells in columns.items()})


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize(("seed", "wrong_values"), [(0, 3), (1, 50), (2, 1)])
def test_numbers_are_those_of_numpy(seed: int, wrong_values: int, suffix: str, tmp_path: Path) -> None:
    table, path = votes(seed, wrong_values), tmp_path / f"votes.{suffix}"
    (parquet if suffix == "parquet" else csv).__dict__[f"write_{'table' if suffix == 'parquet' else 'csv'}"](
        table, path
    )
    check_numbers(fuse_votes(path), table)


def check_numbers(found: FusedTables, table: pa.Table) -> None:
    """Compare probabilities, reliabilities, their bounds and the number of rounds with those of numpy."""
    expected = howsure.fuse(table, kind="open", copies=False)
    chances = {(row["item"], row["value"]): row["probability"] for row in found.values.to_pylist()}
    assert chances == pytest.approx({(row.item, row.value): row.probability for row in expected.values}, abs=1e-6)
    reliability = {row["source"]: row["reliability"] for row in found.sources.to_pylist()}
    assert reliability == pytest.approx({row.source: row.reliability for row in expected.sources}, abs=1e-6)
    assert found.rounds == expected.fit.rounds
    for name in ("lower", "upper"):
        bounds = {(row["item"], row["value"]): row[name] for row in found.values.to_pylist()}
        assert bounds == pytest.approx({row[:2]: getattr(row, name) for row in expected.values}, abs=1e-6)
        bounds = {row["source"]: row[name] for row in found.sources.to_pylist()}
        assert bounds == pytest.approx({row.source: getattr(row, name) for row in expected.sources}, abs=1e-6)


def test_other_files_are_refused() -> None:
    with pytest.raises(InputError, match="neither Parquet nor CSV"):
        fuse_votes("votes.xls")


def test_names_of_crowd_kit_are_read_and_weights_refused(tmp_path: Path) -> None:
    table, path = votes(0, 3), tmp_path / "votes.parquet"
    parquet.write_table(table.rename_columns(["task", "worker", "label"]), path)
    check_numbers(fuse_votes(path), table)
    parquet.write_table(table.append_column("weight", pa.array([1.0] * len(table))), path)
    with pytest.raises(InputError, match="'weight' is not read by this engine"):
        fuse_votes(path)
    parquet.write_table(table.drop_columns(["source"]), path)
    with pytest.raises(InputError, match="no column 'source'"):
        fuse_votes(path)
    parquet.write_table(table.slice(0, 0), path)
    with pytest.raises(InputError, match="no row has an item"):
        fuse_votes(path)


def test_unknown_engine_and_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean duckdb"):
        fuse_votes("votes.csv", engine="duckbd")
    with pytest.raises(InputError, match="no such file"):
        fuse_votes(tmp_path / "votes.csv")
