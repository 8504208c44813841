"""Files of votes that DuckDB and Spark can and cannot read."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk.vote_fusion import fuse_votes
from howsure.errors import InputError
from tests.bulk.test_vote_fusion import votes


def test_other_files_are_refused() -> None:
    with pytest.raises(InputError, match="neither Parquet nor CSV"):
        fuse_votes("votes.xls")


def test_weights_and_missing_columns_are_refused(tmp_path: Path) -> None:
    table, path = votes(0, 3).slice(0, 50), tmp_path / "votes.parquet"
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
