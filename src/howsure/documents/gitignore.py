"""Ignore files: which names and paths below a folder its `.gitignore` leaves out.

Patterns are matched byte by byte and as git does it, odd ones included, also where git is not installed. No pattern
takes long, whoever wrote it.
"""

import os
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_CODEC = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
_SPECIAL = re.compile(rb"[*?[\\]")
_TRIMMED = re.compile(rb"(?:\\.|[^ \\]| ++(?!\Z))*+\\?", re.DOTALL)
_TOKEN = re.compile(rb"(?P<stars>\*+)(?P<after>/|(?=\\/)|\Z)?|\?|\[[!^]?|\\.|[^\\]", re.DOTALL)
_MEMBER = re.compile(rb"\[:(?P<name>[^\]]*):\]|(?P<low>\\.|[^\\])(?:-(?P<high>\\.|[^\\\]]))?", re.DOTALL)
_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-\x2f:-@\[-`{-~",
    b"space": rb" \t\n\r",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}
_STAR, _FOLDERS, _REST = b"\0", b"\1", b"\2"
"""What stands for `*`, for `**/` and for any other `**`, until the whole pattern is known."""
_BEFORE_STAR = re.compile(rb"\0([^\0-\2/]+)(?=\0)")
_BEFORE_FOLDERS = re.compile(rb"([\1\2])([^\1\2]+)(?=[\1\2])")


class _Table:
    """Patterns for files, or for folders. What most of them are, a name, a path or an ending, is looked up."""

    def __init__(self, rules: Iterable[tuple[int, bytes]]) -> None:
        self._exact: dict[bytes, int] = {}
        self._endings: dict[bytes, int] = {}
        names: list[tuple[int, bytes]] = []
        paths: list[tuple[int, bytes]] = []
        for rank, pattern in rules:
            whole = b"/" in pattern
            bare = pattern.removeprefix(b"/")
            if not _SPECIAL.search(bare):
                self._exact[b"/" + bare if whole else bare] = rank
            elif not whole and bare[:1] == b"*" != bare and not _SPECIAL.search(bare, 1):
                self._endings[bare[1:]] = rank
            elif expression := _expression(bare):
                (paths if whole else names).append((rank, expression))
        self._lengths = sorted({len(ending) for ending in self._endings})
        self._shortest = self._lengths[0] if self._lengths else 0
        self._last = {ending[-self._shortest :] for ending in self._endings}
        self._names, self._name_ranks = _together(names)
        self._paths, self._path_ranks = _together(paths)

    def rank(self, name: bytes, path: bytes) -> int:
        """Return the rank of the last pattern that fits: odd, where it ignores, and -1 where there is none."""
        rank = self._exact.get(name, -1)
        if path in self._exact:
            rank = max(rank, self._exact[path])
        if name[-self._shortest :] in self._last:
            for length in self._lengths:
                rank = max(rank, self._endings.get(name[-length:], -1))
        if self._names and (found := self._names.match(name)):
            rank = max(rank, self._name_ranks[found.lastindex or 0])
        if self._paths and (found := self._paths.match(path, 1)):
            rank = max(rank, self._path_ranks[found.lastindex or 0])
        return rank


class IgnoreRules(NamedTuple):
    """What is ignored below a folder."""

    length: int
    """Bytes of the folder's own name, which patterns do not see."""
    files: _Table
    folders: _Table


def ignores(folder: str, text: bytes) -> IgnoreRules:
    r"""Return what the text of an ignore file means for a folder.

    >>> found = ignores("/site", b"*.log\n!keep.log\n/drafts/")
    >>> [ignored((found,), name, f"/site/{name}", is_folder=False) for name in ("a.log", "keep.log", "drafts")]
    [True, False, False]
    """
    return IgnoreRules(len(os.fsencode(folder.rstrip("/"))), *_tables(text))


def ignored(chain: tuple[IgnoreRules, ...], name: str, place: str, *, is_folder: bool) -> bool:
    """Say whether something is ignored; of a chain of ignore files, the first that knows of it has the say."""
    encoded, whole = name.encode(*_CODEC), place.encode(*_CODEC)
    for length, files, folders in chain:
        rank = (folders if is_folder else files).rank(encoded, whole[length:])
        if rank >= 0:
            return rank % 2 == 1
    return False


@lru_cache(maxsize=256)
def _tables(text: bytes) -> tuple[_Table, _Table]:
    """Return what an ignore file says: of files, and of folders."""
    files, folders = [], []
    for number, raw in enumerate(text.split(b"\n")):
        found = _TRIMMED.match(raw.removesuffix(b"\r").partition(b"\0")[0])
        line = found[0] if found and raw[:1] != b"#" else b""
        pattern = line.removeprefix(b"!")
        rule = 2 * number + (pattern == line), pattern.removesuffix(b"/")
        if rule[1]:
            folders.append(rule)
            if rule[1] == pattern:
                files.append(rule)
    return _Table(files), _Table(folders)


def _together(rules: list[tuple[int, bytes]]) -> tuple[re.Pattern[bytes] | None, list[int]]:
    """Return one expression for many, of which the last comes first, and the rank of each of its groups."""
    if not rules:
        return None, []
    expressions = b"|".join(expression + rb"\Z()" for _, expression in reversed(rules))
    return re.compile(expressions, re.DOTALL), [-1, *(rank for rank, _ in reversed(rules))]


def _expression(pattern: bytes) -> bytes | None:
    """Return a pattern with wildcards as a regular expression, or nothing where it is broken and never fits."""
    special = _SPECIAL.search(pattern)
    first = special.start() if special else -1
    found = b""
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if not token:
            return None
        start, at = at, token.end()
        if token["stars"]:
            # git compares what is before the first wildcard on its own: a `**` behind it stands at a beginning.
            free = len(token["stars"]) > 1 and (start == first or pattern[start - 1 : start] == b"/")
            if free and token["after"] is not None:
                found += _FOLDERS if token["after"] else _REST
            else:
                found += _STAR
                at = token.end("stars")
        elif token[0] == b"?":
            found += rb"[^\x2f]"
        elif token[0][:1] == b"[":
            members, at = _members(pattern, at)
            if not members:
                return None
            found += (rb"[^\x2f%b]" if len(token[0]) > 1 else rb"(?!\x2f)[%b]") % members
        else:
            byte = token[0][-1:]
            found += byte if byte.isalnum() or byte == b"/" else rb"\x%02x" % ord(byte)
    return _resolved(found)


def _members(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Return what stands in brackets, for a regular expression, and where it ends; nothing, where it is broken."""
    found = b""
    while not found or pattern[at : at + 1] != b"]":
        member = _MEMBER.match(pattern, at)
        if not member:
            return b"", at
        at = member.end()
        if member["name"] is None:
            low, high = member["low"][-1:], (member["high"] or member["low"])[-1:]
            found += rb"\x%02x" % ord(low) + (rb"\x%02x-\x%02x" % (*low, *high) if low < high else b"")
        elif member["name"] in _CLASSES:
            found += _CLASSES[member["name"]]
        else:
            return b"", at
    return found, at + 1


def _resolved(found: bytes) -> bytes:
    """Return an expression with its stars.

    Each but the last of a name, and the last `**` of a path, takes the nearest place that fits and keeps it: if there
    is no way to the end from there, there is none from any other.
    """
    found = re.sub(_FOLDERS + b"+", _FOLDERS, found)
    found = _BEFORE_STAR.sub(rb"(?>[^\\x2f]*?\1)", found)
    found = _BEFORE_FOLDERS.sub(rb"(?>\1?\2)", found)
    found = found.replace(_FOLDERS + b"?", rb"(?:.*?/)??").replace(_REST + b"?", rb".*?")
    return found.replace(_STAR, rb"[^/]*").replace(_FOLDERS, rb"(?:.*/)?").replace(_REST, rb".*")
