"""Parquet and Arrow files that are damaged, false or bombs: each is refused or read, and the process lives."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from howsure.bulk.api import Bulk
from howsure.datafiles import parquet_batches, read_rows
from howsure.errors import HowsureError, InputError
from howsure.fusion.api import fuse

CLAIMS = pa.table({"id": [f"c{n}" for n in range(20)], "statement": ["x"] * 20, "tier": ["task"] * 20})
VOTES = pa.table({"item": [f"i{n % 5}" for n in range(20)], "source": ["a", "b"] * 10, "value": ["x"] * 20})


def _damage(content: bytes, count: int) -> list[bytes]:
    """Return copies of a file in which a few bytes are others."""
    chance, damaged = random.Random(7), []
    for _ in range(count):
        copy = bytearray(content)
        for _ in range(chance.choice([1, 2, 8])):
            copy[chance.randrange(4, len(copy))] = chance.randrange(256)
        damaged.append(bytes(copy))
    return damaged


READ = """
import json, sys
from pathlib import Path
from howsure.bulk.api import Bulk
from howsure.datafiles import read_rows
from howsure.errors import HowsureError
from howsure.fusion.api import fuse
refused = 0
for path in sorted(Path(sys.argv[1]).iterdir()):
    ways = {
        ".arrow": [
            lambda: Bulk().score(str(path), sources=[], engine="duckdb"),
            lambda: Bulk().texts(str(path), "response", column="statement"),
        ],
        ".parquet": [
            lambda: fuse(path),
            lambda: list(read_rows(path)),
            lambda: Bulk().score(str(path), sources=[], engine="duckdb"),
        ],
    }
    for way in ways[path.suffix]:
        try:
            way()
        except HowsureError:
            refused += 1
print(json.dumps(refused))
"""


def test_damaged_tables_are_refused_or_read(tmp_path: Path) -> None:
    sink = pa.BufferOutputStream()
    with ipc.new_file(sink, CLAIMS.schema) as writer:
        writer.write_table(CLAIMS)
    for number, content in enumerate(_damage(sink.getvalue().to_pybytes(), 12)):
        (tmp_path / f"{number}.arrow").write_bytes(content)
    parquet.write_table(VOTES, tmp_path / "0.parquet")
    for number, content in enumerate(_damage((tmp_path / "0.parquet").read_bytes(), 12)):
        (tmp_path / f"{number}.parquet").write_bytes(content)
    done = subprocess.run([sys.executable, "-c", READ, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()  # -11 before batches were validated
    assert json.loads(done.stdout) > 20


def test_a_text_that_is_stored_once_and_meant_many_times_is_decoded_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 300, pa.int32()), ["x" * 1_000_000])
    parquet.write_table(pa.table({"statement": words, "n": list(range(300))}), path, compression="zstd")
    assert path.stat().st_size < 20_000
    sizes = [batch.nbytes for batch in parquet_batches(path)]
    assert max(sizes) < 70_000_000
    assert sum(sizes) > 300_000_000


def test_a_cell_that_is_a_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    cells = ["x" * 16_000_001]
    parquet.write_table(
        pa.table({"id": ["1"], "item": ["a"], "source": ["b"], "value": cells, "statement": cells}), path
    )
    for read in (lambda: fuse(path), lambda: list(read_rows(path))):
        with pytest.raises(InputError, match="a cell of value has 16,000,001 bytes") as caught:
            read()
        assert caught.value.field == "value"
    with pytest.raises(InputError, match="a text of the column statement has 16,000,001 bytes"):
        Bulk().texts(str(path), "response", column="statement")


def test_a_column_that_is_a_bomb_is_refused_by_its_footer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(VOTES, tmp_path / "votes.parquet")
    monkeypatch.setattr("howsure.datafiles._LARGEST_COLUMN", 50)
    with pytest.raises(InputError, match=r"votes.parquet: \d+ bytes in one row group of item") as caught:
        fuse(tmp_path / "votes.parquet")
    assert caught.value.hint == "write it with smaller row groups"


def test_more_votes_than_fit_into_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(VOTES, tmp_path / "votes.parquet")
    monkeypatch.setattr("howsure.fusion.votes.memory_size", lambda: 2000)
    with pytest.raises(InputError, match="votes.parquet has 20 rows, which take more than"):
        fuse(tmp_path / "votes.parquet")


def test_dates_that_python_does_not_have_are_refused(tmp_path: Path) -> None:
    far = pa.array([2**31 - 1] * 20, pa.int32()).cast(pa.date32())
    parquet.write_table(VOTES.set_column(2, "value", far), tmp_path / "far.parquet")
    for read in (lambda: fuse(tmp_path / "far.parquet"), lambda: list(read_rows(tmp_path / "far.parquet"))):
        with pytest.raises(InputError, match="cannot be read"):
            read()


def test_nested_and_many_columns_are_read_or_refused(tmp_path: Path) -> None:
    nested = pa.table({"statement": ["x"], "sources": [[{"source_type": "a", "source_id": "b"}]], "tags": [["a", "b"]]})
    parquet.write_table(nested, tmp_path / "nested.parquet")
    assert [row for _, row in read_rows(tmp_path / "nested.parquet")] == nested.to_pylist()
    kind: Any = pa.string()
    cell: Any = "x"
    for _ in range(150):
        kind, cell = pa.list_(kind), [cell]
    parquet.write_table(pa.table({"statement": pa.array([cell], kind)}), tmp_path / "deep.parquet")
    with pytest.raises(HowsureError, match="nested"):
        list(read_rows(tmp_path / "deep.parquet"))
    wide = {name: VOTES[name] for name in VOTES.column_names} | {f"c{n}": [1] * 20 for n in range(2000)}
    parquet.write_table(pa.table(wide), tmp_path / "wide.parquet")
    assert len(fuse(tmp_path / "wide.parquet").best) == 5
