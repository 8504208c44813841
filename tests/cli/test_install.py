"""The hooks on the command line: answering events, and getting into an agent's settings and out again."""

import difflib
import json
import os
import pty
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.cli.hook_settings import AGENTS, add_hooks, remove_hooks
from howsure.cli.install import choose_file, find_agent
from howsure.errors import InputError
from tests.conftest import Run, hear_ctrl_c, wait_until_read

STOP = {"hook_event_name": "Stop", "session_id": "s1", "last_assistant_message": "It probably works."}
USED = {
    "hook_event_name": "PostToolUse",
    "session_id": "s1",
    "tool_name": "Grep",
    "tool_input": {"pattern": "Zebra"},
    "tool_response": "No matches found",
}
"""A search in vain: evidence, but none that would help."""
ON_PATH = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
OURS = {"type": "command", "command": "howsure hook"}
INSTALLED = {
    "hooks": {
        "PostToolUse": [{"matcher": "*", "hooks": [OURS]}],
        "PostToolUseFailure": [{"matcher": "*", "hooks": [OURS]}],
        "Stop": [{"hooks": [OURS]}],
        "SubagentStop": [{"hooks": [OURS]}],
    }
}


def told(done: "subprocess.CompletedProcess[bytes]") -> dict[str, Any]:
    """Return the answer of a hook, which is one line of JSON, whatever happens."""
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") == 1
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_hook_notes_what_tools_returned_and_judges_the_answer(howsure: Run) -> None:
    def event(name: str, **more: Any) -> dict[str, Any]:
        about = {"hook_event_name": name, "session_id": "s1", "cwd": "/srv/app"} | more
        return told(howsure("hook", "--agent", "ann", stdin=json.dumps(about).encode()))

    used = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "tool_response": {"stdout": "1 failed"}}
    assert event("PostToolUse", **used) == {}
    found = event("Stop", last_assistant_message="It is fixed.")
    assert found["decision"] == "block"
    assert "make the tests pass" in found["reason"]
    assert "let go" in event("Stop", last_assistant_message="It is fixed.")["systemMessage"]
    listed = howsure("ledger", "list", "--json").stdout
    assert listed.count(b'"ann"') == 2


def test_an_event_may_be_named_by_the_caller(howsure: Run) -> None:
    nameless = json.dumps({name: value for name, value in STOP.items() if name != "hook_event_name"}).encode()
    assert told(howsure("hook", stdin=nameless)) == {}
    assert told(howsure("hook", "post-tool-use", stdin=nameless)) == {}
    assert told(howsure("hook", "nonsense", stdin=nameless)) == {}
    assert told(howsure("hook", stdin=json.dumps(USED).encode())) == {}
    assert told(howsure("hook", "post-tool-use", stdin=json.dumps(STOP).encode()))["decision"] == "block"
    assert "let go" in told(howsure("hook", "stop", stdin=nameless))["systemMessage"]


def test_the_options_are_those_of_the_full_command_line(howsure: Run, tmp_path: Path) -> None:
    store = tmp_path / "own.db"
    assert told(howsure("hook", "--store", str(store), stdin=json.dumps(USED).encode())) == {}
    done = howsure("hook", "--agent-type=clerk", "--store", str(store), stdin=json.dumps(STOP).encode())
    assert "threshold 0.70" in told(done)["reason"]
    assert store.exists()


GARBAGE = {
    "nothing": b"",
    "blank": b" \n",
    "a word": b"hello",
    "half an object": b'{"hook_event_name": "Stop"',
    "not text": bytes(range(256)),
    "a number": b"5",
    "null": b"null",
    "a list": b"[]",
    "deep": b"[" * 200_000,
    "a huge number": b"9" * 10_000,
}


@pytest.mark.parametrize("name", GARBAGE)
def test_invalid_input_is_reported(howsure: Run, name: str) -> None:
    for arguments in ((), ("stop",)):
        assert set(told(howsure("hook", *arguments, stdin=GARBAGE[name]))) == {"systemMessage"}


def test_odd_text_is_judged(howsure: Run) -> None:
    broken = b'{"hook_event_name": "Stop", "session_id": "s1", "last_assistant_message": "Perhaps \\ud83d \xff."}'
    assert told(howsure("hook", stdin=json.dumps(USED).encode())) == {}
    assert told(howsure("hook", stdin=broken))["decision"] == "block"


@pytest.mark.parametrize("words", [("--agnet", "x"), ("a", "b"), ("--agent",), ("--json",)])
def test_options_that_are_wrong_do_not_stop_an_agent(howsure: Run, words: tuple[str, ...]) -> None:
    found = told(howsure("hook", *words, stdin=json.dumps(STOP).encode()))
    assert found["systemMessage"].startswith(f"howsure: cannot read {' '.join(words)}")
    assert b"Usage" in howsure("hook", "--help").stdout


def test_an_event_that_is_too_large_is_not_read(howsure: Run) -> None:
    large = b'{"last_assistant_message": "' + b"x" * 50_000_000 + b'"}'
    assert "larger than" in told(howsure("hook", "stop", stdin=large))["systemMessage"]


def test_a_store_that_cannot_be_opened_lets_go(howsure: Run) -> None:
    done = howsure("hook", stdin=json.dumps(STOP).encode(), HOWSURE_STORE="/dev/null/x.db")
    assert told(done)["systemMessage"].startswith("howsure: this could not be judged: ")
    done = howsure("hook", stdin=json.dumps(STOP).encode(), HOWSURE_THRESHOLDS_DEFAULT="nonsense")
    assert told(done)["systemMessage"].startswith("howsure: this could not be judged: ")


def test_a_byte_order_mark_before_an_event_is_accepted(howsure: Run) -> None:
    start = json.dumps({"hook_event_name": "SessionStart"}).encode()
    assert told(howsure("hook", stdin=b"\xef\xbb\xbf" + start)) == {}


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-", "2>&-", "> /dev/full", "< /dev/null"])
def test_a_hook_exits_0_whatever_is_closed(closed: str, tmp_path: Path) -> None:
    line = f"{sys.executable} -m howsure hook < {tmp_path}/event {closed}"
    (tmp_path / "event").write_text(json.dumps(STOP))
    done = subprocess.run(["bash", "-c", line], env=os.environ | {"HOME": str(tmp_path)}, check=False, timeout=60)
    assert done.returncode == 0


def test_a_hook_exits_0_if_its_output_is_closed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "howsure", "hook"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"HOME": str(tmp_path)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(json.dumps(STOP).encode())
    process.stdin.close()
    assert process.wait(60) == 0


def test_ctrl_c_is_not_an_error(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "howsure", "hook"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"HOME": str(tmp_path)},
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - the child has one thread
    )
    assert process.stdin is not None
    process.stdin.write(b"{")
    wait_until_read(process)  # it waits for more
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert (process.returncode, json.loads(out)) == (0, {"systemMessage": "howsure: interrupted"})


def test_a_hook_loads_no_parser() -> None:
    script = (
        "import io, sys; sys.argv = ['howsure', 'hook']; "
        f"sys.stdin = io.TextIOWrapper(io.BytesIO({json.dumps(STOP | {'stop_hook_active': True}).encode()!r})); "
        "from howsure.cli import main; main(); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "{}\n"
    assert not set(done.stderr.split()) & {"typer", "rich", "sqlite3", "asyncio", "dataclasses", "howsure.sure"}


@pytest.fixture
def hooks(tmp_path: Path) -> Run:
    """Run `howsure hook` as a process of its own, in a folder of its own."""

    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [sys.executable, "-m", "howsure", "hook", *arguments],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env=os.environ | ON_PATH | {"HOME": str(tmp_path / "home"), "NO_COLOR": "1"} | environment,
            timeout=120,
            check=False,
        )

    return run


def test_hooks_are_installed_and_taken_out_again(hooks: Run, tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    done = hooks("install", "--yes")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'+            "command": "howsure hook"' in done.stdout
    assert done.stdout.endswith(b"installed in .claude/settings.json\n")
    assert json.loads(path.read_text()) == INSTALLED
    assert path.read_text().endswith("}\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~_umask()
    again = hooks("install")
    assert (again.returncode, again.stdout) == (0, b"already installed in .claude/settings.json\n")
    done = hooks("uninstall", "--yes")
    assert done.stdout.endswith(b"removed .claude/settings.json, which held nothing else\n")
    assert not (tmp_path / ".claude").exists()
    assert hooks("uninstall").stdout == b"not installed in .claude/settings.json\n"


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def test_nothing_is_written_without_confirmation(hooks: Run, tmp_path: Path) -> None:
    done = hooks("install")
    assert done.returncode == 2
    assert b"--yes writes the change" in done.stderr
    assert b'+  "hooks": {' in done.stdout
    assert hooks("install", "--dry-run").returncode == 0
    assert not (tmp_path / ".claude").exists()
    hooks("install", "--yes")
    before = (tmp_path / ".claude" / "settings.json").read_bytes()
    assert hooks("uninstall").returncode == 2
    assert b'-            "command": "howsure hook"' in hooks("uninstall", "--dry-run").stdout
    assert (tmp_path / ".claude" / "settings.json").read_bytes() == before


@pytest.mark.parametrize("reply", ["y", "n"])
def test_on_a_terminal_the_command_asks(tmp_path: Path, reply: str) -> None:
    outside, inside = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "howsure", "hook", "install"], stdin=inside, stdout=subprocess.PIPE, cwd=tmp_path
    )
    os.write(outside, f"{reply}\n".encode())
    out, _ = process.communicate(timeout=60)
    os.close(inside)
    os.close(outside)
    assert b"Write this to .claude/settings.json?" in out
    assert process.returncode == (0 if reply == "y" else 1)
    assert (tmp_path / ".claude" / "settings.json").exists() is (reply == "y")


def test_settings_can_be_written_to_other_places(hooks: Run, tmp_path: Path) -> None:
    places = {
        ("--user",): "home/.claude/settings.json",
        ("--local",): ".claude/settings.local.json",
        ("--user", "--local"): "home/.claude/settings.local.json",
        ("--file", "deep/in/x.json"): "deep/in/x.json",
    }
    for arguments, place in places.items():
        assert hooks("install", "--yes", *arguments).returncode == 0
        assert json.loads((tmp_path / place).read_text()) == INSTALLED
        assert hooks("uninstall", "--yes", *arguments).returncode == 0
        assert not (tmp_path / place).exists()
    done = hooks("install", "--yes", "--file", "x.json", "--user")
    assert (done.returncode, done.stderr) == (
        2,
        b"howsure: file: --file already names the file (leave out --user and --local)\n",
    )


def test_options_go_into_the_command(hooks: Run, tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    hooks("install", "--yes")
    done = hooks("install", "--yes", "--agent", "ann's agent", "--agent-type", "planner")
    assert b"installed in" in done.stdout
    settings = json.loads(path.read_text())
    commands = {hook["command"] for groups in settings["hooks"].values() for group in groups for hook in group["hooks"]}
    assert len(commands) == 1
    command = commands.pop()
    assert "--agent-type planner" in command
    line = f"echo '{json.dumps(USED)}' | {command} && echo '{json.dumps(STOP)}' | {command}"
    environment = os.environ | {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", line], capture_output=True, env=environment, check=True)
    assert "threshold 0.75" in json.loads(done.stdout.splitlines()[-1])["reason"]
    assert hooks("uninstall", "--yes").returncode == 0
    assert not path.exists()


THEIRS = """\
{
    "model": "opus",  "numbers": [1.0, 1e5, 0.10],
    "hooks": {
        "Stop": [ { "hooks": [ {"type": "command", "command": "say done", "timeout": 5} ] } ],
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    {"type": "command", "command": "echo howsure hook"}
                ]
            }
        ],
        "PostToolUse": [
            {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier \\u00e9 é"}]}
        ]
    },
    "permissions": {"allow": [], "deny": {}}
}"""


@pytest.mark.parametrize(
    "text",
    [
        THEIRS,
        THEIRS + "\n\n",
        THEIRS.replace("\n", "\r\n"),
        THEIRS.replace("    ", "\t"),
        "\ufeff" + THEIRS,
        THEIRS.replace("\n", ""),
        '{"model": "opus"}',
        '{ "model": "opus" }\n',
        '{\n"model": "opus"\n}\n',
        '{"a": {"hooks": [1]}, "hooks": {"Notification": [{"hooks": [{"type": "command", "command": "bell"}]}]}}',
        '{\n  "hooks": {"Stop": [5, null, {"hooks": 5}, {"hooks": [5]}]}\n}\n',
    ],
)
def test_everything_else_in_the_file_stays_as_it_is(hooks: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(text.encode())
    path.chmod(0o640)
    assert hooks("install", "--yes", "--file", "settings.json").returncode == 0
    installed = path.read_bytes().decode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before, after = (json.loads(found.removeprefix("\ufeff")) for found in (text, installed))
    assert list(after)[: len(before)] == list(before)
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    matching = difflib.SequenceMatcher(None, text, installed, autojunk=False).get_opcodes()
    assert {kind for kind, *_ in matching} <= {"equal", "insert"}
    assert ("\r\n" in text) == ("\r\n" in installed)
    assert "\n" not in installed.replace("\r\n", "") or "\r\n" not in text
    assert add_hooks(installed, "howsure hook") == installed
    assert hooks("uninstall", "--yes", "--file", "settings.json").returncode == 0
    assert path.read_bytes().decode() == text


def test_our_hooks_are_removed_wherever_they_are() -> None:
    mixed = (
        '{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "/opt/bin/howsure hook stop"}, '
        '{"command": "b"}]}, {"hooks": [{"command": "howsure hook"}]}], '
        '"Other": [{"hooks": [{"command": "howsure  hook --agent x"}]}]}, "z": 1}'
    )
    assert remove_hooks(mixed) == '{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "b"}]}]}, "z": 1}'
    assert remove_hooks('{"hooks": {"Stop": [{"hooks": [{"command": "howsure hook"}]}]}, "z": 1}') == '{"z": 1}'
    for command in (
        "howsure hook install -y",
        "howsure gate",
        "nothowsure hook",
        "echo howsure hook",
        "howsure hook.sh",
    ):
        text = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}})
        assert remove_hooks(text) == text


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", b"the settings are not JSON"),
        (b'{"a": 1} // comment', b"the settings are not JSON"),
        (b"[]", b"the settings are not a JSON object"),
        (b'"hooks"', b"the settings are not a JSON object"),
        (b'{"hooks": []}', b"hooks: the hooks in the settings are not lists by event"),
        (b'{"hooks": {"Stop": {}}}', b"hooks: the hooks in the settings are not lists by event"),
        (b"\xff\xfe", b"is not UTF-8 text"),
        (b"[" * 100_000, b"the settings are not JSON"),
    ],
)
def test_an_invalid_settings_file_is_refused(hooks: Run, tmp_path: Path, content: bytes, problem: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    for command in ("install", "uninstall"):
        done = hooks(command, "--yes", "--file", "settings.json")
        assert done.returncode == 2
        assert problem in done.stderr
        assert done.stderr.count(b"\n") == 1
    assert path.read_bytes() == content


def test_an_empty_file_is_filled(hooks: Run, tmp_path: Path) -> None:
    for content in (b"", b"\n", b"{}", b"{ }\n", b'{"hooks": {}}'):
        (tmp_path / "x.json").write_bytes(content)
        assert hooks("install", "--yes", "--file", "x.json").returncode == 0
        assert json.loads((tmp_path / "x.json").read_text()) == INSTALLED


def test_a_link_stays_a_link(hooks: Run, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    (tmp_path / "x.json").symlink_to(real)
    hooks("install", "--yes", "--file", "x.json")
    assert (tmp_path / "x.json").is_symlink()
    assert json.loads(real.read_text()) == INSTALLED
    hooks("uninstall", "--yes", "--file", "x.json")
    assert real.read_text() == "{}\n"


def test_an_unwritable_place_is_reported(hooks: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for place in ("file/x.json", "folder", "/proc/x/settings.json"):
        done = hooks("install", "--yes", "--file", place)
        assert done.returncode == 2
        assert done.stderr.startswith(b"howsure: cannot ")


SETTINGS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
HOOKS = st.dictionaries(
    st.sampled_from(("Stop", "PostToolUse", "SessionStart")),
    st.lists(st.fixed_dictionaries({"hooks": st.lists(st.just({"command": "x"}), min_size=1)}), min_size=1, max_size=3),
    min_size=1,
)


@given(
    st.dictionaries(st.text(max_size=4), SETTINGS, min_size=1, max_size=4),
    HOOKS | st.none(),
    st.sampled_from((None, 1, 2, 4, "\t")),
    st.booleans(),
    st.sampled_from(sorted(AGENTS)),
)
def test_installing_and_uninstalling_leaves_settings_unchanged(
    found: dict[str, Any], hooks: Any, indent: Any, ascii_only: bool, name: str
) -> None:
    agent = AGENTS[name]
    found.pop("hooks", None)
    found |= {"version": 1, "mine": 1} if agent.flat else {}
    if hooks is not None:
        found = {"first": 1, "hooks": hooks} | found
    text = json.dumps(found or {"a": 1}, indent=indent, ensure_ascii=ascii_only)
    installed = add_hooks(text, "howsure hook", agent)
    assert installed.count("howsure hook") == len(agent.events)
    assert add_hooks(installed, "howsure hook", agent) == installed
    assert remove_hooks(installed, agent) == text
    changed = add_hooks(installed, "howsure hook --agent x", agent)
    assert remove_hooks(changed, agent) == text


def test_each_agent_gets_its_events_in_its_own_form(hooks: Run, tmp_path: Path) -> None:
    cursor, ours = [{"command": "howsure hook"}], {"hooks": [OURS]}
    written: dict[str, Any] = {
        "codex": {"hooks": {"PostToolUse": [{"matcher": "*"} | ours], "Stop": [ours], "SubagentStop": [ours]}},
        "cursor": {"version": 1, "hooks": {"postToolUse": cursor, "postToolUseFailure": cursor, "stop": cursor}},
        "gemini": {"hooks": {"AfterTool": [{"matcher": "*"} | ours], "AfterAgent": [ours]}},
    }
    for name, content in written.items():
        installed = add_hooks("", "howsure hook", AGENTS[name])
        assert json.loads(installed) == content
        assert remove_hooks(installed, AGENTS[name]) == ""
    done = hooks("install", "codex", "--yes")
    assert done.stdout.endswith(b"installed in .codex/hooks.json; trust the hooks in Codex with /hooks\n")
    assert json.loads((tmp_path / ".codex" / "hooks.json").read_text()) == written["codex"]
    assert hooks("uninstall", "codex", "--yes").returncode == 0
    assert not (tmp_path / ".codex").exists()
    with pytest.raises(InputError, match="unknown agent 'codx'"):
        find_agent("codx")
    with pytest.raises(InputError, match="only Claude Code has local settings"):
        choose_file("codex", user=False, local=True, file=None)


def test_comments_in_settings_stay() -> None:
    text = '{\n  // mine\n  "theme": "Default", // dark\n}\n'
    installed = add_hooks(text, "howsure hook", AGENTS["gemini"])
    assert "// mine" in installed
    assert installed.count("howsure hook") == 2
    assert "// dark" in remove_hooks(installed, AGENTS["gemini"])


def test_invalid_settings_raise() -> None:
    with pytest.raises(InputError, match="not a JSON object"):
        add_hooks("5", "howsure hook")


def test_without_howsure_on_the_path_the_absolute_path_is_written(howsure: Run, tmp_path: Path) -> None:
    file, empty = tmp_path / "settings.json", tmp_path / "empty"
    empty.mkdir()
    done = howsure("hook", "install", "--file", str(file), "--yes", "--agent", "ann", PATH=str(empty))
    assert done.returncode == 0, done.stderr
    assert b"warning: howsure is not on the PATH" in done.stderr
    hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
    (command,) = {hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]}
    assert command == f"{Path(sys.executable).with_name('howsure')} hook --agent ann"
    # The agent's shell runs it as it is written, with howsure nowhere on its PATH.
    event = json.dumps({"hook_event_name": "SessionStart"}).encode()
    ran = subprocess.run(["/bin/sh", "-c", command], input=event, capture_output=True, env={"PATH": ""}, check=False)
    assert (ran.returncode, json.loads(ran.stdout)) == (0, {})
    again = howsure("hook", "install", "--file", str(file), "--yes", "--agent", "ann", PATH=str(empty))
    assert again.stdout.startswith(b"already installed")
    done = howsure("hook", "install", "--file", str(file), "--yes", "--agent", "ann")
    assert (done.returncode, done.stderr) == (0, b"")
    assert '"howsure hook --agent ann"' in file.read_text(encoding="utf-8")
    assert str(sys.executable) not in file.read_text(encoding="utf-8")
    howsure("hook", "uninstall", "--file", str(file), "--yes")
    assert not file.exists()


@pytest.mark.parametrize(
    "command",
    [
        "/opt/a/python -m howsure hook",
        "'/opt/my tools/howsure' hook --agent ann",
        "'/opt/my tools/python' -m howsure hook",
    ],
)
def test_hooks_with_any_path_to_howsure_are_ours(command: str) -> None:
    assert remove_hooks(add_hooks("", command)) == ""


def test_hooks_of_other_programs_stay() -> None:
    for command in ("python -m howsure.other hook", "'/opt/nothowsure' hook", "echo -m howsure hook; rm x"):
        text = add_hooks("", "howsure hook").replace("howsure hook", command)
        assert remove_hooks(text) == text


MESSAGES = [
    ("Which database should I use: Postgres or SQLite?", False),
    ("Should I proceed with the migration?", False),
    ("Please confirm that I may delete the branch.", False),
    ("Let me look at the tests first.", False),
    ("The build is running in the background; I will report when it finishes.", False),
    ("I've started the migration. I'll let you know when it's finished.", False),
    ("The bug is fixed and all tests pass.", True),
    ("It is fixed. Do you want me to commit it?", True),
    ("I will fix it. The root cause is the cache in parser.py.", True),
]


@pytest.mark.parametrize("policy", ["evidence", "nlnh"])
def test_questions_and_interim_messages_in_a_transcript_are_not_blocked(
    howsure: Run, tmp_path: Path, policy: str
) -> None:
    used = USED | {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "tool_response": {"stdout": "1 failed"}}
    for number, (text, blocked) in enumerate(MESSAGES):
        transcript = tmp_path / f"{number}.jsonl"
        lines = [
            {"type": "user", "message": {"role": "user", "content": "Fix it."}},
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}},
        ]
        transcript.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        session = {"session_id": f"s{number}"}
        assert told(howsure("hook", stdin=json.dumps(used | session).encode())) == {}
        stop = {"hook_event_name": "Stop", "transcript_path": str(transcript)} | session
        found = told(howsure("hook", stdin=json.dumps(stop).encode(), HOWSURE_GATE_POLICY=policy))
        assert (found.get("decision") == "block") is blocked, (text, found)
