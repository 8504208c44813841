"""Patterns: literal pieces of text that tell something about a file, in packs, found in one pass."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from ahocorasick_rs import BytesAhoCorasick

from howsure.core.shape import Unit, decode
from howsure.errors import HowsureError, InputError, UnknownNameError, shown
from howsure.text.phrases import in_word

Milestone = Literal["M1", "M2", "M3", "M4"]
_FIRST_PIECE, _LARGEST_PIECE, _CROWD = 4096, 1 << 20, 10_000
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
        self.longest = max((len(pattern.pattern) for pattern in pack), default=0) + 1
        self._automaton = BytesAhoCorasick([p.pattern.encode("utf-8", "surrogatepass") for p in pack])

    def find(self, text: str) -> list[Match]:
        """Return every match, overlapping ones included, by where it ends."""
        data = text.encode("utf-8", "surrogatepass")
        matches, end, read = [], 0, 0
        for index, _, byte_end in self._automaton.find_matches_as_indexes(data, overlapping=True):
            end += len(data[read:byte_end].decode("utf-8", "surrogatepass"))
            read = byte_end
            pattern = self.pack[index]
            start = end - len(pattern.pattern)
            if not pattern.whole_word or not (in_word(text, start - 1) or in_word(text, end)):
                matches.append(Match(pattern, start, end))
        return matches

    def unique(self, text: str) -> list[Pattern]:
        """Return each pattern that occurs, once, sorted by its text.

        The text is read in pieces that grow, and where matches crowd, patterns that were found are looked for no more:
        so a text full of matches takes neither much time nor much memory.
        """
        found: set[Pattern] = set()
        looking, place, size = self, 0, _FIRST_PIECE
        while place < len(text) and looking.pack:
            before = max(0, place - looking.longest)
            matches = looking.find(text[before : place + size + 1])
            end = place + size - before
            found |= {match.pattern for match in matches if match.end <= end or place + size >= len(text)}
            if len(matches) > _CROWD:
                looking = Matcher(tuple(pattern for pattern in looking.pack if pattern not in found))
            place, size = place + size, min(size * 4, _LARGEST_PIECE)
        return sorted(found, key=lambda pattern: pattern.pattern)


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
class _Pack:
    name: str
    categories: dict[str, _Category]
    extends: str = ""
    description: str = ""


def packs() -> list[str]:
    """Return the names of the built-in packs."""
    return sorted(path.stem for path in _PACKS.glob("*.toml"))


@lru_cache(maxsize=16)
def pack(name: str) -> tuple[Pattern, ...]:
    """Return the patterns of a built-in pack."""
    if name not in packs():
        raise UnknownNameError("pattern pack", name, packs())
    return read_pack(_PACKS / f"{name}.toml")


def read_pack(path: Path) -> tuple[Pattern, ...]:
    """Read a pack from a TOML file, with all that it extends."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HowsureError(f"{path.name} is no pattern pack: {error}") from error
    parts = decode(_Pack, data)
    inherited = pack(parts.extends) if parts.extends else ()
    own = (
        Pattern(text, category.milestone, category.weight, name, category.whole_words)
        for name, category in parts.categories.items()
        for text in category.patterns
    )
    return (*inherited, *own)
