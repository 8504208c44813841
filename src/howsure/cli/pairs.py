"""Read pairs of texts from JSON Lines, judge them in batches, and write each line back with its result."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any

import typer

from howsure.cli.output import NO_JUDGEMENT, complain, write_json, write_json_error
from howsure.cli.parameters import open_input
from howsure.datafiles import parse_lines
from howsure.errors import HowsureError, InputError, shown
from howsure.shapes import decode_as

KeepGoing = Annotated[
    bool, typer.Option("--keep-going", "-k", help="With --pairs: write an error object for a bad line and go on.")
]
Line = tuple[dict[str, Any], Any]
"""A line as it was read, and its fields decoded."""
Judge = Callable[[Sequence[Any]], Sequence[dict[str, Any]]]
"""Takes the decoded fields of several lines and returns what to add to each."""


def judge_lines(
    file: str,
    fields: dict[str, Any],
    judge: Judge,
    show: Callable[[dict[str, Any]], None] | None = None,
    *,
    keep_going: bool = False,
    batch_size: int = 1,
) -> None:
    """Write each line of a file back with what `judge` adds to it, in order; with `show`, print it for people.

    Args:
        file: JSON Lines, or - for stdin.
        fields: The fields that each line needs, with their types.
        judge: Judges the decoded fields of several lines.
        show: Prints a line with its result; default: it is written as JSON.
        keep_going: Write an error object for a bad line and go on, instead of raising its error.
        batch_size: Lines that are judged together. A program that waits for each answer needs 1.

    Raises:
        InputError: at the first bad line, unless `keep_going`; it names the line.
        Exit: with code 2 at the end if a line was bad.
    """
    bad = total = 0
    with open_input(file) as stream:
        lines = _decoded(parse_lines(stream), fields)
        while batch := list(islice(lines, batch_size)):
            good = [line for line in batch if not isinstance(line, HowsureError)]
            results = iter(judge([values for _, values in good]))
            for line in batch:
                total += 1
                if isinstance(line, HowsureError):
                    if not keep_going:
                        raise line
                    bad += 1
                    write_json_error(line)
                else:
                    result = line[0] | next(results)
                    (show or write_json)(result)
    if bad:
        complain(f"{bad} of {total} lines could not be judged")
        raise typer.Exit(NO_JUDGEMENT)


def _decoded(lines: Iterator[tuple[int, Any]], fields: dict[str, Any]) -> Iterator[Line | HowsureError]:
    for number, line in lines:
        try:
            yield _decode(line, fields)
        except HowsureError as error:
            error.line = number
            yield error


def _decode(line: Any, fields: dict[str, Any]) -> Line:
    """Return a line with its fields. Raises InputError if one is missing or has the wrong type."""
    names = " and ".join(fields)
    if isinstance(line, HowsureError):
        raise line
    if not isinstance(line, dict):
        raise InputError(f"{shown(line)} is not an object", hint=f"an object with {names} on each line")
    for field in fields:
        if field not in line:
            raise InputError("it is missing", field=field, hint=f"each line needs {names}")
    return line, tuple(decode_as(type_, line[field], field) for field, type_ in fields.items())
