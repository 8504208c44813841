"""Walk a tree and find its documents, always in the same order.

Files that git ignores are left out, and so are those that a `.howsureignore` file names in the same way.
"""

import os
import re
from collections.abc import Collection, Container, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from howsure.documents.document import DocumentKind, SkippedFile
from howsure.documents.headers.edit import SIDECAR
from howsure.documents.repository.gitignore import IgnoreRules, is_ignored, parse_ignore_file
from howsure.errors import InputError, shown

LARGEST = 10_000_000
"""Largest size of a document, in bytes."""
_LARGEST_IGNORE_FILE = 1_000_000
_IGNORE_FILES = (".gitignore", ".howsureignore")
"""Later files win over earlier ones."""
_WITH_IGNORE_RULES = (".git", *_IGNORE_FILES)
_NEVER_ENTERED = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__"))
_SUFFIXES: dict[DocumentKind, str] = {
    "content": ".md .markdown .txt .rst .adoc .html .htm .mdx .org .tex .yml .yaml .json .csv .toml",
    "code": ".py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .rb .sh .bash .zsh .go .rs .java .c .h .cpp .cc .hpp .cs"
    " .php .swift .kt .scala .lua .pl .r .sql .css .scss",
}
_KINDS = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_PROSE = frozenset((".md", ".markdown", ".txt", ".rst", ".adoc", ".html", ".htm", ".mdx", ".org", ".tex"))
_NOT_FOR_PEOPLE = re.compile(
    r"(?:^|/)(?:(?:licen[cs]es?|copying|copyright|notice|code[-_]of[-_]conduct|(?:[\w-]*[-_])?requirements|robots|llms"
    r"|(?:pull_request|issue)_template|cmakelists|constraints|top_level|entry_points|dependency_links)\b[^/]*$"
    r"|[^/]*(?:words|wordlist|spelling|ignore)[^/]*\.txt$"
    r"|(?:\.github|[\w-]*templates?|_?layouts?|_?includes?|partials|vendor|third[-_]party|_?tests?|fixtures?|testdata|snapshots?"
    r"|_?static|assets|licen[cs]es|_build|htmlcov|_?themes?|requirements|[^/]+\.egg-info|bower_components|site-packages)/)",
    re.IGNORECASE,
)
"""Paths of texts that say nothing about the project: licences, word lists, templates, test data, foreign code."""
_DATA = frozenset((".json", ".csv", ".tsv", ".yml", ".yaml", ".toml"))
_GENERATED = re.compile(
    r"(?:package-lock|npm-shrinkwrap)\.json|pnpm-lock\.yaml|scan-[0-9a-f]{24}\.json"
    rf"|.*(?:\.min\.(?:js|css)|{re.escape(SIDECAR)})",
    re.DOTALL,
)
"""Names of generated files: lock files, minified files, and howsure's own cache and sidecars."""
_GENERATED_SUFFIXES = frozenset((".json", ".yaml", ".js", ".css"))


class DocumentFile(NamedTuple):
    """A document that was found, before it is read."""

    path: str
    """Path below the root, with `/` between folders."""
    location: str
    """Absolute path."""
    kind: DocumentKind
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int = 0
    """When its content or status changed; unlike the mtime, no program can set it."""


def document_kind(path: str) -> DocumentKind | None:
    """Return the kind of a document by its path; None if it is not a document.

    >>> (
    ...     document_kind("README.md"),
    ...     document_kind("_data/members.yml"),
    ...     document_kind("src/main.rs"),
    ...     document_kind("yarn.lock"),
    ... )
    ('content', 'data', 'code', None)
    """
    folder, _, name = path.rpartition("/")
    return _kind(name, in_data="_data" in folder.split("/"))


def _kind(name: str, *, in_data: bool) -> DocumentKind | None:
    kind, may_be_generated = _kind_of_suffix(name[max(name.rfind("."), 1) :], in_data)
    return None if may_be_generated and _GENERATED.fullmatch(name.lower()) else kind


@lru_cache(maxsize=1024)
def _kind_of_suffix(suffix: str, in_data: bool) -> tuple[DocumentKind | None, bool]:
    """Return the kind that a suffix stands for, and whether generated files have it, too."""
    lower = suffix.lower()
    kind: DocumentKind | None = "data" if in_data and lower in _DATA else _KINDS.get(lower)
    return kind, lower in _GENERATED_SUFFIXES


def is_test_data(path: str) -> bool:
    """Return whether a file lies below a folder of tests, templates or foreign code.

    >>> is_test_data("tests/site/_data/members.yml"), is_test_data("_data/members.yml")
    (True, False)
    """
    folder = path.rpartition("/")[0]
    return bool(folder) and _NOT_FOR_PEOPLE.search(f"{folder}/") is not None


def is_prose(path: str) -> bool:
    """Return whether a document is text for people: not code, configuration, a licence, a template or test data.

    >>> is_prose("docs/guide.md"), is_prose("src/main.rs"), is_prose("LICENSE.txt"), is_prose("tests/data/page.md")
    (True, False, False, False)
    """
    name = path.rpartition("/")[2]
    return _is_prose_suffix(name[max(name.rfind("."), 1) :]) and not _NOT_FOR_PEOPLE.search(path)


@lru_cache(maxsize=1024)
def _is_prose_suffix(suffix: str) -> bool:
    return suffix.lower() in _PROSE


def find_root(path: Path | str) -> Path:
    """Return the root for a path: the nearest folder with `.git` or `howsure.toml`, or else its own folder.

    Without those, a folder named `_data` is never the root itself, so that its files are data wherever a scan begins.
    """
    location = Path(path).resolve()
    folder = location if location.is_dir() else location.parent
    for above in (folder, *folder.parents):
        if os.path.lexists(above / ".git") or (above / "howsure.toml").is_file():
            return above
    above_data = [above.parent for above in (folder, *folder.parents) if above.name == "_data"]
    return above_data[-1] if above_data else folder


def project_path(path: Path | str) -> str:
    """Return the path of a file below its root, with symbolic links resolved."""
    return os.path.relpath(Path(path).resolve(), find_root(path))


def walk(
    root: Path | str,
    starts: Iterable[Path | str] = (),
    *,
    exclude: Iterable[str] = (),
    largest: int = LARGEST,
    skipped: list[SkippedFile],
) -> Iterator[DocumentFile]:
    """Yield the documents below a root, or only those below some folders, and every file that is named itself.

    Symbolic links are not followed, and repositories inside a repository are not entered. Files that could not be
    looked at are added to `skipped`.

    Raises:
        InputError: if a start lies outside the root.
    """
    top = os.path.realpath(root)
    paths = dict.fromkeys(os.path.realpath(start) for start in starts) or {top: None}
    for location in paths:
        if location != top and not location.startswith(top.rstrip("/") + "/"):
            raise InputError(f"{shown(location)} is not below {shown(top)}", field="path")
    # On the command line a pattern such as "#a" is not a comment.
    rules = b"\n".join(os.fsencode(re.sub("^#", r"\#", pattern)) for pattern in exclude)
    return _Walk(top, rules, largest, skipped).all(paths)


class _Walk:
    """One walk over a tree.

    Paths are plain strings, since names may hold any bytes.
    """

    def __init__(self, root: str, exclude: bytes, largest: int, skipped: list[SkippedFile]) -> None:
        self._root = root
        self._prefix = root.rstrip("/") + "/"
        self._exclude: tuple[IgnoreRules, ...] = (parse_ignore_file(root, exclude),) if exclude else ()
        self._largest = largest
        self._skipped = skipped
        self._in_repository = any(map(_is_repository, (root, *map(str, Path(root).parents))))

    def all(self, paths: Collection[str]) -> Iterator[DocumentFile]:
        """Yield the documents below these paths, each once."""
        several = (self._walk_folder(path) if Path(path).is_dir() else self._find_named(path) for path in paths)
        return next(several) if len(paths) == 1 else self._unique(several)

    @staticmethod
    def _unique(several: Iterable[Iterator[DocumentFile]]) -> Iterator[DocumentFile]:
        seen = set()
        for file in chain.from_iterable(several):
            if file.path not in seen:
                seen.add(file.path)
                yield file

    def _find_named(self, location: str) -> Iterator[DocumentFile]:
        path = self._path(location)
        if self._excluded(path):
            return
        kind = document_kind(path)
        if kind is None:
            self._skip(path, "it is not a kind of file that is scored")
            return
        try:
            file = self._make_file(path, location, kind, Path(location).lstat())
        except OSError as error:
            self._skip(path, error)
            return
        if file:
            yield file

    def _excluded(self, path: str) -> bool:
        """Return whether `exclude` names a file or a folder above it; ignore files do not count for named files."""
        parts = path.split("/") if self._exclude else []
        return any(
            is_ignored(self._exclude, name, self._prefix + "/".join(parts[: end + 1]), is_folder=end + 1 < len(parts))
            for end, name in enumerate(parts)
        )

    def _walk_folder(self, start: str) -> Iterator[DocumentFile]:
        stack = [(start, self._rules_above(start), "_data" in self._path(start).split("/"))]
        while stack:
            folder, chain, in_data = stack.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=attrgetter("name"))
            except OSError as error:
                self._skip(self._path(folder), error)
                continue
            names = {entry.name for entry in entries}
            if folder != start and self._is_separate(folder, names):
                continue
            chain = self._add_rules(folder, names, chain)
            folders = []
            for entry in entries:
                try:
                    if entry.name in _NEVER_ENTERED:
                        continue
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if chain and is_ignored(chain, entry.name, entry.path, is_folder=is_folder):
                        continue
                    if is_folder:
                        folders.append((entry.path, chain, in_data or entry.name == "_data"))
                    elif file := self._check_entry(entry, in_data=in_data):
                        yield file
                except OSError as error:
                    self._skip(self._path(entry.path), error)
            stack += reversed(folders)

    def _is_separate(self, folder: str, names: Container[str]) -> bool:
        """Return whether a folder is not part of this tree: a virtual environment, or a repository inside another."""
        if "pyvenv.cfg" in names:
            return True
        if not self._in_repository or ".git" not in names or not _is_repository(folder):
            return False
        self._skip(self._path(folder), "it is a repository of its own, to be scanned by itself")
        return True

    def _check_entry(self, entry: os.DirEntry[str], *, in_data: bool) -> DocumentFile | None:
        path = entry.path[len(self._prefix) :]
        if entry.is_symlink():
            if not (os.path.realpath(entry.path) + "/").startswith(self._prefix):
                self._skip(path, "it is a link that leads out of the tree")
            return None
        kind = _kind(entry.name, in_data=in_data)
        return self._make_file(path, entry.path, kind, entry.stat(follow_symlinks=False)) if kind else None

    def _make_file(self, path: str, location: str, kind: DocumentKind, state: os.stat_result) -> DocumentFile | None:
        if S_ISREG(state.st_mode) and state.st_size <= self._largest:
            return DocumentFile(path, location, kind, state.st_size, state.st_mtime_ns, state.st_ino, state.st_ctime_ns)
        large = f"larger than {self._largest:,} bytes"
        self._skip(path, large if S_ISREG(state.st_mode) else "it is not a plain file")
        return None

    def _skip(self, path: str, why: OSError | str) -> None:
        if isinstance(why, FileNotFoundError):
            why = "it vanished while the tree was scanned"
        self._skipped.append(SkippedFile(path, why if isinstance(why, str) else f"it cannot be read: {why.strerror}"))

    def _path(self, location: str) -> str:
        return location.removeprefix(self._prefix) if location != self._root else "."

    def _rules_above(self, location: str) -> tuple[IgnoreRules, ...]:
        """Return the rules of the ignore files above a folder, from the repository (or else the root) down."""
        folders = (Path(self._root), *Path(self._root).parents)
        top = next((folder for folder in folders if os.path.lexists(folder / ".git")), folders[0])
        chain = self._exclude
        for folder in reversed(Path(location).parents):
            if folder.is_relative_to(top):
                chain = self._add_rules(str(folder), _WITH_IGNORE_RULES, chain)
        return chain

    def _add_rules(self, folder: str, names: Container[str], chain: tuple[IgnoreRules, ...]) -> tuple[IgnoreRules, ...]:
        """Return the chain with the rules of one more folder: after `exclude`, before those of the folders above."""
        texts = [self._read_info_exclude(folder)] if ".git" in names else []
        texts += [self._read_ignore_file(f"{folder}/{name}") for name in _IGNORE_FILES if name in names]
        if not any(texts):
            return chain
        own = len(self._exclude)
        return (*chain[:own], parse_ignore_file(folder, b"\n".join(texts)), *chain[own:])

    def _read_info_exclude(self, folder: str) -> bytes:
        """Return the content of `.git/info/exclude`; in a worktree, `.git` is a file that names the folder."""
        location = Path(folder, ".git")
        if location.is_file():
            location = Path(folder, os.fsdecode(self._read_ignore_file(str(location)).removeprefix(b"gitdir:").strip()))
            location /= os.fsdecode(self._read_ignore_file(f"{location}/commondir").strip())
        return self._read_ignore_file(f"{location}/info/exclude")

    def _read_ignore_file(self, location: str) -> bytes:
        try:
            with open(location, "rb", opener=open_no_follow) as file:
                text = file.read(_LARGEST_IGNORE_FILE + 1)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return b""
        except OSError as error:
            self._skip(self._path(location), error)
            return b""
        if len(text) > _LARGEST_IGNORE_FILE:
            self._skip(self._path(location), f"larger than {_LARGEST_IGNORE_FILE:,} bytes, so it ignores nothing")
            return b""
        return text.removeprefix(b"\xef\xbb\xbf")


def _is_repository(folder: str) -> bool:
    return os.path.isfile(f"{folder}/.git") or os.path.lexists(f"{folder}/.git/HEAD")  # noqa: PTH113 - names may be odd


def open_no_follow(location: str, flags: int) -> int:
    """Open a file for `open(..., opener=...)`: no symbolic link is followed, and a pipe does not block."""
    return os.open(location, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def file_version(path: Path | str) -> list[int] | None:
    """Return the size and times of a file or folder, as long as which it counts as unchanged; None if there is none."""
    try:
        state = os.stat(path)  # noqa: PTH116 - names may be odd bytes
    except OSError:
        return None
    return [state.st_size, state.st_mtime_ns, state.st_ctime_ns]
