"""howsure store and howsure janitor."""

import json
from pathlib import Path

from howsure.store.backends.schema import newest
from tests.cli.conftest import Call, add_claim
from tests.conftest import Run


def test_an_export_can_be_imported_elsewhere(run: Call, howsure: Run, tmp_path: Path) -> None:
    add_claim(run, "one")
    add_claim(run, "two")
    exported = run("claim", "export")
    other = str(tmp_path / "other.db")
    done = howsure("claim", "import", "-", "--store", other, stdin=exported.encode())
    assert done.stdout.decode().startswith("2 claims, 0 skipped")
    assert howsure("claim", "export", "--store", other).stdout.decode() == exported
    run("claim", "export", str(tmp_path / "file.jsonl"))
    assert (tmp_path / "file.jsonl").read_text() == exported


def test_the_janitor_has_a_dry_run(run: Call) -> None:
    claim = add_claim(run, "short-lived", "--ttl", "1", "--source", "u:a")
    later = "2100-01-01"
    would = run("janitor", "--dry-run", "--now", later)
    assert f"would expire {claim['id']}" in would
    assert run("claim", "show", claim["id"], "--json")[0]["status"] == "active"
    assert f"expire {claim['id']}" in run("janitor", "--now", later)
    assert run("claim", "show", claim["id"], "--json")[0]["status"] == "forgotten"
    (collected,) = run("janitor", "--now", "2100-03-01", "--json")
    assert (collected["action"], collected["done"]) == ("collect", True)
    assert "nothing to do" in run("janitor")


def test_the_store_can_be_checked_backed_up_and_restored(run: Call, howsure: Run, tmp_path: Path) -> None:
    add_claim(run, "one")
    assert "is sound" in run("store", "check")
    assert f"schema {newest()}, as before" in run("store", "migrate")
    assert json.loads(howsure("store", "stats", "--json", HOWSURE_STORE=str(tmp_path / "s.db")).stdout)["claims"] == 1
    for name in ("copy.db", "copy.jsonl"):
        run("store", "backup", str(tmp_path / name))
        target = str(tmp_path / f"restored-{name}.db")
        assert howsure("store", "restore", str(tmp_path / name), "--store", target).stdout.startswith(b"1 claims")
        assert json.loads(howsure("store", "check", "--store", target, "--json").stdout)["sound"]
    assert "exists already" in run("store", "backup", str(tmp_path / "copy.db"), code=2)
    assert "already has 1 claims" in run("store", "restore", str(tmp_path / "copy.db"), code=2)


def test_a_failed_restore_leaves_no_new_store(run: Call, howsure: Run, tmp_path: Path) -> None:
    add_claim(run, "one")
    for name in ("copy.db", "copy.jsonl"):
        run("store", "backup", str(tmp_path / name))
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    (tmp_path / "other.db").write_text("something else\n" * 100)
    before = sorted(tmp_path.iterdir())
    for name in ("copy.db", "copy.jsonl", "other.db", "missing.db", "missing.jsonl"):
        for prefix in ("", "sqlite:///"):
            target = f"{prefix}{tmp_path / 'new.db'}"
            done = howsure("store", "restore", str(tmp_path / name), "--store", target)
            assert (done.returncode, done.stdout) == (2, b""), name
            assert sorted(tmp_path.iterdir()) == before, name
    assert howsure("store", "stats", "--store", str(tmp_path / "new.db")).returncode == 0
    howsure("store", "restore", str(tmp_path / "other.db"), "--store", str(tmp_path / "new.db"))
    assert (tmp_path / "new.db").exists()  # it was there before


def test_damage_is_found(run: Call, tmp_path: Path) -> None:
    import sqlite3

    claim = add_claim(run, "one")
    with sqlite3.connect(tmp_path / "s.db") as connection:
        connection.execute("UPDATE claims SET doubt = 0.1, status = 'deprecated'")
    connection.close()
    said = run("store", "check", code=1)
    assert f"{claim['id']}: its folds do not match" in said
    assert f"{claim['id']} is deprecated, but its history says active" in said


def test_a_backup_says_what_it_leaves_out(howsure: Run, tmp_path: Path) -> None:
    place = {"HOWSURE_STORE": str(tmp_path / "s.db")}
    howsure("claim", "add", "kept", "--source", "a:b", **place)
    done = howsure("store", "backup", str(tmp_path / "before.jsonl"), **place)
    assert (done.returncode, done.stderr) == (0, b"")
    howsure("token", "create", "ci", **place)
    howsure("token", "create", "ann", **place)
    howsure("peer", "add", "https://peer.example", "--trust", "0.5", **place)
    done = howsure("store", "backup", str(tmp_path / "copy.jsonl"), **place)
    assert done.returncode == 0
    assert b"left out, since a backup gives no access: 2 tokens and 1 peer" in done.stderr
    done = howsure("store", "backup", str(tmp_path / "copy.db"), **place)
    assert b"left out, since a backup gives no access: 2 tokens and 1 peer" in done.stderr
    done = howsure("store", "restore", str(tmp_path / "copy.jsonl"), "--store", str(tmp_path / "new.db"))
    assert done.returncode == 0
    assert b"not restored, since a backup gives no access: 2 tokens and 1 peer" in done.stderr
