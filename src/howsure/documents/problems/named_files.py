"""Find what is wrong with a document: links that lead nowhere, and files it names that are gone or have changed."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from howsure.documents.content.facts import Facts
from howsure.documents.content.symbols import PythonNames
from howsure.documents.document import MONTH, OLD_MONTHS, PROBLEM_WEIGHT, tells_of_the_past
from howsure.documents.problems.code_changes import CodeChanges, Hint
from howsure.documents.problems.former_names import find_former_names
from howsure.documents.problems.known_files import KnownFiles, join_path
from howsure.documents.problems.links import Links
from howsure.documents.problems.project import Project, normalize
from howsure.documents.problems.python_packages import PythonPackages
from howsure.documents.repository.git import FileHistory, deleted_files
from howsure.wording import pluralize, shorten

_PAGES = (".md", ".markdown", ".rst", ".txt")
_CODE = (".py", ".pyi", ".pyx", ".c", ".h", ".cc", ".cpp", ".rs", ".go", ".js", ".ts", ".rb", ".java", ".sh", ".sql")
_EXAMPLE_NAME = re.compile(r"^(?:my|your|our|foo|bar|example|sample|some|new|x+[._])", re.IGNORECASE)
_MOST_PATHS = 200
"""Paths that git is asked about at once."""
_MAX_SHOWN, _LONGEST_NAME = 3, 120
_MORE_WEIGHT, _MOST_COUNTED = 0.125, 16
"""What each further name of a reason adds to its weight, and how many do."""
_SWEEPING = 0.1
"""What sweeping changes of a file count, however many: they are made by formatters and checkers of types."""
_ABOUT_BUILDING = re.compile(r"^[^/]*$|contribut|develop|hacking|install|build", re.IGNORECASE)
"""Paths of documents that tell how to build this project, rather than how to use it."""
_OLD_WEIGHT = 0.5
_RENAMED_WEIGHT = 0.3
_TOLD_WEIGHT = 0.2
"""What a version of Python that is no longer supported says about a page: half of them tell of the past."""
_INSECURE_WEIGHT, _MOST_INSECURE = 0.1, 5
"""What a link by plain HTTP says about the age of a page, and how many of them count."""


class NameCheck(NamedTuple):
    """What a document says about other files."""

    problems: tuple[str, ...] = ()
    changed_since: tuple[str, ...] = ()
    """Files it names, or that define what it names, which have changed since it did; the most telling first."""
    drift: float = 0.0
    """Commits to those files since, each file divided by the number of documents that name it."""
    hints: tuple[str, ...] = ()
    """What may make it out of date, the most telling first."""
    hint_weight: float = 0.0
    gaps: tuple[str, ...] = ()
    """What it leaves out."""
    weight: float = 0.0
    """How much the problems and gaps say together."""


class NamedFiles:
    """Compares what documents link to and name with the files of the tree."""

    def __init__(
        self,
        root: Path,
        files: KnownFiles,
        histories: Mapping[str, FileHistory],
        facts: Mapping[str, Facts],
        pages: Mapping[str, Facts],
        now: float,
    ) -> None:
        """Compare with the files below a root.

        `facts` are of the documents to check, `pages` of all pages of the tree, which tell about the project whichever
        documents are checked.
        """
        self._root = root
        self._histories = histories
        self._facts = facts
        self._pages = pages
        self._now = now
        self._files = files
        self._project = Project(files.read_text)
        self._links = Links(files, self._project)

    def check(self, path: str) -> NameCheck:
        """Return what is wrong with the links and names of one document."""
        facts = self._facts[path]
        problems = _Reasons(PROBLEM_WEIGHT)
        problems.add(
            [link for link in facts.links if not self._links.leads(path, link)],
            "1 link leads nowhere",
            "{} links lead nowhere",
        )
        lost = [link for link in facts.anchored if not self._links.has_anchor(path, link)]
        problems.add(lost, "1 link leads to no place of its page", "{} links lead to no place of their page")
        if tells_of_the_past(path):
            return NameCheck(tuple(problems.words), weight=problems.weight)
        self._check_project(path, facts, problems)
        self._check_python(path, facts.python, problems)
        known = {part for name in problems.names for part in name.split(".")}
        former = [name for name in self._former.get(path, ()) if name not in known]
        problems.add(former, "names what the code had once", "names {} things that the code had once")
        gaps = _Reasons(1.0)
        hints = [*self._told_versions(facts.python), *self._code_changes.hints(path)]
        if old := [one for one in facts.mentions.dependencies if self._is_too_old(one)]:
            hints.append(Hint(_OLD_WEIGHT, f"names {old[0]}, and the project requires a newer version"))
        if facts.python.signatures:
            wrong, missing, renamed = self._code_changes.compare_signatures(path, facts.python.signatures)
            problems.add(wrong, "describes a parameter that is not taken", "describes {} parameters that are not taken")
            gaps.add(missing, "leaves out a parameter", "leaves out {} parameters")
            if renamed:
                words = "a parameter has" if len(renamed) == 1 else f"{len(renamed)} parameters have"
                hints.append(Hint(_RENAMED_WEIGHT, f"{words} another name: {', '.join(renamed[:_MAX_SHOWN])}"))
        if facts.insecure and self._is_old(path):
            weight = _INSECURE_WEIGHT * min(facts.insecure, _MOST_INSECURE)
            hints.append(Hint(weight, f"links to {pluralize(facts.insecure, 'site')} by plain HTTP"))
        weight = sum(hint.weight for hint in hints)
        return NameCheck(
            tuple(problems.words),
            *self._changes(path),
            tuple(hint.words for hint in hints),
            weight,
            tuple(gaps.words),
            problems.weight + gaps.weight,
        )

    def _check_project(self, path: str, facts: Facts, problems: "_Reasons") -> None:
        """Add what a document says about files and metadata of its project that does not hold."""
        targets = [name.removeprefix("make ") for name in facts.names if name.startswith("make ")]
        if targets and self._project.targets and _ABOUT_BUILDING.search(path):
            unknown = [name for name in targets if name not in self._project.targets]
            problems.add(unknown, "names a target that make does not have", "names {} targets make lacks")
        gone = [name for name in _file_names(facts) if self._is_missing(path, name)]
        problems.add(gone, "names a file that does not exist", "names {} files that do not exist")
        repository, extras, removals, relics, _ = facts.mentions
        links = [link.split(" ") for link in repository]
        moved = [
            file
            for slug, file in links
            if slug.lower() in self._project.repositories and not self._files.exists(unquote(file))
        ]
        problems.add(moved, "1 link into its repository leads nowhere", "{} links into its repository lead nowhere")
        missing = self._find_missing_extras(extras)
        problems.add(
            [one.partition(" ")[2] for one in missing],
            "names an extra that does not exist",
            "names {} extras that do not exist",
        )
        problems.add(
            [one for one in removals if self._is_released(one)],
            "says that something will be removed in a version that is out",
            "names {} versions of removals that are out",
        )
        problems.add(relics, "shows something that no longer works", "shows {} things that no longer work")

    def _find_missing_extras(self, extras: Iterable[str]) -> list[str]:
        """Return the extras of this project, such as "shop all", that it lacks.

        Empty if it has none of those that any page names: then it keeps them elsewhere.
        """
        own = [extra for extra in extras if self._is_own_extra(extra)]
        missing = [extra for extra in own if not self._project.has_extra(extra.partition(" ")[2])]
        return missing if len(missing) < len(own) or (missing and self._has_extras) else []

    def _is_own_extra(self, extra: str) -> bool:
        return normalize(extra.partition(" ")[0]) in self._project.names

    @cached_property
    def _has_extras(self) -> bool:
        """Whether the project has one of its extras that pages name."""
        named = {extra for facts in self._pages.values() for extra in facts.mentions.extras}
        return any(self._is_own_extra(extra) and self._project.has_extra(extra.partition(" ")[2]) for extra in named)

    def _is_too_old(self, dependency: str) -> bool:
        """Return whether a package with a version, as "aiodns 1.1", is older than the metadata allow."""
        name, _, number = dependency.partition(" ")
        needed = self._project.dependencies.get(normalize(name))
        return needed is not None and _numbers(number) < needed and normalize(name) not in self._project.names

    def _is_released(self, removal: str) -> bool:
        """Return whether a version of this project, as "shop 2.0" or "2.0", is not in the future."""
        project, _, number = removal.rpartition(" ")
        current = self._project.version(self._packages.folders.values())
        ours = not project or normalize(project) in self._project.names
        return ours and current is not None and _numbers(number) <= current

    def _check_python(self, path: str, python: PythonNames, problems: "_Reasons") -> None:
        """Add what a document says about Python that does not hold for this project."""
        gone = [name for name in python.certain if not self._packages.has(name) and not self._is_described(path, name)]
        if python.defined and self._packages.complete:
            gone += sorted(name for name in self._packages.find_unwritten(python.defined) if "." not in name)
        problems.add(gone, "names code that does not exist", "names {} things that the code does not have")
        wrong = self._code_changes.find_unknown_keywords(python.calls) if python.calls else ()
        problems.add(wrong, "uses a keyword that does not exist", "uses {} keywords that do not exist")
        removed = [one for one in python.removed_modules if one not in self._packages.folders]
        problems.add(
            removed, "imports a module that Python no longer has", "imports {} modules that Python no longer has"
        )
        needed = self._project.python_needed if python.versions else None
        if needed and (old := [one for one in python.versions if _numbers(one) < needed]):
            problems.say(f"says Python {old[0]} or newer, and the project requires {needed[0]}.{needed[1]}")

    @cached_property
    def _former(self) -> dict[str, list[str]]:
        """Names on each page that the code had once and has no longer."""
        return (
            find_former_names(
                self._root, self._now, self._facts, self._packages, self._files.paths, self._files.read_text
            )
            if self._histories
            else {}
        )

    def _told_versions(self, python: PythonNames) -> Iterator[Hint]:
        needed = self._project.python_needed if python.told else None
        # What the page says to require is a problem already.
        told = (one for one in python.told if one not in python.versions)
        if needed and (old := [one for one in told if _numbers(one) < needed]):
            yield Hint(_TOLD_WEIGHT, f"tells of Python {old[0]}, and the project requires {needed[0]}.{needed[1]}")

    def _is_old(self, path: str) -> bool:
        own = self._histories.get(path)
        return own is not None and self._now - own.changed > OLD_MONTHS * MONTH

    def _is_described(self, path: str, name: str) -> bool:
        """Return whether any page describes a name, or one that it is a part of, without showing code for it."""
        own = self._facts[path].python.described
        described = self._described if path in self._pages or not own else self._described | _parts(own)
        return not described.isdisjoint(name.split(".")[1:])

    @cached_property
    def _described(self) -> set[str]:
        return _parts(name for facts in self._pages.values() for name in facts.python.described)

    def _changes(self, path: str) -> tuple[tuple[str, ...], float]:
        """Return the files that have changed since a document that names them, and how much that says about it."""
        own = self._histories.get(path)
        if own is None:
            return (), 0.0
        weights = {}
        # A commit that changes many pages at once does not bring each of them up to date.
        revised = next((at for at in own.recent if at <= own.changed), own.changed)
        for place in self._places.get(path, ()):
            # A file that many documents name, such as the main module, says little about each of them.
            commits = sum(at > revised for at in self._histories[place].recent)
            if commits or self._histories[place].changed > revised:
                weights[place] = max(commits, _SWEEPING) / (self._naming[place] or 1)
        return tuple(sorted(weights, key=lambda place: (-weights[place], place))), sum(weights.values())

    @cached_property
    def _places(self) -> dict[str, set[str]]:
        """The files that each document names, or that define what it names, and that git knows."""
        places: dict[str, set[str]] = {}
        for path, facts in {**self._pages, **self._facts}.items() if self._histories else ():
            python = facts.python
            if facts.names or python.certain or python.possible:
                files = {self._find(path, name) for name in _file_names(facts)}
                # What is shown from the code itself is never out of date.
                files |= {self._packages.find(name) for name in {*python.certain, *python.possible} - {*python.shown}}
                # Pages that a page names do not make it out of date.
                places[path] = {
                    file for file in files if file and file in self._histories and not file.endswith(_PAGES)
                }
        return places

    @cached_property
    def _naming(self) -> Counter[str]:
        """How many pages of the tree name each file."""
        return Counter(file for path in self._pages for file in self._places.get(path, ()))

    @cached_property
    def _packages(self) -> PythonPackages:
        packages = PythonPackages(self._files.paths, self._files.read_bytes)
        for folder in packages.folders.values():
            self._files.note_version(folder)  # it changes when a file is added
        return packages

    @cached_property
    def _code_changes(self) -> CodeChanges:
        return CodeChanges(
            self._root, self._packages, self._histories, self._facts, self._pages, self._files.read_bytes
        )

    def _find(self, path: str, name: str) -> str | None:
        """Return the path of a named file below the root; None if there is none.

        It is looked for as it is written, beside the document, and at the end of a longer path: templates, modules and
        resources are named from some folder within the tree.
        """
        for place in (os.path.normpath(name), join_path(path, name)):
            if not place.startswith("..") and self._files.exists(place):
                return place
        ends = (place for place in self._files.by_name.get(name.rpartition("/")[2], ()) if place.endswith(f"/{name}"))
        return next(filter(self._files.exists, ends), None)

    def _is_missing(self, path: str, name: str) -> bool:
        """Return whether a named file is missing, and was or would be one of this tree.

        A page or a picture may be one of the reader's own, so it counts only if git knew it.
        """
        if self._find(path, name) is not None or not self._is_ours(path, name) or self._is_to_be_made(path, name):
            return False
        return name.endswith(_CODE) or not self._deleted.isdisjoint((os.path.normpath(name), join_path(path, name)))

    def _is_to_be_made(self, path: str, name: str) -> bool:
        """Return whether a page tells the reader to make a file, or names one only as an example."""
        if _EXAMPLE_NAME.search(name.rpartition("/")[2]):
            return True
        told = rf"\b(?:create|add|write|make|save|put|new|your|like|such as|e\.g\.)\b[^.\n`]{{0,60}}`{re.escape(name)}"
        return re.search(told, self._files.read_text(path), re.IGNORECASE) is not None

    @cached_property
    def _deleted(self) -> set[str]:
        """The files that pages name and that a commit has deleted."""
        named = {
            place
            for path, facts in self._facts.items()
            for name in _file_names(facts)
            if not name.endswith(_CODE) and self._find(path, name) is None and self._is_ours(path, name)
            for place in (os.path.normpath(name), join_path(path, name))
        }
        return deleted_files(self._root, [place for place in sorted(named) if "\n" not in place][:_MOST_PATHS])

    def _is_ours(self, path: str, name: str) -> bool:
        """Return whether a missing file would belong to this tree: its folder has other files.

        Workflows are named in pages for users, too, who have their own.
        """
        if name.startswith(".") and not _ABOUT_BUILDING.search(path):
            return False
        return any(
            os.path.dirname(place) in self._files.folders  # noqa: PTH120 - names may be odd bytes
            for place in (os.path.normpath(name), join_path(path, name))
        )


def _file_names(facts: Facts) -> list[str]:
    return [name for name in facts.names if not name.startswith(("make ", "../"))]


def _parts(names: Iterable[str]) -> set[str]:
    return {part for name in names for part in name.split(".")}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


class _Reasons:
    """Reasons of one kind to open a document, in words, and how much they say."""

    def __init__(self, each: float) -> None:
        self._each = each
        self.names: list[str] = []
        self.words: list[str] = []
        self.weight = 0.0

    def add(self, names: Sequence[str], one: str, several: str) -> None:
        """Add a reason with the first names that it is about, if there are any."""
        if names:
            listed = ", ".join(shorten(name, _LONGEST_NAME) for name in names[:_MAX_SHOWN]) + (
                ", ..." if len(names) > _MAX_SHOWN else ""
            )
            self.names += names
            self.say(f"{one if len(names) == 1 else several.format(len(names))}: {listed}", len(names))

    def say(self, words: str, number: int = 1) -> None:
        """Add a reason that is about a number of things."""
        self.words.append(words)
        self.weight += self._each * (1.0 + _MORE_WEIGHT * min(number - 1, _MOST_COUNTED))
