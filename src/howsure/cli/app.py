"""The commands, and what they have in common."""

import io
import logging
import sys
from importlib import import_module
from typing import Annotated

import typer

from howsure import __version__
from howsure.errors import HowsureError

log = logging.getLogger(__name__)
COMMANDS = (
    "models",
    "score",
    "explain",
    "investigate",
    "synthesize",
    "conflicts",
    "gate",
    "outcome",
    "stats",
    "ledger",
    "quality-gate",
    "hook",
    "hooks",
    "scan",
    "document",
    "review",
    "patterns",
    "bulk",
    "plot",
    "claim",
    "janitor",
    "store",
    "serve",
    "token",
    "peer",
    "mcp",
    "settings",
    "demo",
    "doctor",
)
"""Each is a function, or a group of commands, of its own name (with _ for -), in a module of its own name."""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"howsure {__version__}")
        raise typer.Exit


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


def build(arguments: list[str]) -> typer.Typer:
    """Return the command line with the command that is called for; with all of them where help may be needed."""
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes: 0 good, 1 judged and refused, 2 could not judge.",
    )
    app.callback()(common)
    called = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name in [called] if called in COMMANDS else COMMANDS:
        place = str(name).replace("-", "_")
        found = getattr(import_module(f"howsure.cli.{place}"), place)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def run() -> None:
    """Run the command line; an error of ours is one clear line on stderr, and what nobody expected says that it is."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # what a terminal cannot show is better replaced than fatal
                stream.reconfigure(errors="replace")
        build(sys.argv[1:])(prog_name="howsure")
    except HowsureError as error:
        print(f"howsure: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError:  # of the machine, not of ours: the caller words it
        raise
    except Exception as error:
        from howsure.cli.output import visible

        log.debug("the traceback of the bug", exc_info=True)
        said = visible(" ".join(f"{type(error).__name__}: {error}".split())[:500])
        print(f"howsure: this is a bug in howsure: {said} (howsure -vv ... shows the traceback)", file=sys.stderr)
        sys.exit(2)
