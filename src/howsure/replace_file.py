"""Replace a user's file atomically, with its owner and permissions, unless somebody else changed it."""

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

from howsure.errors import HowsureError
from howsure.files import OPEN_FILES, fsync_path, get_umask, sha256


class ChangedError(HowsureError):
    """A file was changed by somebody else since it was read."""


def replace_file(path: Path, before: bytes | None, after: bytes, *, root: Path | None = None) -> None:
    """Replace the content of a file, or create it if `before` is None.

    The new content is fsynced before it takes the place of the old one, so after a crash the file holds one of them.
    Processes of howsure take turns in a folder. Old and new are exchanged where the system can do that, and what was
    there is compared once more: an update by another program is put back, whenever it came. Where the file system
    allows it, the new file has no name until then (O_TMPFILE), so a killed process leaves nothing behind;
    `remove_leftovers` deletes what one leaves elsewhere.

    Args:
        path: The file. A link in its place is not followed.
        before: Its content.
        after: The new content.
        root: A folder above it. Folders between the two are opened one by one without following links, so that nobody
            can lead the write elsewhere by putting a link in the place of a folder.

    Raises:
        ChangedError: if the file no longer holds `before`, or one of these folders is a link.
        HowsureError: if it cannot be written, or would lose its owner or its hard links.
    """
    try:
        with _open_folder(path, root) as folder:
            _replace(folder / path.name, path, before, after)
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror}"
        raise HowsureError(problem, hint="the file was not changed") from error


def _replace(place: Path, path: Path, before: bytes | None, after: bytes) -> None:
    """Replace a file at a place that nobody can move; `path` is how errors call it."""
    named: Path | None = None
    try:
        if before is not None and (links := place.lstat().st_nlink) > 1:
            hint = "the file was not changed; replace the links by copies or symbolic links"
            raise HowsureError(f"{path} has {links} hard links, which would no longer be the same file", hint=hint)
        handle = _open_nameless(place.parent)
        if handle is None:
            named = place.with_name(f".{place.name[:40]}.{os.getpid()}-{token_hex(4)}.new.part")
            handle = os.open(named, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            file.flush()
            _copy_permissions(None if before is None else place, handle, path)
            os.fsync(handle)
            with _turn(place.parent):
                _check_unchanged(place, path, before)
                if before is None:
                    _create(handle, named, place, path)
                else:
                    _exchange(handle, named, place, path, before, after)
        fsync_path(place.parent)
    finally:
        if named is not None:
            named.unlink(missing_ok=True)


@contextlib.contextmanager
def _open_folder(path: Path, root: Path | None) -> Iterator[Path]:
    """Yield a path of a file's folder that stays the same folder, where the system has such paths."""
    if not hasattr(os, "O_DIRECTORY") or not Path(OPEN_FILES).is_dir():
        yield path.parent
        return
    start = path.parent if root is None else root
    handle = os.open(start, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in path.parent.relative_to(start).parts:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                below = os.open(name, flags, dir_fd=handle)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise _changed(path) from None
                raise
            os.close(handle)
            handle = below
        yield Path(f"{OPEN_FILES}/{handle}")
    finally:
        os.close(handle)


def remove_leftovers(folder: Path) -> None:
    """Delete what killed processes have left in a folder: copies of a file's content before or after a replacement.

    A copy with any other content may be somebody's update, and stays.
    """
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            match = _LEFTOVER.fullmatch(entry.name)
            if match is None or not entry.is_file(follow_symlinks=False) or _is_alive(int(match["process"])):
                continue
            content = Path(entry.path).read_bytes()
            if match["state"] == "new" or _digest(content) in match["state"].split("-"):
                Path(entry.path).unlink(missing_ok=True)


_LEFTOVER = re.compile(r"\..{1,40}\.(?P<process>\d+)-(?:[0-9a-f]{8})\.(?P<state>new|[0-9a-f]{16}-[0-9a-f]{16})\.part")


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]


def _create(handle: int, named: Path | None, place: Path, path: Path) -> None:
    """Give a new file its name, unless there is a file of that name by now."""
    try:
        if named is None:
            _link(handle, place)
        else:
            os.link(named, place)
    except FileExistsError:
        raise _changed(path) from None


def _exchange(handle: int, named: Path | None, place: Path, path: Path, before: bytes, after: bytes) -> None:
    """Put a new file in the place of another, and put the other back if it was changed meanwhile."""
    name = f".{place.name[:40]}.{os.getpid()}-{token_hex(4)}.{_digest(before)}-{_digest(after)}.part"
    part = place.with_name(name)
    swapped = same = False
    try:
        if named is None:
            _link(handle, part)
        else:
            named.rename(part)
        swapped = _swap(part, place)
        if swapped:
            same = read_current(part) == before
        else:
            part.replace(place)
    finally:
        if swapped and not same:
            _swap(part, place)
            if read_current(part) != after:  # another program has replaced ours meanwhile: its update stays
                _swap(part, place)
        part.unlink(missing_ok=True)
    if swapped and not same:
        raise _changed(path)


@contextlib.contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """Wait until no other process of howsure exchanges a file in a folder, where the system has locks for that."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _swap(one: Path, other: Path) -> bool:
    """Exchange two files in one step (renameat2 of Linux); return False if the system cannot."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):  # an old C library
        return False
    here, exchange = -100, 2
    if rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):  # not every file system can
        return False
    raise OSError(code, os.strerror(code), str(other))


def _changed(path: Path) -> ChangedError:
    return ChangedError(
        f"{path} was changed by somebody else since it was read, and is left as it is", hint="scan again"
    )


def read_current(path: Path) -> bytes | None:
    """Return the content of a file, or None if it does not exist. A symbolic link is not followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _check_unchanged(place: Path, path: Path, before: bytes | None) -> None:
    if read_current(place) != before:
        raise _changed(path)


def _open_nameless(folder: Path) -> int | None:
    """Open a new file without a name, which vanishes when it is closed; None if the system has no such files."""
    if not hasattr(os, "O_TMPFILE") or not Path(OPEN_FILES).is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:  # not every file system supports it; any other error recurs when a named file is made
        return None


def _link(handle: int, path: Path) -> None:
    """Give a file without a name a path. With src_dir_fd, Python calls linkat with AT_SYMLINK_FOLLOW."""
    os.link(f"{OPEN_FILES}/{handle}", path, src_dir_fd=handle)


def _copy_permissions(place: Path | None, handle: int, path: Path) -> None:
    """Copy owner and permissions of the file that is replaced, or set those that new files get."""
    if place is None:
        os.fchmod(handle, 0o666 & ~get_umask())
        return
    state = place.lstat()
    for owner in (state.st_uid, -1):  # only root may change the owner, but others may set a group of their own
        with contextlib.suppress(OSError):
            os.fchown(handle, owner, state.st_gid)
            break
    new = os.fstat(handle)
    if (new.st_uid, new.st_gid) != (state.st_uid, state.st_gid):
        hint = "the file was not changed; run this as its owner"
        raise HowsureError(f"{path} belongs to another user or group, and would no longer", hint=hint)
    os.fchmod(handle, stat.S_IMODE(state.st_mode))
