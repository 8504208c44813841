"""Fast path for commands that must start quickly: `gate` and `hook` run before a parser is loaded.

Anything unusual (help, abbreviations, mistakes) is left to the full command line, which reports errors.
"""

from collections.abc import Mapping, Sequence
from typing import Any

COMMANDS = {"gate": "text", "hook": "event"}
"""Each command with the name of its only argument."""
HOOK_COMMANDS = ("install", "uninstall", "run")
"""Commands of `howsure hook` that are left to the full command line; any other word is an event."""


def run_fast(arguments: Sequence[str]) -> int | None:
    """Run `gate` or `hook` and return its exit code; None if the full command line has to handle it."""
    if arguments[0] == "gate":
        from howsure.cli.gate import OPTIONS, run
    elif set(HOOK_COMMANDS) & set(arguments[1:2]):
        return None
    else:
        from howsure.cli.hook import OPTIONS, run  # type: ignore[assignment]
    given = plain(arguments[1:], OPTIONS, COMMANDS[arguments[0]])
    if given is None and arguments[0] == "hook" and not {"-h", "--help"} & set(arguments):
        given = {"wrong": " ".join(arguments[1:])}  # an exit code other than 0 would keep an agent from stopping
    if given is None:
        return None
    try:
        run(**given)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def plain(arguments: Sequence[str], options: Mapping[str, type], argument: str) -> dict[str, Any] | None:
    """Return the arguments by name; None if a parser is needed.

    >>> plain(["--agent", "ann", "--task", "7", "--json", "-"], {"agent": str, "task_id": str, "json": bool}, "text")
    {'agent': 'ann', 'task_id': '7', 'json': True, 'text': '-'}
    """
    flags = {"--" + _flag(name, kind).replace("_", "-"): (name, kind) for name, kind in options.items()}
    found: dict[str, Any] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, value = (argument, word) if word == "-" or word[:1] != "-" else _option(word, rest, flags)
        if name is None or (name in found and not isinstance(value, list)):
            return None
        found[name] = [*found.get(name, []), *value] if isinstance(value, list) else value
    return found


def _flag(name: str, kind: type) -> str:
    """Return the name of an option without dashes; one that may be repeated is singular."""
    return name.removesuffix("s") if kind is list else name.removesuffix("_id")


def _option(word: str, rest: list[str], flags: Mapping[str, tuple[str, type]]) -> tuple[str | None, Any]:
    """Return the name and value of an option; the value may be the next word."""
    flag, equals, value = word.partition("=")
    name, kind = flags.get(flag, (None, bool))
    if name is None or (kind is bool and equals):
        return None, None
    if kind is bool:
        return name, True
    if not equals:
        if not rest or rest[0].startswith("--"):
            return None, None
        value = rest.pop(0)
    if kind is list:
        return name, [value]
    try:
        return name, kind(value)
    except ValueError:
        return None, None
