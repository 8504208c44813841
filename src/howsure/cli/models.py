"""The commands `howsure score`, `howsure explain` and `howsure models`."""

import logging
import time
from itertools import islice
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, interval_bar
from howsure.cli.output import NO_JUDGEMENT, complain, console, write_json, write_json_error, write_json_lines
from howsure.cli.parameters import STDIN, open_input, parse_moment, parse_parameters
from howsure.datafiles import parse_lines
from howsure.errors import HowsureError, InputError
from howsure.formulas import catalog
from howsure.formulas.interval import Interval
from howsure.formulas.model import row_and_steps
from howsure.formulas.score import Score
from howsure.formulas.scoring import Scorer
from howsure.parameters import check_parameters, configured
from howsure.settings import current
from howsure.shapes.schema import field_docs

log: logging.Logger = logging.getLogger(__name__)


def complete_model(incomplete: str) -> list[str]:
    """Complete the name of a model."""
    return [name for name in (*catalog.names(), *catalog.formulas()) if name.startswith(incomplete)]


def complete_formula(incomplete: str) -> list[str]:
    """Complete the name of a formula."""
    return [name for name in ("all", *catalog.formulas()) if name.startswith(incomplete)]


ModelName = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="What to score; `howsure models` lists them.", autocompletion=complete_model),
]
File = Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines (or one JSON array) to read; - for stdin.")]
Formulas = Annotated[
    list[str] | None,
    typer.Option("--formula", "-f", help="Formula for claims; repeatable, or `all`.", autocompletion=complete_formula),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NAME=VALUE", help="Set a parameter of the model; repeatable."),
]
Now = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="The moment for claims that bring none: seconds or ISO; default: now."),
]


def scorer(model: str, formulas: list[str] | None, parameters: list[str] | None, now: str | None) -> Scorer:
    """Return what scores each case as the options say. The clock is read here, at the door, and nowhere further in."""
    moment = time.time() if now is None else parse_moment(now)
    settings = current()
    check_parameters(settings)
    built = Scorer(
        model,
        formulas or (),
        parse_parameters(parameters or ()),
        moment,
        lambda kind: configured(kind, settings),
    )
    for one in built.models:
        log.info("%s version %s, fingerprint %s", one.name, one.version, one.spec.fingerprint)
        log.debug("parameters: %s", one.spec.parameters)
    return built


def score(
    model: ModelName,
    file: File = STDIN,
    formula: Formulas = None,
    parameter: Parameters = None,
    now: Now = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", "-k", help="Write an error object for a bad line and go on.")
    ] = False,
) -> None:
    """Score one JSON object per line; write one per line.

    Each answer carries its steps and the model, version and parameters that made it.

    Example: howsure score claims claims.jsonl --formula all
    """
    judge = scorer(model, formula, parameter, now)
    bad = total = 0
    with open_input(file) as stream:
        for line, record in parse_lines(stream):
            total += 1
            answer = _answer(judge, record, line)
            if not isinstance(answer, HowsureError):
                write_json(answer)
            elif keep_going:
                bad += 1
                write_json_error(answer)
            else:
                raise answer
    if bad:
        complain(f"{bad} of {total} lines could not be judged")
        raise typer.Exit(NO_JUDGEMENT)


def _answer(judge: Scorer, record: Any, line: int) -> dict[str, Any] | HowsureError:
    try:
        if isinstance(record, HowsureError):
            raise record
        return judge(record)
    except HowsureError as error:
        error.line = line
        return error


def explain(
    model: ModelName,
    file: File = STDIN,
    formula: Formulas = None,
    parameter: Parameters = None,
    now: Now = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Show how the score of one case is computed: its input, every step, and the reason in words.

    Example: howsure explain noisy_or case.json --set boost_factor=0.2
    """
    judge = scorer(model, formula, parameter, now)
    with open_input(file) as stream:
        found = list(islice(parse_lines(stream), 2))
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
        write_json_lines(map(_as_data, scores))
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
    out.print(Text.assemble((score.spec.name, "bold"), f" version {score.spec.version}: {about['summary']}\n"))
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


def models(
    model: Annotated[str | None, typer.Argument(help="Show this model in full.", autocompletion=complete_model)] = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON, input schema included.")] = False,
) -> None:
    """List the models, or show one with its parameters, input and steps.

    Example: howsure models response
    """
    if model is None:
        found = [catalog.describe(name) for name in (*catalog.formulas(), *catalog.names()[1:])]
        write_json_lines(found) if json else _list(found)
    else:
        write_json(catalog.describe(model)) if json else _show(catalog.describe(model))


def _list(found: list[dict[str, Any]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("model", "reads", "what it says"):
        table.add_column(column, no_wrap=column != "what it says", overflow="fold")
    for about in found:
        default = " (default)" if about["name"] == catalog.DEFAULT_FORMULA else ""
        table.add_row(about["name"], about["reads"] + default, about["summary"])
    out = console()
    out.print(table)
    out.print("\n[dim]howsure models NAME shows parameters, input and steps.[/]")


def _show(about: dict[str, Any]) -> None:
    out = console()
    out.print(Text.assemble((about["name"], "bold"), f" version {about['version']}, reads {about['reads']}\n"))
    out.print(about["about"].partition("\n>>>")[0].strip(), markup=False)
    parameters = [(name, _brief(field["default"]), field["meaning"]) for name, field in about["parameters"].items()]
    _section("parameters", parameters)
    required = about["input"].get("required", ())
    inputs = [
        (name, "required" if name in required else _brief(field.get("default")), field["description"])
        for name, field in about["input"]["properties"].items()
    ]
    _section("input", inputs)
    _section("steps", [(name, "", meaning) for name, meaning in about["steps"].items()])


def _section(title: str, rows: list[tuple[str, str, str]]) -> None:
    if rows:
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(no_wrap=True, style="cyan")
        table.add_column(overflow="fold", style="dim")
        table.add_column(overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        out = console()
        out.print(f"\n[bold]{title}[/]")
        out.print(table)


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_brief(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return " ".join(_brief(item) for item in value) or "none"
    return f"{value:g}" if isinstance(value, float) else "none" if value is None or value == "" else str(value)
