"""Fast path for commands that must start quickly: `gate` and `hook` run before a parser is loaded.

Anything unusual (help, abbreviations, mistakes) is left to the full command line, which reports errors.
"""

from collections.abc import Mapping, Sequence
from typing import Any

GATE: Mapping[str, type] = {
    "agent": str,
    "agent_type": str,
    "project": str,
    "task": str,
    "trace": str,
    "knowledge": float,
    "code": str,
    "certainty": float,
    "history": float,
    "threshold": float,
    "retrieved": str,
    "run_tests": str,
    "on_ledger_error": str,
    "store": str,
    "json": bool,
}
"""Options of `howsure gate` and the type of each."""
HOOK: Mapping[str, type] = {"agent": str, "agent_type": str, "store": str}
"""Options of `howsure hook`."""
COMMANDS = {"gate": (GATE, "file"), "hook": (HOOK, "event")}
"""Each command with its options and the name of its only argument."""


def called(arguments: Sequence[str]) -> int | None:
    """Run `gate` or `hook` and return its exit code; None if the full command line has to handle it."""
    options, argument = COMMANDS[arguments[0]]
    given = plain(arguments[1:], options, argument)
    if given is None and arguments[0] == "hook" and not {"-h", "--help"} & set(arguments):
        given = {"wrong": " ".join(arguments[1:])}  # an exit code other than 0 would keep an agent from stopping
    if given is None:
        return None
    try:
        if arguments[0] == "gate":
            from howsure.cli.gate_run import run
        else:
            from howsure.cli.hook_run import run  # type: ignore[assignment]
        run(**given)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def plain(arguments: Sequence[str], options: Mapping[str, type], argument: str) -> dict[str, Any] | None:
    """Return the arguments by name; None if a parser is needed.

    >>> plain(["--agent", "ann", "--json", "-"], GATE, "file")
    {'agent': 'ann', 'json': True, 'file': '-'}
    """
    found: dict[str, Any] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, value = (argument, word) if word == "-" or word[:1] != "-" else _option(word, rest, options)
        if name is None or name in found:
            return None
        found[name] = value
    return found


def _option(word: str, rest: list[str], options: Mapping[str, type]) -> tuple[str | None, Any]:
    """Return the name and value of an option; the value may be the next word."""
    flag, equals, value = word.partition("=")
    name = flag[2:].replace("-", "_")
    kind = options.get(name)
    if kind is None or not flag.startswith("--") or "_" in flag or (kind is bool and equals):
        return None, None
    if kind is bool:
        return name, True
    if not equals:
        if not rest or rest[0].startswith("--"):
            return None, None
        value = rest.pop(0)
    try:
        return name, kind(value)
    except ValueError:
        return None, None
