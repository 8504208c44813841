"""Settings: which place comes first, what is refused, and that the page tells all of them."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.settings import (
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
from tests.conftest import ROOT

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
    (example,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    file = places.write(places.working, example)
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
    file = places.write(places.above, content)
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
def test_a_file_with_a_name_that_is_none_is_refused(places: Places, where: str, content: str, told: str) -> None:
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
    places.write(places.above, f"store = {json.dumps(named)}")
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
