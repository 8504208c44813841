"""Read what the footer of a Parquet file says about its columns, without trusting it.

pyarrow reads footers too, but its objects for the columns of a row group end the process if the footer contradicts
itself, for example by sizes of texts in a column of numbers (pyarrow 26).
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_MAGIC = b"PAR1"
_TAIL = 8
"""Bytes of the length and the magic number at the end of a file."""
_DEEPEST = 20
"""Nested values; a footer has seven levels."""
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _TEXT, _LIST, _SET, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)
_ROWS, _GROUPS, _GROUP_COLUMNS, _GROUP_ROWS, _CHUNK, _PATH, _VALUES, _SIZE = 3, 4, 1, 3, 3, 3, 5, 6
"""Numbers of fields: of the file, of a row group, of a column in it."""


class ColumnChunk(NamedTuple):
    """A column of one row group."""

    name: str
    """Its path in the schema."""
    size: int
    """Bytes, uncompressed."""


def read_chunks(path: Path) -> Iterator[ColumnChunk]:
    """Yield the columns of every row group.

    Raises:
        ValueError: if the footer cannot be read, or contradicts itself.
    """
    footer = _Thrift(_read_footer(path)).struct()
    total = 0
    for group in _items(footer, _GROUPS):
        rows = _number(group, _GROUP_ROWS)
        total += rows
        for chunk in _items(group, _GROUP_COLUMNS):
            about = chunk.get(_CHUNK)
            names = about.get(_PATH) if isinstance(about, dict) else None
            if not about or not isinstance(names, list) or not all(isinstance(name, bytes) for name in names):
                raise ValueError("its footer does not describe a column")
            name = b".".join(names).decode("utf-8", "replace")
            if _number(about, _VALUES) < rows:
                raise ValueError(f"its footer says that {name[:100]} has fewer values than there are rows")
            yield ColumnChunk(name, _number(about, _SIZE))
    if total != _number(footer, _ROWS):
        raise ValueError(f"its footer says {_number(footer, _ROWS):,} rows, and {total:,} in row groups")


def _read_footer(path: Path) -> bytes:
    with path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(0, end - _TAIL))
        tail = file.read(_TAIL)
        size = struct.unpack("<I", tail[:4])[0] if tail.endswith(_MAGIC) and len(tail) == _TAIL else end
        if size > end - _TAIL - len(_MAGIC):
            raise ValueError("it has no footer")
        file.seek(end - _TAIL - size)
        return file.read(size)


def _items(fields: dict[int, Any], number: int) -> list[dict[int, Any]]:
    items = fields.get(number)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("its footer lacks a list")
    return items


def _number(fields: dict[int, Any], number: int) -> int:
    value = fields.get(number)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"its footer has an invalid number: {value!r:.50}")
    return value


class _Thrift:
    """Reads a struct of Thrift's compact protocol as a dict by the numbers of its fields."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._data):
            raise ValueError("its footer ends too early")
        found, self._at = self._data[self._at : end], end
        return found

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:  # noqa: PLR2004
                return value
            if shift > 63:  # noqa: PLR2004 - the largest number has 64 bits
                raise ValueError("its footer has a number that is too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("its footer is nested too deep")
        if kind in _INTEGERS:
            return self._integer()
        if kind == _TEXT:
            return self._bytes(self._varint())
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in (_BYTE, _DOUBLE):
            return self._bytes(1 if kind == _BYTE else 8)
        raise ValueError(f"its footer has a field of an unknown type {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count, kind = head >> 4, head & 15
        count = self._varint() if count == 15 else count  # noqa: PLR2004
        if count > len(self._data) - self._at:  # an item has at least one byte
            raise ValueError("its footer ends too early")
        kind = _BYTE if kind in (_TRUE, _FALSE) else kind
        return [self._value(kind, depth + 1) for _ in range(count)]
