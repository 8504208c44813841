"""Look up names of Python code in the packages of a tree, without importing anything."""

import os
import re
from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import NamedTuple

_SOURCES = (".py", ".pyi", ".pyx", ".pxd")
_COMPILED = (".so", ".pyd", ".pyx", ".c", ".cc", ".cpp", ".rs")
"""Sources of compiled modules: what they define is not looked for, so nothing counts as missing."""
_NOT_THE_PROJECT = frozenset(
    (
        "app",
        "benchmarks",
        "conf",
        "conftest",
        "docs",
        "example",
        "examples",
        "fabfile",
        "hatch_build",
        "main",
        "manage",
        "noxfile",
        "runtests",
        "scripts",
        "setup",
        "t",
        "tasks",
        "test",
        "tests",
        "tools",
        "versioneer",
    )
)
_MOST_FILES, _MOST_BYTES, _LARGEST_FILE = 5000, 50_000_000, 2_000_000
"""A package with more files is not looked into; of a larger package or file, only the beginning is read."""
SEPARATORS = bytes(ord(" ") if byte < 0x80 and not ("_" + chr(byte)).isidentifier() else byte for byte in range(256))  # noqa: PLR2004 - ASCII
"""Translates everything but letters, digits and underscores to spaces."""
_DEFINITION = re.compile(rb"\n(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|\n([A-Za-z_]\w*)[ \t]*(?::[^=\n]{0,200})?=(?!=)")
# A star import from another distribution: its names are not known.
# A module that may have names that are not written in it.
_OPEN_MODULE = re.compile(
    rb"\n[ \t]*from[^\n]{1,200}import[ \t]+\*|__getattr__|globals\(\)|sys\.modules|setattr\(|ModuleType|lazy",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"\n[ \t]*#[^\n]*")
_FOREIGN_STAR = re.compile(rb"\n[ \t]*from[ \t]+([A-Za-z_]\w*)(?:\.[\w.]*)?[ \t]+import[ \t]+\*")


class _Package(NamedTuple):
    """What the sources of a package say."""

    words: frozenset[bytes]
    """Every word in them, and the names of its modules."""
    complete: bool
    """Whether there are no other names than those."""
    definitions: dict[str, tuple[str, ...]]
    """The files that define a name at the top level."""


class PythonPackages:
    """The Python packages of a tree, each read when a name in it is first looked up."""

    def __init__(self, paths: Collection[str], read: Callable[[str, int], bytes]) -> None:
        """Look for packages among some paths below a root; `read` returns the first bytes of a file by its path."""
        self._read = read
        self._paths = paths
        self._known: dict[str, _Package] = {}
        self._modules: dict[str, frozenset[bytes] | None] = {}

    @cached_property
    def folders(self) -> dict[str, str]:
        """The folder of each package, or the path of a single module: in the root, or in `src` or `lib`."""
        folders = {}
        for path in self._paths:
            above, _, name = path.rpartition("/")
            if name == "__init__.py" and above.rpartition("/")[0] in ("", "src", "lib"):
                folders[above.rpartition("/")[2]] = above
            elif above in ("", "src", "lib") and name.endswith(".py"):
                folders.setdefault(name.removesuffix(".py"), path)
        return {name: folder for name, folder in folders.items() if name not in _NOT_THE_PROJECT}

    def has(self, name: str) -> bool:
        """Return whether a dotted name may exist; True for names of other packages.

        Of `package.module.Class.method`, the method is not looked for: it may be inherited from anywhere.
        """
        package, *parts = name.split(".")
        if package not in self.folders:
            return True
        known = self._package(package)
        place = self.folders[package]
        for part in parts:
            if known.complete and part.encode() not in known.words:
                return False
            inner = f"{place}/{part}"
            if f"{inner}/__init__.py" not in self._paths and f"{inner}.py" not in self._paths:
                # What is written in lower case after the name of the package may be called on an object of that name.
                certain = place != self.folders[package] or any(one[0].isupper() for one in parts)
                return not known.complete or not certain or self._may_hold(place, part)
            place = inner
        return True

    def _may_hold(self, place: str, name: str) -> bool:
        """Return whether a module may have a name: it is written there, or the module takes names from elsewhere."""
        file = next((one for one in (f"{place}/__init__.py", f"{place}.py") if one in self._paths), None)
        if file is None:
            return True
        if file not in self._modules:
            data = b"\n" + self._read(file, _LARGEST_FILE)
            own = (
                None if _OPEN_MODULE.search(data) else frozenset(_COMMENT.sub(b"", data).translate(SEPARATORS).split())
            )
            self._modules[file] = own
        words = self._modules[file]
        return words is None or name.encode() in words

    def find(self, name: str) -> str | None:
        """Return the file that defines a name; None if that is unknown, or defined in several files."""
        first, *parts = name.split(".")
        if first not in self.folders:
            if parts and not first[0].isupper():  # an attribute of some variable
                return None
            found = {file for package in self.folders for file in self._package(package).definitions.get(first, ())}
            return found.pop() if len(found) == 1 else None
        place = self.folders[first]
        if place.endswith(".py"):
            return place if parts else None
        for part in parts:
            if f"{place}/{part}.py" in self._paths:
                return f"{place}/{part}.py"
            if f"{place}/{part}/__init__.py" not in self._paths:
                defining = self._package(first).definitions.get(part, ())
                inside = [file for file in defining if file.startswith(f"{place}/")]
                return inside[0] if len(inside) == 1 else None
            place = f"{place}/{part}"
        return f"{place}/__init__.py" if parts else None

    def locate(self, name: str) -> tuple[str, str] | None:
        """Return the file that defines a function or class at its top level, and its name there; None if unknown."""
        file = self.find(name)
        if file is None:
            return None
        packages = [package for package, folder in self.folders.items() if _is_in(file, folder)]
        first, *parts = name.split(".")
        # The outermost definition: of `Cart.add` the class, even if there is a function `add` as well.
        for part in parts if parts and first in self.folders else (first, *parts):
            if any(file in self._package(package).definitions.get(part, ()) for package in packages):
                return file, part
        return None

    def is_word(self, file: str, word: str) -> bool:
        """Return whether the package of a file may have a word in its sources."""
        known = [self._package(package) for package, folder in self.folders.items() if _is_in(file, folder)]
        return not known or any(not own.complete or word.encode() in own.words for own in known)

    def find_unwritten(self, words: Iterable[str]) -> set[str]:
        """Return those of some words that no source of a package has; empty if there is no package."""
        written = [self._package(package).words for package in self.folders]
        return {word for word in words if written and not any(word.encode() in own for own in written)}

    @cached_property
    def complete(self) -> bool:
        """Whether there are packages, and all names in them are known."""
        return bool(self.folders) and all(self._package(package).complete for package in self.folders)

    def _package(self, name: str) -> _Package:
        if name not in self._known:
            self._known[name] = self._load(name)
        return self._known[name]

    def _load(self, name: str) -> _Package:
        files = [path for path in self._paths if _is_in(path, self.folders[name])]
        sources = [path for path in files if path.endswith(_SOURCES)]
        if len(sources) > _MOST_FILES:
            return _Package(frozenset(), False, {})
        words: set[bytes] = {name.encode()}
        definitions: dict[str, list[str]] = {}
        complete = not any(path.endswith(_COMPILED) for path in files)
        left = _MOST_BYTES
        for path in sorted(sources):
            data = b"\n" + self._read(path, min(_LARGEST_FILE, left))
            left -= len(data)
            words.update(data.translate(SEPARATORS).split())
            words.update(os.fsencode(part) for part in path.removesuffix(".py").split("/"))
            for found in {one or other for one, other in _DEFINITION.findall(data)}:
                definitions.setdefault(found.decode("utf-8", "replace"), []).append(path)
            if any(star.decode() != name for star in _FOREIGN_STAR.findall(data)) or len(data) > _LARGEST_FILE:
                complete = False
            if left <= 0:
                complete = False
                break
        return _Package(frozenset(words), complete, {key: tuple(own) for key, own in definitions.items()})


def _is_in(path: str, folder: str) -> bool:
    """Return whether a path lies in the folder of a package, or is the single module."""
    return path == folder or path.startswith(f"{folder}/")
