"""A tree of files: which of them are documents, in an order that is always the same.

What git would ignore is left out, and so is what a `.howsureignore` names in the same way.
"""

import os
import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from howsure.documents.document import Kind, SkippedFile
from howsure.documents.gitignore import IgnoreRules, ignored, ignores
from howsure.documents.headers.edit import SIDECAR
from howsure.errors import InputError, shown

LARGEST = 10_000_000
"""Bytes up to which a file is a document."""
_LARGEST_IGNORES = 1_000_000
_IGNORE_FILES = (".gitignore", ".howsureignore")
"""Files that say what to leave out; the later one has the last word."""
_TELLING = (".git", *_IGNORE_FILES)
_NEVER = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__"))
_SUFFIXES: dict[Kind, str] = {
    "content": ".md .markdown .txt .rst .adoc .html .htm .mdx .org .tex .yml .yaml .json .csv .toml",
    "code": ".py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .rb .sh .bash .zsh .go .rs .java .c .h .cpp .cc .hpp .cs"
    " .php .swift .kt .scala .lua .pl .r .sql .css .scss",
}
_KINDS = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_DATA = frozenset((".json", ".csv", ".tsv", ".yml", ".yaml", ".toml"))
_MADE = re.compile(
    r"(?:package-lock|npm-shrinkwrap)\.json|pnpm-lock\.yaml|scan-[0-9a-f]{24}\.json"
    rf"|.*(?:\.min\.(?:js|css)|{re.escape(SIDECAR)})",
    re.DOTALL,
)
"""What programs make for themselves; howsure's cache, and headers beside their files, among it."""
_MADE_SUFFIXES = frozenset((".json", ".yaml", ".js", ".css"))


class DocumentFile(NamedTuple):
    """A document, before it is read."""

    path: str
    """Where it lies below the root, with `/` between folders."""
    place: str
    """Where it lies on this machine."""
    kind: Kind
    size: int
    mtime_ns: int
    inode: int


def document_kind(path: str) -> Kind | None:
    """Return what kind of document a file is, by its name and folders; nothing, where it is none.

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


def _kind(name: str, *, in_data: bool) -> Kind | None:
    kind, may_be_made = _by_suffix(name[max(name.rfind("."), 1) :], in_data)
    return None if may_be_made and _MADE.fullmatch(name.lower()) else kind


@lru_cache(maxsize=1024)
def _by_suffix(suffix: str, in_data: bool) -> tuple[Kind | None, bool]:
    """Return what kind of document a suffix means, and whether it may be something that programs make."""
    lower = suffix.lower()
    kind: Kind | None = "data" if in_data and lower in _DATA else _KINDS.get(lower)
    return kind, lower in _MADE_SUFFIXES


def find_root(path: Path | str) -> Path:
    """Return the folder that a path belongs to: the nearest with `.git` or `howsure.toml`, or else its own.

    A folder named `_data` belongs to the one above it, so that data are data wherever a scan begins.
    """
    place = Path(path).resolve()
    folder = place if place.is_dir() else place.parent
    for above in (folder, *folder.parents):
        if os.path.lexists(above / ".git") or (above / "howsure.toml").is_file():
            return above
    held = [above.parent for above in (folder, *folder.parents) if above.name == "_data"]
    return held[-1] if held else folder


def project_path(path: Path | str) -> str:
    """Return where a file lies below the folder that it belongs to, whichever links lead to it."""
    return os.path.relpath(Path(path).resolve(), find_root(path))


def walk(
    root: Path | str,
    starts: Iterable[Path | str] = (),
    *,
    exclude: Iterable[str] = (),
    largest: int = LARGEST,
    skipped: list[SkippedFile],
    others: Counter[str] | None = None,
) -> Iterator[DocumentFile]:
    """Give every document below a root, or below some folders of it, and any file that is named itself.

    Symbolic links are not followed, and repositories within a repository left to themselves. What could not be looked
    at is added to `skipped`; files that are no documents are counted in `others`, by suffix.
    """
    top = os.path.realpath(root)
    places = dict.fromkeys(os.path.realpath(start) for start in starts) or {top: None}
    for place in places:
        if place != top and not place.startswith(top.rstrip("/") + "/"):
            raise InputError(f"{shown(place)} is not below {shown(top)}", field="path")
    rules = b"\n".join(os.fsencode(re.sub("^#", r"\#", pattern)) for pattern in exclude)  # no comment is excluded
    return _Tree(top, rules, largest, skipped, Counter() if others is None else others).all(places)


class _Tree:
    """One walk. Names may be any bytes, so they are kept out of paths' own class where there are many."""

    def __init__(
        self, root: str, exclude: bytes, largest: int, skipped: list[SkippedFile], others: Counter[str]
    ) -> None:
        self._root = root
        self._prefix = root.rstrip("/") + "/"
        self._exclude: tuple[IgnoreRules, ...] = (ignores(root, exclude),) if exclude else ()
        self._largest = largest
        self._skipped = skipped
        self._others = others
        self._in_repository = any(map(_is_repository, (root, *map(str, Path(root).parents))))

    def all(self, places: Collection[str]) -> Iterator[DocumentFile]:
        """Give everything below these places, and each file once."""
        found = (self._below(place) if Path(place).is_dir() else self._named(place) for place in places)
        return next(found) if len(places) == 1 else self._once(found)

    @staticmethod
    def _once(several: Iterable[Iterator[DocumentFile]]) -> Iterator[DocumentFile]:
        given = set()
        for found in chain.from_iterable(several):
            if found.path not in given:
                given.add(found.path)
                yield found

    def _named(self, place: str) -> Iterator[DocumentFile]:
        path = self._path(place)
        if self._excluded(path):
            return
        kind = document_kind(path)
        if kind is None:
            self._skip(path, "it is not a kind of file that is scored")
            return
        try:
            found = self._found(path, place, kind, Path(place).lstat())
        except OSError as error:
            self._skip(path, error)
            return
        if found:
            yield found

    def _excluded(self, path: str) -> bool:
        """Say whether a file that is named, or a folder above it, is excluded; no ignore file has a say in that."""
        parts = path.split("/") if self._exclude else []
        return any(
            ignored(self._exclude, name, self._prefix + "/".join(parts[: end + 1]), is_folder=end + 1 < len(parts))
            for end, name in enumerate(parts)
        )

    def _below(self, start: str) -> Iterator[DocumentFile]:
        stack = [(start, self._above(start), "_data" in self._path(start).split("/"))]
        while stack:
            folder, chain, in_data = stack.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=attrgetter("name"))
            except OSError as error:
                self._skip(self._path(folder), error)
                continue
            names = {entry.name for entry in entries}
            if folder != start and self._apart(folder, names):
                continue
            chain = self._with(folder, names, chain)
            folders = []
            for entry in entries:
                try:
                    if entry.name in _NEVER:
                        continue
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if chain and ignored(chain, entry.name, entry.path, is_folder=is_folder):
                        continue
                    if is_folder:
                        folders.append((entry.path, chain, in_data or entry.name == "_data"))
                    elif found := self._file(entry, in_data=in_data):
                        yield found
                except OSError as error:
                    self._skip(self._path(entry.path), error)
            stack += reversed(folders)

    def _apart(self, folder: str, names: Container[str]) -> bool:
        """Say whether a folder is none of this tree: an environment of Python, or a repository within another."""
        if "pyvenv.cfg" in names:
            return True
        if not self._in_repository or ".git" not in names or not _is_repository(folder):
            return False
        self._skip(self._path(folder), "it is a repository of its own, to be scanned by itself")
        return True

    def _file(self, entry: os.DirEntry[str], *, in_data: bool) -> DocumentFile | None:
        path = entry.path[len(self._prefix) :]
        if entry.is_symlink():
            if not (os.path.realpath(entry.path) + "/").startswith(self._prefix):
                self._skip(path, "it is a link that leads out of the tree")
            return None
        kind = _kind(entry.name, in_data=in_data)
        if kind:
            return self._found(path, entry.path, kind, entry.stat(follow_symlinks=False))
        _, dot, suffix = entry.name.rpartition(".")
        self._others[dot and dot + suffix.lower()] += 1
        return None

    def _found(self, path: str, place: str, kind: Kind, state: os.stat_result) -> DocumentFile | None:
        if S_ISREG(state.st_mode) and state.st_size <= self._largest:
            return DocumentFile(path, place, kind, state.st_size, state.st_mtime_ns, state.st_ino)
        large = f"larger than {self._largest:,} bytes"
        self._skip(path, large if S_ISREG(state.st_mode) else "it is not a plain file")
        return None

    def _skip(self, path: str, why: OSError | str) -> None:
        if isinstance(why, FileNotFoundError):
            why = "it vanished while the tree was scanned"
        self._skipped.append(SkippedFile(path, why if isinstance(why, str) else f"it cannot be read: {why.strerror}"))

    def _path(self, place: str) -> str:
        return place.removeprefix(self._prefix) if place != self._root else "."

    def _above(self, place: str) -> tuple[IgnoreRules, ...]:
        """Return what the ignore files above a folder say: from its repository's on, or else from the root's."""
        folders = (Path(self._root), *Path(self._root).parents)
        top = next((folder for folder in folders if os.path.lexists(folder / ".git")), folders[0])
        chain = self._exclude
        for folder in reversed(Path(place).parents):
            if folder.is_relative_to(top):
                chain = self._with(str(folder), _TELLING, chain)
        return chain

    def _with(self, folder: str, names: Container[str], chain: tuple[IgnoreRules, ...]) -> tuple[IgnoreRules, ...]:
        """Return a chain with the ignore files of one more folder: behind what is excluded, before those above."""
        texts = [self._info(folder)] if ".git" in names else []
        texts += [self._text(f"{folder}/{name}") for name in _IGNORE_FILES if name in names]
        if not any(texts):
            return chain
        own = len(self._exclude)
        return (*chain[:own], ignores(folder, b"\n".join(texts)), *chain[own:])

    def _info(self, folder: str) -> bytes:
        """Return what a repository ignores besides, also where its own files lie elsewhere."""
        place = Path(folder, ".git")
        if place.is_file():
            place = Path(folder, os.fsdecode(self._text(str(place)).removeprefix(b"gitdir:").strip()))
            place /= os.fsdecode(self._text(f"{place}/commondir").strip())
        return self._text(f"{place}/info/exclude")

    def _text(self, place: str) -> bytes:
        try:
            with open(place, "rb", opener=_opened) as file:
                text = file.read(_LARGEST_IGNORES + 1)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return b""
        except OSError as error:
            self._skip(self._path(place), error)
            return b""
        if len(text) > _LARGEST_IGNORES:
            self._skip(self._path(place), f"larger than {_LARGEST_IGNORES:,} bytes, so it ignores nothing")
            return b""
        return text.removeprefix(b"\xef\xbb\xbf")


def _is_repository(folder: str) -> bool:
    return os.path.isfile(f"{folder}/.git") or os.path.lexists(f"{folder}/.git/HEAD")  # noqa: PTH113 - names may be odd


def _opened(place: str, flags: int) -> int:
    return os.open(place, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
