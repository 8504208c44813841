"""Tables in terminals that are too narrow for them."""

import io

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.cli.narrow import stack_rows
from howsure.cli.output import console


def stack(table: Table, width: int) -> list[str]:
    return [line.plain for line in stack_rows(table, Console(file=io.StringIO(), width=width))]


def make_table(*, header: bool = True) -> Table:
    table = Table(box=None, pad_edge=False, show_header=header)
    table.add_column("id", no_wrap=True)
    table.add_column("score", no_wrap=True)
    table.add_column("what it says", overflow="fold")
    table.add_row("a01a1e54e3939e29ec75bbe0a3be4", "0.82", Text("pass\n2026-11-16"))
    table.add_row("b0", "", "a sentence that is longer than the terminal")
    return table


def test_a_table_that_fits_stays_one() -> None:
    assert stack(make_table(), 48) == [], "the longest words take 29, 5 and 10 columns, and 4 are between them"
    assert stack(make_table(), 47) != []


def test_a_row_that_does_not_fit_keeps_every_cell() -> None:
    assert stack(make_table(), 40) == [
        "a01a1e54e3939e29ec75bbe0a3be4",
        "  score 0.82  what it says pass",
        "  2026-11-16",
        "b0",
        "  what it says a sentence that is longer",
        "  than the terminal",
    ]


def test_without_a_header_cells_share_the_first_line() -> None:
    assert stack(make_table(header=False), 40)[:2] == [
        "a01a1e54e3939e29ec75bbe0a3be4  0.82",
        "  pass  2026-11-16",
    ]


def test_other_things_in_cells_are_left_to_rich() -> None:
    table = Table("a", "b")
    table.add_row(Table(), "x" * 100)
    assert stack(table, 40) == []


def test_a_program_that_reads_a_table_gets_its_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "45")
    console().print(make_table())
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["a01a1e54e3939e29ec75bbe0a3be4", "0.82", "pass"] in rows
