"""Ask git about the files of a repository: their history, what is new, what has changed.

A scanned repository is untrusted data: no program that its configuration names is run, and nothing is fetched. If git
knows nothing, the functions say so in their result; that is not an error.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from signal import SIGKILL
from threading import Timer
from time import monotonic
from typing import IO, NamedTuple, cast

from howsure.documents.repository.git_safety import GitError, GitTimeoutError, find_overrides
from howsure.errors import InputError, shown

TIME_LIMIT = 120.0
"""Seconds that one git command may take."""
_PAUSE = 600.0
"""Seconds for which git is not asked again about a folder for which it took too long: it may wait for a pipe."""
_TIMED_OUT: dict[str, float] = {}
"""When git took too long, by folder."""
_CHUNK = 1 << 18
_LATEST = 32503680000.0
"""The year 3000: Python has no dates after the year 9999, and things become due after a commit."""
_MOST_NAMES = 5_000_000
"""Files of a history. A few trees that name each other can stand for billions of files."""
_LARGEST_BLOB = 50_000_000
"""Bytes of a version that is compared with others."""

_INHERITED = {"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM"}
"""The only variables named GIT_... that are passed on; others could redirect git to another repository."""
_ENVIRONMENT = {"LC_ALL": "C", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
_LITERAL_PATHS = {"GIT_LITERAL_PATHSPECS": "1"}
_SAFE_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "diff.orderFile=/dev/null",
    "log.follow=false",
    "log.showRoot=true",
    "safe.bareRepository=explicit",
)
_REASONS = {
    "not a git repository": "it is not in a git repository",
    "safe.bareRepository": "it is not in a git repository",
    "dubious ownership": "the repository belongs to another user, and git does not trust it (safe.directory)",
    "Needed a single revision": "nothing is committed yet",
}
"""Parts of git's error messages, and what they mean."""

_CHANGE_OPTIONS = (
    *("-z", "--name-status", "--relative", "-M", "-l1000"),
    *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
)
_LOG_OPTIONS = ("--format=%x01%H%x00%ct%x00%aN%x00%s", "--date-order", "-c", "--no-show-signature", "--encoding=UTF-8")
_FIRST_COMMIT = (
    *("--follow", "--diff-filter=A", "--format=%ct", "-z"),
    *("--no-ext-diff", "--no-textconv", "--no-show-signature", "--"),
)
_RAW_LOG = (
    *("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--relative", "--no-ext-diff", "--no-textconv"),
    *("--no-show-signature", "--ignore-submodules=all", "--format=%x01%ct", "--date-order", "HEAD", "--"),
)
_REFACTOR = re.compile(rb"refactor(?:\([^()]*\))?!?:", re.IGNORECASE)
"""Subject of a commit that calls itself a refactoring, as conventional commits write it."""
_STATUS = {b"A": "added", b"R": "renamed"}

_MAX_AUTHORS = 5
_MAX_RECENT = 10
_PAGES = (b".md", b".markdown", b".rst", b".txt")
_MOST_FILES = 10
"""Files of a commit from which it is a sweeping change."""
_MAX_NAMED_PATHS = 200
"""Up to this many files are named on git's command line; for more, the whole log is read."""
_MAX_VERSIONS = 400
"""Versions of a file that are compared: decades, with one header written a month."""


class FileHistory(NamedTuple):
    """The history of one file."""

    changed: float
    """Time of the last commit that changed it, in seconds since 1970; a pure rename does not count."""
    created: float
    """Time of its first commit, under whatever name."""
    authors: tuple[str, ...]
    """Authors of its commits, the latest first; at most five."""
    commits: int
    refactored: int
    """Commits that call themselves a refactoring."""
    recent: tuple[float, ...] = ()
    """Times of its last commits, the latest first; at most ten, and neither renames nor sweeping changes."""
    revisions: tuple[str, ...] = ()
    """Of a page, the commits at those times."""


class _Commit(NamedTuple):
    at: float
    author: str
    refactors: bool
    files: list[int]
    """The number of files in it, and of pages among them, which grow as they are read."""
    name: bytes = b""
    only_renames: bool = False

    def is_sweeping(self, *, page: bool) -> bool:
        """Whether it changes so many files that it says little about each: a formatter, a rename of some function.

        For a page, other pages count: a feature may take many files of code and the page that tells of it.
        """
        return self.files[page] > _MOST_FILES


class _Version(NamedTuple):
    """A file's content in one commit."""

    at: float
    blob: str


def run_git(root: Path | str, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Run git in a folder and yield the NUL-separated fields of its output as they arrive.

    Raises:
        GitError: if git fails.
        GitTimeoutError: if it takes longer than the time limit.
    """
    with tempfile.TemporaryFile() as errors:
        process = start_git(root, arguments, environment or {}, errors)
        output = cast("IO[bytes]", process.stdout)
        began = monotonic()
        timer = Timer(TIME_LIMIT, _kill, (process,))
        timer.daemon = True  # after Ctrl-C, the interpreter must not wait for it
        try:
            timer.start()
            rest = b""
            while chunk := output.read(_CHUNK):
                *parts, rest = (rest + chunk).split(b"\0")
                yield from parts
            if rest:
                yield rest
            failed = process.wait() != 0
        finally:
            timer.cancel()
            _kill(process)
            output.close()
            process.wait()
        if failed and monotonic() - began >= TIME_LIMIT:
            _TIMED_OUT[str(root)] = monotonic()
            raise GitTimeoutError(f"git took longer than {TIME_LIMIT:g} s")
        if failed:
            errors.seek(0)
            message = errors.read(2000).decode("utf-8", "replace").strip()
            reasons = (reason for words, reason in _REASONS.items() if words in message)
            raise GitError(next(reasons, f"git failed: {shown(message)}"))


def start_git(
    root: Path | str,
    arguments: tuple[str, ...],
    environment: Mapping[str, str],
    errors: IO[bytes] | int,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
) -> "subprocess.Popen[bytes]":
    """Start git so that no program named in the repository's own configuration is run."""
    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed")
    late = _TIMED_OUT.get(str(root))
    if late is not None and monotonic() - late < _PAUSE:
        raise GitTimeoutError(f"git took longer than {TIME_LIMIT:g} s before")
    overrides = find_overrides(root, TIME_LIMIT)
    settings = [word for setting in _SAFE_SETTINGS for word in ("-c", setting)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _INHERITED}
    try:
        return subprocess.Popen(  # noqa: S603 - only the name of a commit comes from outside
            [program, "--no-pager", "--no-optional-locks", *settings, *arguments],
            cwd=root,
            env={**inherited, **_ENVIRONMENT, **overrides, **environment},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # so that _kill reaches its children, too
        )
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be run: {error}") from None


def commit_time(text: bytes) -> float:
    """Return the time of a commit in seconds since 1970. It is whatever its author wrote, so it is bounded."""
    try:
        return min(max(float(text), 0.0), _LATEST)
    except ValueError:
        return 0.0


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill git and its children."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, SIGKILL)


def _run_line(root: Path | str, *arguments: str) -> str:
    return os.fsdecode(b"".join(run_git(root, *arguments)).removesuffix(b"\n"))


def head(root: Path | str) -> str:
    """Return the commit that is checked out, with the boundary of a shallow clone; empty if there is none."""
    try:
        commit = _run_line(root, "rev-parse", "--verify", "HEAD")
        return " ".join([commit, *sorted(map(os.fsdecode, _shallow_boundary(root)))])
    except GitError:
        return ""


def history(root: Path | str) -> tuple[dict[str, FileHistory], str]:
    """Return the history of every committed file below a folder, and why it is missing or incomplete.

    A renamed file keeps its history. In a shallow clone, only files touched after its boundary have one.
    """
    try:
        commit = _run_line(root, "rev-parse", "--verify", "HEAD")
        boundary = _shallow_boundary(root)
        present = frozenset(_check_count(run_git(root, "ls-tree", "-r", "-z", "--name-only", commit)))
        try:
            fields = run_git(root, "log", *_LOG_OPTIONS, *_CHANGE_OPTIONS, commit, "--")
            commits = _commits_by_name(fields, present, boundary)
        except GitTimeoutError:
            raise
        except GitError:  # finding renames needs file contents, which a partial clone does not have
            fields = run_git(root, "log", *_LOG_OPTIONS, *_CHANGE_OPTIONS, "--no-renames", commit, "--")
            commits = _commits_by_name(fields, present, boundary)
    except GitError as error:
        return {}, str(error)
    histories = {
        os.fsdecode(name): _summarize(own, page=name.endswith(_PAGES))
        for name, own in commits.items()
        if name in present
    }
    return histories, "the clone is shallow, and older changes are not in it" if boundary else ""


def deleted_files(root: Path | str, paths: Collection[str]) -> set[str]:
    """Return those of some paths below a folder that a commit has deleted; empty if git does not know."""
    try:
        options = ("log", "--format=", "-z", "--name-only", "--relative", "--no-renames", "--diff-filter=D")
        fields = run_git(
            root, *options, "--no-show-signature", "HEAD", "--", *sorted(paths), environment=_LITERAL_PATHS
        )
        return {os.fsdecode(field.strip(b"\n")) for field in fields} & set(paths) if paths else set()
    except GitError:
        return set()


def first_commit_time(path: Path) -> float | None:
    """Return when a file was first committed, under whatever name; None if git does not know."""
    try:
        if _shallow_boundary(path.parent):
            return None
        fields = run_git(path.parent, "log", *_FIRST_COMMIT, path.name, environment=_LITERAL_PATHS)
        return min(commit_time(field) for field in fields if field.strip())
    except (GitError, ValueError):
        return None


def changed_since(root: Path | str, ref: str) -> dict[str, str]:
    """Return the files that are new or changed since a commit, or since this branch left it, committed or not.

    Each is `added`, `modified` or `renamed`. Deleted and ignored files are left out.

    Raises:
        InputError: if there is no such commit, or git fails.
    """
    try:
        _run_line(root, "rev-parse", "--git-dir")
        base = _merge_base(root, ref)
        fields = run_git(root, "diff", *_CHANGE_OPTIONS, "--diff-filter=d", base, "--")
        changed = {os.fsdecode(name): _STATUS.get(status[:1], "modified") for status, name, _ in _changes(fields)}
        return changed | dict.fromkeys(_untracked(root), "added")
    except GitError as error:
        raise InputError(f"cannot find what changed since {shown(ref)}: {error}", field="ref") from None


def new_files(root: Path | str) -> set[str]:
    """Return the files that are not committed yet under any name; empty if git knows nothing."""
    try:
        if head(root):
            options = ("--cached", "--ita-visible-in-index", "--diff-filter=A")
            staged = {name for _, name, _ in _changes(run_git(root, "diff", *_CHANGE_OPTIONS, *options, "HEAD", "--"))}
        else:
            staged = set(run_git(root, "ls-files", "-z", "--cached"))
        return set(map(os.fsdecode, staged)) | _untracked(root)
    except GitError:
        return set()


def content_changed_at(root: Path, paths: Collection[str], body: Callable[[str, bytes], bytes]) -> dict[str, float]:
    """Return, for files whose last commits left the body as it was, when the body was last changed.

    `body` takes a path and a file's content and returns what counts of it: all but the scoring header. Commits are
    compared with each other, so neither uncommitted changes nor other line endings in the work tree make a difference.
    """
    if not paths:
        return {}
    versions = _versions(root, paths)
    same = {path: own for path, own in versions.items() if len(own) > 1}
    newest = _hash_bodies(root, {path: own[0].blob for path, own in same.items()}, body)
    changed: dict[str, float] = {}
    number = 1
    # One round for each step back in time, with all files that are still the same in one git command.
    while same:
        hashes = _hash_bodies(root, {path: own[number].blob for path, own in same.items()}, body)
        same = {path: own for path, own in same.items() if hashes[path] == newest[path]}
        changed |= {path: own[number].at for path, own in same.items()}
        number += 1
        same = {path: own for path, own in same.items() if len(own) > number}
    return {path: at for path, at in changed.items() if at < versions[path][0].at}


def _versions(root: Path, paths: Collection[str]) -> dict[str, list[_Version]]:
    """Return the committed versions of files, the newest first."""
    names = sorted(paths) if len(paths) <= _MAX_NAMED_PATHS else []
    versions: dict[str, list[_Version]] = {}
    at = 0.0
    fields = run_git(root, *_RAW_LOG, *names, environment=_LITERAL_PATHS)
    for field in fields:
        line = field.lstrip(b"\n")
        if line.startswith(b"\1"):
            at = commit_time(line[1:])
        elif line.startswith(b":"):
            path = os.fsdecode(next(fields))
            if path in paths and len(versions.setdefault(path, [])) < _MAX_VERSIONS:
                versions[path].append(_Version(at, line.split()[3].decode("ascii")))
    return versions


def _hash_bodies(root: Path, blobs: Mapping[str, str], body: Callable[[str, bytes], bytes]) -> dict[str, str]:
    """Return the hash of each blob's body, by path."""
    if not blobs:
        return {}
    contents = zip(blobs, read_blobs(root, list(blobs.values())), strict=True)
    return {path: hashlib.sha256(body(path, data), usedforsecurity=False).hexdigest() for path, data in contents}


def read_blobs(root: Path, names: list[str]) -> Iterator[bytes]:
    """Yield the content of blobs, named as git names them; empty for those that are missing."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(b"".join(os.fsencode(name) + b"\n" for name in names))
        stdin.seek(0)
        process = start_git(root, ("cat-file", "--batch"), {}, subprocess.DEVNULL, stdin)
        output = cast("IO[bytes]", process.stdout)
        timer = Timer(TIME_LIMIT, _kill, (process,))
        timer.daemon = True
        timer.start()
        try:
            for _ in names:
                line = output.readline().split()
                if len(line) != 3:  # noqa: PLR2004 - name, type and size; else "NAME missing"
                    yield b""
                    continue
                size = int(line[2])
                if size <= _LARGEST_BLOB:
                    yield output.read(size)
                else:  # it differs from all others
                    while size > 0 and (chunk := output.read(min(size, _CHUNK))):
                        size -= len(chunk)
                    yield line[0]
                output.read(1)
        finally:
            timer.cancel()
            output.close()
            _kill(process)
            process.wait()


def _merge_base(root: Path | str, ref: str) -> str:
    """Return the commit to compare with: where this branch left the named one."""
    try:
        commit = "" if ref.startswith("-") else _run_line(root, "rev-parse", "--verify", f"{ref}^{{commit}}")
    except GitError:
        commit = ""
    if not commit:
        hint = "name a branch, a tag or a commit that this clone knows; `git fetch` gets what is missing"
        raise InputError(f"there is no commit {shown(ref)}", field="ref", hint=hint)
    try:
        return _run_line(root, "merge-base", commit, "HEAD")
    except GitError:  # no common ancestor, or it lies beyond the boundary of a shallow clone
        return commit


def _untracked(root: Path | str) -> set[str]:
    fields = run_git(root, "ls-files", "-z", "--others", "--exclude-standard")
    return {os.fsdecode(name) for name in fields if not name.endswith(b"/")}  # nested repositories end with /


def _shallow_boundary(root: Path | str) -> frozenset[bytes]:
    """Return the oldest commits of a shallow clone, which seem to add every file; empty for a full clone."""
    if _run_line(root, "rev-parse", "--is-shallow-repository") != "true":
        return frozenset()
    try:
        return frozenset(Path(root, _run_line(root, "rev-parse", "--git-path", "shallow")).read_bytes().split())
    except OSError as error:
        raise GitError(f"the clone is shallow, and its boundary cannot be read: {error.strerror}") from None


def _check_count(names: Iterator[bytes]) -> Iterator[bytes]:
    """Yield names; raise GitError if there are too many."""
    for number, name in enumerate(names):
        if number == _MOST_NAMES:
            raise GitError(f"it has more than {_MOST_NAMES:,} files")
        yield name


def _changes(fields: Iterator[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield the status, the name and the old name of each file in the output of `--name-status -z`."""
    for field in fields:
        status = field.lstrip(b"\n")
        if status[:1] == b"R" and status[1:].isdigit():
            old = next(fields)
            yield status, next(fields), old
        elif status:
            yield status, next(fields), b""


def _commits_by_name(
    fields: Iterator[bytes], present: frozenset[bytes], boundary: frozenset[bytes]
) -> dict[bytes, list[_Commit]]:
    """Return the commits of every file, the latest first, by the name that the file has now."""
    commits: dict[bytes, list[_Commit]] = {}
    current: dict[bytes, bytes] = {}  # from a former name to the name that the file has now
    renamed: dict[bytes, bytes] = {}  # the same, for the commit being read
    introduced: set[bytes] = set()  # names that a later commit has introduced
    commit: _Commit | None = None
    for status, name, old in _changes(fields):
        if status[:1] == b"\1":  # the head of a commit, where the second field is its time
            current |= renamed
            renamed.clear()
            author, subject = _clean_author(next(fields)), next(fields)
            commit = _Commit(commit_time(name), author, bool(_REFACTOR.match(subject)), [0, 0], status[1:])
            commit = None if status[1:] in boundary else commit
        elif commit:
            commit.files[0] += 1
            commit.files[1] += name.endswith(_PAGES)
            now = current.get(name, name)
            commits.setdefault(now, []).append(commit._replace(only_renames=status == b"R100"))
            if len(commits) > _MOST_NAMES:
                raise GitError(f"its history has more than {_MOST_NAMES:,} files")
            if old:
                renamed[old] = now
                if old in commits and old not in present and old not in introduced:
                    commits[now] += commits.pop(old)  # from a branch that did not know the new name
            if old or not status.strip(b"A"):
                introduced.add(name)
    return commits


def _summarize(commits: list[_Commit], *, page: bool) -> FileHistory:
    commits.sort(key=lambda commit: -commit.at)
    authors = dict.fromkeys(commit.author for commit in commits if commit.author)
    refactored = sum(commit.refactors for commit in commits)
    created = commits[-1].at
    changed = next((commit.at for commit in commits if not commit.only_renames), created)
    telling = (commit for commit in commits if not commit.only_renames and not commit.is_sweeping(page=page))
    last = list(islice(telling, _MAX_RECENT)) or (commits[-1:] if page else [])
    recent = tuple(commit.at for commit in last)
    revisions = tuple(commit.name.decode("ascii", "replace") for commit in last) if page else ()
    return FileHistory(changed, created, tuple(authors)[:_MAX_AUTHORS], len(commits), refactored, recent, revisions)


@lru_cache(maxsize=4096)
def _clean_author(raw: bytes) -> str:
    """Return an author's name without mail addresses and unprintable characters."""
    text = re.sub(r"@\S*", "", raw.decode("utf-8", "replace"))
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
