"""The command line: its commands, common options and error handling."""

import inspect
import io
import logging
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from howsure.errors import HowsureError
from howsure.redaction import hide_url_passwords
from howsure.version import __version__
from howsure.wording import visible

log: logging.Logger = logging.getLogger(__name__)
CLAIMS, GATE, AGENTS = "Claims", "Gate and ledger", "Agents"
DOCUMENTS, NUMBERS, SET_UP = "Documents", "Models, tables and charts", "Serve and set up"
COMMANDS = {
    "gate": GATE,
    "outcome": GATE,
    "stats": GATE,
    "ledger": GATE,
    "quality-gate": GATE,
    "ground": GATE,
    "claim": CLAIMS,
    "janitor": CLAIMS,
    "peer": CLAIMS,
    "sources": CLAIMS,
    "investigate": AGENTS,
    "synthesize": AGENTS,
    "conflicts": AGENTS,
    "hook": AGENTS,
    "mcp": AGENTS,
    "scan": DOCUMENTS,
    "document": DOCUMENTS,
    "review": DOCUMENTS,
    "patterns": DOCUMENTS,
    "models": NUMBERS,
    "score": NUMBERS,
    "explain": NUMBERS,
    "bulk": NUMBERS,
    "sql": NUMBERS,
    "plot": NUMBERS,
    "fuse": NUMBERS,
    "eval": NUMBERS,
    "learn": NUMBERS,
    "fits": NUMBERS,
    "apply": NUMBERS,
    "demo": SET_UP,
    "doctor": SET_UP,
    "settings": SET_UP,
    "trust": SET_UP,
    "untrust": SET_UP,
    "store": SET_UP,
    "serve": SET_UP,
    "token": SET_UP,
}
"""Every command with its group in `howsure --help`; `load` imports it."""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"howsure {__version__}")
        raise typer.Exit


def common(
    version: Annotated[  # noqa: ARG001 - the callback answers
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose",
            "-v",
            count=True,
            show_default=False,
            metavar="",
            help="Log more to stderr; twice for debug output.",
        ),
    ] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting for this run, like models.noisy_or.boost_factor=0.2; repeatable.",
        ),
    ] = None,
) -> None:
    """Decide whether an AI agent is sure enough to say something, see why, and learn from what turned out right.

    New here? howsure demo shows it in half a minute.
    """
    if setting:
        from howsure.cli.parameters import split_setting
        from howsure.settings import override

        for one in setting:
            override(*split_setting(one, "like gate.policy=nlnh"))
    level = {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_VisibleFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


class _VisibleFormatter(logging.Formatter):
    """Makes control characters visible: messages may quote what agents wrote."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text."""
        return visible(super().format(record))


def load(name: str) -> Callable[..., None] | typer.Typer:
    """Import a command; only the one that is called, because importing all of them takes half a second."""
    command: Callable[..., None] | typer.Typer
    match name:
        case "models":
            from howsure.cli.models import models as command
        case "score":
            from howsure.cli.models import score as command
        case "explain":
            from howsure.cli.models import explain as command
        case "investigate":
            from howsure.cli.investigate import investigate as command
        case "synthesize":
            from howsure.cli.syntheses import synthesize as command
        case "conflicts":
            from howsure.cli.syntheses import find_conflicts as command
        case "gate":
            from howsure.cli.gate import command as build_gate

            command = build_gate()
        case "outcome":
            from howsure.cli.outcome import outcome as command
        case "stats":
            from howsure.cli.ledger import stats as build_stats

            command = build_stats()
        case "ledger":
            from howsure.cli.ledger import ledger as command
        case "fuse":
            from howsure.cli.fuse import fuse_command as command
        case "eval":
            from howsure.cli.eval import evaluate as command
        case "learn":
            from howsure.cli.learn import learn as command
        case "fits":
            from howsure.cli.fits import fits as command
        case "sources":
            from howsure.cli.sources import sources as command
        case "apply":
            from howsure.cli.apply import apply as command
        case "quality-gate":
            from howsure.cli.quality_gate import quality_gate as command
        case "ground":
            from howsure.cli.ground import ground_command as command
        case "hook":
            from howsure.cli.install import hook as command
        case "scan":
            from howsure.cli.scan import scan as command
        case "document":
            from howsure.cli.documents import document as command
        case "review":
            from howsure.cli.documents import review as command
        case "patterns":
            from howsure.cli.documents import patterns as command
        case "bulk":
            from howsure.cli.bulk import bulk as command
        case "sql":
            from howsure.cli.sql import sql as command
        case "plot":
            from howsure.cli.plot import plot as command
        case "claim":
            from howsure.cli.claim import claim as command
        case "janitor":
            from howsure.cli.store import janitor as command
        case "store":
            from howsure.cli.store import store as command
        case "serve":
            from howsure.cli.serve import serve as command
        case "token":
            from howsure.cli.token import token as command
        case "peer":
            from howsure.cli.peer import peer as command
        case "mcp":
            from howsure.cli.mcp import mcp as command
        case "settings":
            from howsure.cli.doctor import settings as command
        case "trust":
            from howsure.cli.trust import trust as command
        case "untrust":
            from howsure.cli.trust import untrust as command
        case "demo":
            from howsure.cli.demo import demo as command
        case "doctor":
            from howsure.cli.doctor import doctor as command
        case _:
            raise ValueError(f"unknown command {name!r}")
    return command


class InOrder(TyperGroup):
    """Lists the commands as they are in the table; Typer would list groups after commands."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - it is Typer's signature
        """Return the names of the commands."""
        return [name for name in COMMANDS if name in self.commands]


def build(arguments: list[str]) -> typer.Typer:
    """Return the Typer app with the command that is called, or with all commands if help may be needed."""
    app = typer.Typer(
        cls=InOrder,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes: 0 good result, 1 bad result, 2 error. --json writes one JSON value per line.",
    )
    app.callback()(common)
    called = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name in [called] if called in COMMANDS else COMMANDS:
        command = load(name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=COMMANDS[name])
        else:
            app.command(name, rich_help_panel=COMMANDS[name])(command)
    return app


def simplify_help(command: Any) -> None:
    """Make help texts the same with every version of Typer: arguments are FILE, not file, and flags have no type.

    From 0.29 on Typer writes <bool> beside each flag, which narrows the column of the texts. Lines of a docstring are
    joined, since Typer would break them where the source does and again where the terminal ends.
    """
    if command.help:
        paragraphs = inspect.cleandoc(command.help).split("\n\n")
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for parameter in command.params:
        if parameter.metavar is None and parameter.param_type_name == "argument":
            parameter.metavar = parameter.name.upper()
        elif parameter.metavar is None and parameter.is_flag:
            parameter.metavar = ""
    make_option = command.get_help_option

    def get_help_option(context: Any) -> Any:
        option = make_option(context)
        if option is not None:
            option.metavar = ""
        return option

    command.get_help_option = get_help_option
    for one in getattr(command, "commands", {}).values():
        simplify_help(one)


def run() -> None:
    """Run the command line. Errors are one line on stderr; an unexpected exception is reported as a bug."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # replace what the terminal cannot show instead of failing
                stream.reconfigure(errors="replace")
        if sys.argv[1:2] == ["help"]:  # `howsure help gate` is `howsure gate --help`
            sys.argv[1:] = [*sys.argv[2:], "--help"]
        command = typer.main.get_command(build(sys.argv[1:]))
        simplify_help(command)
        command(prog_name="howsure")
    except HowsureError as error:
        print(visible(f"howsure: {hide_url_passwords(str(error))}"), file=sys.stderr)
        sys.exit(2)
    except OSError:  # reported by the caller
        raise
    except Exception as error:
        log.debug("the traceback of the bug", exc_info=True)
        said = visible(" ".join(f"{type(error).__name__}: {error}".split())[:500])
        print(f"howsure: this is a bug in howsure: {said} (howsure -vv ... shows the traceback)", file=sys.stderr)
        sys.exit(2)
