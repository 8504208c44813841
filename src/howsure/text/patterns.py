"""Patterns: literal pieces of text that tell something about a file, in packs, found in one pass."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

from howsure.errors import HowsureError, InputError, UnknownNameError, shown
from howsure.shapes import Unit, decode
from howsure.text.literals import scanner
from howsure.text.phrases import in_word

Milestone = Literal["M1", "M2", "M3", "M4"]
_FIRST_PIECE, _GROWTH, _LARGEST_PIECE = 1024, 4, 1 << 20
_CROWD, _SMALL, _KEPT = 10_000, 256, 512
_PACKS = Path(__file__).with_name("packs")


@dataclass(frozen=True)
class Pattern:
    """A literal piece of text, case-sensitive, that counts once per file wherever it stands."""

    pattern: str
    """The text to look for."""
    milestone: Milestone
    """The milestone it speaks for."""
    weight: Unit
    """What finding it adds."""
    category: str = ""
    """What kind of thing it tells."""
    whole_word: bool = False
    """Whether it counts only where no letter, digit or underscore touches it."""

    def __post_init__(self) -> None:
        """Refuse what would match everywhere."""
        if not self.pattern:
            raise InputError("an empty pattern would match everywhere", field="pattern")


class Match(NamedTuple):
    """A pattern at a place in a text."""

    pattern: Pattern
    start: int
    end: int


class Matcher:
    """Looks for the patterns of a pack.

    >>> pack = (Pattern("test", "M3", 0.003), Pattern("pytest", "M3", 0.003))
    >>> [pattern.pattern for pattern in Matcher(pack).unique("the latest pytest")]
    ['pytest', 'test']
    """

    def __init__(self, pack: tuple[Pattern, ...]) -> None:
        """Build the automaton; searching is then linear in the text alone."""
        self.pack = pack
        seen = set()
        for pattern in pack:
            if pattern.pattern in seen:
                raise InputError(
                    f"the pattern {shown(pattern.pattern)} is there twice",
                    field="pack",
                    hint="each pattern counts once",
                )
            seen.add(pattern.pattern)
        self._words = [pattern.pattern.encode("utf-8", "surrogatepass") for pattern in pack]
        self._longest = max(map(len, self._words), default=0)
        self._small = len(pack) <= _SMALL
        self._whole = any(pattern.whole_word for pattern in pack)
        self._without: dict[frozenset[int], _Search] = {}
        self._all = self._search(frozenset())
        by_text = sorted(range(len(pack)), key=lambda index: pack[index].pattern)
        self._order = {index: place for place, index in enumerate(by_text)}

    def find(self, text: str) -> list[Match]:
        """Return every match, overlapping ones included, by where it ends."""
        data = text.encode("utf-8", "surrogatepass")
        matches, end, read = [], 0, 0
        for index, byte_start, byte_end in self._all.automaton.find_matches_as_indexes(data, overlapping=True):
            end += len(data[read:byte_end].decode("utf-8", "surrogatepass"))
            read = byte_end
            pattern = self.pack[index]
            if not pattern.whole_word or _stands_alone(data, byte_start, byte_end):
                matches.append(Match(pattern, end - len(pattern.pattern), end))
        return matches

    def unique(self, text: str) -> list[Pattern]:
        """Return each pattern that occurs, once, sorted by its text."""
        return self.within(text.encode("utf-8", "surrogatepass"))

    def within(self, data: bytes) -> list[Pattern]:
        """Return each pattern that occurs in UTF-8, once, sorted by its text.

        The text is read in pieces that grow, and patterns that were found are looked for no more: so a text full of
        matches takes neither much time nor much memory.
        """
        if len(data) > _FIRST_PIECE and self._scan is not None:
            return self._sorted(self._scan(data))
        found: set[int] = set()
        search, place, size = self._all, 0, _FIRST_PIECE
        while place < len(data) and search.left:
            start = max(0, place - self._longest + 1)
            matches = search.automaton.find_matches_as_indexes(data[start : place + size], overlapping=True)
            before = len(found)
            if self._whole:
                found |= {index for index, _, _ in self._alone(data, start, matches, search.left)}
            else:
                found |= {search.left[index] for index, _, _ in matches}
            place, size = place + size, min(size * _GROWTH, _LARGEST_PIECE)
            if len(found) > before and (self._small or len(matches) > _CROWD) and place < len(data):
                search = self._search(frozenset(found))
        return self._sorted(found)

    @cached_property
    def _scan(self) -> Callable[[bytes], set[int]] | None:
        """What finds the patterns faster, where it is installed and can do it."""
        return None if self._whole or not self.pack else scanner(self._words)

    def _sorted(self, found: Iterable[int]) -> list[Pattern]:
        return [self.pack[index] for index in sorted(found, key=self._order.__getitem__)]

    def _alone(
        self, data: bytes, start: int, matches: list[tuple[int, int, int]], left: list[int]
    ) -> Iterator[tuple[int, int, int]]:
        for index, first, last in matches:
            own = left[index]
            if not self.pack[own].whole_word or _stands_alone(data, start + first, start + last):
                yield own, first, last

    def _search(self, found: frozenset[int]) -> "_Search":
        """Return what looks for the patterns that were not found yet; kept, where few enough are."""
        kept = self._without.get(found)
        if kept is None:
            left = [index for index in range(len(self.pack)) if index not in found]
            way = Implementation.DFA if self._small else None
            kept = _Search(left, BytesAhoCorasick([self._words[index] for index in left], implementation=way))
            if self._small and len(self._without) < _KEPT:
                self._without[found] = kept
        return kept


class _Search(NamedTuple):
    left: list[int]
    """The patterns that are looked for."""
    automaton: BytesAhoCorasick


def _stands_alone(data: bytes, start: int, end: int) -> bool:
    """Say whether no letter, digit or underscore touches a place in UTF-8."""
    before = data[max(0, start - 4) : start].decode("utf-8", "ignore")[-1:]
    after = data[end : end + 4].decode("utf-8", "ignore")[:1]
    return not in_word(before, 0) and not in_word(after, 0)


@lru_cache(maxsize=16)
def matcher(pack: tuple[Pattern, ...]) -> Matcher:
    """Return the matcher of a pack, built once for as long as it is in use."""
    return Matcher(pack)


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
class _Pack:
    name: str
    categories: dict[str, _Category] = field(default_factory=dict)
    extends: str = ""
    description: str = ""
    milestones: _Bonuses = field(default_factory=_Bonuses)


class Pack(NamedTuple):
    """Patterns that belong together."""

    patterns: tuple[Pattern, ...]
    thresholds: tuple[tuple[str, float], ...] = ()
    """Parameters of the `patterns` model that differ from its own: from when a milestone earns its bonus, and which."""


def packs() -> list[str]:
    """Return the names of the built-in packs."""
    return sorted(path.stem for path in _PACKS.glob("*.toml"))


@lru_cache(maxsize=16)
def whole_pack(name: str) -> Pack:
    """Return a built-in pack."""
    if name not in packs():
        raise UnknownNameError("pattern pack", name, packs())
    return read_pack(_PACKS / f"{name}.toml")


def pack(name: str) -> tuple[Pattern, ...]:
    """Return the patterns of a built-in pack."""
    return whole_pack(name).patterns


def read_pack(path: Path) -> Pack:
    """Read a pack from a TOML file, with all that it extends."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HowsureError(f"{path.name} is no pattern pack: {error}") from error
    try:
        parts = decode(_Pack, data)
        inherited = whole_pack(parts.extends) if parts.extends else Pack(())
    except InputError as error:
        raise error.under(path.name) from None
    own = tuple(
        Pattern(text, category.milestone, category.weight, name, category.whole_words)
        for name, category in parts.categories.items()
        for text in category.patterns
    )
    bonuses = {"m2": parts.milestones.M2, "m4": parts.milestones.M4}
    told = dict(inherited.thresholds)
    for name, bonus in bonuses.items():
        if bonus is not None:
            told |= {f"{name}_from": bonus.threshold, f"{name}_bonus": bonus.bonus}
    again = {pattern.pattern for pattern in own}  # what is named again takes the place of what was inherited
    kept = tuple(pattern for pattern in inherited.patterns if pattern.pattern not in again)
    return Pack((*kept, *own), tuple(told.items()))
