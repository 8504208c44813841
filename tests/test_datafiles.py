"""Records are read from JSON Lines, CSV and Parquet alike."""

import gzip
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.datafiles import number_lines, parse_record, read_records, read_rows, write_output
from howsure.errors import InputError

EXPECTED: list[dict[str, Any]] = [
    {"statement": "It rains", "sources": [{"source_type": "user", "source_id": "ann", "contribution": 0.5}]},
    {"statement": "It pours", "stale_at": "never"},
]


def _records(path: Path) -> list[tuple[int, Any]]:
    return [(number, parse_record(record)) for number, record in read_records(path)]


def test_csv_has_a_source_in_three_columns_and_leaves_out_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "claims.CSV"
    text = "statement,source_type,source_id,contribution,stale_at\nIt rains,user,ann,0.5,\nIt pours,,,,never\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert _records(path) == [(2, EXPECTED[0]), (3, EXPECTED[1])]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("It rains,user,,0.5", "a source has a type and an id"),
        ("It rains,user,ann,much", "'much' is not a number"),
        ("It rains,user,ann,0.5,more", "there are more cells than columns"),
    ],
)
def test_a_row_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path, row: str, problem: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(f"statement,source_type,source_id,contribution\n{row}\nIt pours,,,\n")
    (_, bad), (number, good) = read_records(path)
    with pytest.raises(InputError, match=problem):
        parse_record(bad)
    assert (number, good) == (3, {"statement": "It pours"})


def test_parquet_leaves_out_nulls(tmp_path: Path) -> None:
    path = tmp_path / "claims.parquet"
    parquet.write_table(
        pa.Table.from_pylist([{"sources": None, "stale_at": None, **record} for record in EXPECTED]), path
    )
    assert _records(path) == [(1, EXPECTED[0]), (2, EXPECTED[1])]
    path.write_bytes(b"PAR1 is not enough")
    with pytest.raises(InputError, match=r"claims\.parquet"):
        list(read_records(path))


def test_lines_keep_their_number_and_bad_json_says_where(tmp_path: Path) -> None:
    path = tmp_path / "claims.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"statement": "It rains"}\n\n  {"statement"\n')
    (first, good), (third, bad) = read_records(path)
    assert (first, parse_record(good), third) == (1, {"statement": "It rains"}, 3)
    with pytest.raises(InputError, match="not JSON: .* at position"):
        parse_record(bad)
    with pytest.raises(InputError, match="JSON has no NaN"):
        parse_record(b'{"s": NaN}')
    assert list(number_lines([b"\n", b" x \n"])) == [(2, b"x")]


@pytest.mark.parametrize(("name", "text"), [("a.csv", "s,y\n1,2\n"), ("a.tsv", "s\ty\n1\t2\n")])
def test_tables_may_be_separated_by_tabs_and_compressed(tmp_path: Path, name: str, text: str) -> None:
    plain, compressed = tmp_path / name, tmp_path / f"{name}.gz"
    plain.write_text(text)
    compressed.write_bytes(gzip.compress(text.encode()))
    assert list(read_rows(plain)) == list(read_rows(compressed)) == [(2, {"s": "1", "y": "2"})]


def test_lines_may_be_compressed(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"a": 1}\n'))
    assert list(read_rows(file)) == [(1, b'{"a": 1}')]
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"a\.jsonl\.gz cannot be decompressed"):
        list(read_rows(file))
    file.write_bytes(b'{"a": 1}\n')
    with pytest.raises(InputError, match=r"a\.jsonl\.gz cannot be decompressed"):
        list(read_rows(file))


def test_a_column_that_occurs_twice_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("s,y,s\n1,2,3\n")
    with pytest.raises(InputError, match="two columns 's'"):
        list(read_rows(file))


def test_a_file_that_a_user_names_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    for umask, mode in ((0o022, 0o644), (0o077, 0o600)):
        before = os.umask(umask)
        try:
            write_output(path, b"<svg/>")
        finally:
            os.umask(before)
        assert (path.stat().st_mode & 0o777, path.read_bytes()) == (mode, b"<svg/>")
    (tmp_path / "page.html").mkdir()
    with pytest.raises(InputError, match=r"html: .*page.html cannot be written: Is a directory"):
        write_output(tmp_path / "page.html", b"", "html")
    with pytest.raises(InputError, match="cannot be written: embedded null"):
        write_output(tmp_path / "a\0b", b"")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["chart.svg", "page.html"]
