"""howsure document, review and patterns."""

import json
from pathlib import Path

from tests.conftest import Run

NOW = ("--now", "2026-11-15")


def test_events_of_a_document_change_its_state(howsure: Run, site: Path) -> None:
    page = str(site / "index.md")
    assert b"INIT" not in howsure("document", "event", page, "visit", "--by", "ann", "--now", "2026-09-01").stdout
    told = howsure("document", "event", page, "confirm", "--strength", "0.8", "--now", "2026-09-02", "--json")
    assert json.loads(told.stdout)["life"]["state"] == "VALIDATE"
    shown = howsure("document", "show", page, *NOW, COLUMNS="100").stdout.decode()
    assert "2026-09-01" in shown
    assert "confirm x 0.8" in shown
    assert "Next milestone: M3 after test" in shown
    assert json.loads(howsure("document", "show", page, "--json", *NOW).stdout)["milestone"] == "M2"
    wrong = howsure("document", "event", page, "visti")
    assert (wrong.returncode, wrong.stderr) == (2, b"howsure: symbol: unknown event 'visti' (did you mean visit?)\n")
    assert howsure("document", "event", str(site / "nowhere.md"), "visit").returncode == 2


def test_due_documents_are_reviewed(howsure: Run, site: Path) -> None:
    listed = howsure("review", str(site), *NOW, COLUMNS="100")
    assert listed.returncode == 1
    assert b"refresh or remove" in listed.stdout
    data = str(site / "_data" / "hours.yml")
    marked = howsure("review", data, "--validate", "--by", "bob", *NOW)
    assert marked.returncode == 0, marked.stderr
    assert "reviewed_by: bob" in Path(data).read_text()
    clean = howsure("review", str(site), *NOW)
    assert (clean.returncode, clean.stdout) == (0, b"Nothing is due: looked at 1 data file.\n")
    assert howsure("review", str(site), "--validate").returncode == 2
    assert howsure("review", "--validate").returncode == 2


def test_patterns_are_shown_where_they_stand(howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# Title\n\nlatest  sources: x\n")
    found = [json.loads(line) for line in howsure("patterns", "test", str(file), "--json").stdout.splitlines()]
    assert [(one["pattern"], one["line"], one["column"]) for one in found] == [
        ("# ", 1, 1), ("test", 3, 3), ("sources:", 3, 9),
    ]  # fmt: skip
    assert b"3 patterns at 3 places" in howsure("patterns", "test", str(file)).stdout
    file.write_text("nothing here\n")
    assert howsure("patterns", "test", str(file)).returncode == 1
    assert b"legal-luminary" in howsure("patterns", "list").stdout
    assert b"'bellcountytx.com'" in howsure("patterns", "show", "legal-luminary").stdout
    assert howsure("patterns", "show", "nowhere").returncode == 2


def test_patterns_are_not_looked_for_in_our_own_header(howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"---\ntitle: x\n---\n<!-- note -->\nlatest caf\xe9 test\n")
    before = [json.loads(line) for line in howsure("patterns", "test", str(file), "--json").stdout.splitlines()]
    assert [(one["line"], one["column"]) for one in before] == [(1, 1), (2, 1), (3, 1), (5, 3), (5, 13)]
    assert howsure("scan", str(file), "--write", *NOW).returncode == 0
    after = [json.loads(line) for line in howsure("patterns", "test", str(file), "--json").stdout.splitlines()]
    assert [one["pattern"] for one in after] == [one["pattern"] for one in before]
    assert [(one["line"], one["column"]) for one in after] == [(1, 1), (2, 1), (3, 1), (13, 3), (13, 13)]
    file.write_bytes(b"\0")
    assert howsure("patterns", "test", str(file)).returncode == 2


def test_a_file_that_cannot_be_validated_is_named(howsure: Run, site: Path) -> None:
    data = site / "_data" / "hours.yml"
    told = howsure("review", "--validate", str(data), str(site / "old.md"), "--by", "ann", *NOW)
    assert told.returncode == 2
    assert f"{site / 'old.md'}: it has no front matter".encode() in told.stderr
