"""What commits say: found in real repositories, merged, squashed, reverted and restored."""

import subprocess
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.ledger.commits import CommitState, find_mentions, mentions_of, read_commit_states
from howsure.shapes import DAY
from tests.conftest import NOW
from tests.documents.scans import git as run_git


class Repository:
    """A git repository in which time passes by days."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.day = 0
        self.made = 0
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commit("First")

    def git(self, *words: str) -> None:
        run_git(self.folder, *words, at=f"@{NOW + self.day * DAY:.0f} +0000")

    def commit(self, message: str) -> str:
        self.made += 1
        (self.folder / f"{self.made}.txt").write_text(message)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.tip()

    def revert(self, *words: str) -> str:
        self.git("revert", "--no-edit", *words)
        return self.tip()

    def tip(self) -> str:
        words = ["git", "rev-parse", "HEAD"]
        return subprocess.run(words, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def states(self, branch: str | None = None) -> dict[str, CommitState]:
        found = read_commit_states(self.folder, branch, NOW - DAY)
        return {mention.value: state for state in found for mention in state.mentions}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def test_mentions_are_lines_of_a_message() -> None:
    message = (
        "Fix (#12)\n\n* one\n\n  howsure-decision: a1  \n\n* two\n\nHowsure-Task:  k 1\r\nHowsure-Trace: t\n"
        "Howsure-Trace: t\nHowsure-Trace:\nNot Howsure-Trace: u\nHowsure-Other: v\n\nSigned-off-by: Ann\n"
    )
    assert [tuple(mention) for mention in find_mentions(message)] == [
        ("decision_id", "a1"),
        ("task_id", "k 1"),
        ("trace_id", "t"),
    ]


def test_a_commit_stays_or_is_reverted(repository: Repository) -> None:
    repository.day = 1
    kept = repository.commit("Keep\n\nHowsure-Decision: kept")
    gone = repository.commit("Break\n\nHowsure-Decision: gone")
    repository.day = 3
    revert = repository.revert(gone)
    states = repository.states()
    assert states["kept"] == CommitState(kept, states["kept"].mentions, NOW + DAY, NOW + DAY, None)
    assert states["gone"] == CommitState(gone, states["gone"].mentions, NOW + DAY, NOW + 3 * DAY, revert)
    assert mentions_of(repository.folder, gone[:10]) == states["gone"].mentions


def test_a_revert_may_be_reverted(repository: Repository) -> None:
    one = repository.commit("Try\n\nHowsure-Decision: one")
    repository.day = 2
    first = repository.revert(one)
    repository.day = 4
    second = repository.revert(first)
    state = repository.states()["one"]
    assert (state.reverted_by, state.since, state.landed_at) == (None, NOW + 4 * DAY, NOW)
    repository.day = 6
    repository.revert(second)
    state = repository.states()["one"]
    assert (state.reverted_by, state.since) == (first, NOW + 6 * DAY)


def test_a_commit_lands_with_its_merge(repository: Repository) -> None:
    repository.git("switch", "-q", "-c", "side")
    repository.day = 1
    one = repository.commit("Work\n\nHowsure-Trace: side")
    assert repository.states("main") == {}
    repository.git("switch", "-q", "main")
    repository.day = 2
    repository.commit("Other")
    repository.day = 5
    repository.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from me/side", "side")
    merge = repository.tip()
    state = repository.states()["side"]
    assert (state.commit, state.landed_at, state.reverted_by) == (one, NOW + 5 * DAY, None)
    repository.day = 6
    revert = repository.revert("-m", "1", merge)
    assert repository.states()["side"].reverted_by == revert
    repository.day = 7
    repository.revert(revert)
    assert repository.states()["side"].reverted_by is None


@pytest.mark.parametrize("words", ["Reverts me/repo#12", "Reverts #12"])
def test_a_squashed_pull_request_is_reverted_by_its_number(repository: Repository, words: str) -> None:
    one = repository.commit("Add it (#12)\n\n* work\n\nHowsure-Decision: one\n\n* more")
    other = repository.commit("Add more (#13)\n\nHowsure-Decision: other")
    repository.day = 1
    revert = repository.commit(f'Revert "Add it (#12)" (#14)\n\n{words}')
    states = repository.states()
    assert (states["one"].commit, states["one"].reverted_by) == (one, revert)
    assert (states["other"].commit, states["other"].reverted_by) == (other, None)


def test_a_message_reverts_only_what_came_before(repository: Repository) -> None:
    one = repository.commit("One (#5)\n\nReverts #5\n\nThis reverts commit 0000000.\n\nHowsure-Decision: one")
    repository.commit(f"Talk\n\nSomebody said: This reverts commit {one}.")
    repository.commit(f"Quote\n\n> This reverts commit {one}.")
    assert repository.states()["one"].reverted_by is None


def test_the_main_branch_is_found_or_named(repository: Repository, tmp_path: Path) -> None:
    repository.commit("One\n\nHowsure-Decision: one")
    repository.git("branch", "-m", "trunk")
    with pytest.raises(InputError, match="branch: .* does not have a main branch"):
        repository.states()
    assert set(repository.states("trunk")) == {"one"}
    for name in ("nowhere", "--all", "-x"):
        with pytest.raises(InputError, match="branch: .* does not have the branch"):
            repository.states(name)
    run_git(tmp_path, "clone", "-q", str(repository.folder), "clone")
    assert len(read_commit_states(tmp_path / "clone", None, NOW - DAY)) == 1
    with pytest.raises(InputError, match="repository: cannot read .*not in a git repository"):
        read_commit_states(tmp_path, None, NOW)


def test_programs_of_the_repository_are_not_run(repository: Repository, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o700)
    repository.commit("One\n\nHowsure-Decision: one")
    for name in ("core.fsmonitor", "core.pager", "gpg.program", "diff.external", "core.sshCommand"):
        repository.git("config", name, str(trap))
    repository.git("config", "log.showSignature", "true")
    assert set(repository.states()) == {"one"}
    assert mentions_of(repository.folder, "HEAD")
    assert not (tmp_path / "sprung").exists()
