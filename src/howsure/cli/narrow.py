"""Show tables in terminals that are too narrow for them: the cells of a row one after another."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

_INDENT = "  "


def stack_rows(table: Table, out: Console) -> list[Text]:
    """Return the lines of a table whose columns do not fit without breaking a word; empty if they fit.

    Each row begins with its first cell. The others follow with the names of their columns, as many to a line as fit.
    """
    cells = [[*column.cells] for column in table.columns]
    if len(cells) == 1 or not all(isinstance(cell, str | Text) for column in cells for cell in column):
        return []
    widths = [_least_width(table, *pair) for pair in zip(table.columns, cells, strict=True)]
    if sum(widths) + len(_INDENT) * (len(widths) - 1) <= out.width:
        return []
    return [line for row in zip(*cells, strict=True) for line in _stack(table, row, out)]


def _least_width(table: Table, column: Column, cells: Sequence[object]) -> int:
    """Return how wide a column has to be so that no word is broken, and no line if it must not be."""
    texts = [part for cell in cells for part in _parts(cell)]
    if table.show_header:
        texts.append(Text(_name(column)))
    words = [word for text in texts for word in ([text.plain] if column.no_wrap else text.plain.split())]
    return max(map(cell_len, words), default=0)


def _stack(table: Table, row: tuple[object, ...], out: Console) -> Iterator[Text]:
    line = Text()
    indented = out.width - len(_INDENT)
    for number, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
        for place, text in enumerate(_parts(cell)):
            name = _name(column) if table.show_header and number and not place else ""
            part = Text(f"{name} ", style="dim").append_text(text) if name else text
            if line and line.cell_len + part.cell_len > indented:
                yield line
                line = Text()
            first, *more = part.wrap(out, indented) if part.cell_len > out.width else [part]
            line.append(_INDENT if line or number else "").append_text(first)
            for rest in more:
                yield line
                line = Text(_INDENT).append_text(rest)
        if number == 0 and line and table.show_header:
            yield line
            line = Text()
    if line:
        yield line


def _parts(cell: object) -> Iterator[Text]:
    text = cell if isinstance(cell, Text) else Text(str(cell))
    for part in text.split("\n"):
        part.rstrip()
        if part.plain:
            yield part


def _name(column: Column) -> str:
    return column.header.plain if isinstance(column.header, Text) else str(column.header)
