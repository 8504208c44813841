"""Results are printed by their renderer, or field by field; programs get JSON lines."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from rich.table import Table

from howsure.cli.output import console, renders, show, writes
from tests.conftest import Run


@dataclass(frozen=True)
class Plain:
    how_many: int


@dataclass(frozen=True)
class Drawn:
    items: tuple[int, ...]


@renders(Drawn)
def _print(result: Drawn) -> None:
    sys.stdout.write(f"{len(result.items)} items\n")


@writes(Drawn)
def _lines(result: Drawn) -> Iterator[int]:
    yield from result.items


def test_results_are_printed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    for result, line, printed in (
        (Drawn((1, 2)), None, "2 items"),
        (Plain(3), None, "how many 3"),
        ("a text", None, "a text"),
        (Plain(3), "done\x1b[31m", "done"),
        (Plain(3), "", ""),
    ):
        show(result, json=False, line=line)
        shown = " ".join(capsys.readouterr().out.split())
        assert shown.startswith(printed)
        assert bool(shown) == bool(printed)
        assert "\x1b[31m" not in shown


def test_cells_of_a_table_are_data_and_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("app/[slug]", title="[/title]")
    for cell in ("[bold]x", "[/x]", ":warning:"):
        table.add_row(cell)
    console().print(table)
    console().print("[bold]by itself[/] it has markup")
    console().print("[bold]unless not", markup=False)
    shown = capsys.readouterr().out
    for text in ("app/[slug]", "[/title]", "[bold]x", "[/x]", ":warning:", "[bold]unless not"):
        assert text in shown
    assert "by itself it has markup" in shown


def test_results_are_written_as_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for result, lines in (
        (Drawn((1, 2)), [1, 2]),
        (Plain(3), [{"how_many": 3}]),
        ([Plain(1), Plain(2)], [{"how_many": 1}, {"how_many": 2}]),
        (True, [{"result": True}]),
    ):
        show(result, json=True)
        assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == lines


@pytest.mark.parametrize("command", ["fuse", "investigate", "gate"])
def test_no_error_shows_the_password_of_an_address(howsure: Run, command: str) -> None:
    done = howsure(command, "postgresql://ann:hunter2@127.0.0.1:9/db", COLUMNS="300")
    assert done.returncode == 2
    assert b"127.0.0.1:9/db" in done.stderr
    assert b"hunter2" not in done.stderr + done.stdout
