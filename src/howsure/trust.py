"""Files of settings that the user has trusted: `howsure trust .`, as direnv does it.

Each trusted file has an entry in the user's configuration folder, named after a digest of the file's path and content.
So a file that has changed, was moved, or is linked from another folder has to be trusted again. Entries belong to the
user and nobody else may write to them; one that others could have written does not count.
"""

import os
from typing import Literal, NamedTuple

from howsure.errors import InputError
from howsure.files import is_file, is_private, sha256

FOLDER = "trusted"
"""The folder of the entries, in the user's configuration folder."""
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600


class TrustedFile(NamedTuple):
    """A file of settings that was trusted."""

    path: str
    state: Literal["trusted", "changed", "gone"]
    """Whether it still has the content that was trusted."""


def is_trusted(path: str, content: bytes, config: str) -> bool:
    """Return whether the user has trusted a file with this content.

    Args:
        path: The file.
        content: What was read from it: the file may change meanwhile.
        config: The user's configuration folder.
    """
    folder = os.path.join(config, FOLDER)  # noqa: PTH118 - pathlib would slow down every start
    entry = os.path.join(folder, _digest(resolve_folder(path), content))  # noqa: PTH118
    return is_private(folder) and is_private(entry)


def trust_file(path: str, content: bytes, config: str) -> str:
    """Trust a file with this content, and no longer with another; return its path without links.

    Raises:
        InputError: if the entry cannot be written.
    """
    from pathlib import Path

    from howsure.files import atomic_write

    resolved = resolve_folder(path)
    folder = Path(config, FOLDER)
    try:
        folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        folder.chmod(_PRIVATE_FOLDER)
        untrust_file(path, config)
        with atomic_write(folder / _digest(resolved, content)) as part:
            part.write_bytes(os.fsencode(resolved))
            part.chmod(_PRIVATE_FILE)
    except OSError as error:
        raise InputError(
            f"cannot write to {folder}: {error.strerror}", hint="make it yours: chown, chmod 700"
        ) from None
    return resolved


def untrust_file(path: str, config: str) -> bool:
    """Forget that a file was trusted; return whether it was. The file need not exist any more."""
    from pathlib import Path

    resolved, forgotten = resolve_folder(path), False
    for entry, trusted in _entries(config):
        if trusted == resolved:
            Path(entry).unlink(missing_ok=True)
            forgotten = True
    return forgotten


def list_trusted(config: str) -> list[TrustedFile]:
    """Return every file that was trusted, sorted by path."""
    files = []
    for entry, path in _entries(config):
        if not is_file(path):  # a pipe would never end
            files.append(TrustedFile(path, "gone"))
            continue
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                same = os.path.basename(entry) == _digest(path, file.read())  # noqa: PTH119
            files.append(TrustedFile(path, "trusted" if same else "changed"))
        except OSError:
            files.append(TrustedFile(path, "gone"))
    return sorted(files)


def resolve_folder(path: str) -> str:
    """Return the path with links of its folder resolved, but not the file's own.

    A link to a trusted file of another folder is not trusted: relative paths in it would mean other files.
    """
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118


def _entries(config: str) -> list[tuple[str, str]]:
    """Return each entry and the path of the file that it is about."""
    folder = os.path.join(config, FOLDER)  # noqa: PTH118
    try:
        names = [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208
    except OSError:
        return []
    found = []
    for name in names:
        entry = os.path.join(folder, name)  # noqa: PTH118
        if is_private(entry):
            with open(entry, "rb") as file:  # noqa: PTH123
                found.append((entry, os.fsdecode(file.read())))
    return found


def _digest(path: str, content: bytes) -> str:
    return sha256(os.fsencode(path) + b"\0" + content).hexdigest()
