"""Writing: a file is replaced whole or not at all, with the permissions that it had."""

import contextlib
import os
import stat
from pathlib import Path
from secrets import token_hex

from howsure.errors import HowsureError
from howsure.files import atomic_write

_HANDLES = "/proc/self/fd"
"""Where a file that is open but has no name can be named by its handle."""


class ChangedError(HowsureError):
    """A file was changed by somebody else meanwhile."""


def replace_file(place: Path, before: bytes | None, after: bytes) -> None:
    """Replace a file whose content is known; nothing is there yet, where `before` is nothing.

    The new content is on the disk before it takes the old one's place, so whatever happens, one of them is there whole.
    It has no name until then, where the file system can do that: so nothing is left over if all ends in between. A file
    that was changed since it was read is left as it is.
    """
    like = None if before is None else place
    try:
        handle = _nameless(place.parent)
        if handle is None:
            with atomic_write(place) as part:
                part.write_bytes(after)
                with part.open("rb") as file:
                    _like(like, file.fileno())
                _unchanged(place, before)
            return
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            file.flush()
            _like(like, handle)
            os.fsync(handle)
            _unchanged(place, before)
            _name(handle, place)
    except OSError as error:
        problem = f"{place} cannot be written: {error.strerror}"
        raise HowsureError(problem, hint="the file is as it was before") from error


def current(place: Path) -> bytes | None:
    """Return what a file holds now; nothing, where it is not there. A link is never followed."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _unchanged(place: Path, before: bytes | None) -> None:
    if current(place) != before:
        raise ChangedError(f"{place} was changed meanwhile, and is left as it is", hint="scan again")


def _nameless(folder: Path) -> int | None:
    """Return a new file without a name, which is gone with whoever has it open; nothing, where there are none such."""
    if not hasattr(os, "O_TMPFILE") or not Path(_HANDLES).is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:  # not every file system has them; whatever else is wrong shows when a named one is made
        return None


def _name(handle: int, place: Path) -> None:
    """Let a file without a name take a place."""
    part = place.with_name(f".{place.name[:40]}.{token_hex(4)}.part")
    try:
        os.link(f"{_HANDLES}/{handle}", part, src_dir_fd=handle)  # only with a folder named is the link followed
        part.replace(place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _like(place: Path | None, handle: int) -> None:
    """Give a new file the owner and the permissions of the one whose place it takes, or those that new files get."""
    if place is None:
        mask = os.umask(0o022)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    known = place.lstat()
    for owner in (known.st_uid, -1):  # only root may give a file away, but anybody to a group of their own
        with contextlib.suppress(OSError):
            os.fchown(handle, owner, known.st_gid)
            break
    os.fchmod(handle, stat.S_IMODE(known.st_mode))
