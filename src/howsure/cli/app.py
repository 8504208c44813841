"""The commands, and what they have in common."""

import logging
import sys
from typing import Annotated

import typer

from howsure import __version__
from howsure.cli import demo, doctor, explain, models, score
from howsure.cli.output import NO_JUDGEMENT, complain
from howsure.errors import HowsureError

app = typer.Typer(
    name="howsure",
    help="How sure? The confidence engine for AI agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 good, 1 judged and refused, 2 could not judge.",
)
app.command("models")(models.models)
app.command("score")(score.score)
app.command("explain")(explain.explain)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"howsure {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[  # noqa: ARG001 - the callback answers
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Say more on stderr; twice for everything.")
    ] = 0,
) -> None:
    """How sure? The confidence engine for AI agents."""
    level = {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG)
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)


def run() -> None:
    """Run the command line; an error of ours is one clear line on stderr."""
    try:
        app(prog_name="howsure")
    except HowsureError as error:
        complain(error)
        sys.exit(NO_JUDGEMENT)
