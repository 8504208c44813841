"""Writing: a file is replaced whole or not at all, with the permissions that it had."""

import contextlib
import os
import stat
from pathlib import Path

from howsure.engine.whole import whole
from howsure.errors import HowsureError


class ChangedError(HowsureError):
    """A file was changed by somebody else meanwhile."""


def replace_file(place: Path, before: bytes | None, after: bytes) -> None:
    """Replace a file whose content is known; nothing is there yet, where `before` is nothing.

    The new content is on the disk before it takes the old one's place, so whatever happens, one of them is there whole.
    A file that was changed since it was read is left as it is.
    """
    try:
        with whole(place) as part:
            part.write_bytes(after)
            _like(place if before is not None else None, part)
            if current(place) != before:
                raise ChangedError(f"{place.name} was changed meanwhile, and is left as it is", hint="scan again")
    except OSError as error:
        problem = f"{place.name} cannot be written: {error.strerror}"
        raise HowsureError(problem, hint="the file is as it was before") from error


def current(place: Path) -> bytes | None:
    """Return what a file holds now; nothing, where it is not there. A link is never followed."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _like(place: Path | None, part: Path) -> None:
    """Give a new file the owner and the permissions of the one whose place it takes, or those that new files get."""
    if place is None:
        mask = os.umask(0o022)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        return
    known = place.lstat()
    with contextlib.suppress(OSError):  # only root may give a file away
        os.chown(part, known.st_uid, known.st_gid)
    part.chmod(stat.S_IMODE(known.st_mode))
