"""Read votes (item, source, value) from any table."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure.arrays import np
from howsure.datafiles import parquet_batches, parse_record, read_rows
from howsure.errors import InputError, nearest, shown
from howsure.files import is_file, memory_size
from howsure.learn.frames import column, column_names

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints


NAMES = {"item": ("item", "task"), "source": ("source", "worker"), "value": ("value", "label")}
"""The columns of a table of votes; crowd-kit calls them task, worker and label."""
_PLAIN = "texts, numbers or other plain values"
_ROW_BYTES = 100
"""Memory that a vote takes in the course of a fusion, beside its texts."""
_CSV = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, eq=False)
class Column:
    """A column as numbers that stand for its distinct cells."""

    codes: "Ints"
    """The number of each cell, from 0; -1 if the cell is missing."""
    labels: list[Any]
    """The cell of each number."""


@dataclass(frozen=True, eq=False)
class Votes:
    """A table of votes as numbers. Rows in which something is missing are left out."""

    items: Column
    sources: Column
    values: Column
    weights: "Floats | None"
    kinds: "Ints | None"
    """The kind of each item, a number from 0."""
    left_out: int
    """Rows that were left out because a cell is missing."""


def read_votes(table: Any) -> Votes:
    """Return the votes of a table: a path, a list of tuples or dicts, a dict of columns, pandas, polars or Arrow.

    Columns are item, source and value (or task, worker and label), and optionally weight and kind, which is the kind
    of the item.

    Raises:
        InputError: if it is not such a table, or a column is missing.
    """
    frame = read_table(table, "votes")
    names = column_names(frame)
    wanted = {field: _find(names, field, "votes") for field in NAMES}
    columns = {field: encode_column(frame, name) for field, name in wanted.items()}
    weights = _numbers(frame) if "weight" in names else None
    kind = encode_column(frame, "kind") if "kind" in names else None
    sizes = {wanted[field]: len(one.codes) for field, one in columns.items()}
    sizes |= {} if weights is None else {"weight": len(weights)}
    sizes |= {} if kind is None else {"kind": len(kind.codes)}
    _check_sizes(sizes, "votes")
    missing = np.zeros(len(columns["item"].codes), dtype=np.bool_)
    for one in columns.values():
        missing |= one.codes < 0
    if missing.any():
        kept = ~missing
        columns = {field: compress(one, kept) for field, one in columns.items()}
        weights = None if weights is None else weights[kept]
        kind = None if kind is None else Column(kind.codes[kept], kind.labels)
    kinds = None
    if kind is not None:
        kinds = np.zeros(len(columns["item"].labels), dtype=np.int64)
        kinds[columns["item"].codes[::-1]] = kind.codes[::-1] + 1
    return Votes(columns["item"], columns["source"], columns["value"], weights, kinds, int(missing.sum()))


def _check_sizes(sizes: Mapping[str, int], field: str) -> None:
    """Raise InputError unless all columns have the same number of cells."""
    if len(set(sizes.values())) > 1:
        problem = ", ".join(f"{size:,} of {name!r}" for name, size in sizes.items())
        raise InputError(f"the columns differ in length: {problem}", field=field, hint="a cell for each row")


def read_verified(table: Any) -> dict[Any, Any]:
    """Return the verified value of each item: from a dict, or a table with the columns item and value.

    Raises:
        InputError: if it is neither, or an item has two values.
    """
    if hasattr(table, "to_dict") and hasattr(table, "index") and not hasattr(table, "columns"):
        table = table.to_dict()  # a series of pandas
    if isinstance(table, Mapping) and not ({"item", "task"} & set(table) and {"value", "label"} & set(table)):
        return {item: _plain(value) for item, value in table.items() if not _is_missing(value)}
    frame = read_table(table, "verified", width=2)
    names = column_names(frame)
    items, values = (column(frame, _find(names, field, "verified"), "verified") for field in ("item", "value"))
    _check_sizes({"item": len(items), "value": len(values)}, "verified")
    known: dict[Any, Any] = {}
    for item, value in zip(items, values, strict=True):
        if _is_missing(item) or _is_missing(value):
            continue
        if known.setdefault(_plain(item), _plain(value)) != value:
            raise InputError(f"item {shown(item)} has two verified values", field="verified", hint="keep one of them")
    return known


def _plain(cell: Any) -> Any:
    """Return a cell that can be looked up.

    Raises:
        InputError: if it is a list or dict.
    """
    try:
        hash(cell)
    except TypeError:
        raise InputError(f"{shown(cell)} is a list or dict", field="verified", hint=_PLAIN) from None
    return cell


def read_table(table: Any, field: str, width: int = 3) -> Any:
    """Return a table as something whose columns can be read by name.

    Args:
        table: A path, a list of tuples or dicts, or a frame.
        field: What to call it in errors.
        width: How many columns tuples have: item, source and value, or item and value.
    """
    if isinstance(table, str | Path):
        return _read_file(Path(table), field)
    table = _convert(table)
    if isinstance(table, Iterable) and not isinstance(table, Mapping | Sequence) and not hasattr(table, "__getitem__"):
        table = list(table)
    if isinstance(table, Sequence) and not isinstance(table, str | bytes):
        if not table:
            raise InputError("the table is empty", field=field, hint="at least one row")
        if not isinstance(table[0], Mapping):
            return _from_tuples(table, field, width)
    elif not isinstance(table, Mapping):
        if not hasattr(table, "columns") and not hasattr(table, "column_names"):
            hint = (
                "a path, a list of tuples or dicts, a dict of columns, pandas, polars, Arrow, or a relation of DuckDB"
            )
            raise InputError(f"cannot read a table from {type(table).__name__}", field=field, hint=hint)
        names = column_names(table)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"there are two columns {shown(twice)}", field=field, hint="rename or drop one of them")
    return table


def _convert(table: Any) -> Any:
    """Return a table whose columns cannot be read by name yet as one of which they can, or as rows."""
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        return table.collect()  # a lazy frame of polars
    if hasattr(table, "read_all"):
        return table.read_all()  # a stream of Arrow
    if hasattr(table, "reset_index") and hasattr(table, "columns"):
        named = {name for names in NAMES.values() for name in names} & set(table.index.names)
        return table.reset_index() if named else table  # pandas
    if getattr(table, "ndim", 0) and hasattr(table, "dtype"):  # numpy: a row for each vote, or named columns
        names = getattr(table.dtype, "names", None)
        return {name: table[name].tolist() for name in names} if names else table.tolist()
    return table


def _from_tuples(rows: Sequence[Any], field: str, width: int) -> dict[str, list[Any]]:
    names = ("item", "source", "value", "weight", "kind") if width == 3 else ("item", "value")  # noqa: PLR2004
    try:
        cells = [] if isinstance(rows[0], str | bytes) else list(zip(*rows, strict=True))
    except (TypeError, ValueError):
        cells = []
    if not width <= len(cells) <= len(names):
        expected = "(item, source, value)" if width > 2 else "(item, value)"  # noqa: PLR2004
        raise InputError(f"a row is not {expected}", field=field, hint="tuples of the same length, or dicts")
    return {name: list(column_cells) for name, column_cells in zip(names, cells, strict=False)}


def _read_file(path: Path, field: str) -> Any:
    """Read a Parquet, CSV or JSON Lines file; the cells of a CSV file are texts."""
    suffix = path.suffix.lower()
    if not is_file(path):
        raise InputError(f"cannot read {path}: there is no such file", field=field)
    if suffix == ".parquet" or suffix in _CSV:
        try:
            import pyarrow as pa
            from pyarrow import csv
        except ImportError:
            pa = None
        if pa is not None:
            try:
                if suffix == ".parquet":
                    return _read_parquet(pa, path, field)
                with path.open("rb") as file:
                    header = file.readline().decode("utf-8-sig").strip("\r\n").split(_CSV[suffix])
                texts = {name.strip('"'): pa.string() for name in header}
                convert = csv.ConvertOptions(
                    column_types=texts, strings_can_be_null=True, quoted_strings_can_be_null=True, null_values=[""]
                )
                parse = csv.ParseOptions(delimiter=_CSV[suffix], newlines_in_values=True)
                return csv.read_csv(path, parse_options=parse, convert_options=convert)
            except (pa.ArrowException, UnicodeDecodeError, OSError, ValueError) as error:
                problem = f"{path.name} cannot be read: {str(error).partition(chr(10))[0]}"
                raise InputError(problem, field=field, hint="Parquet, CSV or JSON Lines in UTF-8") from error
    rows = [parse_record(row) for _, row in read_rows(path)]
    if not rows:
        raise InputError(f"{path.name} is empty", field=field, hint="at least one row")
    if suffix in _CSV:
        rows = [{name: cell or None for name, cell in row.items()} for row in rows]
    return rows


def _read_parquet(pa: Any, path: Path, field: str) -> Any:
    """Read a Parquet file whole; raise InputError if it takes more than half of the machine's memory."""
    from pyarrow import parquet

    largest = memory_size() // 2
    with parquet.ParquetFile(path) as file:
        rows, schema = file.metadata.num_rows, file.schema_arrow
    size, batches = rows * _ROW_BYTES, []
    for batch in parquet_batches(path):
        size += batch.nbytes
        if size > largest:
            break
        batches.append(batch)
    if size > largest:
        problem = f"{path.name} has {rows:,} rows, which take more than {largest >> 30} GB of memory"
        raise InputError(problem, field=field, hint="fuse parts of it, such as the items of one kind")
    return pa.Table.from_batches(batches) if batches else schema.empty_table()


def _find(names: list[str], field: str, table: str) -> str:
    """Return the name of the column of a field."""
    for name in NAMES[field]:
        if name in names:
            return name
    others = " or ".join(NAMES[field])
    hint = f"rename the one with the {field} to {others}; {nearest(field, names) or ''}".rstrip("; ")
    raise InputError(f"the {table} have no column {field!r}", field=field, hint=hint)


def encode_column(frame: Any, name: str) -> Column:
    """Return a column as numbers. Arrow, pandas and polars columns are encoded without a loop in Python if possible."""
    try:
        import pyarrow as pa
    except ImportError:
        pa = None
    if pa is not None and not isinstance(frame, Mapping | Sequence):
        try:
            cells = _arrow_column(pa, frame, name)
        except (pa.ArrowException, TypeError, ValueError, AttributeError, KeyError, OverflowError):
            cells = None
        if cells is not None:
            if pa.types.is_nested(cells.type):
                raise InputError(f"a cell of the column {name!r} is a list or dict", field=name, hint=_PLAIN)
            coded = cells.dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
            try:
                labels = coded.dictionary.to_pylist()
            except (OverflowError, ValueError) as error:  # a date beyond the year 9999
                raise InputError(f"a cell of the column {name!r} cannot be read: {error}", field=name) from error
            texts = pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)
            if "" in labels if texts else any(map(_is_missing, labels)):
                return _drop_missing(codes, labels)
            return Column(codes, labels)
    return _encode(column(frame, name, name), name)


def _arrow_column(pa: Any, frame: Any, name: str) -> Any:
    """Return a column as one Arrow array."""
    if isinstance(frame, pa.Table):
        cells = frame.column(name)
    elif hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "iloc"):
        cells = pa.table(frame).column(name)
    else:
        cells = pa.array(frame[name], from_pandas=True)
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    if isinstance(cells, pa.ChunkedArray):
        cells = pa.concat_arrays(cells.chunks)
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if "view" in str(cells.type):
        cells = cells.cast(pa.large_string())
    return cells


_LARGEST = 2**63 - 1
"""Whole numbers that every output can hold."""


def _encode(cells: list[Any], name: str) -> Column:
    numbers: dict[Any, int] = {}
    try:
        codes = np.array([numbers.setdefault(cell, len(numbers)) for cell in cells], dtype=np.int64)
    except TypeError:
        problem = f"a cell of the column {name!r} is a list or dict"
        raise InputError(problem, field=name, hint=_PLAIN) from None
    labels = list(numbers)
    if any(isinstance(label, int) and not -_LARGEST <= label <= _LARGEST for label in labels):
        problem = f"a whole number of the column {name!r} has more than 64 bits"
        raise InputError(problem, field=name, hint="write it as text")
    if any(_is_missing(label) for label in labels):
        return _drop_missing(codes, labels)
    return Column(codes, labels)


def _drop_missing(codes: "Ints", labels: list[Any]) -> Column:
    """Give missing cells the number -1."""
    places = np.full(len(labels) + 1, -1, dtype=np.int64)
    kept: list[Any] = []
    for place, label in enumerate(labels):
        if not _is_missing(label):
            places[place] = len(kept)
            kept.append(label)
    return Column(places[codes], kept)


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, str):
        return not cell
    return cell is None or (isinstance(cell, float) and math.isnan(cell)) or str(cell) in ("<NA>", "NaT", "NaN")


def compress(one: Column, kept: "Bools") -> Column:
    """Return a column with some of its rows, and only the labels that they use."""
    codes = one.codes[kept]
    used = np.zeros(len(one.labels), dtype=np.bool_)
    used[codes] = True
    places = np.cumsum(used) - 1
    return Column(places[codes], [label for label, there in zip(one.labels, used.tolist(), strict=True) if there])


def _numbers(frame: Any) -> "Floats":
    """Return the column of weights; a missing weight is 1."""
    cells = column(frame, "weight", "weight")
    try:
        return np.array([1.0 if _is_missing(cell) else float(cell) for cell in cells])
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"a weight is not a number: {error}", field="weight", hint="0 or more") from error
