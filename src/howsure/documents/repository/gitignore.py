"""Match paths against the patterns of `.gitignore` files, exactly as git does and without running git.

Names are matched as bytes, and no pattern takes long, whoever wrote it: scanned repositories are untrusted. The library
pathspec (1.1.1) does neither: it was tried with 432 tests, of which 89 failed, mostly for character classes, invalid
ranges and `**`, and a pattern of forty `*a` and a `b` did not finish within five seconds.
"""

import os
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_CODEC = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
_SPECIAL = re.compile(rb"[*?[\\]")
# A pattern without trailing spaces, unless they are escaped.
_TRIMMED = re.compile(rb"(?:\\.|[^ \\]| ++(?!\Z))*+\\?", re.DOTALL)
_TOKEN = re.compile(rb"(?P<stars>\*+)(?P<after>/|(?=\\/)|\Z)?|\?|\[[!^]?|\\.|[^\\]", re.DOTALL)
_MEMBER = re.compile(rb"\[:(?P<name>[^\]]*):\]|(?P<low>\\.|[^\\])(?:-(?P<high>\\.|[^\\\]]))?", re.DOTALL)
_CHARACTER_CLASSES = {
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
"""Placeholders for `*`, `**/` and any other `**` until the whole pattern is known."""
_BEFORE_STAR = re.compile(rb"\0([^\0-\2/]+)(?=\0)")
_BEFORE_FOLDERS = re.compile(rb"([\1\2])([^\1\2]+)(?=[\1\2])")


class _PatternTable:
    """The patterns for files, or for folders.

    Most patterns are a name, a path or `*` with an ending: these are looked up in dictionaries. All others are joined
    into one regular expression.
    """

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
            elif expression := _translate(bare):
                (paths if whole else names).append((rank, expression))
        self._lengths = sorted({len(ending) for ending in self._endings})
        self._shortest = self._lengths[0] if self._lengths else 0
        self._last = {ending[-self._shortest :] for ending in self._endings}
        self._names, self._name_ranks = _join(names)
        self._paths, self._path_ranks = _join(paths)

    def rank(self, name: bytes, path: bytes) -> int:
        """Return the rank of the last matching pattern: odd if it ignores, even if it negates; -1 if none matches."""
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
    """The rules of the ignore files in one folder."""

    length: int
    """Length of the folder's path in bytes; patterns match what comes after it."""
    files: _PatternTable
    folders: _PatternTable


def parse_ignore_file(folder: str, text: bytes) -> IgnoreRules:
    r"""Parse the content of an ignore file in a folder.

    >>> rules = parse_ignore_file("/site", b"*.log\n!keep.log\n/drafts/")
    >>> [is_ignored((rules,), name, f"/site/{name}", is_folder=False) for name in ("a.log", "keep.log", "drafts")]
    [True, False, False]
    """
    return IgnoreRules(len(os.fsencode(folder.rstrip("/"))), *_parse_patterns(text))


def is_ignored(chain: tuple[IgnoreRules, ...], name: str, place: str, *, is_folder: bool) -> bool:
    """Return whether a path is ignored; the first rules of the chain that match it decide."""
    encoded, whole = name.encode(*_CODEC), place.encode(*_CODEC)
    for length, files, folders in chain:
        rank = (folders if is_folder else files).rank(encoded, whole[length:])
        if rank >= 0:
            return rank % 2 == 1
    return False


@lru_cache(maxsize=256)
def _parse_patterns(text: bytes) -> tuple[_PatternTable, _PatternTable]:
    """Return the patterns of an ignore file for files and for folders."""
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
    return _PatternTable(files), _PatternTable(folders)


def _join(rules: list[tuple[int, bytes]]) -> tuple[re.Pattern[bytes] | None, list[int]]:
    """Return one expression for all patterns, the last first, and the rank of each of its groups."""
    if not rules:
        return None, []
    expressions = b"|".join(expression + rb"\Z()" for _, expression in reversed(rules))
    return re.compile(expressions, re.DOTALL), [-1, *(rank for rank, _ in reversed(rules))]


def _translate(pattern: bytes) -> bytes | None:
    """Translate a pattern with wildcards to a regular expression; None if it is invalid and never matches."""
    special = _SPECIAL.search(pattern)
    first = special.start() if special else -1
    regex = b""
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if not token:
            return None
        start, at = at, token.end()
        if token["stars"]:
            # git compares the literal prefix first and drops it, so a `**` after it counts as a beginning.
            free = len(token["stars"]) > 1 and (start == first or pattern[start - 1 : start] == b"/")
            if free and token["after"] is not None:
                regex += _FOLDERS if token["after"] else _REST
            else:
                regex += _STAR
                at = token.end("stars")
        elif token[0] == b"?":
            regex += rb"[^\x2f]"
        elif token[0][:1] == b"[":
            members, at = _translate_brackets(pattern, at)
            if not members:
                return None
            regex += (rb"[^\x2f%b]" if len(token[0]) > 1 else rb"(?!\x2f)[%b]") % members
        else:
            byte = token[0][-1:]
            regex += byte if byte.isalnum() or byte == b"/" else rb"\x%02x" % ord(byte)
    return _expand_stars(regex)


def _translate_brackets(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Return the content of brackets as a regular expression and the offset of their end; empty if they are invalid."""
    regex = b""
    while not regex or pattern[at : at + 1] != b"]":
        member = _MEMBER.match(pattern, at)
        if not member:
            return b"", at
        at = member.end()
        if member["name"] is None:
            low, high = member["low"][-1:], (member["high"] or member["low"])[-1:]
            regex += rb"\x%02x" % ord(low) + (rb"\x%02x-\x%02x" % (*low, *high) if low < high else b"")
        elif member["name"] in _CHARACTER_CLASSES:
            regex += _CHARACTER_CLASSES[member["name"]]
        else:
            return b"", at
    return regex, at + 1


def _expand_stars(regex: bytes) -> bytes:
    """Replace the placeholders of stars.

    Every star but the last one matches as little as possible in an atomic group: if the rest does not match from the
    nearest position, it does not match from a later one either. So no pattern backtracks exponentially.
    """
    regex = re.sub(_FOLDERS + b"+", _FOLDERS, regex)
    regex = _BEFORE_STAR.sub(rb"(?>[^\\x2f]*?\1)", regex)
    regex = _BEFORE_FOLDERS.sub(rb"(?>\1?\2)", regex)
    regex = regex.replace(_FOLDERS + b"?", rb"(?:.*?/)??").replace(_REST + b"?", rb".*?")
    return regex.replace(_STAR, rb"[^/]*").replace(_FOLDERS, rb"(?:.*/)?").replace(_REST, rb".*")
