"""Find what is wrong with a document: links that lead nowhere, and files it names that are gone or have changed."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from howsure.documents.code_changes import CodeChanges, Hint
from howsure.documents.document import MONTH, OLD_MONTHS, tells_of_the_past
from howsure.documents.facts import Facts
from howsure.documents.git import FileHistory
from howsure.documents.python_packages import PythonPackages
from howsure.documents.symbols import PythonNames
from howsure.documents.tree import file_version, open_no_follow
from howsure.wording import pluralize

_PAGE_ENDINGS = (".md", ".markdown", ".mdx", ".html", "/index.md")
"""A site generator serves `page.md` as `page`, `page/` or `page.html`: endings to try for a link."""
_PAGES = (".md", ".markdown", ".rst", ".txt")
_SPHINX_ENDINGS = (".rst", ".md", ".txt", ".html")
"""Endings to try for a link in reStructuredText."""
_REQUIRES_PYTHON = re.compile(r"(?:requires-python|python_requires)\s*=\s*[\"']?[^\"'\n]{0,80}?>=\s*(\d+)\.(\d+)")
_MAX_SHOWN = 3
_SWEEPING = 0.1
"""What sweeping changes of a file count, however many: they are made by formatters and checkers of types."""
_ABOUT_BUILDING = re.compile(r"^[^/]*$|contribut|develop|hacking|install|build", re.IGNORECASE)
"""Paths of documents that tell how to build this project, rather than how to use it."""
_TARGET = re.compile(r"^([A-Za-z0-9_.-]+(?:[ \t]+[A-Za-z0-9_.-]+)*)[ \t]*:(?!=)", re.MULTILINE)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_LARGEST_READ = 1_000_000
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


class NamedFiles:
    """Compares what documents link to and name with the files of the tree."""

    def __init__(
        self,
        root: Path,
        paths: set[str],
        histories: Mapping[str, FileHistory],
        facts: Mapping[str, Facts],
        now: float,
    ) -> None:
        """Compare with the files below a root, of which `paths` are known to exist; `facts` are of all documents."""
        self._root = root
        self._paths = paths
        self._histories = histories
        self._facts = facts
        self._now = now
        self.looked_up: dict[str, bool] = {}
        """Whether paths that are not documents themselves exist."""
        self.read: dict[str, list[int] | None] = {}
        """The version of each file that was read, or None if there is none."""

    def check(self, path: str) -> NameCheck:
        """Return what is wrong with the links and names of one document."""
        facts = self._facts[path]
        problems = []
        if facts.links and (broken := [link for link in facts.links if not self._leads(path, link)]):
            problems.append(_count(broken, "1 link leads nowhere", "{} links lead nowhere"))
        if tells_of_the_past(path):
            return NameCheck(tuple(problems))
        targets = [name.removeprefix("make ") for name in facts.names if name.startswith("make ")]
        if (
            targets
            and self._targets
            and _ABOUT_BUILDING.search(path)
            and (unknown := [name for name in targets if name not in self._targets])
        ):
            problems.append(_count(unknown, "names a target that make does not have", "names {} targets make lacks"))
        gone = [name for name in _file_names(facts) if self._find(path, name) is None and self._is_ours(path, name)]
        if gone:
            problems.append(_count(gone, "names a file that does not exist", "names {} files that do not exist"))
        problems += self._check_python(facts.python)
        hints = [*self._told_versions(facts.python), *self._code_changes.hints(path)]
        if facts.insecure and self._is_old(path):
            weight = _INSECURE_WEIGHT * min(facts.insecure, _MOST_INSECURE)
            hints.append(Hint(weight, f"links to {pluralize(facts.insecure, 'site')} by plain HTTP"))
        weight = sum(hint.weight for hint in hints)
        return NameCheck(tuple(problems), *self._changes(path), tuple(hint.words for hint in hints), weight)

    def _check_python(self, python: PythonNames) -> Iterator[str]:
        """Yield what a document says about Python that does not hold for this project."""
        if gone := [name for name in python.certain if not self._packages.has(name) and not self._is_described(name)]:
            yield _count(gone, "names code that does not exist", "names {} things that the code does not have")
        if python.calls and (wrong := self._code_changes.find_unknown_keywords(python.calls)):
            yield _count(wrong, "uses a keyword that does not exist", "uses {} keywords that do not exist")
        needed = self._python_needed if python.versions else None
        if needed and (old := [one for one in python.versions if tuple(map(int, one.split("."))) < needed]):
            yield f"says Python {old[0]} or newer, and the project requires {needed[0]}.{needed[1]}"

    def _told_versions(self, python: PythonNames) -> Iterator[Hint]:
        needed = self._python_needed if python.told else None
        if needed and (old := [one for one in python.told if tuple(map(int, one.split("."))) < needed]):
            yield Hint(1.0, f"tells of Python {old[0]}, and the project requires {needed[0]}.{needed[1]}")

    def _is_old(self, path: str) -> bool:
        own = self._histories.get(path)
        return own is not None and self._now - own.changed > OLD_MONTHS * MONTH

    def _is_described(self, name: str) -> bool:
        """Return whether a document describes a name, or one that it is a part of, without showing code for it."""
        parts = name.split(".")
        return any(part in self._described for part in parts[1:])

    @cached_property
    def _described(self) -> set[str]:
        return {part for facts in self._facts.values() for name in facts.python.described for part in name.split(".")}

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
                weights[place] = max(commits, _SWEEPING) / self._naming[place]
        return tuple(sorted(weights, key=lambda place: (-weights[place], place))), sum(weights.values())

    @cached_property
    def _places(self) -> dict[str, set[str]]:
        """The files that each document names, or that define what it names, and that git knows."""
        places: dict[str, set[str]] = {}
        for path, facts in self._facts.items() if self._histories else ():
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
        """How many documents name each file."""
        return Counter(file for files in self._places.values() for file in files)

    @cached_property
    def _packages(self) -> PythonPackages:
        packages = PythonPackages(self._known_paths, self._read_bytes)
        for folder in packages.folders.values():
            self._note_version(folder)  # it changes when a file is added
        return packages

    @cached_property
    def _code_changes(self) -> CodeChanges:
        return CodeChanges(self._root, self._packages, self._histories, self._facts, self._read_bytes)

    @cached_property
    def _python_needed(self) -> tuple[int, int] | None:
        """The oldest version of Python that the project's own metadata allow; None if they name none."""
        for name in ("pyproject.toml", "setup.cfg", "setup.py"):
            if found := _REQUIRES_PYTHON.search(self._read(name)):
                return int(found[1]), int(found[2])
        return None

    def _leads(self, path: str, link: str) -> bool:
        """Return whether a link leads to a file, or to what a site generator makes of a page."""
        # MkDocs serves `a.md` as the folder `a/`, so a link that browsers follow may start there.
        # So may a link without a suffix, which only a site can follow.
        served = self._generated_pages or "." not in link.rstrip("/").rpartition("/")[2].lstrip(".")
        starts = (path, f"{path.rpartition('.')[0]}/") if served else (path,)
        is_rst = path.endswith(".rst")
        endings = _SPHINX_ENDINGS if is_rst else _PAGE_ENDINGS
        if any(self._is_page(_join(start, unquote(link)), endings) for start in starts):
            return True
        return is_rst and served and not self._is_in_sphinx(path, link)

    def _is_in_sphinx(self, path: str, link: str) -> bool:
        """Return whether a reference of a page to another would be followed from here.

        A page outside of a tree of Sphinx, such as a fragment of a changelog, is included in one that lies elsewhere.
        A page in a folder that is not there is one of another site, which Sphinx knows from its configuration.
        """
        parts = path.split("/")[:-1]
        above = ("/".join([*parts[:number], "conf.py"]) for number in range(len(parts), -1, -1))
        folder = os.path.dirname(_join(path, link))  # noqa: PTH120 - names may be odd bytes
        return any(map(self._exists, above)) and (folder in self._folders or self._exists(folder))

    def _is_page(self, target: str, endings: tuple[str, ...]) -> bool:
        if target.startswith("..") or target in self._generated_pages:
            return True  # outside the tree, or in a site only
        bare = target.removesuffix(".html")
        return any(self._exists(page) for page in (target, *(bare + ending for ending in endings)))

    def _find(self, path: str, name: str) -> str | None:
        """Return the path of a named file below the root; None if there is none.

        It is looked for as it is written, beside the document, and at the end of a longer path: templates, modules and
        resources are named from some folder within the tree.
        """
        for place in (os.path.normpath(name), _join(path, name)):
            if not place.startswith("..") and self._exists(place):
                return place
        ends = (place for place in self._by_name.get(name.rpartition("/")[2], ()) if place.endswith(f"/{name}"))
        return next(filter(self._exists, ends), None)

    def _is_ours(self, path: str, name: str) -> bool:
        """Return whether a missing file would belong to this tree: its folder has other files."""
        return any(
            os.path.dirname(place) in self._folders  # noqa: PTH120 - names may be odd bytes
            for place in (os.path.normpath(name), _join(path, name))
        )

    def _exists(self, path: str) -> bool:
        if path in self._paths or (self._is_sparse and path in self._histories):
            return True
        if path not in self.looked_up:
            self.looked_up[path] = os.path.lexists(os.path.join(self._root, path))  # noqa: PTH118
        return self.looked_up[path]

    @cached_property
    def _is_sparse(self) -> bool:
        """Whether only some of the committed files may be checked out; otherwise one that is missing was deleted."""
        return os.path.lexists(self._root / ".git" / "info" / "sparse-checkout")

    @cached_property
    def _known_paths(self) -> set[str]:
        return self._paths | self._histories.keys()

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The known paths by their last part."""
        paths: dict[str, list[str]] = {}
        for path in sorted(self._known_paths):
            paths.setdefault(path.rpartition("/")[2], []).append(path)
        return paths

    @cached_property
    def _folders(self) -> set[str]:
        return {path.rpartition("/")[0] for path in (self._histories or self._paths) if "/" in path}

    @cached_property
    def _generated_pages(self) -> set[str]:
        """The pages in the menu of a site made by MkDocs: some of them may exist only in the site."""
        text = self._read("mkdocs.yml")
        folder = re.search(r"^docs_dir:[ \t]*([\w./-]+)", text, re.MULTILINE)
        prefix = folder[1] if folder else "docs"
        return {os.path.normpath(f"{prefix}/{page}") for page in re.findall(r"(?<![\w./-])[\w./-]+\.md\b", text)}

    @cached_property
    def _targets(self) -> set[str]:
        """The targets of the root's Makefile; empty if there is none, or if it takes targets from elsewhere."""
        for name in _MAKEFILES:
            text = self._read(name)
            if not text:
                continue
            if re.search(r"^-?include\b|^[^#\n\t]*%[^\n]*:", text, re.MULTILINE):
                return set()
            return {target for targets in _TARGET.findall(text) for target in targets.split()}
        return set()

    def _read(self, name: str) -> str:
        """Return the text of a file in the root; empty if it cannot be read."""
        return self._read_bytes(name, _LARGEST_READ).decode("utf-8", "replace")

    def _read_bytes(self, name: str, most: int) -> bytes:
        self._note_version(name)
        try:
            with open(os.path.join(self._root, name), "rb", opener=open_no_follow) as file:  # noqa: PTH118
                return file.read(most)
        except (OSError, ValueError):
            return b""

    def _note_version(self, name: str) -> None:
        self.read[name] = file_version(os.path.join(self._root, name))  # noqa: PTH118 - names may be odd bytes


def _file_names(facts: Facts) -> list[str]:
    return [name for name in facts.names if not name.startswith(("make ", "../"))]


def _join(path: str, name: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(path), name))  # noqa: PTH118, PTH120 - names may be odd bytes


def _count(names: list[str], one: str, several: str) -> str:
    """Return a problem with the first names that have it.

    >>> _count(["a.md", "b.md"], "1 link leads nowhere", "{} links lead nowhere")
    '2 links lead nowhere: a.md, b.md'
    """
    listed = ", ".join(names[:_MAX_SHOWN]) + (", ..." if len(names) > _MAX_SHOWN else "")
    return f"{one if len(names) == 1 else several.format(len(names))}: {listed}"
