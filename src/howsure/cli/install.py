"""The commands `howsure hook`: answer an event of a coding agent; install hooks in its settings, and uninstall them.

Only the hooks in the file are changed: order, layout and all other settings stay as they are.
"""

import difflib
import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from howsure.cli.from_operations import default_command
from howsure.cli.hook import run
from howsure.cli.json_edit import append_value, remove_value
from howsure.cli.output import REFUSED, say, visible
from howsure.cli.stores import StoreOption
from howsure.errors import InputError
from howsure.files import atomic_write

EVENTS = {"PostToolUse": "*", "PostToolUseFailure": "*", "Stop": None, "SubagentStop": None}
"""The events to install hooks for, with the tools to match; a failed tool call is an event of its own."""
# A word of a shell command, quoted or escaped.
_WORD = r"""(?:'[^']*'|"[^"]*"|[^\s;|&'"\\]|\\.)+"""
_PROGRAM = rf"(?:{_WORD} -m howsure|'[^']*[/\\]howsure(\.exe)?'|(\S*[/\\])?howsure(\.exe)?)"
OURS = re.compile(rf"{_PROGRAM}\s+hook(\s+[a-zA-Z][\w-]*)?(\s+--agent(-type)?(=|\s+){_WORD})*\s*")
"""A command as `install` writes it; one that does more belongs to the user."""


hook = typer.Typer(
    cls=default_command("run"),
    help="Answer an event of a coding agent, or install the hooks that call this in its settings.",
)

User = Annotated[bool, typer.Option("--user", help="The settings in your home folder, for all projects.")]
Local = Annotated[bool, typer.Option("--local", help="settings.local.json, which is not shared.")]
File = Annotated[Path | None, typer.Option("--file", help="Another settings file.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show the change.")]


@hook.command("run")
def answer(
    event: Annotated[
        str | None, typer.Argument(help="The event, where it does not name itself: stop, post-tool-use.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Name of the agent; default: coding-agent.")] = None,
    agent_type: Annotated[str | None, typer.Option(help="Type of the agent; sets the threshold.")] = None,
    store: StoreOption = None,
) -> None:
    """Answer an event of a coding agent, read from stdin as JSON. Always exits 0. `run` may be left out.

    Example: howsure hook stop --agent patcher-1
    """
    run(event, agent=agent, agent_type=agent_type, store=store)


@hook.command()
def install(
    user: User = False,
    local: Local = False,
    file: File = None,
    agent: Annotated[str | None, typer.Option(help="Name of the agent in the ledger.")] = None,
    agent_type: Annotated[str | None, typer.Option(help="Type of the agent; sets the threshold.")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Install hooks in .claude/settings.json, after showing the change.

    Example: howsure hook install --user --agent patcher-1
    """
    path = choose_file(user=user, local=local, file=file)
    options = {"--agent": agent, "--agent-type": agent_type}
    given = [shlex.quote(word) for option, value in options.items() if value is not None for word in (option, value)]
    before = read_settings(path)
    program, problem = find_program(shared=not (user or local or file))
    if problem:
        print(visible(f"howsure: {problem}"), file=sys.stderr)
    after = add_hooks(before, " ".join([program, "hook", *given]))
    if after == before:
        say(f"already installed in {path}")
    elif confirm(path, before, after, yes=yes, dry_run=dry_run):
        write_settings(path, before, after)
        say(f"installed in {path}")


@hook.command()
def uninstall(
    user: User = False, local: Local = False, file: File = None, yes: Yes = False, dry_run: DryRun = False
) -> None:
    """Remove the hooks from .claude/settings.json, after showing the change.

    Example: howsure hook uninstall --user
    """
    path = choose_file(user=user, local=local, file=file)
    before = read_settings(path)
    after = remove_hooks(before)
    if after == before:
        say(f"not installed in {path}")
    elif confirm(path, before, after, yes=yes, dry_run=dry_run):
        write_settings(path, before, after)
        say(f"removed from {path}" if after else f"removed {path}, which held nothing else")


def find_program(*, shared: bool) -> tuple[str, str]:
    """Return the command that runs howsure, for a shell, and a warning if it is not on the PATH, else "".

    Args:
        shared: Whether the settings file may be shared with others, for whom a path of this machine is wrong.
    """
    if shutil.which("howsure"):
        return "howsure", ""
    script = Path(sys.executable).with_name("howsure.exe" if sys.platform == "win32" else "howsure")
    command = shlex.quote(str(script)) if script.exists() else f"{shlex.quote(sys.executable)} -m howsure"
    advice = "others who share this file need another one: put howsure on the PATH" if shared else "put it on the PATH"
    advice += " (pipx install . in a checkout of howsure)"
    return command, f"warning: howsure is not on the PATH, so the hooks run {command}; {advice}"


def choose_file(*, user: bool, local: bool, file: Path | None) -> Path:
    """Return the settings file that the options name."""
    if file is not None:
        if user or local:
            raise InputError("--file already names the file", field="file", hint="leave out --user and --local")
        return file
    folder = Path.home() if user else Path()
    return folder / ".claude" / ("settings.local.json" if local else "settings.json")


def read_settings(path: Path) -> str:
    """Return the text of a settings file, or "" if it does not exist."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text", hint="it has to be a JSON object in UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def confirm(path: Path, before: str, after: str, *, yes: bool, dry_run: bool) -> bool:
    """Show a change, and return whether to write it."""
    lines = before.splitlines(), after.splitlines()
    say("\n".join(difflib.unified_diff(*lines, str(path), str(path), lineterm="")))
    if yes or dry_run:
        return not dry_run
    if not sys.stdin.isatty():
        raise InputError("there is no terminal to ask on", hint="--yes writes the change, --dry-run only shows it")
    if not typer.confirm(f"Write this to {path}?"):
        say("nothing was changed")
        raise typer.Exit(REFUSED)
    return True


def write_settings(path: Path, before: str, after: str) -> None:
    """Write a settings file atomically with its permissions; delete it if nothing is left in it."""
    real = path.resolve()
    try:
        if read_settings(path) != before:
            raise InputError(f"{path} was changed by another program", hint="try again")
        if not after and path.is_symlink():  # its target may be kept under version control
            after = "{}\n"
        if not after:
            real.unlink()
            if real.parent.name == ".claude" and not any(real.parent.iterdir()):
                real.parent.rmdir()
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = real.stat().st_mode & 0o7777 if real.exists() else 0o666 & ~_get_umask()
        with atomic_write(real) as part:
            part.write_bytes(after.encode())
            part.chmod(mode)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _get_umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def add_hooks(text: str, command: str) -> str:
    """Return settings with our hooks, all of which run this command."""
    installed = [(event, known) for event, _, _, known in find_hooks(parse_settings(text))]
    if sorted(installed) == sorted((event, command) for event in EVENTS):
        return text
    text = remove_hooks(text)
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    for event, matcher in EVENTS.items():
        entry = ({} if matcher is None else {"matcher": matcher}) | {"hooks": [{"type": "command", "command": command}]}
        settings = parse_settings(text)
        if "hooks" not in settings:
            text = append_value(text, [], {event: [entry]}, "hooks")
        elif event not in settings["hooks"]:
            text = append_value(text, ["hooks"], [entry], event)
        else:
            text = append_value(text, ["hooks", event], entry)
    return text


def remove_hooks(text: str) -> str:
    """Return settings without our hooks and without containers that would be empty; "" if nothing else is left."""
    while installed := find_hooks(settings := parse_settings(text)):
        event, group, place, _ = installed[0]
        path: list[str | int] = ["hooks", event, group, "hooks", place]
        if len(settings["hooks"][event][group]["hooks"]) == 1:
            path = path[:3]
            if len(settings["hooks"][event]) == 1:
                path = path[:2] if len(settings["hooks"]) > 1 else path[:1]
        if path == ["hooks"] and len(settings) == 1:
            return ""
        text = remove_value(text, path)
    return text


def find_hooks(settings: dict[str, Any]) -> list[tuple[str, int, int, str]]:
    """Return our hooks: event, index of the group, index in the group, and the command."""
    return [
        (event, number, place, command)
        for event, groups in settings.get("hooks", {}).items()
        for number, group in enumerate(groups if isinstance(groups, list) else [])
        for place, hook in enumerate(_get_list(group, "hooks"))
        if isinstance(hook, dict) and isinstance(command := hook.get("command"), str) and OURS.fullmatch(command)
    ]


def _get_list(value: Any, name: str) -> list[Any]:
    items = value.get(name) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []


def parse_settings(text: str) -> dict[str, Any]:
    """Return settings as data, {} for a blank text; raise InputError unless they are a JSON object with valid hooks."""
    hint = "it has to be a JSON object; nothing was changed"
    try:
        settings = json.loads(text.removeprefix("\ufeff").strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f"the settings are not JSON: {error}", hint=hint) from None
    if not isinstance(settings, dict):
        raise InputError("the settings are not a JSON object", hint=hint)
    entries = settings.get("hooks", {})
    if not isinstance(entries, dict) or not all(isinstance(entries.get(event, []), list) for event in EVENTS):
        raise InputError("the hooks in the settings are not lists by event", field="hooks", hint=hint)
    return settings
