"""howsure score: one answer per line of input."""

import logging
import time
from typing import Annotated, Any

import typer

from howsure.cli.lines import STDIN, opened, records
from howsure.cli.output import NO_JUDGEMENT, complain, write_json
from howsure.cli.parameters import parse_moment, parse_parameters
from howsure.errors import HowsureError
from howsure.formulas import catalog
from howsure.formulas.scoring import Scorer

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
File = Annotated[str, typer.Argument(metavar="[FILE]", help="JSON Lines (or one JSON array) to read; - for stdin.")]
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
    built = Scorer(model, formulas or (), parse_parameters(parameters or ()), moment)
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
    """
    judge = scorer(model, formula, parameter, now)
    bad = total = 0
    with opened(file) as stream:
        for line, record in records(stream):
            total += 1
            answer = _answer(judge, record, line)
            if not isinstance(answer, HowsureError):
                write_json(answer)
            elif keep_going:
                bad += 1
                write_json({"error": answer.as_dict()})
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
