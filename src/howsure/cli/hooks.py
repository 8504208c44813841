"""howsure hooks: put the hooks into a coding agent's settings, and take them out again.

The file is changed where the hooks stand and nowhere else: order, layout and all other settings stay as they are.
"""

import difflib
import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from howsure.cli.output import REFUSED
from howsure.cli.splice import appended, removed
from howsure.errors import InputError
from howsure.files import atomic_write

EVENTS = {"PostToolUse": "*", "PostToolUseFailure": "*", "Stop": None, "SubagentStop": None}
"""The events that are hooked, with what they are to match; a call that failed is an event of its own."""
_WORD = r"""(?:'[^']*'|"[^"]*"|[^\s;|&'"\\]|\\.)+"""
OURS = re.compile(rf"(\S*[/\\])?howsure(\.exe)?\s+hook(\s+[a-zA-Z][\w-]*)?(\s+--agent(-type)?(=|\s+){_WORD})*\s*")
"""A command as we install it; one that does something else besides is its owner's."""

hooks = typer.Typer(no_args_is_help=True, help="Put the hooks into a coding agent's settings, or take them out.")

User = Annotated[bool, typer.Option("--user", help="The settings in your home folder, for all projects.")]
Local = Annotated[bool, typer.Option("--local", help="settings.local.json, which is not shared.")]
File = Annotated[Path | None, typer.Option("--file", help="Another settings file.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change, and change nothing.")]


@hooks.command()
def install(
    user: User = False,
    local: Local = False,
    file: File = None,
    agent: Annotated[str | None, typer.Option(help="Name of the agent, to record answers under.")] = None,
    agent_type: Annotated[str | None, typer.Option(help="Type of the agent; sets the threshold.")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Write the hooks into .claude/settings.json, after showing the change."""
    path = chosen(user=user, local=local, file=file)
    options = {"--agent": agent, "--agent-type": agent_type}
    given = [shlex.quote(word) for option, value in options.items() if value is not None for word in (option, value)]
    before = content(path)
    after = with_hooks(before, " ".join(["howsure hook", *given]))
    if after == before:
        print(f"already installed in {path}")
    elif agreed(path, before, after, yes=yes, dry_run=dry_run):
        write(path, before, after)
        print(f"installed in {path}")


@hooks.command()
def uninstall(
    user: User = False, local: Local = False, file: File = None, yes: Yes = False, dry_run: DryRun = False
) -> None:
    """Take the hooks out of .claude/settings.json, after showing the change."""
    path = chosen(user=user, local=local, file=file)
    before = content(path)
    after = without_hooks(before)
    if after == before:
        print(f"not installed in {path}")
    elif agreed(path, before, after, yes=yes, dry_run=dry_run):
        write(path, before, after)
        print(f"taken out of {path}" if after else f"removed {path}, which held nothing else")


def chosen(*, user: bool, local: bool, file: Path | None) -> Path:
    """Return the settings file that is meant."""
    if file is not None:
        if user or local:
            raise InputError("the file is given already", field="file", hint="leave out --user and --local")
        return file
    folder = Path.home() if user else Path()
    return folder / ".claude" / ("settings.local.json" if local else "settings.json")


def content(path: Path) -> str:
    """Return what a settings file holds; nothing for one that is not there."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InputError(f"{path} is no text", hint="it has to be a JSON object in UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def agreed(path: Path, before: str, after: str, *, yes: bool, dry_run: bool) -> bool:
    """Show a change, and say whether it is wanted."""
    lines = before.splitlines(), after.splitlines()
    print("\n".join(difflib.unified_diff(*lines, str(path), str(path), lineterm="")))
    if yes or dry_run:
        return not dry_run
    if not sys.stdin.isatty():
        raise InputError("nobody is there to ask", hint="--yes writes the change, --dry-run only shows it")
    if not typer.confirm(f"Write this to {path}?"):
        print("nothing was changed")
        raise typer.Exit(REFUSED)
    return True


def write(path: Path, before: str, after: str) -> None:
    """Write a settings file as a whole, with the permissions it had; remove one that holds nothing any more."""
    real = path.resolve()
    try:
        if content(path) != before:
            raise InputError(f"{path} has just been changed by somebody else", hint="try again")
        if not after and path.is_symlink():  # the file may be somebody's collection of settings
            after = "{}\n"
        if not after:
            real.unlink()
            if real.parent.name == ".claude" and not any(real.parent.iterdir()):
                real.parent.rmdir()
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = real.stat().st_mode & 0o7777 if real.exists() else 0o666 & ~_mask()
        with atomic_write(real) as part:
            part.write_bytes(after.encode())
            part.chmod(mode)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _mask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def with_hooks(text: str, command: str) -> str:
    """Return settings with our hooks in them, all by this command."""
    found = [(event, known) for event, _, _, known in ours(parsed(text))]
    if sorted(found) == sorted((event, command) for event in EVENTS):
        return text
    text = without_hooks(text)
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    for event, matcher in EVENTS.items():
        entry = ({} if matcher is None else {"matcher": matcher}) | {"hooks": [{"type": "command", "command": command}]}
        settings = parsed(text)
        if "hooks" not in settings:
            text = appended(text, [], {event: [entry]}, "hooks")
        elif event not in settings["hooks"]:
            text = appended(text, ["hooks"], [entry], event)
        else:
            text = appended(text, ["hooks", event], entry)
    return text


def without_hooks(text: str) -> str:
    """Return settings without our hooks, and without what that would leave empty; nothing, if there is nothing else."""
    while found := ours(settings := parsed(text)):
        event, group, place, _ = found[0]
        path: list[str | int] = ["hooks", event, group, "hooks", place]
        if len(settings["hooks"][event][group]["hooks"]) == 1:
            path = path[:3]
            if len(settings["hooks"][event]) == 1:
                path = path[:2] if len(settings["hooks"]) > 1 else path[:1]
        if path == ["hooks"] and len(settings) == 1:
            return ""
        text = removed(text, path)
    return text


def ours(settings: dict[str, Any]) -> list[tuple[str, int, int, str]]:
    """Return where our hooks are: event, number of the group, number in the group, and the command."""
    return [
        (event, number, place, command)
        for event, groups in settings.get("hooks", {}).items()
        for number, group in enumerate(groups if isinstance(groups, list) else [])
        for place, hook in enumerate(_list(group, "hooks"))
        if isinstance(hook, dict) and isinstance(command := hook.get("command"), str) and OURS.fullmatch(command)
    ]


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def parsed(text: str) -> dict[str, Any]:
    """Return settings as data; a file that is not there, or blank, holds none."""
    hint = "it has to be a JSON object; nothing was changed"
    try:
        found = json.loads(text.removeprefix("\ufeff").strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f"the settings are no JSON: {error}", hint=hint) from None
    if not isinstance(found, dict):
        raise InputError("the settings are no JSON object", hint=hint)
    entries = found.get("hooks", {})
    if not isinstance(entries, dict) or not all(isinstance(entries.get(event, []), list) for event in EVENTS):
        raise InputError("the hooks in the settings are no lists by event", field="hooks", hint=hint)
    return found
