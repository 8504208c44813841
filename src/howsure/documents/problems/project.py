"""Read what a project says about itself in its own files: its version, its extras, its targets of make, its menu."""

import os
import re
from collections.abc import Callable, Iterable
from functools import cached_property

_REQUIRES_PYTHON = re.compile(r"(?:requires-python|python_requires)\s*=\s*[\"']?[^\"'\n]{0,80}?>=\s*(\d+)\.(\d+)")
_TARGET = re.compile(r"^([A-Za-z0-9_.-]+(?:[ \t]+[A-Za-z0-9_.-]+)*)[ \t]*:(?!=)", re.MULTILINE)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_METADATA = ("pyproject.toml", "setup.cfg", "setup.py")
_VERSION = re.compile(
    r"^[ \t]*(?:__version__|version)[ \t]*(?::[^=\n]{0,40})?=[ \t]*[\"']?"
    r"(\d{1,4})\.(\d{1,3})([\d.]*)(a|b|c|rc|\.?dev|-)?",
    re.MULTILINE,
)
_VERSION_FILES = ("__init__.py", "_version.py", "version.py", "__version__.py", "__about__.py")
_NAME = re.compile(r"^[ \t]*name[ \t]*=[ \t]*[\"']?([A-Za-z][\w.-]{0,80})", re.MULTILINE)
_ADDRESS = re.compile(r"//[\w.-]+/([\w.-]{1,80}/[\w.-]{1,80})")
_REQUIREMENT = re.compile(
    r"[\"'\n \t]([A-Za-z][\w.-]{1,60})(?:\[[\w, -]{0,80}\])?[ \t]*(?:>=|~=)[ \t]*(\d{1,4})(?:\.(\d{1,4}))?"
)


class Project:
    """What the files in the root of a project say about it."""

    def __init__(self, read: Callable[[str], str]) -> None:
        """Read files by `read`, which returns the text of a file by its path, empty if there is none."""
        self._read = read

    @cached_property
    def python_needed(self) -> tuple[int, int] | None:
        """The oldest version of Python that the project's own metadata allow; None if they name none."""
        for name in _METADATA:
            if found := _REQUIRES_PYTHON.search(self._read(name)):
                return int(found[1]), int(found[2])
        return None

    @cached_property
    def names(self) -> set[str]:
        """The name of its distribution, in lower case and with `-`; empty if unknown."""
        found = (_NAME.search(self._read(name)) for name in _METADATA)
        return {normalize(one[1]) for one in found if one}

    @cached_property
    def repositories(self) -> set[str]:
        """`owner/name` of the addresses in its metadata, in lower case."""
        found = (one for name in _METADATA for one in _ADDRESS.findall(self._read(name)))
        return {one.lower().removesuffix(".git") for one in found}

    @cached_property
    def dependencies(self) -> dict[str, tuple[int, int]]:
        """The oldest versions of other packages that the metadata allow; of several, the oldest."""
        oldest: dict[str, tuple[int, int]] = {}
        for name in _METADATA:
            for package, major, minor in _REQUIREMENT.findall(self._read(name)):
                version = int(major), int(minor or 0)
                oldest[normalize(package)] = min(oldest.get(normalize(package), version), version)
        return oldest

    def has_extra(self, extra: str) -> bool:
        """Return whether the metadata may declare an extra: they have its name."""
        texts = [self._read(name) for name in _METADATA]
        form = re.escape(normalize(extra)).replace(r"\-", "[-_.]?")
        return any(re.search(rf"(?<![\w-]){form}(?![\w-])", text, re.IGNORECASE) for text in texts)

    def version(self, folders: Iterable[str]) -> tuple[int, int] | None:
        """Return the version that the metadata, or a package in one of these folders, names; None if unknown.

        Of one that is not released yet, such as 4.0.0a1, the last version before it is told: (4, -1).
        """
        names = ("pyproject.toml", "setup.cfg", *(f"{folder}/{name}" for folder in folders for name in _VERSION_FILES))
        versions = (_VERSION.search(self._read(name)) for name in names)
        found = next(filter(None, versions), None)
        if found is None:
            return None
        coming = bool(found[4]) and not found[3].strip(".0")
        return int(found[1]), int(found[2]) - coming

    @cached_property
    def generated_pages(self) -> set[str]:
        """The pages in the menu of a site made by MkDocs: some of them may exist only in the site."""
        text = self._read("mkdocs.yml")
        folder = re.search(r"^docs_dir:[ \t]*([\w./-]+)", text, re.MULTILINE)
        prefix = folder[1] if folder else "docs"
        return {os.path.normpath(f"{prefix}/{page}") for page in re.findall(r"(?<![\w./-])[\w./-]+\.md\b", text)}

    @cached_property
    def targets(self) -> set[str]:
        """The targets of the root's Makefile; empty if there is none, or if it takes targets from elsewhere."""
        for name in _MAKEFILES:
            text = self._read(name)
            if not text:
                continue
            if re.search(r"^-?include\b|^[^#\n\t]*%[^\n]*:", text, re.MULTILINE):
                return set()
            return {target for targets in _TARGET.findall(text) for target in targets.split()}
        return set()


def normalize(name: str) -> str:
    """Return the name of a distribution or extra as packages are compared.

    >>> normalize("SQLite_Utils")
    'sqlite-utils'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
