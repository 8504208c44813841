"""Replace a user's file atomically, with its owner and permissions, unless somebody else changed it."""

import contextlib
import os
import stat
from pathlib import Path
from secrets import token_hex

from howsure.errors import HowsureError
from howsure.files import atomic_write

_OPEN_FILES = "/proc/self/fd"
"""Linux: paths of open files, by which a file without a name can be linked."""


class ChangedError(HowsureError):
    """A file was changed by somebody else since it was read."""


def replace_file(path: Path, before: bytes | None, after: bytes) -> None:
    """Replace the content of a file, or create it if `before` is None.

    The new content is fsynced before it is renamed over the old one, so after a crash the file holds one of them. Where
    the file system allows it, the new file has no name until then (O_TMPFILE), so a killed process leaves nothing
    behind; elsewhere `atomic_write` does the same with a named temporary file.

    Raises:
        ChangedError: if the file no longer holds `before`.
        HowsureError: if it cannot be written.
    """
    like = None if before is None else path
    try:
        handle = _open_nameless(path.parent)
        if handle is None:
            with atomic_write(path) as part:
                part.write_bytes(after)
                with part.open("rb") as file:
                    _copy_permissions(like, file.fileno())
                _check_unchanged(path, before)
            return
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            file.flush()
            _copy_permissions(like, handle)
            os.fsync(handle)
            _check_unchanged(path, before)
            _link_to(handle, path)
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror}"
        raise HowsureError(problem, hint="the file was not changed") from error


def read_current(path: Path) -> bytes | None:
    """Return the content of a file, or None if it does not exist. A symbolic link is not followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _check_unchanged(path: Path, before: bytes | None) -> None:
    if read_current(path) != before:
        raise ChangedError(
            f"{path} was changed by somebody else since it was read, and is left as it is", hint="scan again"
        )


def _open_nameless(folder: Path) -> int | None:
    """Open a new file without a name, which vanishes when it is closed; None if the system has no such files."""
    if not hasattr(os, "O_TMPFILE") or not Path(_OPEN_FILES).is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:  # not every file system supports it; any other error recurs when a named file is made
        return None


def _link_to(handle: int, path: Path) -> None:
    """Give a file without a name the path, replacing what is there."""
    part = path.with_name(f".{path.name[:40]}.{token_hex(4)}.part")
    try:
        os.link(
            f"{_OPEN_FILES}/{handle}", part, src_dir_fd=handle
        )  # with src_dir_fd, Python calls linkat with AT_SYMLINK_FOLLOW
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _copy_permissions(path: Path | None, handle: int) -> None:
    """Copy owner and permissions of the file that is replaced, or set those that new files get."""
    if path is None:
        mask = os.umask(0o022)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    state = path.lstat()
    for owner in (state.st_uid, -1):  # only root may change the owner, but others may set a group of their own
        with contextlib.suppress(OSError):
            os.fchown(handle, owner, state.st_gid)
            break
    os.fchmod(handle, stat.S_IMODE(state.st_mode))
