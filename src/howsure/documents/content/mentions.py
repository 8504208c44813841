"""Find what a page says about its own project: links into its repository, extras to install, announced removals."""

import re
from collections.abc import Container, Iterator
from itertools import islice
from typing import NamedTuple

# https://github.com/owner/name/blob/main/path, on any host
_REPOSITORY = re.compile(
    r"/([\w.-]{1,80}/[\w.-]{1,80})/(?:-/)?(?:blob|tree)/(?:main|master|HEAD|trunk|develop)/([^\s\"'<>()#`\[\]?|{}*$]{1,300})"
)
_EXTRA = re.compile(r"pip3? install[^\n`;&|]{0,80}?[\"' ]([A-Za-z][\w.-]{0,80})\[([\w, -]{1,200})\]")
_REMOVAL = re.compile(
    r"\bwill\s+be\s+(?:removed|dropped)\s+(?:in|with|by)\s+(?:(?:the|version|release)\s+)?([A-Za-z][\w-]*\s+)?"
    r"(?:version\s+|release\s+)?[v`*]{0,4}(\d{1,4}\.\d{1,3})"
)
# What Python 3, pip or setuptools no longer understand: a text that it begins with or holds, an expression, and words
# for what it finds. Most pages have none of these texts, and one expression for all of them would be slow.
_RELICS = (
    ("easy_install", re.compile(r"(?<![`.\w])easy_install\b(?![=\w/`.-]\w|[=`])"), "easy_install"),
    (
        "setup.py ",
        re.compile(r"\bpython[\d.]{0,4} (setup\.py (?:install|develop|test|register|build_sphinx|(?:\w+ )?upload))\b"),
        "",
    ),
    (
        'print "',
        re.compile(r'\n[ \t]{0,40}(?:>>> |\.\.\. )?print "[^\n]{1,200}["\w][ \t]*(?=\r?\n)'),
        "print without brackets",
    ),
    (
        "print '",
        re.compile(r"\n[ \t]{0,40}(?:>>> |\.\.\. )?print '[^\n]{1,200}['\w][ \t]*(?=\r?\n)"),
        "print without brackets",
    ),
    ("raw_input(", re.compile(r"raw_input\("), "raw_input"),
    ("xrange(", re.compile(r"xrange\("), "xrange"),
    (".iteritems(", re.compile(r"\.iteritems\("), "iteritems"),
    ("s()\n[", re.compile(r">>> [^\n]{1,200}\.((?:keys|values|items)\(\))\n\["), "{} that is a list"),
    ("\nu'", re.compile(r">>> [^\n]{1,200}\nu'"), "output with u'...'"),
    ("<type '", re.compile(r"<type '\w"), "output with <type ...>"),
)
_WARNING = re.compile(
    r"deprecat|previous|former|used to|instead of|rather than|n['o]t use|avoid|never|legacy|no longer|obsolete|\bold\b"
    r"|python 2\b",
    re.IGNORECASE,
)
_FROM_ON = re.compile(r"[ \t\n](?:or|and)[ \t\n](?:newer|later|above|higher|up|greater|onwards?)\b")
_PLUS = re.compile(r"\+(?![\w+])")
_PLUS_SIGNS = tuple(f"{digit}+" for digit in range(10))
_VERSION_BEFORE = re.compile(r"\b([A-Za-z][\w.-]{1,60})[ \t\n](?:version[ \t])?v?(\d{1,4}\.\d{1,4})(?:\.\d{1,4})?\Z")
_AT_LEAST = re.compile(r">=[ \t]?(\d{1,4}\.\d{1,4})")
_NAME_BEFORE = re.compile(r"\b([A-Za-z][\w.-]{1,60})[ \t]?\Z")
_FROM_ON_SIGNS = (
    "or newer",
    "or later",
    "or above",
    "or higher",
    "or up",
    "or greater",
    "and newer",
    "and later",
    "and up",
)
SIGNS = (
    "/blob/",
    "/tree/",
    "pip install",
    "pip3 install",
    "removed in",
    "dropped in",
    *(sign for sign, _, _ in _RELICS),
    *_FROM_ON_SIGNS,
    *_PLUS_SIGNS,
    ">=",
)
"""Texts without which a page says nothing of this kind; what a line break divides is not found."""
_MOST, _MOST_LOOKED_AT = 100, 2000


class Mentions(NamedTuple):
    """What a page says about projects; which of it is about its own is decided later."""

    repository: tuple[str, ...] = ()
    """Links into repositories: `owner/name` and the path, with a space between them."""
    extras: tuple[str, ...] = ()
    """Extras to install: the distribution and one extra, with a space between them."""
    removals: tuple[str, ...] = ()
    """Versions in which something will be removed, after the name of the project if the page writes one."""
    relics: tuple[str, ...] = ()
    """What examples show and Python 3, pip or setuptools no longer understand."""
    dependencies: tuple[str, ...] = ()
    """Packages and the version from which on they will do, with a space between them."""


def find_mentions(text: str, signs: Container[str] = SIGNS) -> Mentions:
    """Return what a page says about projects; of `SIGNS`, `signs` are those that it holds.

    >>> find_mentions("See https://github.com/ann/shop/blob/main/a.py. Run pip install 'shop[all]'.")
    Mentions(repository=('ann/shop a.py',), extras=('shop all',), removals=(), relics=(), dependencies=())
    """
    links = _REPOSITORY.findall(text) if "/blob/" in signs or "/tree/" in signs else ()
    extras = _EXTRA.findall(text) if "pip install" in signs or "pip3 install" in signs else ()
    removals = _REMOVAL.findall(text) if "removed in" in signs or "dropped in" in signs else ()
    return Mentions(
        tuple(dict.fromkeys(f"{slug} {path.rstrip('.,:;/')}" for slug, path in links))[:_MOST],
        tuple(dict.fromkeys(f"{name} {one.strip()}" for name, own in extras for one in own.split(",")))[:_MOST],
        tuple(dict.fromkeys(f"{project.strip()} {version}".strip() for project, version in removals))[:_MOST],
        tuple(dict.fromkeys(_find_relics("\n" + text, signs))),
        tuple(dict.fromkeys(_find_dependencies(text, signs)))[:_MOST],
    )


def _find_relics(text: str, signs: Container[str]) -> Iterator[str]:
    """Yield what a text shows that no longer works."""
    for sign, expression, words in _RELICS:
        if sign not in signs:
            continue
        found = next((one for one in islice(expression.finditer(text), _MOST) if not _is_warned_of(text, one)), None)
        if found:
            yield words.format(*found.groups()) if words else found[1]


def _is_warned_of(text: str, found: re.Match[str]) -> bool:
    """Return whether a page tells of a relic as of something old, or says not to use it."""
    return _WARNING.search(text, max(0, found.start() - 120), found.end() + 60) is not None


def _find_dependencies(text: str, signs: Container[str]) -> Iterator[str]:
    """Yield packages with the version from which on they will do: "SQLAlchemy 1.3 or newer" and "aiodns>=1.1"."""
    for own, expression in ((_FROM_ON_SIGNS, _FROM_ON), (_PLUS_SIGNS, _PLUS)):
        if any(sign in signs for sign in own):
            for found in islice(expression.finditer(text), _MOST_LOOKED_AT):
                if before := _VERSION_BEFORE.search(text, max(0, found.start() - 90), found.start()):
                    yield f"{before[1]} {before[2]}"
    if ">=" in signs:
        for found in islice(_AT_LEAST.finditer(text), _MOST_LOOKED_AT):
            if before := _NAME_BEFORE.search(text, max(0, found.start() - 70), found.start()):
                yield f"{before[1]} {found[1]}"
