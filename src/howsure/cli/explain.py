"""howsure explain: how one score came about, step by step."""

from itertools import islice
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, interval_bar
from howsure.cli.lines import STDIN, opened, records
from howsure.cli.output import complain, console, write_json
from howsure.cli.score import File, Formulas, ModelName, Now, Parameters, scorer
from howsure.errors import HowsureError, InputError
from howsure.formulas import catalog
from howsure.formulas.interval import Interval
from howsure.formulas.model import row_and_steps
from howsure.formulas.score import Score
from howsure.shapes.schema import field_docs


def explain(
    model: ModelName,
    file: File = STDIN,
    formula: Formulas = None,
    parameter: Parameters = None,
    now: Now = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Show how the score of one case is computed: its input, every step, and the reason in words."""
    judge = scorer(model, formula, parameter, now)
    with opened(file) as stream:
        found = list(islice(records(stream), 2))
    if not found:
        raise InputError("there is nothing to explain", hint="give one JSON object, in a file or on stdin")
    line, record = found[0]
    try:
        if isinstance(record, HowsureError):
            raise record
        scores = judge.scores(record)
    except HowsureError as error:
        error.line = line
        raise
    if len(found) > 1:
        complain("only the first case is explained")
    if json:
        write_json([_as_data(score) for score in scores], pretty=True)
        return
    for score in scores:
        show_score(score)


def _as_data(score: Score) -> dict[str, Any]:
    row, steps = row_and_steps(catalog.find(score.spec.name))
    lines = [
        {"part": part, "name": name, "value": value, "meaning": field_docs(table).get(name, "")}
        for part, table, values in (("input", row, score.row), ("step", steps, score.steps))
        for name, value in values._asdict().items()
    ]
    return {"model": score.spec._asdict(), "lines": lines, "answer": score.answer}


def show_score(score: Score) -> None:
    """Show what went in, every step, and the reason."""
    out = console()
    about = catalog.describe(score.spec.name)
    out.print(f"[bold]{score.spec.name}[/] version {score.spec.version}: {about['summary']}\n")
    wide = out.width >= 80  # noqa: PLR2004
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    if wide:
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    for part, values in (("row", score.row), ("steps", score.steps)):
        for name, value in values._asdict().items():
            style = "cyan" if part == "steps" else ""
            drawn = [Text(bar(value, 16), style="cyan" if part == "steps" else "dim")] if wide else []
            table.add_row(Text(name, style=style), f"{value:.6g}", *drawn, about[part][name])
        if part == "row":
            table.add_section()
            table.add_row(*[""] * (4 if wide else 3))
    out.print(table)
    answer = score.answer
    if "lower" in answer:
        interval = Interval(answer["lower"], answer["upper"])
        out.print(Text("\n0 ").append(interval_bar(interval, min(60, out.width - 6))).append(" 1"))
    out.print(f"\n{answer['reason']}\n", markup=False)
    for warning in answer.get("warnings", ()):
        out.print(Text("warning: ", style="yellow").append(warning, style="default"))
