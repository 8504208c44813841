"""The commands `howsure hook`: answer an event of a coding agent; install hooks in its settings, and uninstall them."""

import difflib
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from howsure.cli.from_operations import default_command
from howsure.cli.hook import run
from howsure.cli.hook_settings import AGENTS, CLAUDE, HookSettings, add_hooks, remove_hooks
from howsure.cli.output import REFUSED, say
from howsure.cli.stores import StoreOption
from howsure.errors import InputError, nearest
from howsure.files import check_replaceable, is_special
from howsure.replace_file import ChangedError, replace_file
from howsure.wording import visible

hook = typer.Typer(
    cls=default_command("run"),
    help="Answer an event of a coding agent, or install the hooks that call this in its settings.",
)

Agent = Annotated[str, typer.Argument(metavar="AGENT", help="The coding agent: claude, codex, cursor or gemini.")]
User = Annotated[bool, typer.Option("--user", help="The settings in your home folder, for all projects.")]
Local = Annotated[bool, typer.Option("--local", help="settings.local.json of Claude Code, which is not shared.")]
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
    coding_agent: Agent = CLAUDE,
    user: User = False,
    local: Local = False,
    file: File = None,
    agent: Annotated[str | None, typer.Option(help="Name of the agent in the ledger.")] = None,
    agent_type: Annotated[str | None, typer.Option(help="Type of the agent; sets the threshold.")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Install hooks in the settings of a coding agent, after showing the change.

    Example: howsure hook install codex --user --agent patcher-1
    """
    settings = find_agent(coding_agent)
    path = choose_file(coding_agent, user=user, local=local, file=file)
    options = {"--agent": agent, "--agent-type": agent_type}
    given = [shlex.quote(word) for option, value in options.items() if value is not None for word in (option, value)]
    before = read_settings(path)
    program, problem = find_program(shared=not (user or local or file))
    if problem:
        print(visible(f"howsure: {problem}"), file=sys.stderr)
    after = add_hooks(before, " ".join([program, "hook", *given]), settings)
    if after == before:
        say(f"already installed in {path}")
    elif confirm(path, before, after, yes=yes, dry_run=dry_run):
        write_settings(path, before, after)
        say(f"installed in {path}{settings.then}")


@hook.command()
def uninstall(
    coding_agent: Agent = CLAUDE,
    user: User = False,
    local: Local = False,
    file: File = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Remove the hooks from the settings of a coding agent, after showing the change.

    Example: howsure hook uninstall codex --user
    """
    settings = find_agent(coding_agent)
    path = choose_file(coding_agent, user=user, local=local, file=file)
    before = read_settings(path)
    after = remove_hooks(before, settings)
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


def find_agent(name: str) -> HookSettings:
    """Return how a coding agent writes its hooks; raise InputError if it is unknown."""
    if name not in AGENTS:
        raise InputError(f"unknown agent {name!r}", field="agent", hint=nearest(name, AGENTS))
    return AGENTS[name]


def choose_file(agent: str, *, user: bool, local: bool, file: Path | None) -> Path:
    """Return the settings file that the options name."""
    if local and agent != CLAUDE:
        raise InputError("only Claude Code has local settings", field="local", hint="leave out --local")
    if file is not None:
        if user or local:
            raise InputError("--file already names the file", field="file", hint="leave out --user and --local")
        return file
    path = (Path.home() if user else Path()) / AGENTS[agent].file
    return path.with_name("settings.local.json") if local else path


def read_settings(path: Path) -> str:
    """Return the text of a settings file, or "" if it does not exist."""
    try:
        _resolve(path)
        if is_special(path):  # a pipe would never end
            raise InputError(f"cannot read {path}: it is not a regular file")
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
    """Write a settings file atomically with its owner and permissions; delete it if nothing is left in it.

    Raises:
        InputError: if it was changed meanwhile, cannot be written, or is a link that leads out of the project.
        HowsureError: if it would lose its owner or its hard links.
    """
    try:
        real = _resolve(path)
        if read_settings(real) != before:
            raise InputError(f"{path} was changed by another program", hint="try again")
        if not after and path.is_symlink():  # its target may be kept under version control
            after = "{}\n"
        if not after:
            real.unlink()
            folders = {agent.file.parent.name for agent in AGENTS.values()}
            if real.parent.name in folders and not any(real.parent.iterdir()):
                real.parent.rmdir()
            return
        check_replaceable(real)
        real.parent.mkdir(parents=True, exist_ok=True)
        try:
            replace_file(real, before.encode() if os.path.lexists(real) else None, after.encode())
        except ChangedError:
            raise InputError(f"{path} was changed by another program", hint="try again") from None
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _resolve(path: Path) -> Path:
    """Return the file that a settings file is, through links.

    Settings of a project may come from somebody else, and a link among them could name any file of the user.
    """
    real, project = path.resolve(), Path.cwd().resolve()
    if not path.is_absolute() and ".." not in path.parts and not real.is_relative_to(project):
        problem = f"{path} is a link to {real}, outside of this folder"
        raise InputError(problem, field="file", hint="name that file itself if it is the one to change")
    return real
