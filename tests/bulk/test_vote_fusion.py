"""Fusing votes inside DuckDB gives the numbers of numpy. Closed values: test_closed_votes."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import howsure
from howsure.bulk.vote_fusion import fuse_votes
from howsure.bulk.vote_tables import FusedTables
from howsure.fusion import closed_values


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
    expected = howsure.fuse(table, kind=found.kind, copies=False)
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


def test_names_of_crowd_kit_are_read(tmp_path: Path) -> None:
    table, path = votes(0, 3), tmp_path / "votes.parquet"
    parquet.write_table(table.rename_columns(["task", "worker", "label"]), path)
    check_numbers(fuse_votes(path), table)


def test_the_kind_is_chosen_as_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_values, "ROUNDS", 1)
    path = tmp_path / "votes.parquet"
    for table in (votes(0, 3), votes(1, 50).slice(0, 400)):
        parquet.write_table(table, path)
        found, expected = fuse_votes(path, kind="auto"), howsure.fuse(table, copies=False)
        assert found.kind == expected.kind
        assert expected.reason.startswith(found.reason)
