"""Find what has become of the code that a page tells of since the page was last revised.

The definitions that a page names are compared as they were in the commit that last revised the page, and as they are
now. What is shown by Sphinx or mkdocstrings from the code itself is never out of date and does not count.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from howsure.documents.content.facts import Facts
from howsure.documents.content.outlines import Definition, find_definitions
from howsure.documents.content.signatures import OPEN
from howsure.documents.document import tells_of_the_past
from howsure.documents.problems.python_packages import PythonPackages
from howsure.documents.repository.git import FileHistory, read_blobs
from howsure.documents.repository.git_safety import GitError

_WORD = re.compile(r"[A-Za-z_]\w+")
_MOST_VERSIONS, _MOST_BYTES = 3000, 50_000_000
"""Former versions of files that are read, and how much of them."""
_LARGEST_FILE = 1_000_000
_MOST_COUNTED = 5
"""New parameters and members of one definition that count."""
_LOST_WEIGHT = 2.0
_SHOWN_WEIGHT = 1 / 3
"""What a new member counts if another page shows it from the code."""
_LEAST_WEIGHT = 0.15
"""Hints with less weight are not told: they are about things that most pages name."""
_MAX_SHOWN = 3
_ANY = frozenset(("self", "cls", "args", "kwargs", "kwds", "kw"))
"""Parameters that signatures write or leave out as they like."""


class Hint(NamedTuple):
    """Something that may make a page out of date."""

    weight: float
    words: str


class SignatureCheck(NamedTuple):
    """Parameters in which the signatures of a page and those of the code differ."""

    wrong: list[str]
    """Written and not taken."""
    missing: list[str]
    """Taken, and neither written nor named elsewhere on the page."""
    renamed: list[str]
    """As many are written and not taken as are taken and not written: they may be other names for the same."""


class CodeChanges:
    """Compares the code that pages name with what it was when they were last revised."""

    def __init__(
        self,
        root: Path,
        packages: PythonPackages,
        histories: Mapping[str, FileHistory],
        facts: Mapping[str, Facts],
        pages: Mapping[str, Facts],
        read: Callable[[str, int], bytes],
    ) -> None:
        """Compare the definitions of some packages; `read` returns the first bytes of a file by its path.

        `facts` are of the documents to check, `pages` of all pages of the tree.
        """
        self._root = root
        self._packages = packages
        self._histories = histories
        self._facts = facts
        self._pages = pages
        self._read = read
        self._definitions: dict[str, dict[str, Definition]] = {}

    def find_unknown_keywords(self, calls: tuple[str, ...]) -> list[str]:
        """Return the calls with a keyword that the called function or class does not take."""
        wrong = []
        for call in calls:
            name, *keywords = call.split(" ")
            accepts = _accepted(*self._definition(name))
            if accepts is not None:
                wrong += [f"{name}({word}=)" for word in keywords if word not in accepts]
        return list(dict.fromkeys(wrong))

    def compare_signatures(self, path: str, signatures: tuple[str, ...]) -> SignatureCheck:
        """Return what signatures that a page writes out have and the code does not take, and what they leave out.

        Signatures of the same name are different ways to call it. One without any parameter says that one does not call
        it oneself, and one that takes more than it lists leaves out nothing. What the page names elsewhere is not left
        out.
        """
        written: dict[str, set[str]] = {}
        for signature in signatures:
            name, *listed = signature.split(" ")
            written.setdefault(name, set()).update(listed)
        words = self._words(path)
        check = SignatureCheck([], [], [])
        for name, parameters in written.items():
            definition, method = self._definition(name) if parameters and "._" not in name else (None, "")
            accepts = _accepted(definition, method)
            if definition is None or accepts is None or (not method and "self" in accepts and is_function(name)):
                continue  # not certain, or the function of a database beside a class that happens to have its name
            several = definition.any_number.get(method)
            # What any number of arguments are called is not written in the code.
            unknown = [] if several else sorted(parameters - accepts - _ANY - {OPEN})
            absent = sorted(one for one in accepts - parameters - _ANY - {several or ""} if not one.startswith("_"))
            if len(unknown) == len(absent):
                check.renamed.extend(f"{name}({new}), not {old}" for old, new in zip(unknown, absent, strict=True))
                continue
            check.wrong.extend(f"{name}({one})" for one in unknown)
            if OPEN not in parameters:
                check.missing.extend(f"{name}({one})" for one in absent if one not in words)
        return check

    def _definition(self, name: str) -> tuple[Definition | None, str]:
        """Return the definition of a function, a class or the class of a method, and the name of the method."""
        place = self._packages.locate(name)
        definition = None if place is None else self._now(place[0]).get(place[1])
        above, _, last = name.rpartition(".")
        if place is None or definition is None:
            return None, ""
        if place[1] == above.rpartition(".")[2]:
            return definition, last
        return (definition, "") if place[1] == last else (None, "")

    def _words(self, path: str) -> set[str]:
        return set(_WORD.findall(self._read(path, _LARGEST_FILE).decode("utf-8", "replace")))

    def hints(self, path: str) -> list[Hint]:
        """Return what the code that a page names has gained and lost since, the most telling first."""
        places = self._named.get(path)
        commit = self._revision(path)
        if not places or not commit:
            return []
        words: set[str] | None = None
        hints = []
        for file, name in sorted(places):
            then, former_words = self._former.get((commit, file), ({}, frozenset()))
            old, new = then.get(name), self._now(file).get(name)
            if old is None or new is None or old.offers == new.offers:
                continue
            if words is None:
                words = self._words(path)
            # A word that the file had before, or that the package still has, was moved to or from another class.
            gained = sorted(one for one in new.offers - old.offers if one not in words and one not in former_words)
            lost = sorted(
                one for one in old.offers - new.offers if one in words and not self._packages.is_word(file, one)
            )
            weight = min(len(gained), _MOST_COUNTED) / (self._naming[file, name] or 1)
            if name in self._shown:
                weight *= _SHOWN_WEIGHT
            weight += _LOST_WEIGHT * len(lost)
            if weight >= _LEAST_WEIGHT:
                parts = [f"{verb} {_list(own)}" for verb, own in (("lost", lost), ("gained", gained)) if own]
                hints.append(Hint(weight, f"{name} has {' and '.join(parts)}"))
        return sorted(hints, key=lambda hint: (-hint.weight, hint.words))

    def _revision(self, path: str) -> str:
        """Return the commit that last revised a page, rather than all pages or only its scoring header."""
        own = self._histories.get(path)
        if own is None:
            return ""
        times = zip(own.recent, own.revisions, strict=False)
        return next((commit for at, commit in times if at <= own.changed), "")

    @cached_property
    def _named(self) -> dict[str, set[tuple[str, str]]]:
        """The files and definitions that each page names."""
        named = {}
        for path, facts in {**self._pages, **self._facts}.items():
            python = facts.python
            if (python.certain or python.possible) and not tells_of_the_past(path):
                names = {*python.certain, *python.possible} - {*python.shown}
                places = {place for name in names if (place := self._packages.locate(name)) is not None}
                if places:
                    named[path] = places
        return named

    @cached_property
    def _naming(self) -> Counter[tuple[str, str]]:
        """How many pages name each definition: the main class is named by every page and says little about each."""
        return Counter(place for path in self._pages for place in self._named.get(path, ()))

    @cached_property
    def _shown(self) -> set[str]:
        return {name.rpartition(".")[2] for facts in self._pages.values() for name in facts.python.shown}

    @cached_property
    def _former(self) -> dict[tuple[str, str], tuple[dict[str, Definition], frozenset[str]]]:
        """The definitions and words of files, by the commit that revised a page and the path of the file."""
        wanted: dict[tuple[str, str], None] = {}
        for path in self._facts:
            places = self._named.get(path, set())
            commit = self._revision(path)
            for file, _ in sorted(places) if places and commit else ():
                # Only files that have changed since; a line break in a name would be another name for git.
                changed = self._histories.get(file)
                if changed is not None and changed.changed > self._histories[path].recent[-1] and "\n" not in file:
                    wanted[commit, file] = None
        versions = list(islice(wanted, _MOST_VERSIONS))
        former = {}
        left = _MOST_BYTES
        try:
            blobs = read_blobs(self._root, [f"{commit}:./{file}" for commit, file in versions])
            for version, data in zip(versions, blobs, strict=True):
                text = data[: min(_LARGEST_FILE, left)].decode("utf-8", "replace")
                former[version] = find_definitions(text), frozenset(_WORD.findall(text))
                left = max(0, left - len(data))
        except GitError:
            return {}
        return former

    def _now(self, file: str) -> dict[str, Definition]:
        if file not in self._definitions:
            self._definitions[file] = find_definitions(self._read(file, _LARGEST_FILE).decode("utf-8", "replace"))
        return self._definitions[file]


def _accepted(definition: Definition | None, method: str) -> frozenset[str] | None:
    """Return what a function, a class or its method can be called with; None if that is not certain."""
    if definition is None:
        return None
    return definition.methods.get(method) if method else definition.accepts


def is_function(name: str) -> bool:
    """Return whether a name looks like that of a function: a class begins with a capital letter."""
    return name.rpartition(".")[2][0].islower()


def _list(words: list[str]) -> str:
    return ", ".join(words[:_MAX_SHOWN]) + (", ..." if len(words) > _MAX_SHOWN else "")
