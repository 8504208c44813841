"""howsure mcp: serve tools for agents by the Model Context Protocol, and install the server in clients."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from howsure.cli.install import DryRun, Yes, confirm, read_settings, write_settings
from howsure.cli.json_edit import UNCHANGED, append_value, parse_object, remove_value
from howsure.cli.jsonc import blank_comments, edit
from howsure.cli.output import say
from howsure.cli.serve import HostOption, NameOption, PortOption, TokensOption, log_requests
from howsure.cli.stores import StoreOption
from howsure.cli.toml_edit import append_table, parse_toml, remove_table
from howsure.errors import InputError, MissingExtraError, nearest
from howsure.redaction import has_password
from howsure.settings import STORE
from howsure.sure import open as open_store

mcp = typer.Typer(invoke_without_command=True)

NAME = "howsure"
"""Name of the server in the settings of clients."""
BELOW = "servers"
"""The member of `mcp` that holds the servers in the settings of opencode 2."""


class ClientSettings(NamedTuple):
    """The file in which a client lists its MCP servers."""

    file: Path
    member: str
    """The member of the file that holds the servers."""
    shared: bool
    """Whether the file is shared between machines, as in a repository."""
    more: Mapping[str, Any] = {}
    """Fields of an entry besides the command."""
    one_list: bool = False
    """Whether the command and its arguments are one list."""

    @property
    def is_toml(self) -> bool:
        """Whether the file is TOML; the others are JSON, perhaps with comments."""
        return self.file.suffix == ".toml"


def known_clients() -> dict[str, ClientSettings]:
    """Return the settings files of the clients that can be installed to."""
    home = Path.home()
    config = {"darwin": home / "Library" / "Application Support", "win32": home / "AppData" / "Roaming"}
    desktop = config.get(sys.platform, home / ".config") / "Claude" / "claude_desktop_config.json"
    return {
        "project": ClientSettings(Path(".mcp.json"), "mcpServers", shared=True),
        "claude-desktop": ClientSettings(desktop, "mcpServers", shared=False),
        "codex": ClientSettings(home / ".codex" / "config.toml", "mcp_servers", shared=False),
        "cursor": ClientSettings(home / ".cursor" / "mcp.json", "mcpServers", shared=False),
        "gemini": ClientSettings(home / ".gemini" / "settings.json", "mcpServers", shared=False),
        "opencode": ClientSettings(
            home / ".config" / "opencode" / "opencode.json",
            "mcp",
            shared=False,
            more={"type": "local", "enabled": True},
            one_list=True,
        ),
        "vscode": ClientSettings(Path(".vscode") / "mcp.json", "servers", shared=True, more={"type": "stdio"}),
        "windsurf": ClientSettings(home / ".codeium" / "windsurf" / "mcp_config.json", "mcpServers", shared=False),
        "zed": ClientSettings(
            (config["win32"] / "Zed" if sys.platform == "win32" else home / ".config" / "zed") / "settings.json",
            "context_servers",
            shared=False,
        ),
    }


Client = Annotated[
    str,
    typer.Argument(
        metavar="CLIENT",
        help="project (.mcp.json, for Claude Code and others), claude-desktop, codex, cursor, gemini, opencode, "
        "vscode, windsurf or zed.",
    ),
]
File = Annotated[Path | None, typer.Option("--file", help="Another settings file.")]


@mcp.callback()
def serve(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP at /mcp, with the API beside it.")
    ] = False,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
    tokens: TokensOption = False,
    name: NameOption = None,
    actor: Annotated[str | None, typer.Option(help="Name in the history; default: the setting `actor`.")] = None,
    store: StoreOption = None,
) -> None:
    """Serve tools for agents, or install the server in a client.

    It serves on standard input and output, for the client that starts this command; or over HTTP.

    Example: howsure mcp --http --port 8765
    """
    if context.invoked_subcommand is not None:
        return
    try:
        from howsure.serve.mcp import transports
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("howsure"):
            raise
        raise MissingExtraError("mcp", "serving tools to agents") from None
    with open_store(store, actor=actor) as sure:
        if not http:
            if sys.stdin is not None and sys.stdin.isatty():
                hint = "howsure mcp install adds it to a client, howsure mcp --http serves others; Ctrl-C ends it"
                print(f"howsure: waiting for a client on stdin ({hint})", file=sys.stderr)
            transports.serve_stdio(sure)
            return
        log_requests(quiet=False)

        def print_url(url: str) -> None:
            say(f"howsure serves tools for agents at {url}{transports.PATH} (Ctrl-C ends it)", flush=True)

        from howsure.serve import server

        server.serve(
            sure,
            host,
            port,
            server.ServerOptions(tokens=tokens, host_names=name or (), mounts=transports.http_mounts),
            on_start=print_url,
        )


@mcp.command()
def install(
    client: Client = "project",
    file: File = None,
    store: StoreOption = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Add the server to a client's settings, after showing the change.

    Example: howsure mcp install cursor
    """
    settings = find_settings(client, file)
    if store is not None and has_password(store):
        hint = f"set {STORE.variable} for the client, or keep the password in ~/.pgpass or a pg_service.conf"
        raise InputError("the address holds a password, which would be written to a file", field="store", hint=hint)
    before = read_settings(settings.file)
    after = add_server(before, settings, server_configuration(settings, store))
    if after == before:
        say(f"already installed in {settings.file}")
    elif confirm(settings.file, before, after, yes=yes, dry_run=dry_run):
        write_settings(settings.file, before, after)
        say(f"installed in {settings.file}; restart the client")


@mcp.command()
def uninstall(client: Client = "project", file: File = None, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Remove the server from a client's settings, after showing the change.

    Example: howsure mcp uninstall cursor
    """
    settings = find_settings(client, file)
    before = read_settings(settings.file)
    after = remove_server(before, settings)
    if after == before:
        say(f"not installed in {settings.file}")
    elif confirm(settings.file, before, after, yes=yes, dry_run=dry_run):
        write_settings(settings.file, before, after)
        say(f"removed from {settings.file}" if after else f"deleted {settings.file}, which held nothing else")


def find_settings(client: str, file: Path | None) -> ClientSettings:
    """Return the settings file of a client; with `file`, that file in the client's format."""
    known = known_clients()
    if client not in known:
        raise InputError(f"unknown client {client!r}", field="client", hint=nearest(client, known))
    return known[client] if file is None else known[client]._replace(file=file)


def server_configuration(settings: ClientSettings, store: str | None) -> dict[str, Any]:
    """Return the entry by which a client starts the server: with the absolute path unless the file is shared."""
    arguments = ["mcp", *(["--store", store] if store is not None else [])]
    path = "howsure" if settings.shared else shutil.which("howsure")
    command = [path] if path else [sys.executable, "-m", "howsure"]
    if settings.one_list:
        return {**settings.more, "command": [*command, *arguments]}
    return {**settings.more, "command": command[0], "args": [*command[1:], *arguments]}


def add_server(text: str, settings: ClientSettings, new: Mapping[str, Any]) -> str:
    """Return the text of a client's settings with our server added or updated; comments stay."""
    if not settings.is_toml:
        if has_servers_below(text, settings):
            new = {name: value for name, value in new.items() if name != "enabled"}
            return edit(text, lambda plain: with_server(plain, settings.member, new, BELOW))
        return edit(text, lambda plain: with_server(plain, settings.member, new))
    servers = _parse_toml_servers(text, settings)
    if servers.get(NAME) == new:
        return text
    table = f"{settings.member}.{NAME}"
    return append_table(remove_table(text, table) if NAME in servers else text, table, new)


def remove_server(text: str, settings: ClientSettings) -> str:
    """Return the text of a client's settings without our server; empty if nothing is left."""
    if not settings.is_toml:
        below = (BELOW,) if has_servers_below(text, settings) else ()
        return edit(text, lambda plain: without_server(plain, settings.member, *below))
    servers = _parse_toml_servers(text, settings)
    return remove_table(text, f"{settings.member}.{NAME}") if NAME in servers else text


def _parse_toml_servers(text: str, settings: ClientSettings) -> dict[str, Any]:
    """Return the servers in TOML settings; raise InputError unless they are a table."""
    servers = parse_toml(text).get(settings.member, {})
    if not isinstance(servers, dict):
        raise InputError(f"{settings.member} in the settings is not a table", hint="nothing was changed")
    return servers


def has_servers_below(text: str, settings: ClientSettings) -> bool:
    """Return whether a file of opencode lists its servers as version 2 does, in `mcp.servers`.

    Version 2 reads the form of version 1 too, so that is written unless the file has the new one already. In the old
    form, `servers` would be the name of a server, which has a type.
    """
    if not settings.one_list:
        return False
    servers = parse_settings(blank_comments(text), settings.member).get(settings.member, {}).get(BELOW)
    return isinstance(servers, dict) and not isinstance(servers.get("type"), str)


def with_server(text: str, member: str, new: Mapping[str, Any], *below: str) -> str:
    """Return the text of settings with our server added or updated."""
    path = [member, *below]
    servers = _find_servers(parse_settings(text, member), path)
    if servers is not None and servers.get(NAME) == new:
        return text
    if servers is not None and NAME in servers:
        text = remove_value(text, [*path, NAME])
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    if servers is None:
        return append_value(text, [], {NAME: new}, member)
    return append_value(text, path, new, NAME)


def without_server(text: str, member: str, *below: str) -> str:
    """Return the text of settings without our server and objects that this leaves empty; empty if nothing is left."""
    data = parse_settings(text, member)
    path: list[str] = [member, *below]
    servers = _find_servers(data, path) or {}
    if NAME not in servers:
        return text
    path.append(NAME)
    while path and len(_find_servers(data, path[:-1]) or {}) == 1:
        path.pop()
    return remove_value(text, path) if path else ""


def _find_servers(data: Any, path: Sequence[str]) -> Any:
    """Return the object at a path of settings, or None if there is none."""
    for name in path:
        data = None if data is None else data.get(name)
    return data


def parse_settings(text: str, member: str) -> dict[str, Any]:
    """Return settings as data; an empty text stands for no settings."""
    data = parse_object(text)
    if not isinstance(data.get(member, {}), dict):
        raise InputError(f"the settings are not a JSON object with {member}", hint=UNCHANGED)
    return data
