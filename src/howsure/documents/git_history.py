"""The history of files, as git tells it: when each was changed, by whom, and how often.

A repository under judgement is data: nothing that its own settings name is run, and nothing is fetched. Where git knows
nothing, that is told and no error.
"""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from howsure.documents.git import GitError, GitTimeoutError, run_git
from howsure.errors import InputError, shown

_MOST_AUTHORS = 5
_CHANGES = (
    *("-z", "--name-status", "--relative", "-M", "-l1000"),
    *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
)
_COMMITS = ("--format=%x01%H%x00%ct%x00%aN%x00%s", "--date-order", "-c", "--no-show-signature", "--encoding=UTF-8")
_REFACTOR = re.compile(rb"refactor(?:\([^()]*\))?!?:", re.IGNORECASE)
_STATUS = {b"A": "added", b"R": "renamed"}


class FileHistory(NamedTuple):
    """What became of one file."""

    changed: float
    """When it was last changed by a commit, in seconds since 1970; one that only renames it changes nothing."""
    created: float
    """When the first was made, under whatever name."""
    authors: tuple[str, ...]
    """Who made them, the latest first; at most five."""
    commits: int
    refactored: int
    """Commits that call themselves a refactoring."""


class _Commit(NamedTuple):
    at: float
    author: str
    refactors: bool
    only_renames: bool = False


def head(root: Path | str) -> str:
    """Return the commit that is checked out, and where a shallow clone begins; empty, where there is none."""
    try:
        commit = _line(root, "rev-parse", "--verify", "HEAD")
        return " ".join([commit, *sorted(map(os.fsdecode, _beginning(root)))])
    except GitError:
        return ""


def history(root: Path | str) -> tuple[dict[str, FileHistory], str]:
    """Return the past of every committed file below a folder, and why it is not known or not for all.

    A file that was renamed keeps its past. In a shallow clone, only what was touched after its beginning has one.
    """
    try:
        commit = _line(root, "rev-parse", "--verify", "HEAD")
        beginning = _beginning(root)
        alive = frozenset(run_git(root, "ls-tree", "-r", "-z", "--name-only", commit))
        try:
            commits = _by_name(run_git(root, "log", *_COMMITS, *_CHANGES, commit, "--"), alive, beginning)
        except GitTimeoutError:
            raise
        except GitError:  # renames are found by content, which a partial clone does not have
            fields = run_git(root, "log", *_COMMITS, *_CHANGES, "--no-renames", commit, "--")
            commits = _by_name(fields, alive, beginning)
    except GitError as error:
        return {}, str(error)
    past = {os.fsdecode(name): _past(made) for name, made in commits.items() if name in alive}
    return past, "the clone is shallow, and older changes are not in it" if beginning else ""


def first_seen(place: Path) -> float | None:
    """Return when a file was first committed, under whatever name; nothing, where git does not know."""
    options = ("--follow", "--diff-filter=A", "--format=%ct", "-z", "--no-ext-diff", "--no-show-signature", "--")
    try:
        if _beginning(place.parent):
            return None
        fields = run_git(place.parent, "log", *options, place.name, environment={"GIT_LITERAL_PATHSPECS": "1"})
        return min(float(field) for field in fields if field.strip())
    except (GitError, ValueError):
        return None


def changed_since(root: Path | str, ref: str) -> dict[str, str]:
    """Return what is new or changed since a commit, or since this branch left it, whether committed or not.

    A file is `added`, `modified` or `renamed`. What was deleted, and what git ignores, is not among it.
    """
    try:
        _line(root, "rev-parse", "--git-dir")
        base = _base(root, ref)
        fields = run_git(root, "diff", *_CHANGES, "--diff-filter=d", base, "--", environment=_unfiltered(root))
        found = {os.fsdecode(name): _STATUS.get(status[:1], "modified") for status, name, _ in _changes(fields)}
        return found | dict.fromkeys(_untracked(root), "added")
    except GitError as error:
        raise InputError(f"what has changed since {shown(ref)} is not known: {error}", field="ref") from None


def new_files(root: Path | str) -> set[str]:
    """Return the files that are not committed yet under any name; nothing, where git knows nothing."""
    try:
        if head(root):
            options = ("--cached", "--ita-visible-in-index", "--diff-filter=A")
            staged = {name for _, name, _ in _changes(run_git(root, "diff", *_CHANGES, *options, "HEAD", "--"))}
        else:
            staged = set(run_git(root, "ls-files", "-z", "--cached"))
        return set(map(os.fsdecode, staged)) | _untracked(root)
    except GitError:
        return set()


def _base(root: Path | str, ref: str) -> str:
    """Return the commit to compare with: where this branch left the one that is named."""
    try:
        commit = "" if ref.startswith("-") else _line(root, "rev-parse", "--verify", f"{ref}^{{commit}}")
    except GitError:
        commit = ""
    if not commit:
        hint = "name a branch, a tag or a commit that this clone knows; `git fetch` gets what is missing"
        raise InputError(f"there is no commit {shown(ref)}", field="ref", hint=hint)
    try:
        return _line(root, "merge-base", commit, "HEAD")
    except GitError:  # they have nothing in common, or a shallow clone does not know it
        return commit


def _untracked(root: Path | str) -> set[str]:
    fields = run_git(root, "ls-files", "-z", "--others", "--exclude-standard")
    return {os.fsdecode(name) for name in fields if not name.endswith(b"/")}  # repositories of their own end so


def _beginning(root: Path | str) -> frozenset[bytes]:
    """Return the commits at which a shallow clone begins: they seem to add all that was there before."""
    if _line(root, "rev-parse", "--is-shallow-repository") != "true":
        return frozenset()
    try:
        return frozenset(Path(root, _line(root, "rev-parse", "--git-path", "shallow")).read_bytes().split())
    except OSError as error:
        raise GitError(f"the clone is shallow, and its beginning cannot be read: {error.strerror}") from None


def _changes(fields: Iterator[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Give the status, the name and the old name of each file in git's list."""
    for field in fields:
        status = field.lstrip(b"\n")
        if status[:1] == b"R" and status[1:].isdigit():
            old = next(fields)
            yield status, next(fields), old
        elif status:
            yield status, next(fields), b""


def _by_name(
    fields: Iterator[bytes], alive: frozenset[bytes], beginning: frozenset[bytes]
) -> dict[bytes, list[_Commit]]:
    """Return the commits of every file, the latest first, by the name that it has now."""
    found: dict[bytes, list[_Commit]] = {}
    now: dict[bytes, bytes] = {}  # from a name that was given up to the one that its file has now
    moved: dict[bytes, bytes] = {}
    begun: set[bytes] = set()  # names that were taken up
    commit: _Commit | None = None
    for status, name, old in _changes(fields):
        if status[:1] == b"\1":  # a commit; its name is its time
            now |= moved
            moved.clear()
            commit = _Commit(float(name or 0), _person(next(fields)), bool(_REFACTOR.match(next(fields))))
            commit = None if status[1:] in beginning else commit
        elif commit:
            current = now.get(name, name)
            found.setdefault(current, []).append(commit._replace(only_renames=status == b"R100"))
            if old:
                moved[old] = current
                if old in found and old not in alive and old not in begun:
                    found[current] += found.pop(old)  # from a branch that did not know the new name
            if old or not status.strip(b"A"):
                begun.add(name)
    return found


def _past(commits: list[_Commit]) -> FileHistory:
    commits.sort(key=lambda commit: -commit.at)
    authors = dict.fromkeys(commit.author for commit in commits if commit.author)
    refactored = sum(commit.refactors for commit in commits)
    changed = next((commit.at for commit in commits if not commit.only_renames), commits[-1].at)
    return FileHistory(changed, commits[-1].at, tuple(authors)[:_MOST_AUTHORS], len(commits), refactored)


@lru_cache(maxsize=4096)
def _person(raw: bytes) -> str:
    """Return a name without addresses and without what cannot be shown."""
    text = re.sub(r"@\S*", "", raw.decode("utf-8", "replace"))
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _unfiltered(root: Path | str) -> dict[str, str]:
    """Return an environment in which no program that the repository names takes part in comparing files."""
    fields = run_git(root, "config", "--list", "--name-only", "--show-scope", "-z")
    pairs = zip(fields, fields, strict=True)
    own = {key for scope, key in pairs if key.startswith(b"filter.") and scope not in {b"system", b"global"}}
    drivers = sorted({os.fsdecode(key.rpartition(b".")[0]) for key in own})
    values = {"clean": "", "process": "", "required": "false"}
    settings = [(f"{driver}.{name}", value) for driver in drivers for name, value in values.items()]
    found = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found


def _line(root: Path | str, *arguments: str) -> str:
    return os.fsdecode(b"".join(run_git(root, *arguments)).removesuffix(b"\n"))
