"""Find what is wrong with a document: links that lead nowhere, and files it names that are gone or have changed."""

import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from howsure.documents.document import tells_of_the_past
from howsure.documents.facts import Facts
from howsure.documents.git import FileHistory
from howsure.documents.tree import open_no_follow

_PAGE_ENDINGS = (".md", ".markdown", ".mdx", ".html", "/index.md")
"""A site generator serves `page.md` as `page`, `page/` or `page.html`: endings to try for a link."""
_MAX_SHOWN = 3
_ABOUT_BUILDING = re.compile(r"^[^/]*$|contribut|develop|hacking|install|build", re.IGNORECASE)
"""Paths of documents that tell how to build this project, rather than how to use it."""
_TARGET = re.compile(r"^([A-Za-z0-9_.-]+(?:[ \t]+[A-Za-z0-9_.-]+)*)[ \t]*:(?!=)", re.MULTILINE)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_LARGEST_READ = 1_000_000


class NameCheck(NamedTuple):
    """What a document says about other files."""

    problems: tuple[str, ...] = ()
    changed_since: tuple[str, ...] = ()
    """Files it names that have changed since it did."""


class NamedFiles:
    """Compares what documents link to and name with the files of the tree."""

    def __init__(self, root: Path, paths: set[str], histories: Mapping[str, FileHistory]) -> None:
        """Compare with the files below a root, of which `paths` are known to exist."""
        self._root = root
        self._paths = paths
        self._histories = histories
        self.looked_up: dict[str, bool] = {}
        """Whether paths that are not documents themselves exist."""

    def check(self, path: str, facts: Facts) -> NameCheck:
        """Return what is wrong with the links and names of one document."""
        problems = []
        if facts.links and (broken := [link for link in facts.links if not self._leads(path, link)]):
            problems.append(_count(broken, "1 link leads nowhere", "{} links lead nowhere"))
        if not facts.names or tells_of_the_past(path):
            return NameCheck(tuple(problems))
        targets = [name.removeprefix("make ") for name in facts.names if name.startswith("make ")]
        if (
            targets
            and self._targets
            and _ABOUT_BUILDING.search(path)
            and (unknown := [name for name in targets if name not in self._targets])
        ):
            problems.append(_count(unknown, "names a target that make does not have", "names {} targets make lacks"))
        found = {name: self._find(path, name) for name in facts.names if not name.startswith("make ")}
        gone = [name for name, place in found.items() if place is None and self._is_ours(path, name)]
        if gone:
            problems.append(_count(gone, "names a file that does not exist", "names {} files that do not exist"))
        return NameCheck(tuple(problems), self._changed_since(path, [place for place in found.values() if place]))

    def _changed_since(self, path: str, places: list[str]) -> tuple[str, ...]:
        own = self._histories.get(path)
        if own is None:
            return ()
        newer = (place for place in places if place in self._histories)
        return tuple(sorted({place for place in newer if self._histories[place].changed > own.changed}))

    def _leads(self, path: str, link: str) -> bool:
        """Return whether a link leads to a file, or to what a site generator makes of a page."""
        # MkDocs serves `a.md` as the folder `a/`, so a link that browsers follow may start there.
        starts = (path, f"{path.removesuffix('.md')}/") if self._generated_pages else (path,)
        return any(self._is_page(_join(start, unquote(link))) for start in starts)

    def _is_page(self, target: str) -> bool:
        if target.startswith("..") or target in self._generated_pages:
            return True  # outside the tree, or in a site only
        bare = target.removesuffix(".html")
        return any(self._exists(page) for page in (target, *(bare + ending for ending in _PAGE_ENDINGS)))

    def _find(self, path: str, name: str) -> str | None:
        """Return the path of a named file below the root: as it is written, or beside the document; None if neither."""
        for place in (os.path.normpath(name), _join(path, name)):
            if not place.startswith("..") and self._exists(place):
                return place
        return None

    def _is_ours(self, path: str, name: str) -> bool:
        """Return whether a missing file would belong to this tree: its folder has other files."""
        return any(
            os.path.dirname(place) in self._folders  # noqa: PTH120 - names may be odd bytes
            for place in (os.path.normpath(name), _join(path, name))
        )

    def _exists(self, path: str) -> bool:
        if path in self._paths or path in self._histories:
            return True
        if path not in self.looked_up:
            self.looked_up[path] = os.path.lexists(os.path.join(self._root, path))  # noqa: PTH118
        return self.looked_up[path]

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
        try:
            with open(self._root / name, "rb", opener=open_no_follow) as file:
                return file.read(_LARGEST_READ).decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""


def _join(path: str, name: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(path), name))  # noqa: PTH118, PTH120 - names may be odd bytes


def _count(names: list[str], one: str, several: str) -> str:
    """Return a problem with the first names that have it.

    >>> _count(["a.md", "b.md"], "1 link leads nowhere", "{} links lead nowhere")
    '2 links lead nowhere: a.md, b.md'
    """
    listed = ", ".join(names[:_MAX_SHOWN]) + (", ..." if len(names) > _MAX_SHOWN else "")
    return f"{one if len(names) == 1 else several.format(len(names))}: {listed}"
