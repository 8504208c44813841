"""Files and names: atomic writes, unique ids, digests."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashlib import sha256
    from pathlib import Path
else:
    # Python's own implementation loads at once; hashlib loads OpenSSL, a tenth of the time of a one-shot decision.
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # its name before Python 3.12
        except ImportError:  # pragma: no cover - a Python built without it
            from hashlib import sha256

__all__ = [
    "OPEN_FILES",
    "atomic_write",
    "check_replaceable",
    "find_upwards",
    "fsync_path",
    "get_umask",
    "is_file",
    "is_private",
    "is_special",
    "load_toml",
    "memory_size",
    "new_id",
    "new_ids",
    "sha256",
]

OPEN_FILES = "/proc/self/fd"
"""Linux: paths of open files and folders, which stay the same whatever becomes of their names."""
_MOST_DOTS = 500
"""Dots in a line of TOML."""
_OTHERS_WRITE = 0o022


@contextmanager
def atomic_write(path: "Path") -> Iterator["Path"]:
    """Yield a temporary path; rename it to `path` on success, delete it on error.

    The file and its directory are fsynced, so after a crash `path` holds either the old or the new content. On Linux
    the temporary path is that of the open file: in a folder that others may write to, somebody could put a link to
    another file in the place of its name. `part.resolve()` returns its name, which SQLite needs.

    Raises:
        OSError: if the file cannot be written, its temporary file was replaced, or `path` is a pipe, a device or the
            system's name of an open file, which the rename would replace.
    """
    import tempfile
    from pathlib import Path

    check_replaceable(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        open_file = Path(f"{OPEN_FILES}/{handle}")
        yield open_file if open_file.exists() else part
        os.fsync(handle)
        _check_same(handle, part)
        part.replace(path)
        fsync_path(path.parent)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def _check_same(handle: int, part: "Path") -> None:
    """Raise OSError if an open file no longer has this name."""
    if not os.path.samestat(os.fstat(handle), part.lstat()):
        import errno

        raise OSError(errno.EBUSY, "its temporary file was replaced by another program", str(part))


def check_replaceable(path: "Path | str") -> None:
    """Raise OSError if a path is a pipe, a device or the system's name of an open file, like /dev/stdout."""
    folder = os.path.realpath(os.path.dirname(path))  # noqa: PTH120
    if is_special(path) or folder in ("/dev", "/dev/fd") or folder.startswith("/proc/"):
        import errno

        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def is_special(path: "Path | str") -> bool:
    """Return whether there is something at a path that is neither a file nor a folder: a pipe, a socket, a device."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112, PTH113


def is_private(path: "Path | str") -> bool:
    """Return whether a path exists, belongs to the user or to root, and cannot be written to by others."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return False
    if not hasattr(os, "geteuid"):  # Windows: the profile of the user is private
        return True
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & _OTHERS_WRITE


def is_file(path: "Path | str") -> bool:
    """Return whether there is a regular file at a path. Unlike `Path.is_file`, no name raises, however long it is."""
    return os.path.isfile(path)  # noqa: PTH113


def load_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        ValueError: if it is invalid, or a line has more than 500 dots: Python takes quadratic time to read a dotted
            key, 0.6 s for one of 16 kB and minutes for one of 200 kB.
    """
    import tomllib

    if text.count(".") > _MOST_DOTS and any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError(f"a line has more than {_MOST_DOTS} dots")
    return tomllib.loads(text)


def memory_size() -> int:
    """Return the bytes of memory that this machine has; 16 GB if it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 16 << 30


def get_umask() -> int:
    """Return the permissions that new files do not get."""
    try:
        with open("/proc/self/status", "rb") as status:  # noqa: PTH123
            return next(int(line.split()[1], 8) for line in status if line.startswith(b"Umask:"))
    except (OSError, StopIteration, ValueError):  # not Linux: only setting it tells what it was, for all threads
        mask = os.umask(0o077)
        os.umask(mask)
        return mask


def fsync_path(path: "Path") -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def new_id(kind: str, now: float) -> str:
    """Return a unique id that sorts by time.

    >>> new_id("c", 1_800_000_000.0)[:13]
    'c01a3185c5000'
    """
    return f"{kind}{int(max(now, 0.0) * 1000):012x}{os.urandom(8).hex()}"


def new_ids(kind: str, now: float, count: int) -> list[str]:
    """Return unique ids, sorted, so that an index takes them in its own order."""
    start, noise = f"{kind}{int(max(now, 0.0) * 1000):012x}", os.urandom(8 * count).hex()
    return sorted([start + noise[place : place + 16] for place in range(0, len(noise), 16)])


def find_upwards(folder: str, name: str) -> str:
    """Return the path of a file of this name in a folder or in the nearest one above it; empty if there is none."""
    while True:
        path = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(path):  # noqa: PTH113
            return path
        parent = os.path.dirname(folder)  # noqa: PTH120
        if parent == folder:
            return ""
        folder = parent
