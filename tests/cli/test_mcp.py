"""`howsure mcp install`: shows the change, changes nothing else, and can be taken back."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from howsure.cli.jsonc import blank_comments
from howsure.cli.mcp import (
    add_server,
    known_clients,
    remove_server,
    server_configuration,
    with_server,
    without_server,
)
from howsure.errors import InputError
from tests.conftest import Run

OURS = {"command": "howsure", "args": ["mcp"]}


def _run(*arguments: str, home: Path) -> "subprocess.CompletedProcess[str]":
    script = "import sys; sys.argv[0] = 'howsure'; from howsure.cli.mcp import mcp; mcp()"
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=home,
        env=os.environ | {"HOME": str(home), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def _servers(path: Path, member: str = "mcpServers") -> Any:
    return json.loads(path.read_text())[member]


def test_a_project_gets_a_file_and_loses_it_again(tmp_path: Path) -> None:
    shown = _run("install", "--dry-run", home=tmp_path)
    assert '+    "howsure": {' in shown.stdout
    assert not (tmp_path / ".mcp.json").exists()
    done = _run("install", "--yes", home=tmp_path)
    assert done.stdout.endswith("installed in .mcp.json; restart the client\n")
    assert _servers(tmp_path / ".mcp.json") == {"howsure": OURS}
    assert _run("install", "--yes", home=tmp_path).stdout == "already installed in .mcp.json\n"
    assert "deleted .mcp.json" in _run("uninstall", "--yes", home=tmp_path).stdout
    assert not (tmp_path / ".mcp.json").exists()
    assert _run("uninstall", "--yes", home=tmp_path).stdout == "not installed in .mcp.json\n"


def test_nothing_is_written_without_confirmation(tmp_path: Path) -> None:
    done = _run("install", home=tmp_path)
    assert done.returncode != 0
    assert "there is no terminal to ask on" in done.stderr
    assert not (tmp_path / ".mcp.json").exists()


def test_each_client_has_its_place(tmp_path: Path) -> None:
    for name, place in known_clients().items():
        done = _run("install", name, "--yes", "--store", "/data/a.db", home=tmp_path)
        assert done.returncode == 0, done.stderr
        path = tmp_path / place.file.relative_to(Path.home()) if place.file.is_absolute() else tmp_path / place.file
        found = (tomllib.loads(path.read_text())[place.member] if place.is_toml else _servers(path, place.member))[
            "howsure"
        ]
        command = found["command"] if place.one_list else [found["command"], *found["args"]]
        assert command[-3:] == ["mcp", "--store", "/data/a.db"]
        assert (command[0] == "howsure") == place.shared
        assert place.shared or Path(command[0]).is_absolute()
    assert _servers(tmp_path / ".vscode" / "mcp.json", "servers")["howsure"]["type"] == "stdio"
    wrong = _run("install", "cursr", "--yes", home=tmp_path)
    assert "did you mean cursor?" in wrong.stderr


def test_other_settings_stay_unchanged() -> None:
    before = '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}\n\t},\n\t"theme": "dark"\n}\n'
    after = with_server(before, "mcpServers", OURS)
    assert json.loads(after)["mcpServers"] == {"other": {"command": "x"}, "howsure": OURS}
    assert without_server(after, "mcpServers") == before
    newer = {"command": "howsure", "args": ["mcp", "--store", "a"]}
    changed = with_server(after, "mcpServers", newer)
    assert json.loads(changed)["mcpServers"]["howsure"] == newer
    assert json.loads(changed)["theme"] == "dark"
    assert json.loads(with_server('{"theme": "dark"}', "servers", OURS)) == {
        "theme": "dark",
        "servers": {"howsure": OURS},
    }
    alone = with_server('{"theme": "dark"}', "servers", OURS)
    assert json.loads(without_server(alone, "servers")) == {"theme": "dark"}


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"mcpServers": []}', '{"mcpServers": null}', "// a comment\n{}", "[" * 100_000]
)
def test_invalid_settings_are_left_unchanged(text: str) -> None:
    with pytest.raises(InputError, match="nothing was changed"):
        with_server(text, "mcpServers", OURS)
    with pytest.raises(InputError, match="nothing was changed"):
        without_server(text, "mcpServers")


@pytest.mark.parametrize("address", ["postgresql://ann:hunter2@db/claims", "postgresql://db/claims?password=hunter2"])
def test_no_password_is_written(address: str, howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    done = howsure("mcp", "install", "--file", str(file), "--yes", "--store", address)
    assert (done.returncode, file.exists()) == (2, False)
    assert b"hunter2" not in done.stdout + done.stderr
    assert b"holds a password" in done.stderr
    done = howsure("mcp", "install", "--file", str(file), "--yes", "--store", "postgresql://ann@db/claims")
    assert (done.returncode, file.exists()) == (0, True)


@pytest.mark.parametrize("client", ["codex", "opencode", "zed"])
def test_more_clients_get_the_server_in_their_own_form(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = known_clients()[client].file
    file.parent.mkdir(parents=True)
    before = "# mine\nmodel = 'm'\n" if client == "codex" else '{\n  // mine\n  "theme": "dark"\n}\n'
    file.write_text(before)
    assert _run("install", client, "--dry-run", home=tmp_path).returncode == 0
    assert file.read_text() == before
    assert _run("install", client, "--yes", home=tmp_path).returncode == 0
    text = file.read_text()
    assert "mine" in text
    data = tomllib.loads(text) if client == "codex" else json.loads(blank_comments(text))
    member = {"codex": "mcp_servers", "opencode": "mcp", "zed": "context_servers"}[client]
    entry = data[member]["howsure"]
    command = entry["command"] if client == "opencode" else [entry["command"], *entry["args"]]
    assert command[-1] == "mcp"
    assert "already installed" in _run("install", client, "--yes", home=tmp_path).stdout
    assert _run("install", client, "--yes", "--store", "other.db", home=tmp_path).returncode == 0
    assert file.read_text().count("howsure") >= 1
    assert _run("uninstall", client, "--yes", home=tmp_path).returncode == 0
    assert file.read_text().split() == before.split()


@pytest.mark.parametrize(
    "before",
    [
        '{"mcp": {"servers": {"other": {"type": "local", "command": ["x"]}}}}',
        '{"theme": "dark", "mcp": {"servers": {}}}',
    ],
)
def test_opencode_2_gets_the_server_where_its_servers_are(before: str) -> None:
    opencode = known_clients()["opencode"]
    new = server_configuration(opencode, None)
    after = json.loads(add_server("// mine\n" + before, opencode, new).removeprefix("// mine\n"))
    assert after["mcp"]["servers"]["howsure"] == {"type": "local", "command": new["command"]}
    assert json.loads(before)["mcp"]["servers"].items() <= after["mcp"]["servers"].items()
    removed = remove_server(json.dumps(after), opencode)
    assert json.loads(removed) == (json.loads(before) if "other" in before else {"theme": "dark"})
    named = '{"mcp": {"servers": {"type": "local", "command": ["x"]}}}'  # a server of this name, in the old form
    assert json.loads(add_server(named, opencode, new))["mcp"]["howsure"] == new


def test_toml_settings_whose_servers_are_not_a_table_are_left_alone() -> None:
    settings = known_clients()["codex"]
    for text in ("mcp_servers = []\n", "mcp_servers = 'howsure'\n"):
        with pytest.raises(InputError, match="mcp_servers in the settings is not a table"):
            add_server(text, settings, OURS)
        with pytest.raises(InputError, match="nothing was changed"):
            remove_server(text, settings)
