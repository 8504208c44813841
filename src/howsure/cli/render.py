"""How each type of result is printed: for people by its renderer, for programs as JSON."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from howsure.cli.output import console, visible, write_json
from howsure.shapes.encode import encode

Renderer = TypeVar("Renderer", bound=Callable[[Any], None])
Lines = TypeVar("Lines", bound=Callable[[Any], Iterable[Any]])
_RENDERERS: dict[type, Callable[[Any], None]] = {}
_LINES: dict[type, Callable[[Any], Iterable[Any]]] = {}


def renders(kind: type) -> Callable[[Renderer], Renderer]:
    """Register a function that prints a result of this type for people."""

    def register(function: Renderer) -> Renderer:
        _RENDERERS[kind] = function
        return function

    return register


def writes(kind: type) -> Callable[[Lines], Lines]:
    """Register a function that returns the JSON values of a result of this type, one for each line."""

    def register(function: Lines) -> Lines:
        _LINES[kind] = function
        return function

    return register


def show(result: Any, *, json: bool, line: str | None = None) -> None:
    """Print a result, by `line` if given (nothing if it is empty)."""
    if json:
        for value in _json_lines(result):
            write_json(value)
    elif line is not None:
        if line:
            print(visible(line))
    elif type(result) in _RENDERERS:
        _RENDERERS[type(result)](result)
    else:
        _print_plain(result)


def _json_lines(result: Any) -> Iterator[Any]:
    if type(result) in _LINES:
        yield from map(encode, _LINES[type(result)](result))
    elif isinstance(result, list | Iterator):
        yield from map(encode, result)
    elif isinstance(result, bool | int | float | str | None):
        yield {"result": result}  # as over HTTP
    else:
        yield encode(result)


def _print_plain(result: Any) -> None:
    """Print a result that has no renderer: its fields, one to a line."""
    from rich.table import Table
    from rich.text import Text

    data = encode(result)
    if not isinstance(data, Mapping):
        console().print(Text(visible(str(data))))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in data.items():
        table.add_row(Text(name.replace("_", " "), style="dim"), Text(visible(str(value))))
    console().print(table)
