"""The command line itself: version, help with groups and examples, completion, --verbose and --json."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from howsure.cli.app import COMMANDS, build, simplify_help
from tests.conftest import Run

CASE = json.dumps(
    {
        "now": 0,
        "provenance": [{"source_type": "user", "source_id": "ann", "contribution": 0.8}],
        "contradicted_by": [{"influence": 0.5}],
    }
).encode()
WITHOUT_JSON = {
    "score": "always writes JSON",
    "claim export": "always writes JSON",
    "hook run": "always writes JSON",
    "hook install": "changes a file after showing the change",
    "hook uninstall": "changes a file after showing the change",
    "mcp": "serves until it is ended",
    "mcp install": "changes a file after showing the change",
    "mcp uninstall": "changes a file after showing the change",
    "serve": "serves until it is ended",
    "demo": "a tour for people",
}
"""Commands that have no --json, and why."""
APP: Any = typer.main.get_command(build([]))


def _leaves(command: Any = APP, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, one in command.commands.items():
        if hasattr(one, "commands"):
            yield from _leaves(one, (*path, name))
        if not hasattr(one, "commands") or (one.invoke_without_command and one.params):
            yield " ".join((*path, name)), one


LEAVES = {name: command for name, command in _leaves() if name != "plot"}


def test_every_command_is_in_a_group_of_the_help(howsure: Run) -> None:
    for width in ("60", "120"):
        shown = howsure("--help", COLUMNS=width).stdout.decode()
        assert all(f"─ {panel} ─" in shown for panel in set(COMMANDS.values()))
        places = [shown.index(f"│ {name} ") for name in COMMANDS]
        assert places == sorted(places)
        assert max(map(len, shown.splitlines())) <= int(width)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_an_example_that_it_can_parse(name: str) -> None:
    called = name.removesuffix(" run").removesuffix(" report")  # what a group does by default need not be named
    found = re.search(rf"Example: howsure {called}\b(.*)", LEAVES[name].help or "")
    assert found, f"howsure {name} --help has no example"
    LEAVES[name].make_context(name, shlex.split(found[1]))


class _OpenedError(Exception):
    """Raised instead of opening a store."""


def _is_built_from_a_method(name: str) -> bool:
    made_by = getattr(LEAVES[name].callback, "__wrapped__", None)
    return getattr(made_by, "__module__", "") == "howsure.cli.from_operations" or name == "claim find"


@pytest.mark.parametrize("name", [name for name in LEAVES if _is_built_from_a_method(name)])
def test_the_values_of_an_example_are_valid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are built from methods decode their arguments before they open the store."""

    def refuse(*_: Any, **__: Any) -> None:
        raise _OpenedError

    for module in ("howsure.cli.from_operations", "howsure.cli.claim"):
        monkeypatch.setattr(f"{module}.open_store", refuse)
    found = re.search(rf"Example: howsure {name}\b(.*)", LEAVES[name].help or "")
    assert found
    context = LEAVES[name].make_context(name, shlex.split(found[1]))
    with pytest.raises(_OpenedError):
        LEAVES[name].invoke(context)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_that_prints_a_result_can_print_json(name: str) -> None:
    flags = {flag for parameter in LEAVES[name].params for flag in parameter.opts}
    assert ("--json" in flags) == (name not in WITHOUT_JSON)


@pytest.mark.parametrize("words", ["models", "settings", "doctor", "patterns list", "patterns show", "ledger list"])
def test_a_list_is_written_as_json_lines(howsure: Run, words: str) -> None:
    lines = howsure(*words.split(), "--json").stdout.splitlines()
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_one_result_is_one_line_of_json(howsure: Run) -> None:
    for words in ("models response", "stats", "store stats", "store check", "synthesize -"):
        given = b'{"id": "a", "content": "The cache is safe."}'
        (line,) = howsure(*words.split(), "--json", stdin=given).stdout.splitlines()
        assert isinstance(json.loads(line), dict)


def test_errors_name_the_file(howsure: Run, tmp_path: Any) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"now": 0, "sources": []}\n{"now": "x"}\n')
    wrong = howsure("score", "noisy_or", str(file))
    assert wrong.stderr.decode().startswith(f"howsure: {file}: line 2: now: ")
    assert howsure("score", "noisy_or", "-", stdin=file.read_bytes()).stderr.startswith(b"howsure: line 2: now: ")
    for words in (("conflicts",), ("claim", "import"), ("store", "restore"), ("investigate",), ("ledger", "import")):
        done = howsure(*words, str(tmp_path / "nofile"))
        assert (done.returncode, b"nofile" in done.stderr) == (2, True), words
    file.write_bytes(b"\xff")
    for words in (("conflicts",), ("synthesize",), ("explain", "noisy_or")):
        done = howsure(*words, str(file))
        assert (done.returncode, b"cases.jsonl" in done.stderr) == (2, True), words


def test_the_version_is_printed(howsure: Run) -> None:
    from howsure import __version__

    for flag in ("--version", "-V"):
        assert howsure(flag).stdout.decode().strip() == f"howsure {__version__}"
    assert howsure("-v", "--version").stdout.decode().strip() == f"howsure {__version__}"


def test_verbose_says_more_on_stderr(howsure: Run) -> None:
    quiet, loud = howsure("score", "noisy_or", stdin=CASE), howsure("-vv", "score", "noisy_or", stdin=CASE)
    assert (quiet.stderr, loud.stdout) == (b"", quiet.stdout)
    assert b"noisy_or version 1, fingerprint" in loud.stderr
    assert b"parameters: " in loud.stderr


def test_help_is_short_and_names_every_command(howsure: Run) -> None:
    shown = howsure("--help").stdout.decode()
    for command in ("models", "score", "explain", "demo", "doctor"):
        assert command in shown
    assert "Exit codes" in shown


def test_shell_completion_knows_the_models(howsure: Run) -> None:
    done = howsure(_HOWSURE_COMPLETE="complete_bash", COMP_WORDS="howsure score nois", COMP_CWORD="2")
    assert done.stdout.split() == [b"noisy_or"]


def test_help_is_a_command_too(howsure: Run) -> None:
    assert howsure("help").stdout == howsure("--help").stdout
    assert howsure("help", "claim", "add").stdout == howsure("claim", "add", "--help").stdout


def test_help_does_not_depend_on_the_version_of_typer(howsure: Run) -> None:
    shown = howsure("scan", "--help", COLUMNS="80").stdout.decode()
    assert "[PATHS]" in shown
    assert "<bool>" not in shown


def test_lines_of_a_docstring_are_joined() -> None:
    app = typer.Typer()

    @app.command()
    def example(file: str, fast: bool = False) -> None:
        """Do it.

        This paragraph has
        two lines.
        """

    command: Any = typer.main.get_command(app)
    simplify_help(command)
    assert command.help == "Do it.\n\nThis paragraph has two lines."
    assert [parameter.metavar for parameter in command.params[:2]] == ["FILE", ""]
