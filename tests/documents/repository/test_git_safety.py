"""Git in repositories that are broken, incomplete, slow or hostile: nothing is run, written or waited for."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.documents.repository import git as module
from howsure.documents.repository.git import FileHistory, changed_since, head, history, new_files
from howsure.errors import InputError
from tests.documents.git_repository import START, Repository, long_text

pytestmark = pytest.mark.usefixtures("plain_git")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_not_asked(repository: Repository) -> None:
    repository.write(a="1")
    repository.commit()
    for place in (repository.root, *repository.root.rglob("*")):
        os.chown(place, 12345, 12345)
    past, why = history(repository.root)
    assert (past, "another user" in why) == ({}, True)
    assert head(repository.root) == ""
    with pytest.raises(InputError, match="another user"):
        changed_since(repository.root, "HEAD")


def test_a_broken_repository_gives_a_reason(repository: Repository) -> None:
    repository.write(a="1")
    repository.commit()
    repository.write(a="2")
    repository.commit()
    lost = repository.git("rev-parse", "HEAD~1")
    (repository.root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    past, why = history(repository.root)
    assert (past, "git failed" in why) == ({}, True)


def test_a_partial_clone_fetches_no_objects(repository: Repository, tmp_path: Path) -> None:
    repository.write(a=long_text("a"))
    repository.commit("x", "Ann")
    repository.git("mv", "a.md", "b.md")
    repository.write(b=long_text("a") + "more")
    last = repository.commit("x", "Bob")
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.root}", str(clone))
    before = objects(clone)
    commit = repository.git("rev-parse", "HEAD")
    assert history(clone) == ({"b.md": FileHistory(last, last, ("Bob",), 1, 0, (last,), (commit,))}, "")
    assert objects(clone) == before


def objects(root: Path) -> list[str]:
    return sorted(str(path) for path in (root / ".git/objects").rglob("*") if path.is_file())


def test_git_has_a_time_limit(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    slow = programs / "git"
    slow.write_text("#!/bin/sh\n/bin/sleep 100\n/bin/echo done\n")
    slow.chmod(0o700)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(module, "TIME_LIMIT", 0.3)
    start = time.monotonic()
    assert history(repository.root) == ({}, "git took longer than 0.3 s")
    assert time.monotonic() - start < 60


def test_git_variables_of_the_environment_are_ignored(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write(a="1")
    repository.commit()
    other = Repository(tmp_path / "other")
    other.write(b="1")
    other.commit()
    for name, value in {"GIT_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": "index"}.items():
        monkeypatch.setenv(name, str(other.root / value))
    monkeypatch.setenv("GIT_PREFIX", "docs/")
    assert set(history(repository.root)[0]) == {"a.md"}
    assert new_files(repository.root) == set()


@pytest.fixture
def hostile(repository: Repository, tmp_path: Path) -> Iterator[Repository]:
    """Give a repository whose settings run a program wherever git may run one."""
    repository.write(a=long_text("a"), b="1")
    repository.put(".gitattributes", "*.md diff=trap filter=trap merge=trap\n")
    repository.commit()
    repository.git("mv", "a.md", "c.md")
    repository.commit()
    signed = f"tree {repository.git('write-tree')}\nparent {repository.git('rev-parse', 'HEAD')}\n"
    signed += f"author A <a> {repository.at} +0000\ncommitter A <a> {repository.at} +0000\n"
    signed += "gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    (tmp_path / "signed").write_text(signed)
    repository.git("reset", "-q", repository.git("hash-object", "-t", "commit", "-w", str(tmp_path / "signed")))
    time.sleep(0.01)
    repository.write(b="2")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{tmp_path}/sprung'\ncat\n")
    trap.chmod(0o700)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / hook).symlink_to(trap)
    for name in (
        *("core.fsmonitor", "core.pager", "pager.log", "pager.diff", "core.editor", "core.sshCommand", "gpg.program"),
        *("diff.external", "diff.trap.command", "diff.trap.textconv", "filter.trap.clean", "filter.trap.smudge"),
        *("filter.trap.process", "filter.a=b.clean", "credential.helper", "core.askPass"),
    ):
        repository.git("config", name, str(trap))
    for name, value in {
        "core.hooksPath": str(hooks),
        "log.showSignature": "true",
        "filter.trap.required": "true",
        "log.showRoot": "false",
        "diff.renames": "false",
        "diff.relative": "true",
        "diff.noprefix": "true",
        "diff.orderFile": "/dev/zero",
    }.items():
        repository.git("config", name, value)
    yield repository
    (repository.root / ".git/config").unlink()


def test_commands_configured_in_a_repository_are_not_run(hostile: Repository, tmp_path: Path) -> None:
    past, why = history(hostile.root)
    assert (why, past["c.md"].commits) == ("", 2)
    assert changed_since(hostile.root, "HEAD~2") == {"b.md": "modified", "c.md": "renamed"}
    assert new_files(hostile.root) == set()
    assert head(hostile.root)
    assert not (tmp_path / "sprung").exists()
    subprocess.run(["git", "status"], cwd=hostile.root, check=False, capture_output=True)
    assert (tmp_path / "sprung").exists(), "the trap does not work"


def test_filters_of_the_users_own_git_configuration_apply(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text('[filter "loud"]\n clean = tr a-z A-Z\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    repository.put(".gitattributes", "*.md filter=loud\n")
    repository.write(a="small")
    repository.commit()
    assert repository.git("show", "HEAD:a.md") == "SMALL"
    os.utime(repository.root / "a.md", (START, START))
    assert changed_since(repository.root, "HEAD") == {}


def test_a_repository_is_never_written_to(repository: Repository) -> None:
    repository.write(a="1")
    repository.commit()
    (repository.root / "a.md").touch()
    index = repository.root / ".git/index"
    before = index.read_bytes(), index.stat().st_mtime_ns
    history(repository.root)
    changed_since(repository.root, "HEAD")
    new_files(repository.root)
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before


def test_an_interrupt_does_not_wait_for_git(tmp_path: Path) -> None:
    Repository(tmp_path / "repository")
    script = (
        "import sys\nfrom howsure.documents.repository.git import run_git\n"
        "fields = run_git(sys.argv[1], 'rev-parse', '--git-dir')\n"
        "next(fields)\n"
        "raise KeyboardInterrupt\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "repository")]
    done = subprocess.run(command, check=False, capture_output=True, timeout=100)  # the limit for git is 120 s
    assert b"KeyboardInterrupt" in done.stderr


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Give a pipe that nobody writes to: whoever opens it waits for ever."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.fixture
def small(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Give a repository of two commits and a changed file; git has 10 s for each command."""
    monkeypatch.setattr(module, "TIME_LIMIT", 10.0)
    repository.write(a="1")
    repository.commit()
    repository.write(a="2", b="1")
    repository.commit()
    repository.write(a="3")
    return repository


@pytest.mark.parametrize("key", ["mailmap.file", "core.excludesFile", "core.attributesFile", "diff.orderFile"])
@pytest.mark.parametrize("device", ["pipe", "/dev/zero"])
def test_files_that_a_repository_names_are_not_opened(small: Repository, pipe: Path, key: str, device: str) -> None:
    small.git("config", key, str(pipe) if device == "pipe" else device)
    past, why = history(small.root)
    assert (why, past["a.md"].commits) == ("", 2)
    assert changed_since(small.root, "HEAD") == {"a.md": "modified"}
    assert new_files(small.root) == set()


def test_no_name_is_taken_from_a_file_that_a_repository_names(small: Repository, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("Secret Person <somebody@example.org>\n")
    small.git("config", "mailmap.file", str(tmp_path / "secret"))
    small.git("config", "mailmap.blob", "HEAD:a.md")
    assert history(small.root)[0]["a.md"].authors == ("Ann",)
    small.put(".mailmap", "Ann Smith <somebody@example.org>\n")
    assert history(small.root)[0]["a.md"].authors == ("Ann Smith",), "a .mailmap of the work tree counts"


def test_the_users_own_ignored_files_stay_ignored(
    small: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ignored").write_text("mine.md\n")
    (tmp_path / "config").write_text(f"[core]\n excludesFile = {tmp_path}/ignored\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    small.write(mine="1", new="1")
    small.git("config", "core.excludesFile", "/nowhere")
    assert new_files(small.root) == {"new.md"}


@pytest.mark.parametrize("name", ["include.path", "includeIf.gitdir:/.path"])
@pytest.mark.parametrize("device", ["pipe", "/dev/zero", "config"])
def test_a_configuration_that_includes_files_is_not_used(
    small: Repository, pipe: Path, tmp_path: Path, name: str, device: str
) -> None:
    (tmp_path / "config").write_text("[core]\n fsmonitor = /bin/false\n")
    target = {"pipe": str(pipe), "config": str(tmp_path / "config")}.get(device, device)
    with (small.root / ".git/config").open("a") as file:
        section, _, key = name.rpartition(".")
        head_line = f'[includeIf "{section.partition(".")[2]}"]' if "If" in section else "[include]"
        file.write(f"{head_line}\n {key} = {target}\n")
    past, why = history(small.root)
    assert (past, "includes other files" in why) == ({}, True)
    assert head(small.root) == ""
    assert new_files(small.root) == set()
    with pytest.raises(InputError, match="includes other files"):
        changed_since(small.root, "HEAD")


@pytest.mark.parametrize(
    "name", ["config", "HEAD", "index", "packed-refs", "info/exclude", "objects/info/alternates", "config.worktree"]
)
def test_a_pipe_in_place_of_a_file_of_git_is_not_waited_for(small: Repository, pipe: Path, name: str) -> None:
    path = small.root / ".git" / name
    path.unlink(missing_ok=True)
    path.symlink_to(pipe)
    past, why = history(small.root)
    assert (past, "is not a plain file" in why) == ({}, True)
    path.unlink()
    path.symlink_to("/dev/zero")
    assert "is not a plain file" in history(small.root)[1]


def test_a_mailmap_that_is_a_pipe_is_not_waited_for(small: Repository) -> None:
    os.mkfifo(small.root / ".mailmap")
    assert "is not a plain file" in history(small.root)[1]


def test_git_is_not_asked_again_after_it_took_too_long(small: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIME_LIMIT", 0.5)
    monkeypatch.setattr(module, "_TIMED_OUT", {})
    loose = next(path for path in (small.root / ".git/objects").rglob("*") if path.is_file())
    for path in (small.root / ".git/objects").rglob("*"):
        if path.is_file():
            path.unlink()
            os.mkfifo(path)
    assert loose.exists()
    assert history(small.root)[1] == "git took longer than 0.5 s"
    assert history(small.root)[1] == "git took longer than 0.5 s before"
    assert new_files(small.root) == set()


def test_programs_that_git_lfs_would_run_are_not_run(
    small: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As Git LFS does: the filter is the user's own, and runs what lfs.extension of the repository names.
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\ncat\n")
    lfs = tmp_path / "lfs"
    lfs.write_text("#!/bin/sh\nprogram=$(git config lfs.extension.x.clean) && exec $program\ncat\n")
    for program in (trap, lfs):
        program.chmod(0o700)
    (tmp_path / "config").write_text(f'[filter "lfs"]\n clean = {lfs}\n required = true\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    small.put(".gitattributes", "*.md filter=lfs\n")
    small.git("config", "lfs.extension.x.clean", str(trap))
    assert changed_since(small.root, "HEAD")["a.md"] == "modified"
    assert not (tmp_path / "sprung").exists()
    subprocess.run(["git", "diff", "HEAD"], cwd=small.root, check=False, capture_output=True)
    assert (tmp_path / "sprung").exists(), "the trap does not work"


def test_another_work_tree_is_refused(small: Repository, tmp_path: Path) -> None:
    small.git("config", "core.worktree", str(tmp_path))
    assert "names another work tree" in history(small.root)[1]


def test_linked_work_trees_and_submodules_have_their_history(small: Repository, tmp_path: Path) -> None:
    small.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    assert history(tmp_path / "linked")[0]["a.md"].commits == 2
    outer = Repository(tmp_path / "outer")
    outer.git("submodule", "add", "-q", str(small.root), "inner")
    assert history(outer.root / "inner")[0]["a.md"].commits == 2
