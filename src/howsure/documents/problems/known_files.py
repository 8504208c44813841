"""Which files a tree has, and what they contain."""

import os
from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from howsure.documents.repository.tree import file_version, open_no_follow

_LARGEST_READ = 1_000_000


class KnownFiles:
    """The files of a tree. Keeps what was looked up and read: a report is the same as long as that is."""

    def __init__(self, root: Path, paths: set[str], committed: Collection[str]) -> None:
        """Look below a root, of which `paths` are known to exist and `committed` are known to git."""
        self._root = root
        self._paths = paths
        self._committed = committed
        self.looked_up: dict[str, bool] = {}
        """Whether paths that are not documents themselves exist."""
        self.versions: dict[str, list[int] | None] = {}
        """The version of each file that was read, or None if there is none."""

    def exists(self, path: str) -> bool:
        """Return whether a path below the root exists."""
        if path in self._paths or (self._is_sparse and path in self._committed):
            return True
        if path not in self.looked_up:
            self.looked_up[path] = os.path.lexists(os.path.join(self._root, path))  # noqa: PTH118
        return self.looked_up[path]

    @cached_property
    def _is_sparse(self) -> bool:
        """Whether only some of the committed files may be checked out; otherwise one that is missing was deleted."""
        return os.path.lexists(self._root / ".git" / "info" / "sparse-checkout")

    @cached_property
    def paths(self) -> set[str]:
        """All paths that exist or are committed."""
        return self._paths.union(self._committed)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The known paths by their last part."""
        paths: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            paths.setdefault(path.rpartition("/")[2], []).append(path)
        return paths

    @cached_property
    def folders(self) -> set[str]:
        """The folders that hold files."""
        return {path.rpartition("/")[0] for path in (self._committed or self._paths) if "/" in path}

    def read_text(self, name: str) -> str:
        """Return the text of a file in the root; empty if it cannot be read."""
        return self.read_bytes(name, _LARGEST_READ).decode("utf-8", "replace")

    def read_bytes(self, name: str, most: int) -> bytes:
        """Return the first bytes of a file in the root; empty if it cannot be read."""
        self.note_version(name)
        try:
            with open(os.path.join(self._root, name), "rb", opener=open_no_follow) as file:  # noqa: PTH118
                return file.read(most)
        except (OSError, ValueError):
            return b""

    def note_version(self, name: str) -> None:
        """Remember the version of a file or folder on which the report depends."""
        self.versions[name] = file_version(os.path.join(self._root, name))  # noqa: PTH118 - names may be odd bytes


def join_path(path: str, name: str) -> str:
    """Return the path that a name stands for in the document at `path`.

    >>> join_path("docs/guide.md", "../src/cart.py")
    'src/cart.py'
    """
    return os.path.normpath(os.path.join(os.path.dirname(path), name))  # noqa: PTH118, PTH120 - names may be odd bytes
