"""Settings: which place comes first, what is refused, and that the page tells all of them."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from howsure.cli import doctor
from howsure.errors import InputError
from howsure.settings import (
    ACTOR,
    KEEP,
    LOOKBACK,
    OUTCOMES,
    PROJECT,
    REDACT,
    RETENTION,
    SETTINGS,
    STORE,
    THRESHOLD,
    THRESHOLD_AGENTS,
    TIME_LIMIT,
    Setting,
    Settings,
    current,
)
from tests.conftest import ROOT, Run, trust_folder

PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([\w.]+)` \| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


class Places:
    """The working folder, the folders above it, and the user's own file."""

    def __init__(self, base: Path) -> None:
        self.above = base / "project"
        self.working = self.above / "src" / "deep"
        self.working.mkdir(parents=True)
        self.users = base / "config" / "howsure"
        self.users.mkdir(parents=True)
        self.environment = {"XDG_CONFIG_HOME": str(base / "config"), "XDG_DATA_HOME": str(base / "data")}

    def settings(self, **environment: str) -> Settings:
        return current(str(self.working), self.environment | environment)

    @staticmethod
    def write(folder: Path, content: str) -> str:
        file = folder / "howsure.toml"
        file.write_text(content, encoding="utf-8")
        return str(file)

    def write_trusted(self, folder: Path, content: str) -> str:
        file = self.write(folder, content)
        trust_folder(folder, self.users.parent)
        return file


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setattr(sys, "platform", "linux")
    return Places(tmp_path)


def test_the_docs_list_every_setting() -> None:
    rows = {name: variable for name, variable, _, _ in ROW.findall(PAGE)}
    assert rows == {setting.name: setting.variable for setting in SETTINGS}


def test_the_docs_state_the_defaults() -> None:
    said = {name: default.strip() for name, _, default, _ in ROW.findall(PAGE)}
    for setting in SETTINGS:
        default = setting.default({"USER": "ann", "XDG_DATA_HOME": "/data"})
        words = {STORE.name: "`howsure.db` in your data folder", "actor": "your user name"}
        if default in (None, "", {}, ()):
            assert said[setting.name] == "none"
        elif setting.name in words:
            assert said[setting.name] == words[setting.name]
        else:
            text = re.sub(r"\.0$", "", default if isinstance(default, str) else json.dumps(default))
            assert said[setting.name] == f"`{text}`"


def test_the_example_on_the_page_can_be_read(places: Places) -> None:
    example, _ = re.findall(
        r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )  # the other sets parameters of models
    file = places.write_trusted(places.working, example)
    found = places.settings()
    named = [setting for setting in SETTINGS if found.find(setting)[1] == file]
    assert len(named) == sum(line.count("=") > 0 for line in example.splitlines())
    assert found.value(STORE) == str(places.working / "decisions.db")
    assert found.value(THRESHOLD_AGENTS) == {"coding-agent": 0.7}


def test_the_nearest_place_comes_first(places: Places) -> None:
    variable = PROJECT.variable
    assert places.settings().find(PROJECT) == ("", "default")
    users = places.write(places.users, "project = 'users'")
    assert places.settings().find(PROJECT) == ("users", users)
    above = places.write(places.above, "project = 'above'")
    assert places.settings().find(PROJECT) == ("above", above)
    here = places.write(places.working, "project = 'here'")
    assert places.settings().find(PROJECT) == ("here", here)
    assert places.settings(**{variable: "environment"}).find(PROJECT) == ("environment", variable)


def test_each_setting_is_looked_for_on_its_own(places: Places) -> None:
    users = places.write(places.users, "[ledger]\nkeep = 'all'\nretention_days = 30\n")
    near = places.write(places.working, "[ledger]\nkeep = 'nothing'\n")
    found = places.settings()
    assert (found.find(KEEP), found.find(RETENTION)) == (("nothing", near), (30.0, users))


def test_only_the_nearest_file_above_is_read(places: Places) -> None:
    places.write(places.above, "project = 'above'\nnonsense = [")
    places.write(places.working, "formula = 'beta'")
    assert places.settings().find(PROJECT) == ("", "default")


def test_a_file_that_is_near_and_the_users_own_is_read_once(places: Places) -> None:
    file = places.write(places.users, "project = 'users'")
    assert [path for path, _ in current(str(places.users), places.environment).files] == [file]


def test_an_empty_variable_is_not_set(places: Places) -> None:
    places.write(places.working, "project = 'here'")
    assert places.settings(HOWSURE_PROJECT="").value(PROJECT) == "here"


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        (PROJECT, "0.5", "0.5"),
        (KEEP, "all", "all"),
        (OUTCOMES, "false", False),
        (LOOKBACK, "48", 48.0),
        (THRESHOLD, "0.7", 0.7),
        (THRESHOLD, "null", None),
        (THRESHOLD_AGENTS, '{"ann": 0.6}', {"ann": 0.6}),
        (REDACT, '["x+"]', ("x+",)),
    ],
)
def test_a_variable_holds_text_or_json(places: Places, setting: Setting, text: str, value: Any) -> None:
    assert places.settings(**{setting.variable: text}).find(setting) == (value, setting.variable)


@pytest.mark.parametrize(
    ("setting", "text", "told"),
    [
        (THRESHOLD, "75", "HOWSURE_THRESHOLDS_DEFAULT: 75 is not between 0 and 1"),
        (THRESHOLD, "high", "HOWSURE_THRESHOLDS_DEFAULT: 'high' is not JSON"),
        (THRESHOLD, "NaN", "HOWSURE_THRESHOLDS_DEFAULT: nan is not a finite number"),
        (THRESHOLD_AGENTS, '{"ann": "0.6"}', "HOWSURE_THRESHOLDS_AGENTS.ann: '0.6' is not a number"),
        (KEEP, "some", "HOWSURE_LEDGER_KEEP: 'some' is not one of nothing, start, all"),
        (OUTCOMES, "1", "HOWSURE_RESPONSES_OUTCOMES: 1 is neither true nor false"),
        (RETENTION, "0", "HOWSURE_LEDGER_RETENTION_DAYS: 0 is not between 1 and 100000"),
        (LOOKBACK, "-1", "HOWSURE_RESPONSES_LOOKBACK_HOURS: -1 is not between 0 and"),
        (REDACT, '"x"', "HOWSURE_LEDGER_REDACT: 'x' is not a list"),
    ],
)
def test_an_invalid_variable_is_reported(places: Places, setting: Setting, text: str, told: str) -> None:
    found = places.settings(**{setting.variable: text})
    with pytest.raises(InputError) as error:
        found.value(setting)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    ("setting", "content", "told"),
    [
        (THRESHOLD, "[thresholds]\ndefault = 75", "thresholds.default: 75 is not between 0 and 1"),
        (THRESHOLD_AGENTS, "[thresholds.agents]\nann = 'x'", "thresholds.agents.ann: 'x' is not a number"),
        (THRESHOLD_AGENTS, "[thresholds]\nagents = 0.5", "thresholds.agents: 0.5 is not an object"),
        (PROJECT, "project = 5", "project: 5 is not a text"),
        (STORE, "[store]\nfile = 'x.db'", "store: an object of 1 is not a text"),
        (KEEP, "[ledger]\nkeep = 'al'", "ledger.keep: 'al' is not one of nothing, start, all"),
        (TIME_LIMIT, "[code]\ntime_limit = inf", "code.time_limit: inf is not a finite number"),
    ],
)
def test_an_invalid_value_is_reported_with_its_file(places: Places, setting: Setting, content: str, told: str) -> None:
    file = places.write_trusted(places.above, content)
    found = places.settings()
    with pytest.raises(InputError) as error:
        found.value(setting)
    assert str(error.value).startswith(f"{told}, in {file}")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("projekt = 'web'", "unknown setting 'projekt' (did you mean project?)"),
        ("[ledger]\nretention = 30", "unknown setting 'ledger.retention' (did you mean ledger.retention_days?)"),
        ("[treshold]\ndefault = 0.5", "unknown setting 'treshold'"),
        ("thresholds = 0.5", "unknown setting 'thresholds'"),
        ("[thresholds]\n'' = 0.5", "unknown setting 'thresholds'"),
        ("project = ", "cannot read"),
        ("project = 'a'\nproject = 'b'", "cannot read"),
    ],
)
@pytest.mark.parametrize("where", ["working", "above", "users"])
def test_a_file_with_an_invalid_name_is_refused(places: Places, where: str, content: str, told: str) -> None:
    file = places.write(getattr(places, where), content)
    with pytest.raises(InputError) as error:
        places.settings()
    assert str(error.value).startswith(file)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("decisions.db", "{folder}/decisions.db"),
        ("../decisions.db", "{folder}/../decisions.db"),
        ("/var/decisions.db", "/var/decisions.db"),
        ("~/decisions.db", "{home}/decisions.db"),
        ("postgresql://db/claims", "postgresql://db/claims"),
    ],
)
def test_a_store_lies_where_the_file_says(
    places: Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str, meant: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    places.write_trusted(places.above, f"store = {json.dumps(named)}")
    assert places.settings().value(STORE) == meant.format(folder=places.above, home=tmp_path)
    assert places.settings(HOWSURE_STORE="here.db").value(STORE) == "here.db"


@pytest.mark.parametrize(
    ("platform", "environment", "config", "data"),
    [
        ("linux", {}, ".config/howsure", ".local/share/howsure"),
        ("linux", {"XDG_CONFIG_HOME": "{home}/c", "XDG_DATA_HOME": "{home}/d"}, "c/howsure", "d/howsure"),
        ("darwin", {}, *["Library/Application Support/howsure"] * 2),
        ("win32", {}, *["AppData/Local/howsure"] * 2),
        ("win32", {"LOCALAPPDATA": "{home}/Local"}, *["Local/howsure"] * 2),
    ],
)
def test_every_system_has_a_place_for_the_users_own_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    environment: dict[str, str],
    config: str,
    data: str,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    given = {name: value.format(home=tmp_path) for name, value in environment.items()}
    working = tmp_path / "work"
    working.mkdir()
    (tmp_path / config).mkdir(parents=True)
    file = Places.write(tmp_path / config, "project = 'users'")
    assert current(str(working), given).find(PROJECT) == ("users", file)
    assert current(str(working), given).value(STORE) == str(tmp_path / data / "howsure.db")


def test_without_a_folder_or_an_environment_the_process_has_its_own(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    places.write(places.above, "project = 'above'")
    monkeypatch.chdir(places.working)
    monkeypatch.delenv(PROJECT.variable, raising=False)
    assert PROJECT.value() == "above"
    monkeypatch.setenv(PROJECT.variable, "environment")
    assert PROJECT.value() == "environment"


def test_a_deleted_working_folder_is_handled(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = places.above / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert current(environment=places.environment).value(PROJECT) == ""


EXAMPLES: dict[str, list[tuple[str, Any]]] = {
    "thresholds.default": [("0.7", 0.7), ("null", None)],
    "gate.promise": [("0.05", 0.05), ("null", None)],
    "thresholds.agents": [('{"ann": 0.9}', {"ann": 0.9})],
    "thresholds.types": [('{"planner": 0.9}', {"planner": 0.9})],
    "thresholds.projects": [('{"web": 0.9}', {"web": 0.9})],
    "responses.lookback_hours": [("12", 12.0)],
    "ledger.redact": [('["secret-.*"]', ["secret-.*"])],
    "ledger.retention_days": [("30", 30.0)],
    "code.time_limit": [("10", 10.0)],
    "investigations.tools": [('{"mine": "search"}', {"mine": "search"})],
    "judge.time_limit": [("5", 5.0)],
    "judge.key": [("hush", "(set)")],
    "formula": [("beta", "beta")],
}
"""Texts of environment variables and the values they stand for; for others they follow from the type."""


def _examples(setting: Setting) -> list[tuple[str, Any]]:
    if setting.name in EXAMPLES:
        return EXAMPLES[setting.name]
    if setting.shape is str:
        return [("/somewhere/text", "/somewhere/text")]
    if setting.shape is bool:
        return [("true", True), ("off", False), ("on", True), ("Yes", True), ("no", False), ("false", False)]
    if get_origin(setting.shape) is Literal:
        return [(word, word) for word in get_args(setting.shape)]
    default = setting.default({})
    assert default is not None, f"{setting.name} needs an example"
    return [(json.dumps(default), default)]


@pytest.mark.parametrize("setting", SETTINGS, ids=[setting.name for setting in SETTINGS])
def test_every_setting_works_in_the_environment_and_in_a_file(
    setting: Setting,
    places: Places,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for variable in [name for name in os.environ if name.startswith("HOWSURE_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(places.working)

    def shown() -> tuple[Any, str]:
        doctor.settings(json=True)
        (row,) = [row for row in map(json.loads, capsys.readouterr().out.splitlines()) if row["name"] == setting.name]
        return row["value"], row["from"]

    for text, value in _examples(setting):
        monkeypatch.setenv(setting.variable, text)
        assert shown() == (value, setting.variable)
        monkeypatch.delenv(setting.variable)
        raw = text if value == "(set)" else value
        if raw is None:
            continue
        table, _, key = setting.name.rpartition(".")
        line = f"{key} = {json.dumps(raw)}" if not isinstance(raw, dict) else f"{key} = {_inline(raw)}"
        file = places.write_trusted(places.working, f"[{table}]\n{line}\n" if table else f"{line}\n")
        assert shown() == (value, file)
        (places.working / "howsure.toml").unlink()


def _inline(table: dict[str, Any]) -> str:
    return "{" + ", ".join(f"{json.dumps(name)} = {json.dumps(value)}" for name, value in table.items()) + "}"


@pytest.mark.parametrize("setting", SETTINGS, ids=[setting.name for setting in SETTINGS])
def test_commands_run_with_every_setting_in_the_environment(setting: Setting, tmp_path: Path, howsure: Run) -> None:
    for text, _ in _examples(setting)[:3]:
        environment = {"HOWSURE_STORE": str(tmp_path / "s.db")} | {setting.variable: text}
        if setting.name in ("store", "documents.pack", "documents.cache", "code.types"):
            environment[setting.variable] = str(tmp_path / "other.db")
        about = ("--agent", "ann", "--knowledge", "0.9", "--code", "1")
        assert howsure("gate", *about, **environment).returncode in (0, 1)
        assert howsure("stats", **environment).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="USERNAME is always set")
def test_the_actor_is_the_user_of_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import pwd

    assert ACTOR.default({"USER": "ann", "USERNAME": "bob"}) == "ann"
    assert ACTOR.default({"USERNAME": "bob"}) == "bob"
    assert ACTOR.default({}) == pwd.getpwuid(os.getuid()).pw_name
    monkeypatch.setattr(os, "getuid", lambda: 2_147_483_646)  # as in a container whose user has no entry
    assert ACTOR.default({}) == "unknown"
