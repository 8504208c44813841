"""Git in repositories that are broken, incomplete, slow or hostile: nothing is run, written or waited for."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.documents import git as module
from howsure.documents.git import FileHistory, changed_since, head, history, new_files
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
    assert history(clone) == ({"b.md": FileHistory(last, last, ("Bob",), 1, 0)}, "")
    assert objects(clone) == before


def objects(root: Path) -> list[str]:
    return sorted(str(path) for path in (root / ".git/objects").rglob("*") if path.is_file())


def test_git_has_a_time_limit(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    slow = programs / "git"
    slow.write_text("#!/bin/sh\n/bin/sleep 30\n/bin/echo done\n")
    slow.chmod(0o700)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(module, "TIME_LIMIT", 0.3)
    start = time.monotonic()
    assert history(repository.root) == ({}, "git took longer than 0.3 s")
    assert time.monotonic() - start < 10


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
        "import sys\nfrom howsure.documents.git import run_git\n"
        "fields = run_git(sys.argv[1], 'rev-parse', '--git-dir')\n"
        "next(fields)\n"
        "raise KeyboardInterrupt\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "repository")]
    done = subprocess.run(command, check=False, capture_output=True, timeout=30)  # the limit for git is 120 s
    assert b"KeyboardInterrupt" in done.stderr
