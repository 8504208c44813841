"""howsure doctor."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.conftest import Run


def test_doctor_finds_everything_working(howsure: Run) -> None:
    done = howsure("doctor", "--json")
    assert done.returncode == 0, done.stdout
    findings = {finding["what"]: finding for finding in map(json.loads, done.stdout.splitlines())}
    assert findings["SQLite"]["detail"].startswith(sqlite3.sqlite_version)
    assert findings["store"]["detail"].endswith("made when first used")
    assert {finding["state"] for finding in findings.values()} == {"ok"}
    assert "howsure" in howsure("doctor").stdout.decode()


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
