"""howsure doctor."""

import json
import sqlite3
from pathlib import Path

import pytest

from howsure.cli.doctor import examine
from tests.conftest import Run


def test_doctor_finds_everything_working(howsure: Run) -> None:
    done = howsure("doctor", "--json")
    assert done.returncode == 0, done.stdout
    findings = {finding["what"]: finding for finding in map(json.loads, done.stdout.splitlines())}
    assert findings["SQLite"]["detail"].startswith(sqlite3.sqlite_version)
    assert findings["store"]["detail"].endswith("made when first used")
    assert {finding["state"] for finding in findings.values()} == {"ok"}
    assert "howsure" in howsure("doctor").stdout.decode()


def test_a_file_that_is_no_store_is_broken(howsure: Run, tmp_path: Path) -> None:
    junk = tmp_path / "junk.db"
    junk.write_text("this is no database")
    done = howsure("doctor", "--json", HOWSURE_STORE=str(junk))
    findings = {finding["what"]: finding for finding in map(json.loads, done.stdout.splitlines())}
    assert (done.returncode, findings["store"]["state"]) == (2, "broken")
    assert "is not a SQLite database" in findings["store"]["detail"]


def test_doctor_hides_the_password_of_a_store(howsure: Run) -> None:
    done = howsure("doctor", HOWSURE_STORE="postgresql://ann:secret@db/x")
    assert b"secret" not in done.stdout
    assert b"postgresql://db/x" in done.stdout


@pytest.mark.parametrize(
    ("store", "state", "message"),
    [
        ("postgresql+psycopg://ann:secret@db/x", "broken", "did you mean postgresql://?"),
        ("mysql://ann:secret@db/x", "broken", "unknown scheme 'mysql'"),
        ("host=db password=secret", "broken", "write it as postgresql://"),
        ("{folder}/typo/x.db", "broken", "does not exist"),
        ("sqlite:///{folder}/x.db", "ok", "made when first used"),
    ],
)
def test_doctor_checks_the_address_of_the_store(
    howsure: Run, tmp_path: Path, store: str, state: str, message: str
) -> None:
    done = howsure("doctor", "--json", HOWSURE_STORE=store.format(folder=tmp_path))
    findings = {finding["what"]: finding for finding in map(json.loads, done.stdout.splitlines())}
    assert (done.returncode, findings["store"]["state"]) == (0 if state == "ok" else 2, state)
    assert message in findings["store"]["detail"]
    assert b"secret" not in done.stdout + done.stderr


def test_doctor_says_who_else_may_read_the_store(howsure: Run, tmp_path: Path) -> None:
    store = tmp_path / "x.db"
    store.touch()
    store.chmod(0o644)
    assert b"chmod 600" in howsure("doctor", "--json", HOWSURE_STORE=str(store)).stdout


def test_doctor_says_what_is_broken(howsure: Run) -> None:
    done = howsure("doctor", "--json", HOWSURE_STORE="/proc/no/howsure.db")
    findings = {finding["what"]: finding for finding in map(json.loads, done.stdout.splitlines())}
    assert (done.returncode, findings["store"]["state"]) == (2, "broken")
    assert "HOWSURE_STORE" in findings["store"]["detail"]


def test_parameters_of_models_are_shown_and_set(howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / ".config" / "howsure" / "howsure.toml"
    file.parent.mkdir(parents=True)
    file.write_text(
        "[models.noisy_or]\nboost_factor = 0.25\n[models.noisy_or.half_life]\ntask = 60\n", encoding="utf-8"
    )
    own = {"XDG_CONFIG_HOME": str(tmp_path / ".config"), "HOWSURE_STORE": str(tmp_path / "x.db")}
    lines = [json.loads(line) for line in howsure("settings", "--json", **own).stdout.splitlines()]
    shown = {line["name"]: line for line in lines}
    assert shown["models.noisy_or.boost_factor"]["value"] == 0.25
    assert shown["models.noisy_or.boost_factor"]["from"] == str(file)
    assert shown["models.noisy_or.half_life"]["value"]["task"] == 60
    assert shown["models.noisy_or.half_life"]["value"]["project"] == 2419200
    assert shown["models.response.relevant_from"]["value"] == 0.7
    assert b"boost_factor" in howsure("settings", "models.noisy_or", **own).stdout
    unknown = howsure("settings", "models.nosy_or", **own)
    assert (unknown.returncode, b"did you mean models.noisy_or?" in unknown.stderr) == (2, True)
    score = ("score", "noisy_or", "-")
    case = b'{"now": 0, "sources": []}'
    assert json.loads(howsure(*score, stdin=case, **own).stdout)["spec"]["parameters"]["boost_factor"] == 0.25
    option = ("--set", "models.noisy_or.boost_factor=0.5")
    assert json.loads(howsure(*option, *score, stdin=case, **own).stdout)["spec"]["parameters"]["boost_factor"] == 0.5
    wrong = howsure("--set", "gate.polcy=x", *score, stdin=case, **own)
    assert (wrong.returncode, b"did you mean gate.policy?" in wrong.stderr) == (2, True)
    assert howsure("--set", "gate.policy", *score, stdin=case, **own).returncode == 2
    gate = ("gate", "--agent", "a", "--knowledge", "0.5", "--json", "-")
    judged = howsure("--set", "models.evidence.default_threshold=0.3", *gate, stdin=b"It works.", **own)
    assert json.loads(judged.stdout)["threshold"] == 0.3
    file.write_text("[models.nosy_or]\nx = 1\n", encoding="utf-8")
    for command in (gate, score, ("settings",), ("claim", "find", "x")):
        refused = howsure(*command, stdin=case, **own)
        assert (refused.returncode, b"did you mean noisy_or?" in refused.stderr) == (2, True)
    (settings,) = [
        line
        for line in map(json.loads, howsure("doctor", "--json", **own).stdout.splitlines())
        if line["what"] == "settings"
    ]
    assert settings["state"] == "broken"


def test_doctor_reports_settings_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "howsure.toml").write_text("gate = [")
    monkeypatch.chdir(tmp_path)
    findings = {finding.what: finding for finding in examine()}
    assert findings["settings"].state == "broken"
    assert "howsure.toml" in findings["settings"].detail
    assert findings["extra web"].state == "ok", "the other checks go on"


def test_doctor_finds_a_damaged_store(howsure: Run, tmp_path: Path) -> None:
    store = tmp_path / "x.db"
    howsure("claim", "add", "The port is 8443", HOWSURE_STORE=str(store))
    assert howsure("doctor", HOWSURE_STORE=str(store)).returncode == 0
    with store.open("r+b") as file:
        file.seek(8000)
        file.write(b"\xff" * 3000)
    done = howsure("doctor", "--json", HOWSURE_STORE=str(store))
    findings = {finding["what"]: finding for finding in map(json.loads, done.stdout.splitlines())}
    assert (done.returncode, findings["contents"]["state"]) == (2, "broken")


def test_doctor_names_the_reader() -> None:
    findings = {finding.what: finding for finding in examine()}
    assert findings["reader"].detail.startswith("rules+small")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("gate.policy=foo", "gate.policy: 'foo' is not one of evidence, nlnh, in --set"),
        ("thresholds.default=2", "thresholds.default: 2 is not between 0 and 1, in --set"),
        ("thresholds.default=x", "thresholds.default: 'x' is not JSON, in --set"),
        ('thresholds.types={"a": 3}', "thresholds.types.a: 3 is not between 0 and 1, in --set"),
        ("models.noisy_or.boost_factor=-3", "models.noisy_or.boost_factor: -3 is not between 0 and 1e+12, in --set"),
        (
            "models.noisy_or.bost_factor=1",
            "models: unknown parameter 'bost_factor' of the model noisy_or, in --set models.noisy_or.bost_factor",
        ),
        (
            "models.nosy_or.x=1",
            "models: there is no model 'nosy_or', in --set models.nosy_or.x",
        ),
        ("models=1", "set: unknown setting 'models'"),
    ],
)
def test_an_error_about_a_setting_names_the_option_that_set_it(
    howsure: Run, tmp_path: Path, given: str, said: str
) -> None:
    own = {"HOWSURE_STORE": str(tmp_path / "x.db")}
    for command in (("gate", "--knowledge", "0.9", "-"), ("settings",)):
        done = howsure("--set", given, *command, stdin=b"It works.", **own)
        assert done.returncode == 2
        assert done.stderr.decode().startswith(f"howsure: {said}")
        assert b"HOWSURE_" not in done.stderr


def test_settings_show_which_the_option_has_set(howsure: Run, tmp_path: Path) -> None:
    own = {"HOWSURE_STORE": str(tmp_path / "x.db"), "HOWSURE_GATE_SHADOW": "on"}
    done = howsure("--set", "gate.policy=nlnh", "settings", "gate", "--json", **own)
    origins = {line["name"]: line["from"] for line in map(json.loads, done.stdout.splitlines())}
    assert origins["gate.policy"] == "--set"
    assert origins["gate.shadow"] == "HOWSURE_GATE_SHADOW"
    wrong = howsure("settings", HOWSURE_GATE_POLICY="foo", **own)
    assert wrong.stderr.startswith(b"howsure: HOWSURE_GATE_POLICY: 'foo' is not one of")
