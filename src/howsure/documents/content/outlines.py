"""Read what Python definitions offer, without parsing: the parameters of a function, the public members of a class.

The sources are those of a scanned repository, so each function takes time in proportion to the length of its text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

_DEFINITION = re.compile(r"\n(?:async[ \t]{1,9})?(def|class)[ \t]{1,9}([A-Za-z_]\w{0,80})")
_OTHER_LINE = re.compile(r"\n[^\s#)\]}]")
"""The first line after a definition that is not indented."""
_MEMBER = re.compile(
    r"\n(?:    |\t)(?:(?:async[ \t]{1,9})?def[ \t]{1,9}(\w{1,80})\(|([a-z]\w{0,80})[ \t]{0,9}[:=][^=])"
)
# The last alternative ends a list that has no end, so that many of them take no longer than their text.
_BRACKET = re.compile(
    r"[()\[\]{},]|\n[ \t]{0,40}(?:async|def|class)[ \t]|\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|#[^\n]{0,500}"
)
_PARAMETER = re.compile(r"(?:\s|#[^\n]*\n)*(\*{0,2})([A-Za-z_]\w*)")
_KEYWORD = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)")
_LONGEST_LIST = 4000
"""Characters of a list of parameters or arguments that are read."""
_SAY_NOTHING = frozenset(("self", "cls", "args", "kwargs"))


class Definition(NamedTuple):
    """A function or class at the top level of a module."""

    offers: frozenset[str]
    """Its parameters and, of a class, its public methods and attributes, and their parameters."""
    accepts: frozenset[str] | None
    """The names that it can be called with; None if that is not certain."""
    methods: Mapping[str, frozenset[str]] = MappingProxyType({})
    """Of a class, the names that its own methods can be called with, if that is certain."""
    any_number: Mapping[str, str] = MappingProxyType({})
    """The parameter that takes any number of arguments, by method; of the function or constructor itself by ""."""


def find_definitions(source: str) -> dict[str, Definition]:
    r"""Return the functions and classes of a module; those that are defined more than once accept anything.

    >>> cart = find_definitions("class Cart:\n    def __init__(self, owner): ...\n\n    def add(self, item): ...\n")[
    ...     "Cart"
    ... ]
    >>> sorted(cart.offers), sorted(cart.accepts), sorted(cart.methods["add"])
    (['add', 'item', 'owner'], ['owner', 'self'], ['item', 'self'])
    """
    source = "\n" + source
    definitions: dict[str, Definition] = {}
    for found in _DEFINITION.finditer(source):
        name = found[2]
        read = _read_function if found[1] == "def" else _read_class
        definition = read(source, found.end())
        previous = definitions.get(name)
        # A decorator may change what a function takes; it hardly changes a class that has a constructor.
        decorated = found[1] == "def" and _is_decorated(source, found.start())
        if previous is not None or decorated:
            others = previous.offers if previous else frozenset()
            definition = Definition(definition.offers | others, None)
        definitions[name] = definition
    return definitions


def _read_function(source: str, end: int) -> Definition:
    names, complete = _parameters(source, end)
    return Definition(_offered(names), _accepted(names) if complete else None, any_number=_any_number("", names))


def _read_class(source: str, end: int) -> Definition:
    following = _OTHER_LINE.search(source, end)
    stop = following.start() if following else len(source)
    offers: set[str] = set()
    accepts: frozenset[str] | None = None
    constructors = 0
    methods: dict[str, frozenset[str]] = {}
    seen: set[str] = set()
    several: dict[str, str] = {}
    for found in _MEMBER.finditer(source, end, stop):
        method, attribute = found.groups()
        if attribute:
            offers.add(attribute)
            continue
        names, complete = _parameters(source, found.end() - 1)
        if complete and method not in seen and not _is_decorated(source, found.start()):
            methods[method] = _accepted(names)
            several |= _any_number(method, names)
        else:
            methods.pop(method, None)
        seen.add(method)
        if method in ("__init__", "__new__"):
            constructors += 1
            several |= _any_number("", names)
            accepts = _accepted(names) if complete and method == "__init__" else None
        elif method.startswith("_"):
            continue
        else:
            offers.add(method)
        offers.update(names)
    return Definition(_offered(offers), accepts if constructors == 1 else None, methods, several)


def _offered(names: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(_says_something, (name.lstrip("*") for name in names)))


def _accepted(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lstrip("*") for name in names)


def _any_number(method: str, names: Iterable[str]) -> dict[str, str]:
    """Return the parameter that takes any number of arguments, by the name of its method; empty if there is none."""
    several = [name[1:] for name in names if name.startswith("*")]
    return {method: several[0]} if several else {}


def _is_decorated(source: str, end: int) -> bool:
    """Return whether the line before a definition is a decorator, or the end of one."""
    line = source.rfind("\n", 0, end) + 1
    return source[line:end].lstrip().startswith(("@", ")"))


def _parameters(source: str, start: int) -> tuple[list[str], bool]:
    """Return the names of the parameters in the list that begins at a place, and whether no other can be passed."""
    names, complete = [], source.startswith("(", start)
    for part in split_list(source, start):
        found = _PARAMETER.match(part)
        if found is None:
            continue
        names.append(found[2] if found[1] != "*" else f"*{found[2]}")
        if found[1] == "**":
            complete = False
    return names, complete and bool(names)


def find_keywords(text: str, start: int) -> list[str]:
    """Return the keywords of the call whose list of arguments begins at a place.

    >>> find_keywords("get(url, timeout=f(wait=3), retry=2)", 3)
    ['timeout', 'retry']
    """
    return [found[1] for part in split_list(text, start) if (found := _KEYWORD.match(part))]


def split_list(text: str, start: int) -> Iterator[str]:
    """Yield the parts of a list in brackets that begins at a place; nothing if it is too long or has no end."""
    parts: list[str] = []
    depth, begin = 0, start + 1
    for found in _BRACKET.finditer(text, start, start + _LONGEST_LIST):
        sign = found[0]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                yield from (*parts, text[begin : found.start()])
                return
        elif sign[0] == "\n":
            return
        elif sign == "," and depth == 1:
            parts.append(text[begin : found.start()])
            begin = found.end()


def _says_something(name: str) -> bool:
    return len(name) > 2 and not name.startswith("_") and name not in _SAY_NOTHING  # noqa: PLR2004 - i, f, fn
