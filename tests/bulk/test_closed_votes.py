"""Learning closed values inside DuckDB gives the numbers of numpy."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk.vote_fusion import fuse_votes
from howsure.fusion import closed_values, damping
from tests.bulk.test_vote_fusion import check_numbers


def labels(values: int, items: int = 60, sources: int = 9, size: int = 300) -> pa.Table:
    """Labels with repeated rows, sources that contradict themselves, items with one answer, and missing cells."""
    dice = np.random.default_rng(values)
    item, source = dice.integers(0, items, size), dice.integers(0, sources, size)
    truth = dice.integers(0, values, items)
    right = dice.random(size) < 0.5 + source / 20
    columns = {"item": item, "source": source, "value": np.where(right, truth[item], dice.integers(0, values, size))}
    return pa.table({name: pa.array([*(f"{name[0]}{n}" for n in cells), None]) for name, cells in columns.items()})


@pytest.mark.parametrize(("values", "items"), [(1, 60), (2, 60), (4, 60), (3, 120)])
def test_numbers_are_those_of_numpy(values: int, items: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damping, "LEFT_OUT", 40)  # so that not all answers are left out
    monkeypatch.setattr(closed_values, "ROUNDS", 8)
    table, path = labels(values, items), tmp_path / "votes.parquet"
    parquet.write_table(table, path)
    check_numbers(fuse_votes(path, kind="closed"), table)


def test_items_with_one_answer_and_too_many_sources_for_all_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closed_values, "MOST_CELLS", 0)
    table, path = pa.table({"item": [1, 2, 3], "source": [7, 7, 8], "value": [0, 1, 0]}), tmp_path / "votes.parquet"
    parquet.write_table(table, path)
    check_numbers(fuse_votes(path, kind="closed"), table)
