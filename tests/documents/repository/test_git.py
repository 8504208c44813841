"""Git's answers about files, in real repositories, also odd, broken and hostile ones."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from howsure.documents.repository.git import FileHistory, changed_since, head, history, new_files
from howsure.errors import InputError
from tests.documents.git_repository import START, Repository, long_text

pytestmark = pytest.mark.usefixtures("plain_git")


def test_a_file_has_times_authors_and_commits(repository: Repository) -> None:
    repository.write(a="1", b="1")
    first = repository.commit("one")
    repository.write(a="2")
    repository.commit("refactor: two", "Bob")
    repository.write(a="3")
    last = repository.commit("REFACTOR(scope)!: three", "Ann")
    assert repository.past_without_times() == {
        "a.md": FileHistory(last, first, ("Ann", "Bob"), 3, 2),
        "b.md": FileHistory(first, first, ("Ann",), 1, 0),
    }


@pytest.mark.parametrize(
    ("subject", "counts"),
    [
        ("refactor: x", 1),
        ("refactor(core): x", 1),
        ("refactor!: x", 1),
        ("Refactor(a b)!: x", 1),
        ("refactored: x", 0),
        ("refactor x", 0),
        ("fix: refactor: x", 0),
        ("", 0),
    ],
)
def test_a_refactoring_is_recognized_by_its_subject(repository: Repository, subject: str, counts: int) -> None:
    repository.write(a="1")
    repository.commit(subject)
    assert repository.past()["a.md"].refactored == counts


def test_at_most_five_authors_are_named_without_addresses(repository: Repository) -> None:
    names = ["eve@example.org", "D\x1b[31med\u202e", "Zoë", "B <x", "Çem\tA", "Last  One", "Latest"]
    for number, name in enumerate(names):
        repository.write(a=str(number))
        repository.commit("x", name)
    assert repository.past()["a.md"].authors == ("Latest", "Last One", "Çem A", "B x", "Zoë")
    repository.write(b="1")
    repository.commit("x", names[0])
    repository.write(b="2")
    repository.commit("x", names[1])
    assert repository.past()["b.md"].authors == ("D [31med", "eve")


def test_authors_are_named_by_the_mailmap(repository: Repository) -> None:
    repository.write(a="1")
    repository.commit("x", "ann")
    (repository.root / ".mailmap").write_text("Ann Smith <somebody@example.org>\n")
    assert repository.past()["a.md"].authors == ("Ann Smith",)


def test_a_renamed_file_keeps_its_past(repository: Repository) -> None:
    repository.write(a=long_text("a"), other="x")
    first = repository.commit("x", "Ann")
    repository.git("mv", "a.md", "b.md")
    repository.commit("x", "Bob")
    repository.git("mv", "b.md", "c.md")
    repository.write(c=long_text("a") + "more")
    last = repository.commit("x", "Cem")
    repository.write(a="another file of the same name")
    again = repository.commit("x", "Dan")
    past = repository.past_without_times()
    assert past["c.md"] == FileHistory(last, first, ("Cem", "Bob", "Ann"), 3, 0)
    assert past["a.md"] == FileHistory(again, again, ("Dan",), 1, 0)
    assert set(past) == {"a.md", "c.md", "other.md"}


def test_a_rename_does_not_reset_the_age(repository: Repository) -> None:
    repository.write(a=long_text("a"))
    first = repository.commit("x", "Ann")
    repository.git("mv", "a.md", "b.md")
    repository.commit("x", "Bob")
    assert repository.past_without_times()["b.md"] == FileHistory(first, first, ("Bob", "Ann"), 2, 0)


class Books:
    """A history made by chance, and what each file's past must be."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.stream: list[str] = []
        self.alive: dict[str, list[tuple[float, str, int]]] = {}
        self.dead: dict[str, list[tuple[float, str, int]]] = {}
        self.changed: dict[str, float] = {}
        self.times: dict[str, list[float]] = {}

    def commit(self, number: int) -> None:
        chance = self.chance
        at, author = float(START + number * 1000), f"Author {chance.randrange(8)}"
        subject = chance.choice(["refactor: x", "docs: x"])
        entry = (at, author, int(subject == "refactor: x"))
        changes: list[str] = []
        untouched = sorted(self.alive)
        chance.shuffle(untouched)
        moved = [untouched.pop() for _ in range(min(len(untouched), chance.randrange(3)))]
        for old in moved:
            new = f"f{chance.randrange(5)}/{number} {len(changes)}\n\"'é\\.md"
            self.alive[new] = [*self.alive.pop(old), entry]
            self.changed[new] = self.changed.pop(old)
            self.times[new] = self.times.pop(old)
            changes.append(f"R {quoted(old)} {quoted(new)}\n")
        if untouched and chance.random() < 0.3:
            gone = untouched.pop()
            self.dead[gone] = [*self.alive.pop(gone), entry]
            self.times[gone].append(at)
            changes.append(f"D {quoted(gone)}\n")
        for name in [*untouched[:2], f"f{chance.randrange(3)}/{chance.randrange(3)}.md"]:
            if name in self.alive or (name not in moved and name not in self.dead):
                self.write(name, entry, changes)
            elif name in self.dead and self.dead[name][-1] != entry:
                self.alive[name] = self.dead.pop(name)
                self.write(name, entry, changes)
        self.stream.append(f"commit refs/heads/main\ncommitter {author} <x@example.org> {at:.0f} +0000\n")
        self.stream.append(f"data {len(subject)}\n{subject}\n{''.join(changes)}\n")

    def write(self, name: str, entry: tuple[float, str, int], changes: list[str]) -> None:
        text = long_text(str(self.chance.random()))
        made = self.alive.setdefault(name, [])
        if entry not in made:
            made.append(entry)
            self.changed[name] = entry[0]
            self.times.setdefault(name, []).append(entry[0])
            changes.append(f"M 644 inline {quoted(name)}\ndata {len(text)}\n{text}\n")

    def past(self) -> dict[str, FileHistory]:
        return {
            name: FileHistory(
                self.changed[name],
                made[0][0],
                tuple(dict.fromkeys(author for _, author, _ in reversed(made)))[:5],
                len(made),
                sum(refactors for _, _, refactors in made),
                tuple(reversed(self.times[name]))[:10],
            )
            for name, made in self.alive.items()
        }


def quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@pytest.mark.parametrize("seed", range(10))
def test_the_history_agrees_with_a_simulation(repository: Repository, seed: int) -> None:
    books = Books(seed)
    for number in range(80):
        books.commit(number)
    stream = "".join(books.stream).encode()
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository.root, input=stream, check=True)
    past = repository.past()
    assert {name: one._replace(revisions=()) for name, one in past.items()} == books.past()
    lines = repository.git("log", "--format=%H %ct", "main").splitlines()
    times = {commit: float(at) for commit, at in map(str.split, lines)}
    assert all(tuple(times[commit] for commit in one.revisions) == one.recent for one in past.values())


def test_names_may_be_odd(repository: Repository) -> None:
    names = [
        b"new\nline.md",
        b"\xff\xfe.md",
        b"'quote\".md",
        b"M",
        b"R100",
        b"\1" + b"a" * 40,
        b"-rf.md",
        b"a\tb\\n.md",
    ]
    for name in names:
        Path(os.fsdecode(os.fsencode(repository.root) + b"/" + name)).write_bytes(name)
    repository.commit("\1M", "R100")
    past = repository.past()
    assert {os.fsencode(name) for name in past} == set(names)
    assert {one.commits for one in past.values()} == {1}


def test_branches_are_counted_and_merges_where_they_change_something(repository: Repository) -> None:
    repository.write(a=long_text("a"), b=long_text("b"), c=long_text("c"))
    first = repository.commit("x", "Ann")
    repository.git("switch", "-q", "-c", "side")
    repository.write(a=long_text("a") + "side")
    repository.commit("x", "Side")
    repository.write(c="conflict one")
    side = repository.commit("x", "Side")
    repository.git("switch", "-q", "main")
    repository.git("mv", "a.md", "moved.md")
    repository.commit("x", "Bob")
    repository.write(b="main", c="conflict two")
    main = repository.commit("x", "Cem")
    with pytest.raises(subprocess.CalledProcessError):  # a conflict
        repository.git("merge", "-q", "side")
    repository.write(c="settled")
    merged = repository.commit("merge", "Dan")
    assert "\nside" in (repository.root / "moved.md").read_text()
    past = repository.past_without_times()
    assert set(past) == {"moved.md", "b.md", "c.md"}
    assert past["b.md"] == FileHistory(main, first, ("Cem", "Ann"), 2, 0)
    assert past["c.md"] == FileHistory(merged, first, ("Dan", "Cem", "Side", "Ann"), 4, 0)
    assert set(past["moved.md"].authors) == {"Dan", "Bob", "Side", "Ann"}
    assert (past["moved.md"].created, past["moved.md"].commits) == (first, 4)
    assert side < main


@pytest.mark.parametrize(("into", "merged"), [("main", "side"), ("side", "main")])
def test_commits_of_a_branch_count_for_the_renamed_file(repository: Repository, into: str, merged: str) -> None:
    repository.write(a=long_text("a"))
    first = repository.commit("x", "Ann")
    repository.git("switch", "-q", "-c", "side")
    repository.git("switch", "-q", "main")
    repository.git("mv", "a.md", "moved.md")
    repository.commit("x", "Bob")
    repository.git("switch", "-q", "side")
    repository.write(a=long_text("a") + "later than the rename")
    repository.commit("refactor: x", "Side")
    repository.git("switch", "-q", into)
    repository.at += 86400
    repository.git("merge", "-q", merged, "-m", "x", author="Dan")
    assert repository.past_without_times()["moved.md"] == FileHistory(
        repository.at, first, ("Dan", "Side", "Bob", "Ann"), 4, 1
    )


def test_a_name_that_a_merge_has_kept_keeps_its_own_past(repository: Repository) -> None:
    repository.write(a=long_text("a"))
    first = repository.commit("x", "Ann")
    repository.git("switch", "-q", "-c", "side")
    repository.git("mv", "a.md", "moved.md")
    repository.commit("x", "Bob")
    repository.git("switch", "-q", "main")
    repository.write(a=long_text("a") + "later")
    later = repository.commit("x", "Main")
    repository.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    repository.git("checkout", "-q", "side", "--", "moved.md")
    repository.commit("merge", "Dan")
    past = repository.past()
    assert (past["a.md"].changed, past["a.md"].authors) == (later, ("Main",))
    assert (past["moved.md"].changed, past["moved.md"].authors) == (first, ("Bob", "Ann"))


def test_commits_with_a_wrong_date_keep_the_history(repository: Repository) -> None:
    repository.write(a=long_text("a"), other="1")
    first = repository.commit("x", "Ann")
    repository.git("mv", "a.md", "b.md")
    repository.at += 1000 * 86400
    wrong = repository.commit("x", "Bob")
    repository.git("switch", "-q", "-c", "side")
    repository.git("mv", "b.md", "c.md")
    repository.at = int(first)
    repository.commit("x", "Cem")
    repository.git("switch", "-q", "main")
    repository.at = int(wrong)
    repository.write(other="2")
    repository.commit("x", "Dan")
    repository.at += 86400
    repository.git("merge", "-q", "side", "-m", "x")
    assert repository.past_without_times()["c.md"] == FileHistory(first, first, ("Bob", "Cem", "Ann"), 3, 0)


def test_paths_are_relative_to_the_scanned_folder(repository: Repository) -> None:
    repository.put("docs/a.md", "1")
    repository.put("b.md", "1")
    repository.commit()
    assert set(history(repository.root / "docs")[0]) == {"a.md"}
    repository.put("docs/new.md", "1")
    repository.put("docs/a.md", "2")
    repository.put("b.md", "2")
    assert changed_since(repository.root / "docs", "HEAD") == {"new.md": "added", "a.md": "modified"}
    assert new_files(repository.root / "docs") == {"new.md"}


def test_without_history_the_reason_is_given(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    plain = tmp_path / "plain"
    plain.mkdir()
    assert history(plain) == ({}, "it is not in a git repository")
    assert history(repository.root / ".git") == ({}, "it is not in a git repository")
    assert history(repository.root) == ({}, "nothing is committed yet")
    assert "cannot be run" in history(tmp_path / "nowhere")[1]
    repository.write(a="1", b="1")
    repository.git("add", "a.md")
    assert new_files(repository.root) == {"a.md", "b.md"}
    assert [head(root) for root in (plain, repository.root, tmp_path / "nowhere")] == ["", "", ""]
    assert new_files(plain) == set()
    with pytest.raises(InputError, match="it is not in a git repository"):
        changed_since(plain, "HEAD")
    repository.commit()
    assert head(repository.root) == repository.git("rev-parse", "HEAD")
    monkeypatch.setenv("PATH", str(plain))
    assert history(repository.root) == ({}, "git is not installed")
    assert (head(repository.root), new_files(repository.root)) == ("", set())
    with pytest.raises(InputError, match="git is not installed"):
        changed_since(repository.root, "HEAD")


def test_a_shallow_clone_knows_only_what_came_after_its_beginning(repository: Repository, tmp_path: Path) -> None:
    repository.write(old="1", both="1")
    repository.commit("x", "Ann")
    repository.write(boundary="1")
    repository.commit("x", "Bob")
    repository.write(both="2", new="1")
    last = repository.commit("x", "Cem")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth=2", f"file://{repository.root}", str(clone))
    past, why = history(clone)
    assert "shallow" in why
    commit = repository.git("rev-parse", "HEAD")
    assert past == {
        "both.md": FileHistory(last, last, ("Cem",), 1, 0, (last,), (commit,)),
        "new.md": FileHistory(last, last, ("Cem",), 1, 0, (last,), (commit,)),
    }
    repository.git("clone", "-q", "--depth=1", f"file://{repository.root}", str(tmp_path / "one"))
    assert history(tmp_path / "one") == ({}, why)


def test_changed_files_are_listed_with_their_kind_of_change(repository: Repository) -> None:
    for name in ("same", "committed", "staged", "unstaged", "moved", "gone"):
        repository.put(f"{name}.md", long_text(name))
    repository.put(".gitignore", "ignored.md\n")
    repository.commit()
    start = repository.git("rev-parse", "HEAD")
    repository.write(committed="2", added="1")
    repository.commit()
    repository.git("mv", "moved.md", "here.md")
    repository.write(staged="2", **{"new\nline": "1"})
    repository.git("add", "--all")
    repository.write(unstaged="2", untracked="1", ignored="1", intended="1")
    repository.git("add", "--intent-to-add", "intended.md")
    (repository.root / "gone.md").unlink()
    (repository.root / "same.md").touch()
    uncommitted = {
        "staged.md": "modified",
        "unstaged.md": "modified",
        "here.md": "renamed",
        "new\nline.md": "added",
        "untracked.md": "added",
        "intended.md": "added",
    }
    assert changed_since(repository.root, "HEAD") == uncommitted
    assert changed_since(repository.root, start) == uncommitted | {"committed.md": "modified", "added.md": "added"}
    assert new_files(repository.root) == {"new\nline.md", "untracked.md", "intended.md"}


def test_changes_on_the_base_branch_do_not_count(repository: Repository) -> None:
    repository.write(a="1", b="1")
    repository.commit()
    repository.git("switch", "-q", "-c", "side")
    repository.write(a="2")
    repository.commit()
    repository.git("switch", "-q", "main")
    repository.write(b="2", c="1")
    repository.commit()
    repository.git("switch", "-q", "side")
    assert changed_since(repository.root, "main") == {"a.md": "modified"}
    repository.git("switch", "-q", "--orphan", "apart")
    repository.write(d=long_text("d"))
    repository.commit()
    assert changed_since(repository.root, "main") == {"d.md": "added"}


def test_nested_repositories_are_skipped(repository: Repository) -> None:
    repository.write(a="1")
    repository.commit()
    inner = Repository(repository.root / "inner")
    inner.write(b="1")
    inner.commit()
    assert changed_since(repository.root, "HEAD") == {}
    assert new_files(repository.root) == set()
    repository.commit()
    assert repository.git("ls-tree", "HEAD", "inner").startswith("160000 commit")
    inner.write(b="2")
    inner.commit()
    assert changed_since(repository.root, "HEAD") == {}
    assert set(history(repository.root)[0]) == {"a.md"}


@pytest.mark.parametrize(
    "ref", ["nonsense", "", "-h", "--output=x", "HEAD..HEAD~1", "HEAD:a.md", "a\0b", "HEAD\nHEAD", "\udcff"]
)
def test_an_unknown_commit_is_refused(repository: Repository, ref: str) -> None:
    repository.write(a="1")
    repository.commit()
    repository.write(a="2")
    repository.commit()
    with pytest.raises(InputError, match="there is no commit") as caught:
        changed_since(repository.root, ref)
    assert (caught.value.field, "git fetch" in caught.value.hint) == ("ref", True)
    assert not list(repository.root.glob("x"))
