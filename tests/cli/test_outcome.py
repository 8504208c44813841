"""howsure outcome, from the command line."""

import json
from pathlib import Path

import pytest

from howsure.sure import open as open_store
from tests.conftest import Run
from tests.documents.scans import git


@pytest.fixture
def decision(tmp_path: Path) -> str:
    with open_store(str(tmp_path / "s.db")) as sure:
        return sure.responses.check("It works.", agent="ann", knowledge=0.9, trace_id="t").id


def outcome(tmp_path: Path, id_: str) -> tuple[str | None, str | None]:
    with open_store(str(tmp_path / "s.db")) as sure:
        found = sure.ledger.get(id_)
    return found.outcome, found.outcome_source


def test_an_outcome_is_reported_without_naming_a_command(howsure: Run, tmp_path: Path, decision: str) -> None:
    store = ("--store", str(tmp_path / "s.db"))
    for word, expected in {
        "right": ("right", "person"),
        "down": ("wrong", "thumbs"),
        "corrected": ("corrected", "person"),
    }.items():
        done = howsure("outcome", decision, word, "--by", "bob", *store)
        assert (done.returncode, done.stdout) == (0, b"1 recorded\n"), done.stderr
        assert outcome(tmp_path, decision) == expected
    assert howsure("outcome", "report", decision, "wrong", *store).returncode == 0
    assert howsure("outcome", *store, decision, "right").returncode == 0
    twice = ((decision, "--file", "-"), ("--file", "-", "--by", "ann"))
    for wrong in ((), (decision,), (decision, "great"), ("a0", "right"), *twice):
        done = howsure("outcome", *wrong, *store)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"Traceback" not in done.stderr
    shown = howsure("outcome", "--help").stdout
    assert all(name in shown for name in (b"import", b"from-ci", b"from-git"))


def test_outcomes_are_imported(howsure: Run, tmp_path: Path, decision: str) -> None:
    store = ("--store", str(tmp_path / "s.db"))
    path = tmp_path / "outcomes.csv"
    path.write_text(f"id,outcome,scor\n{decision},down,1\na0,up,2\n")
    done = howsure("outcome", "import", str(path), *store)
    assert (done.returncode, done.stdout) == (2, b"1 recorded, 1 unmatched\n")
    assert b"line 3: decision_id: there is no decision 'a0'" in done.stderr
    assert b"columns that were not read: scor (did you mean source?" in done.stderr
    found = json.loads(howsure("outcome", "import", str(path), "--json", *store).stdout)
    assert (found["recorded"], found["unchanged"], found["unmatched"]) == (0, 1, 1)
    assert outcome(tmp_path, decision) == ("wrong", "file")
    done = howsure("outcome", "import", str(tmp_path / "nowhere.csv"), *store)
    assert done.returncode == 2
    assert b"nowhere.csv: No such file" in done.stderr


def test_ci_and_git_report(howsure: Run, tmp_path: Path, decision: str) -> None:
    store = ("--store", str(tmp_path / "s.db"))
    (tmp_path / "junit.xml").write_text("<testsuite><testcase><failure/></testcase></testsuite>")
    done = howsure("outcome", "from-ci", str(tmp_path / "junit.xml"), "--trace", "t", *store)
    assert (done.returncode, done.stdout) == (0, f"wrong: 1 of 1 test failed; {decision}\n".encode()), done.stderr
    assert outcome(tmp_path, decision) == ("wrong", "ci")
    repository = tmp_path / "repo"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    git(repository, "commit", "-q", "--allow-empty", "-m", "Fix\n\nHowsure-Trace: t", at="2050-01-01T00:00:00Z")
    done = howsure("outcome", "from-ci", "--status", "passed", "--commit", "HEAD", "--repo", str(repository), *store)
    assert done.returncode == 0, done.stderr
    assert outcome(tmp_path, decision) == ("right", "ci")
    done = howsure("outcome", "from-git", "--repo", str(repository), *store)
    assert done.stdout == b"1 commit with decisions: 0 recorded, 0 unchanged, 1 waiting, 0 unmatched\n"
    done = howsure("outcome", "from-git", "--repo", str(tmp_path), *store)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not in a git repository" in done.stderr
    shown = howsure("stats", *store).stdout
    assert b"later (median): ci 1." in shown
