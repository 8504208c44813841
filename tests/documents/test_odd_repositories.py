"""Repositories with odd objects: whatever git says about them, a scan ends, takes little memory and tells why."""

import hashlib
import zlib
from pathlib import Path

import pytest

from howsure.documents.repository import git as module
from howsure.documents.repository.git import content_changed_at, history
from howsure.ledger.commits import read_commit_states
from howsure.sure import open as open_store
from tests.documents.git_repository import Repository

pytestmark = pytest.mark.usefixtures("plain_git")


def _write(repository: Repository, kind: str, body: bytes) -> str:
    """Write an object that git itself would refuse to make; return its name."""
    raw = f"{kind} {len(body)}".encode() + b"\0" + body
    name = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
    place = repository.root / ".git" / "objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(raw))
    return name


def _commit(repository: Repository, tree: str, when: str = "1700000000 +0000") -> None:
    parent = repository.git("rev-parse", "HEAD")
    who = f"a <a@b> {when}"
    body = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nodd\n"
    (repository.root / ".git/refs/heads/main").write_text(_write(repository, "commit", body.encode()) + "\n")


def _entry(mode: str, name: str, target: str) -> bytes:
    return f"{mode} {name}".encode() + b"\0" + bytes.fromhex(target)


@pytest.fixture
def odd(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "odd")
    for text in ("# One\n", "# Two\n"):
        repository.write(a=text)
        repository.commit()
    return repository


def test_times_of_commits_are_bounded(odd: Repository, tmp_path: Path) -> None:
    times = ("99999999999999999999 +0000", "-5 +0000", "18446744073709551615 +9999", "nan +0000", "")
    for number, when in enumerate(times):
        blob = _write(odd, "blob", f"# {number}\n".encode())
        _commit(odd, _write(odd, "tree", _entry("100644", "a.md", blob)), when)
    (past, _) = history(odd.root)
    assert (past["a.md"].changed, past["a.md"].created) == (32503680000.0, 0.0)
    with open_store(str(tmp_path / "store.db")) as sure:
        assert [one.path for one in sure.documents.scan(odd.root).report().documents] == ["a.md"]


def test_a_path_of_a_repository_with_a_nul_byte_is_no_path(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"gitdir: \0\xff\n")
    assert history(tmp_path)[0] == {}


def test_trees_that_stand_for_many_files_are_refused(odd: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_NAMES", 1000)
    plain = tree = odd.git("rev-parse", "HEAD^{tree}")
    for _ in range(3):  # 12 to the power of 3 files in four objects
        tree = _write(odd, "tree", b"".join(_entry("40000", f"d{n:02}", tree) for n in range(12)))
    _commit(odd, tree)
    assert history(odd.root) == ({}, "it has more than 1,000 files")
    _commit(odd, plain)
    assert history(odd.root) == ({}, "its history has more than 1,000 files")


def test_a_large_version_is_not_read_into_memory(odd: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST_BLOB", 5)
    seen: list[int] = []

    def body(_path: str, content: bytes) -> bytes:
        seen.append(len(content))
        return content

    odd.write(a="x" * 1000)
    odd.commit()
    assert content_changed_at(odd.root, ["a.md"], body) == {}
    assert max(seen) == len("0" * 40)  # the name of the object instead


def test_a_commit_that_is_its_own_ancestor_ends(odd: Repository) -> None:
    newest, oldest = odd.git("rev-list", "HEAD").split()
    (odd.root / ".git/info/grafts").write_text(f"{oldest} {newest}\n{newest} {oldest}\n")
    assert read_commit_states(odd.root, "main", 0.0) == []
    history(odd.root)


def test_many_references_and_odd_names_are_read(odd: Repository) -> None:
    commit, blob = odd.git("rev-parse", "HEAD"), odd.git("rev-parse", "HEAD:a.md")
    names = ("a.md", "a.md", "b\nc.md", "\x01d.md", "..", ".git", "-x.md", "R100", "e/f.md")
    _commit(odd, _write(odd, "tree", b"".join(_entry("100644", name, blob) for name in names)))
    refs = "".join(f"{commit} refs/heads/b{number:06}\n" for number in range(100_000))
    (odd.root / ".git/packed-refs").write_text(f"# pack-refs with: peeled fully-peeled sorted \n{refs}")
    (past, why) = history(odd.root)
    assert why == ""
    assert {"a.md", "b\nc.md", "\x01d.md"} <= past.keys()
