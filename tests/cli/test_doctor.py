"""howsure doctor."""

import json
import sqlite3

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


def test_doctor_says_what_is_broken(howsure: Run) -> None:
    done = howsure("doctor", "--json", HOWSURE_STORE="/proc/no/howsure.db")
    findings = {finding["what"]: finding for finding in map(json.loads, done.stdout.splitlines())}
    assert (done.returncode, findings["store"]["state"]) == (2, "broken")
    assert "HOWSURE_STORE" in findings["store"]["detail"]
