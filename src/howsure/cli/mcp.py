"""howsure mcp: tools for agents, by the Model Context Protocol, and how clients get to know them."""

import json
import shutil
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from howsure.cli.hooks import DryRun, Yes, agreed, content, write
from howsure.cli.serve import log_requests
from howsure.cli.splice import appended, removed
from howsure.cli.stores import StoreOption
from howsure.errors import InputError, MissingExtraError, nearest
from howsure.sure import open as open_store

mcp = typer.Typer(help="Serve tools for agents, or tell a client about them.", invoke_without_command=True)

NAME = "howsure"
"""What clients call the server."""


class Place(NamedTuple):
    """Where a client looks for servers."""

    file: Path
    member: str
    """The member of the file that holds them."""
    shared: bool
    """Whether the file goes from one machine to another."""
    more: Mapping[str, str] = {}
    """What else an entry says."""


def places() -> dict[str, Place]:
    """Return the clients that are known, and where each looks."""
    home = Path.home()
    config = {"darwin": home / "Library" / "Application Support", "win32": home / "AppData" / "Roaming"}
    desktop = config.get(sys.platform, home / ".config") / "Claude" / "claude_desktop_config.json"
    return {
        "project": Place(Path(".mcp.json"), "mcpServers", shared=True),
        "claude-desktop": Place(desktop, "mcpServers", shared=False),
        "cursor": Place(home / ".cursor" / "mcp.json", "mcpServers", shared=False),
        "gemini": Place(home / ".gemini" / "settings.json", "mcpServers", shared=False),
        "vscode": Place(Path(".vscode") / "mcp.json", "servers", shared=True, more={"type": "stdio"}),
        "windsurf": Place(home / ".codeium" / "windsurf" / "mcp_config.json", "mcpServers", shared=False),
    }


Client = Annotated[
    str,
    typer.Argument(
        metavar="[CLIENT]",
        help="project (.mcp.json, for Claude Code and others), claude-desktop, cursor, gemini, vscode or windsurf.",
    ),
]
File = Annotated[Path | None, typer.Option("--file", help="Another settings file.")]


@mcp.callback()
def serve(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP at /mcp, with the API beside it.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on; any but this machine's own demands tokens.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any.")] = 8765,
    tokens: Annotated[bool, typer.Option("--tokens", help="Demand tokens of this machine, too, as behind a proxy.")] = (
        False
    ),
    name: Annotated[
        list[str] | None, typer.Option("--name", metavar="HOST", help="A name that the server goes by; repeatable.")
    ] = None,
    actor: Annotated[str | None, typer.Option(help="Who the history says has written; default: as it is set.")] = None,
    store: StoreOption = None,
) -> None:
    """Serve tools for agents to the client that starts this, on standard input and output; or over HTTP."""
    if context.invoked_subcommand is not None:
        return
    # Doors do not know each other: this one only opens the others, by name.
    try:
        transports = import_module("howsure.serve.mcp.transports")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("howsure"):
            raise
        raise MissingExtraError("mcp", "serving tools to agents") from None
    with open_store(store, actor=actor) as sure:
        if not http:
            transports.stdio(sure)
            return
        log_requests(quiet=False)

        def started(address: str) -> None:
            print(f"howsure serves tools for agents at {address}{transports.PATH} (Ctrl-C ends it)", flush=True)

        server = import_module("howsure.serve.server")
        server.serve(sure, host, port, tokens=tokens, names=name or (), parts=transports.parts, started=started)


@mcp.command()
def install(
    client: Client = "project",
    file: File = None,
    store: StoreOption = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Write the server into a client's settings, after showing the change."""
    place = chosen(client, file)
    before = content(place.file)
    after = with_server(before, place.member, entry(place, store))
    if after == before:
        print(f"already installed in {place.file}")
    elif agreed(place.file, before, after, yes=yes, dry_run=dry_run):
        write(place.file, before, after)
        print(f"installed in {place.file}; start the client anew")


@mcp.command()
def uninstall(client: Client = "project", file: File = None, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Take the server out of a client's settings, after showing the change."""
    place = chosen(client, file)
    before = content(place.file)
    after = without_server(before, place.member)
    if after == before:
        print(f"not installed in {place.file}")
    elif agreed(place.file, before, after, yes=yes, dry_run=dry_run):
        write(place.file, before, after)
        print(f"taken out of {place.file}" if after else f"removed {place.file}, which held nothing else")


def chosen(client: str, file: Path | None) -> Place:
    """Return where a client looks; in another file, if one is named."""
    known = places()
    if client not in known:
        raise InputError(f"there is no client {client!r}", field="client", hint=nearest(client, known))
    return known[client] if file is None else known[client]._replace(file=file)


def entry(place: Place, store: str | None) -> dict[str, Any]:
    """Return how a client starts the server: by its name where the file is shared, else by where it is."""
    arguments = ["mcp", *(["--store", store] if store is not None else [])]
    if place.shared:
        return {**place.more, "command": "howsure", "args": arguments}
    found = shutil.which("howsure")
    command = [found] if found else [sys.executable, "-m", "howsure"]
    return {**place.more, "command": command[0], "args": [*command[1:], *arguments]}


def with_server(text: str, member: str, new: Mapping[str, Any]) -> str:
    """Return settings with our server in them."""
    servers = parsed(text, member).get(member)
    if servers is not None and servers.get(NAME) == new:
        return text
    if servers is not None and NAME in servers:
        text = removed(text, [member, NAME])
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    if servers is None:
        return appended(text, [], {NAME: new}, member)
    return appended(text, [member], new, NAME)


def without_server(text: str, member: str) -> str:
    """Return settings without our server, and without what that would leave empty; nothing, if that is all."""
    settings = parsed(text, member)
    servers = settings.get(member) or {}
    if NAME not in servers:
        return text
    if len(servers) > 1:
        return removed(text, [member, NAME])
    return removed(text, [member]) if len(settings) > 1 else ""


def parsed(text: str, member: str) -> dict[str, Any]:
    """Return settings as data; a file that is not there, or blank, holds none."""
    hint = "it has to be a JSON object; nothing was changed"
    try:
        found = json.loads(text.removeprefix("\ufeff").strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(f"the settings are no JSON: {error}", hint=hint) from None
    if not isinstance(found, dict) or not isinstance(found.get(member, {}), dict):
        raise InputError(f"the settings are no JSON object with {member}", hint=hint)
    return found
