"""Find what a page says about its own project: links into its repository, extras to install, announced removals."""

import re
from collections.abc import Container
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
# What Python 3, pip or setuptools no longer understand, at the beginning of a line of an example.
_RELIC = re.compile(
    r"\b(easy_install)\b(?![=\w/-])"
    r"|\b(setup\.py (?:install|develop|test|register|build_sphinx|(?:\w+ )?upload|sdist|bdist_wheel|build))\b"
    r"|\n[ \t]{0,40}(?:>>> |\.\.\. )?(print) [\"'][^\n]{1,200}[\"'\w][ \t]*(?=\r?\n)"
    r"|(?<![\w.])(raw_input|xrange)\(|\.(iteritems|itervalues|has_key)\("
)
_WORDS = {"print": "print without brackets"}
NEEDS_SETUP = frozenset(f"setup.py {word}" for word in ("sdist", "bdist_wheel", "build"))
"""Commands that work as long as there is a file `setup.py`."""
_RELIC_SIGNS = ("easy_install", "setup.py ", 'print "', "print '", "raw_input(", "xrange(", "iteritems(", "has_key(")
SIGNS = ("/blob/", "/tree/", "pip install", "pip3 install", "removed in", "dropped in", *_RELIC_SIGNS)
"""Texts without which a page says nothing of this kind; what a line break divides is not found."""
_MOST = 100


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


def find_mentions(text: str, signs: Container[str] = SIGNS) -> Mentions:
    """Return what a page says about projects; of `SIGNS`, `signs` are those that it holds.

    >>> find_mentions("See https://github.com/ann/shop/blob/main/a.py. Run pip install 'shop[all]'.")
    Mentions(repository=('ann/shop a.py',), extras=('shop all',), removals=(), relics=())
    """
    links = _REPOSITORY.findall(text) if "/blob/" in signs or "/tree/" in signs else ()
    extras = _EXTRA.findall(text) if "pip install" in signs or "pip3 install" in signs else ()
    removals = _REMOVAL.findall(text) if "removed in" in signs or "dropped in" in signs else ()
    relics = _RELIC.findall("\n" + text) if any(sign in signs for sign in _RELIC_SIGNS) else ()
    shown = ("".join(names) for names in relics)
    return Mentions(
        tuple(dict.fromkeys(f"{slug} {path.rstrip('.,:;/')}" for slug, path in links))[:_MOST],
        tuple(dict.fromkeys(f"{name} {one.strip()}" for name, own in extras for one in own.split(",")))[:_MOST],
        tuple(dict.fromkeys(f"{project.strip()} {version}".strip() for project, version in removals))[:_MOST],
        tuple(dict.fromkeys(_WORDS.get(name, name) for name in shown))[:_MOST],
    )
