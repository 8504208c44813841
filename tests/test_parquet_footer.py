"""Footers of Parquet files that lie: they are refused, and the process lives."""

import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from howsure.datafiles import read_rows
from howsure.errors import InputError
from howsure.fusion.api import fuse
from howsure.parquet_footer import ColumnChunk, read_chunks

VOTES = pa.table({"item": [f"i{n % 5}" for n in range(20)], "source": ["a", "b"] * 10, "value": [[1, 2], [3]] * 10})
TEXT_ITEM, NUMBER_ITEM = b"\x15\x0c\x25\x02\x18\x04item", b"\x15\x0a\x25\x02\x18\x04item"
"""The description of a column of texts, and the same of a column of numbers."""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """Give a file with two row groups and a nested column."""
    parquet.write_table(VOTES, tmp_path / "votes.parquet", row_group_size=12)
    return tmp_path / "votes.parquet"


def _change(path: Path, old: bytes, new: bytes) -> None:
    """Replace bytes of the footer."""
    content = path.read_bytes()
    start = len(content) - 8 - struct.unpack("<I", content[-8:-4])[0]
    assert old in content[start:]
    path.write_bytes(content[:start] + content[start:].replace(old, new, 1))


def test_a_footer_is_read_as_arrow_reads_it(votes: Path) -> None:
    with parquet.ParquetFile(votes) as file:
        groups = [file.metadata.row_group(number) for number in range(2)]
        columns = [group.column(number) for group in groups for number in range(3)]
    assert list(read_chunks(votes)) == [
        ColumnChunk(column.path_in_schema, column.total_uncompressed_size) for column in columns
    ]


def test_a_footer_that_contradicts_itself_does_not_end_the_process(votes: Path) -> None:
    """Sizes of texts in a column of numbers: pyarrow's object for the column calls `abort`."""
    _change(votes, TEXT_ITEM, NUMBER_ITEM)
    program = (
        "import sys, pathlib, howsure.datafiles as d, howsure.fusion.api as f\n"
        "for read in (f.fuse, lambda path: list(d.read_rows(path))):\n"
        "    try: read(pathlib.Path(sys.argv[1]))\n"
        "    except d.InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, votes], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("votes.parquet is not a Parquet file") == 2


def test_rows_that_arrow_skips_without_a_word_are_missed(votes: Path) -> None:
    """A page of an unknown type was left out, and with it all rows of its row group."""
    with parquet.ParquetFile(votes) as file:
        page = file.metadata.row_group(0).column(1).data_page_offset
    content = bytearray(votes.read_bytes())
    assert content[page : page + 2] == b"\x15\x00"  # the first field, a page of data
    content[page + 1] = 0x02  # an index
    votes.write_bytes(content)
    for read in (fuse, lambda path: list(read_rows(path))):
        with pytest.raises(InputError, match=r"\d+ of 20 rows are missing|not a Parquet file"):
            read(votes)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b"\x16\x28", b"\x16\x2a", "its footer says 21 rows, and 20 in row groups"),
        (b"\x16\x28", b"\x16\x01", "its footer has an invalid number: -1"),
        (b"\x19\x18\x04item", b"\x19\x98\x04item", "its footer ends too early"),
        (b"\x19\x18\x04item", b"\x19\x1d\x04item", "its footer has a field of an unknown type 13"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(votes: Path, old: bytes, new: bytes, problem: str) -> None:
    _change(votes, old, new)
    with pytest.raises(ValueError, match=problem):
        list(read_chunks(votes))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, footer: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    path.write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")
    with pytest.raises(ValueError, match="footer"):
        list(read_chunks(path))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\xff" * 4 + b"PAR1", b"x" * 40])
def test_a_file_without_a_footer_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "none.parquet").write_bytes(content)
    with pytest.raises(ValueError, match="it has no footer"):
        list(read_chunks(tmp_path / "none.parquet"))


def test_a_footer_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    footer = b"\x1c" * 100_000
    (tmp_path / "deep.parquet").write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")
    with pytest.raises(ValueError, match="nested too deep"):
        list(read_chunks(tmp_path / "deep.parquet"))
