"""Find literal patterns in files; patterns come in packs, which are TOML files."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

from howsure.errors import HowsureError, InputError, UnknownNameError, shown
from howsure.files import load_toml
from howsure.shapes import Unit, decode
from howsure.text.phrases import is_word_character

Milestone = Literal["M1", "M2", "M3", "M4"]
_FIRST_PIECE, _GROWTH, _LARGEST_PIECE = 1024, 4, 1 << 20
"""Bytes of a file that are searched at once: small pieces first, since many patterns occur at the top of a file and
need not be searched for in the rest."""
_MANY_HITS = 10_000
"""Hits in one piece from which it pays to rebuild a large automaton without the patterns already found."""
_SMALL_PACK = 256
"""Patterns up to which a DFA is built, and automata for the patterns not found yet are cached."""
_CACHED_AUTOMATA = 512
_PACKS = Path(__file__).with_name("packs")


@dataclass(frozen=True)
class Pattern:
    """A literal, case-sensitive piece of text that counts once per file."""

    pattern: str
    """The text to search for."""
    milestone: Milestone
    """The milestone that it is evidence of."""
    weight: Unit
    """What finding it adds to the score."""
    category: str = ""
    """What kind of evidence it is."""
    whole_word: bool = False
    """Match only if no letter, digit or underscore touches it."""

    def __post_init__(self) -> None:
        """Raise InputError for an empty pattern."""
        if not self.pattern:
            raise InputError("an empty pattern would match everywhere", field="pattern")


class Match(NamedTuple):
    """A pattern found in a text, with its offsets in characters."""

    pattern: Pattern
    start: int
    end: int


class _Search(NamedTuple):
    """An automaton for some of the patterns of a pack."""

    left: list[int]
    """Index in the pack of each pattern of the automaton."""
    automaton: BytesAhoCorasick


class Matcher:
    """Searches for the patterns of a pack.

    >>> pack = (Pattern("test", "M3", 0.003), Pattern("pytest", "M3", 0.003))
    >>> [pattern.pattern for pattern in Matcher(pack).find_unique("the latest pytest")]
    ['pytest', 'test']
    """

    def __init__(self, pack: tuple[Pattern, ...]) -> None:
        """Build the automaton. Raises InputError if a pattern occurs twice."""
        self.pack = pack
        texts = set()
        for pattern in pack:
            if pattern.pattern in texts:
                raise InputError(
                    f"duplicate pattern {shown(pattern.pattern)}", field="pack", hint="each pattern counts once"
                )
            texts.add(pattern.pattern)
        self._words = [pattern.pattern.encode("utf-8", "surrogatepass") for pattern in pack]
        self._longest = max(map(len, self._words), default=0)
        self._is_small = len(pack) <= _SMALL_PACK
        self._has_whole_words = any(pattern.whole_word for pattern in pack)
        self._searches: dict[frozenset[int], _Search] = {}
        self._full_search = self._search_without(frozenset())
        by_text = sorted(range(len(pack)), key=lambda index: pack[index].pattern)
        self._rank = {index: place for place, index in enumerate(by_text)}

    def find(self, text: str) -> list[Match]:
        """Return every match, overlapping ones included, ordered by end."""
        data = text.encode("utf-8", "surrogatepass")
        matches, end, read = [], 0, 0
        for index, byte_start, byte_end in self._full_search.automaton.find_matches_as_indexes(data, overlapping=True):
            end += len(data[read:byte_end].decode("utf-8", "surrogatepass"))
            read = byte_end
            pattern = self.pack[index]
            if not pattern.whole_word or _stands_alone(data, byte_start, byte_end):
                matches.append(Match(pattern, end - len(pattern.pattern), end))
        return matches

    def find_unique(self, text: str) -> list[Pattern]:
        """Return the patterns that occur in a text, each once, sorted by their text."""
        return self.find_unique_bytes(text.encode("utf-8", "surrogatepass"))

    def find_unique_bytes(self, data: bytes) -> list[Pattern]:
        """Return the patterns that occur in UTF-8 data, each once, sorted by their text.

        The data is searched in pieces that grow, and patterns already found are dropped from the search, so that data
        full of matches takes neither much time nor much memory.
        """
        if len(data) > _FIRST_PIECE and self._scan is not None:
            return self._sorted(self._scan(data))
        indexes: set[int] = set()
        search, place, size = self._full_search, 0, _FIRST_PIECE
        while place < len(data) and search.left:
            # Pieces overlap, so that a pattern across their border is found.
            start = max(0, place - self._longest + 1)
            hits = search.automaton.find_matches_as_indexes(data[start : place + size], overlapping=True)
            before = len(indexes)
            if self._has_whole_words:
                indexes.update(self._whole_word_hits(data, start, hits, search.left))
            else:
                indexes |= {search.left[index] for index, _, _ in hits}
            place, size = place + size, min(size * _GROWTH, _LARGEST_PIECE)
            worthwhile = self._is_small or len(hits) > _MANY_HITS
            if len(indexes) > before and worthwhile and place < len(data):
                search = self._search_without(frozenset(indexes))
        return self._sorted(indexes)

    @cached_property
    def _scan(self) -> Callable[[bytes], set[int]] | None:
        """The faster search by Hyperscan, or None if it is not installed or cannot search for these patterns."""
        return None if self._has_whole_words or not self.pack else _hyperscan_scanner(self._words)

    def _sorted(self, indexes: Iterable[int]) -> list[Pattern]:
        return [self.pack[index] for index in sorted(indexes, key=self._rank.__getitem__)]

    def _whole_word_hits(
        self, data: bytes, start: int, hits: list[tuple[int, int, int]], left: list[int]
    ) -> Iterator[int]:
        """Yield the pattern of each hit, leaving out whole-word patterns that are part of a longer word."""
        for index, first, last in hits:
            own = left[index]
            if not self.pack[own].whole_word or _stands_alone(data, start + first, start + last):
                yield own

    def _search_without(self, found: frozenset[int]) -> _Search:
        """Return a search for the patterns that are not in `found`, cached for small packs."""
        search = self._searches.get(found)
        if search is None:
            left = [index for index in range(len(self.pack)) if index not in found]
            implementation = Implementation.DFA if self._is_small else None
            automaton = BytesAhoCorasick([self._words[index] for index in left], implementation=implementation)
            search = _Search(left, automaton)
            if self._is_small and len(self._searches) < _CACHED_AUTOMATA:
                self._searches[found] = search
        return search


def _hyperscan_scanner(words: Sequence[bytes]) -> Callable[[bytes], set[int]] | None:
    """Return a function that returns the indexes of the words in some data, or None without Hyperscan.

    Hyperscan uses the processor's vector instructions and is three times as fast as the automaton.
    """
    try:
        import hyperscan
    except ImportError:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(
            expressions=list(words),
            ids=list(range(len(words))),
            elements=len(words),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH] * len(words),
            literal=True,
        )
    except hyperscan.error:  # words it cannot compile, or an unsupported processor
        return None
    lock = threading.Lock()  # the database's scratch space must not be used by two threads at once

    def scan(data: bytes) -> set[int]:
        indexes: set[int] = set()

        def add(index: int, _start: int, _end: int, _flags: int, _context: Any) -> None:
            indexes.add(index)

        with lock:
            database.scan(data, match_event_handler=add)
        return indexes

    return scan


def _stands_alone(data: bytes, start: int, end: int) -> bool:
    """Return True if no letter, digit or underscore touches this part of UTF-8 data."""
    # A character has at most four bytes.
    before = data[max(0, start - 4) : start].decode("utf-8", "ignore")[-1:]
    after = data[end : end + 4].decode("utf-8", "ignore")[:1]
    return not is_word_character(before, 0) and not is_word_character(after, 0)


@lru_cache(maxsize=16)
def get_matcher(pack: tuple[Pattern, ...]) -> Matcher:
    """Return the matcher of a pack; the last 16 are cached."""
    return Matcher(pack)


# The content of a TOML file.
@dataclass(frozen=True)
class _Category:
    milestone: Milestone
    weight: Unit
    patterns: tuple[str, ...]
    whole_words: bool = False


@dataclass(frozen=True)
class _Bonus:
    threshold: Unit
    bonus: Unit


@dataclass(frozen=True)
class _Bonuses:
    M2: _Bonus | None = None
    M4: _Bonus | None = None


@dataclass(frozen=True)
class _PackFile:
    name: str
    categories: dict[str, _Category] = field(default_factory=dict)
    extends: str = ""
    description: str = ""
    milestones: _Bonuses = field(default_factory=_Bonuses)


class Pack(NamedTuple):
    """A set of patterns, and the bonuses for reaching a milestone."""

    patterns: tuple[Pattern, ...]
    thresholds: tuple[tuple[str, float], ...] = ()
    """Parameters of the `patterns` model that this pack changes: `m2_from`, `m2_bonus`, `m4_from`, `m4_bonus`."""


def pack_names() -> list[str]:
    """Return the names of the built-in packs."""
    return sorted(path.stem for path in _PACKS.glob("*.toml"))


@lru_cache(maxsize=16)
def load_builtin_pack(name: str) -> Pack:
    """Return a built-in pack. Raises UnknownNameError if there is none of that name."""
    if name not in pack_names():
        raise UnknownNameError("pattern pack", name, pack_names())
    return read_pack(_PACKS / f"{name}.toml")


def read_pack(path: Path) -> Pack:
    """Read a pack from a TOML file, with the built-in pack it extends.

    Raises:
        HowsureError: if the file cannot be read or is not TOML.
        InputError: if a field is missing, unknown or invalid.
    """
    try:
        data = load_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise HowsureError(f"cannot read the pattern pack {path.name}: {error}") from error
    try:
        content = decode(_PackFile, data)
        base = load_builtin_pack(content.extends) if content.extends else Pack(())
    except InputError as error:
        raise error.under(path.name) from None
    own = tuple(
        Pattern(text, category.milestone, category.weight, name, category.whole_words)
        for name, category in content.categories.items()
        for text in category.patterns
    )
    thresholds = dict(base.thresholds)
    for name, bonus in {"m2": content.milestones.M2, "m4": content.milestones.M4}.items():
        if bonus is not None:
            thresholds |= {f"{name}_from": bonus.threshold, f"{name}_bonus": bonus.bonus}
    replaced = {pattern.pattern for pattern in own}
    inherited = tuple(pattern for pattern in base.patterns if pattern.pattern not in replaced)
    return Pack((*inherited, *own), tuple(thresholds.items()))
