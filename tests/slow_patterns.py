"""Feed every regular expression of howsure with adversarial texts, and print those that take quadratic time.

python -m tests.slow_patterns exits 1 if there is one. Patterns are collected while all modules are imported, and
while random inputs are thrown at every door, since some are compiled when they are first needed. Each is applied in the
ways in which the source applies it. A text repeats pieces of the pattern itself, or characters that patterns tend to
repeat, and ends with something that does not match.
"""

import ast
import importlib
import itertools
import pkgutil
import re
import signal
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Self

import howsure
from tests.fuzz.__main__ import throw_all

SOURCE = Path(howsure.__file__).parent
LENGTH = 20_000
"""Characters of a text; a suspect is also given ten times as many, and a tenth."""
SUSPECT = 0.004
"""Seconds of CPU time for 20,000 characters from which growth is looked at; most patterns take 0.1 to 2 ms."""
PATIENCE = 1.0
"""Seconds of CPU time after which a match is given up."""
GROWTH = 30
"""Times by which ten times the text may take longer: 10 is linear, 100 quadratic."""
COMMON = [
    "a",
    " ",
    "\t",
    "\n",
    "\r\n",
    "(",
    "[",
    "{",
    "<",
    '"',
    "'",
    "`",
    "0",
    "1.",
    "a.",
    "a ",
    "a\n",
    "-",
    "_",
    "/",
    "\\",
    "#",
    ",",
    "*",
    "=",
    "a=",
    "é",
]
LONG_PIECE = 200
ANCHORED, SCANNING = {"match", "fullmatch"}, {"search", "sub", "subn", "split", "findall", "finditer"}


@dataclass
class Collected:
    """A pattern, with where it is compiled and how it is applied."""

    pattern: re.Pattern[Any]
    where: str
    ways: set[str] = field(default_factory=set)
    name: str = ""


SHORT = {
    "_HASH_COMMENTS": "the name of a file",
    "_CLASS": "a name between backticks",
    "documents/repository/gitignore.py _join": "a path",
}
"""Names or places of patterns that are applied to short texts only, with what these are."""
WAYS = {"documents/headers/edit.py _patterns": {"match"}}
"""How patterns are applied that are not global variables, if not in all ways of their file."""


class Text(NamedTuple):
    """A text that repeats a piece."""

    start: str
    piece: str
    end: str

    def make(self, length: int) -> str:
        """Return the text with about this many characters."""
        return self.start + self.piece * (length // len(self.piece)) + self.end


class Recorder:
    """Remembers each pattern that a module of howsure compiles."""

    def __init__(self) -> None:
        """Start without patterns."""
        self.found: dict[tuple[Any, int], Collected] = {}
        self._compile = re._compile  # type: ignore[attr-defined]

    def __enter__(self) -> Self:
        """Watch `re`."""
        re._compile = self.compile  # type: ignore[attr-defined]
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching."""
        re._compile = self._compile  # type: ignore[attr-defined]

    def compile(self, pattern: Any, flags: int) -> re.Pattern[Any]:
        """Compile a pattern; remember it if the caller is howsure."""
        compiled: re.Pattern[Any] = self._compile(pattern, flags)
        caller = sys._getframe(2)
        if caller.f_code.co_filename.startswith(str(SOURCE)):
            key = (compiled.pattern, compiled.flags)
            function = caller.f_code.co_name.replace("<module>", f"line {caller.f_lineno}")
            where = f"{Path(caller.f_code.co_filename).relative_to(SOURCE)} {function}"
            known = self.found.setdefault(key, Collected(compiled, where))
            used = sys._getframe(1).f_code.co_name
            if used in ANCHORED | SCANNING:
                known.ways.add(used)
        return compiled


def import_all() -> list[str]:
    """Import every module of howsure; return those that need a package which is not installed."""
    failed = []
    for module in pkgutil.walk_packages([str(SOURCE)], "howsure."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:
                failed.append(module.name)
    return failed


def find_ways(path: Path) -> dict[str, set[str]]:
    """Return the methods of patterns that a file calls on each name, such as `_WORD.sub`; "" has all of them."""
    ways: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in ANCHORED | SCANNING:
            value = node.value
            name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
            for known in {"", name} if name != "re" else ():
                ways.setdefault(known, set()).add(node.attr)
    return ways


def name_patterns(found: dict[tuple[Any, int], Collected]) -> None:
    """Add the ways in which patterns are applied; all ways of the file if none is known."""
    files = {str(path.relative_to(SOURCE)): find_ways(path) for path in SOURCE.rglob("*.py")}
    for module in [module for name, module in sys.modules.items() if name.startswith("howsure.")]:
        for variable, value in vars(module).items():
            if isinstance(value, re.Pattern) and module.__file__ is not None:
                place = str(Path(module.__file__).relative_to(SOURCE))
                known = found.setdefault((value.pattern, value.flags), Collected(value, f"{place} {variable}"))
                known.ways |= files[place].get(variable, set())
                known.name = variable
    for known in found.values():
        all_ways = files[known.where.partition(" ")[0]].get("") or {"match", "search"}
        known.ways = known.ways or WAYS.get(known.where) or all_ways


def collect() -> list[Collected]:
    """Return every pattern that howsure compiles."""
    with Recorder() as recorder:
        import_all()
        throw_all(4000, 7, [])
    name_patterns(recorder.found)
    return [known for known in recorder.found.values() if not {known.name, known.where} & SHORT.keys()]


def sample(items: Iterable[Any]) -> str:
    """Return a short text that a parsed piece of a pattern matches, roughly."""
    parts = []
    for code, value in items:
        name = str(code)
        if name in {"LITERAL", "NOT_LITERAL"}:
            parts.append(chr(value) if name == "LITERAL" else "a" if value != ord("a") else "b")
        elif name == "IN":
            parts.append(sample_set(value))
        elif name == "ANY":
            parts.append("x")
        elif name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            parts.append(sample(value[2]) * min(max(1, value[0]), 20))
        elif name == "SUBPATTERN":
            parts.append(sample(value[3]))
        elif name == "ATOMIC_GROUP":
            parts.append(sample(value))
        elif name == "BRANCH":
            parts.append(sample(value[1][0]))
    return "".join(parts)


CATEGORIES = {
    "CATEGORY_DIGIT": "7",
    "CATEGORY_SPACE": " ",
    "CATEGORY_WORD": "w",
    "CATEGORY_NOT_SPACE": "s",
    "CATEGORY_NOT_WORD": "-",
    "CATEGORY_NOT_DIGIT": "d",
}


def sample_set(value: list[Any]) -> str:
    """Return a character of a set."""
    if str(value[0][0]) == "NEGATE":
        taken = {chr(item[1]) for item in value[1:] if str(item[0]) == "LITERAL"}
        return next(character for character in "az0 .-(\n" if character not in taken)
    name, item = str(value[0][0]), value[0][1]
    return chr(item) if name == "LITERAL" else chr(item[0]) if name == "RANGE" else CATEGORIES.get(str(item), "c")


def find_pieces(items: Iterable[Any]) -> Iterator[str]:
    """Yield samples of a parsed pattern and of each piece of it, above all of what is repeated."""
    items = list(items)
    for code, value in items:
        name = str(code)
        if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            yield sample(value[2])
            yield from find_pieces(value[2])
        elif name == "SUBPATTERN":
            yield from find_pieces(value[3])
        elif name == "ATOMIC_GROUP":
            yield from find_pieces(value)
        elif name == "BRANCH":
            for branch in value[1][:6]:
                yield from find_pieces(branch)
        elif name == "IN":
            yield sample_set(value)
    for end in range(1, min(len(items), 12) + 1):
        yield sample(items[:end])
        yield sample(items[-end:])


def make_texts(pattern: re.Pattern[Any]) -> Iterator[Text]:
    """Yield adversarial texts for a pattern."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags if isinstance(pattern.pattern, str) else pattern.flags & ~re.UNICODE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = re._parser.parse(source, flags)  # type: ignore[attr-defined]
    own = [piece for piece in dict.fromkeys(find_pieces(parsed)) if piece and len(piece) < LONG_PIECE][:24]
    whole = sample(parsed)[:500]
    yield from (Text("", piece, end) for piece in own for end in ("", "!"))
    yield from (Text("", piece, "!") for piece in COMMON)
    for first, second in itertools.permutations(own[:7], 2):
        yield Text(first, second, "\x00")
        yield Text("", first + second, "\x00")
    for piece in COMMON[:12]:
        yield Text(whole, piece, "\x00")
        yield Text("", whole + piece, "\x00")


class TooSlowError(Exception):
    """A match took longer than we wait."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in a match that takes too much CPU time: `re` looks for signals now and then."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def measure(pattern: re.Pattern[Any], way: str, text: str) -> float:
    """Return the seconds of CPU time that a match takes, at most PATIENCE."""
    given: Any = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    began = time.process_time()
    try:
        with patience(PATIENCE):
            if way in ANCHORED:
                getattr(pattern, way)(given)
            elif way == "search":
                pattern.search(given)
            else:
                for _ in pattern.finditer(given):
                    pass
    except TooSlowError:
        return PATIENCE
    return time.process_time() - began


@dataclass(frozen=True)
class Finding:
    """A pattern whose time grows faster than the text."""

    where: str
    way: str
    text: Text
    small: float
    large: float
    pattern: str


def examine(known: Collected) -> Finding | None:
    """Return a text that takes a pattern far more than ten times as long if it is ten times as long, or None."""
    ways = {way if way in ANCHORED | {"search"} else "finditer" for way in known.ways}
    for text, way in itertools.product(make_texts(known.pattern), sorted(ways)):
        small = measure(known.pattern, way, text.make(LENGTH))
        if small < SUSPECT:
            continue
        small = min(small, measure(known.pattern, way, text.make(LENGTH)))  # the first may have been disturbed
        if small < SUSPECT:
            continue
        smaller, large = 0.0, PATIENCE
        if small > PATIENCE / GROWTH:
            smaller = measure(known.pattern, way, text.make(LENGTH // 10))
        else:
            large = measure(known.pattern, way, text.make(LENGTH * 10))
        if small > GROWTH * smaller if smaller else large > GROWTH * small:
            return Finding(known.where, way, text, small, large, str(known.pattern.pattern))
    return None


def main() -> int:
    """Examine all patterns, and print those that grow too fast; return the exit code."""
    patterns = collect()
    print(f"{len(patterns)} patterns", flush=True)  # noqa: T201
    count = 0
    for known in patterns:
        finding = examine(known)
        if finding:
            count += 1
            took = f"{finding.small * 1e3:8.1f} ms {finding.large * 1e3:8.1f} ms"
            print(f"{finding.where:45} {finding.way:9} {took} {tuple(finding.text)}")  # noqa: T201
            print(f"    {finding.pattern[:300]!r}", flush=True)  # noqa: T201
    print(f"{count} grow faster than their text")  # noqa: T201
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
