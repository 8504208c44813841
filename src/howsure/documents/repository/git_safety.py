"""Run git on an untrusted repository: no program and no file that its own configuration names is used.

Git reads the configuration of a repository at every start and cannot be told to ignore it. So its files are looked at
first, without git following them; what names a program or a file is then overridden, and what cannot be is refused.
"""

import os
import shutil
import stat
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from howsure.errors import shown

_LARGEST = 1_000_000
"""Bytes that a file of configuration may have."""
_PATIENCE = 10.0
"""Seconds to read the user's own configuration."""
_PLAIN_FILES = (
    *("HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir"),
    *("info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "objects/info/alternates"),
)
"""Files that git opens in its folder. A pipe or a device in their place would never end."""
_USERS_FILES = frozenset(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM"))
"""Variables that say where the user's own configuration is."""
Settings = tuple[tuple[str, str], ...]
"""Names and values of a configuration of git, in order."""
_NO_FILTER = {"clean": "", "smudge": "", "process": "", "required": "false"}


class GitError(Exception):
    """Git has no answer; the message says why."""


class GitTimeoutError(GitError):
    """Git did not answer within the time limit."""


class _Folders(NamedTuple):
    """Where a repository lies."""

    work_tree: Path
    git: Path
    common: Path
    """Like `git`, except in a linked work tree: the folder with objects and configuration."""


def find_overrides(root: Path | str, time_limit: float) -> dict[str, str]:
    """Return the variables under which git uses nothing that the repository of a folder names.

    Raises:
        GitError: if the repository cannot be made safe.
        GitTimeoutError: if its configuration is not read within the time limit, in seconds.
    """
    folders = _find(Path(root).absolute())
    if folders is None:
        return {}
    for folder in dict.fromkeys((folders.git, folders.common)):
        for name in _PLAIN_FILES:
            _check_plain(folder / name)
    _check_plain(folders.work_tree / ".mailmap")
    values: dict[str, str] = {}
    for file in (folders.common / "config", folders.git / "config.worktree"):
        values |= _read_config(file, time_limit)
    for key in values:
        if key.startswith(("include.", "includeif.")):
            raise GitError("the repository's configuration includes other files, which are not read (include.path)")
    work_tree = values.get("core.worktree")
    if work_tree is not None and (folders.git / work_tree).resolve() != folders.work_tree.resolve():
        raise GitError(f"the repository's configuration names another work tree, {shown(work_tree)}")
    return _as_variables([*_own_paths(), *_disabled_filters(values)])


def _find(root: Path) -> _Folders | None:
    """Return the repository that a folder is in; None if it is in none."""
    ceilings = {Path(one) for one in os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep) if one}
    for folder in (root, *root.parents):
        if folder in ceilings and folder != root:
            return None
        link = folder / ".git"
        if link.is_dir():
            return _Folders(folder, link, link)
        if not os.path.lexists(link):
            continue
        _check_plain(link)
        text = link.read_bytes()[:4096].decode("utf-8", "surrogateescape")
        git = folder / text.removeprefix("gitdir:").strip()
        try:
            _check_plain(git / "commondir")
            common = git / (git / "commondir").read_text(encoding="utf-8", errors="surrogateescape").strip()
        except (OSError, ValueError):  # ValueError: a NUL byte in the path
            common = git
        return _Folders(folder, git, common)
    return None


def _check_plain(path: Path) -> None:
    """Raise GitError if a path exists and is not a plain file."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # it does not exist, or git cannot read it either
        return
    if not stat.S_ISREG(mode):
        raise GitError(f"{shown(path.name)} of the repository is not a plain file")


def _read_config(file: Path, time_limit: float) -> dict[str, str]:
    """Return what one file of configuration sets, without the files that it includes."""
    try:
        state = file.stat()
    except (OSError, ValueError):
        return {}
    if state.st_size > _LARGEST:
        raise GitError(f"the repository's configuration is larger than {_LARGEST:,} bytes")
    return dict(_parse_config(str(file), time_limit, state.st_mtime_ns, state.st_size, state.st_ino))


@lru_cache(maxsize=256)
def _parse_config(file: str, time_limit: float, *_stamp: int) -> Settings:
    code, settings = _list_config("--file", file, "--no-includes", time_limit=time_limit)
    if code:
        raise GitError("the repository's configuration cannot be read")
    return settings


def _list_config(*options: str, time_limit: float, kept: frozenset[str] = frozenset()) -> tuple[int, Settings]:
    """Return the exit code and the settings of `git config --list`; of git's variables, it sees only those to keep."""
    command = [shutil.which("git") or "git", "config", *options, "--list", "-z"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in kept}
    environment["GIT_CEILING_DIRECTORIES"] = os.sep
    try:
        # In the root folder, so that git finds no repository whose configuration it would read by itself.
        done = subprocess.run(  # noqa: S603
            command, cwd=os.sep, env=environment, capture_output=True, timeout=time_limit, check=False
        )
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be run: {error}") from None
    except subprocess.TimeoutExpired:
        raise GitTimeoutError(f"git took longer than {time_limit:g} s") from None
    fields = (field.partition("\n") for field in os.fsdecode(done.stdout).split("\0") if field)
    return done.returncode, tuple((key, value) for key, _, value in fields)


def _disabled_filters(values: dict[str, str]) -> list[tuple[str, str]]:
    """Return settings that disable the filters which the repository names; those of the user's own git stay.

    Git LFS, which the user may have set up, runs programs that the repository's `lfs.extension` names.
    """
    drivers = {key.rpartition(".")[0] for key in values if key.startswith("filter.")}
    if any(key.startswith("lfs.") for key in values):
        drivers.add("filter.lfs")
    return [(f"{driver}.{name}", value) for driver in sorted(drivers) for name, value in _NO_FILTER.items()]


def _own_paths() -> list[tuple[str, str]]:
    """Return settings by which files that the repository names give way to the user's own."""
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    usual = {"core.excludesfile": "ignore", "core.attributesfile": "attributes"}
    own = dict(_user_config(os.environ.get("GIT_CONFIG_GLOBAL"), os.environ.get("HOME"), config))
    paths = [(key, own.get(key, f"{config}/git/{name}")) for key, name in usual.items()]
    return [*paths, ("mailmap.file", own.get("mailmap.file", os.devnull)), ("mailmap.blob", "")]


@lru_cache(maxsize=16)
def _user_config(*_about: str | None) -> Settings:
    """Return the settings of the user's own git, and of the system's."""
    try:
        return _list_config(time_limit=_PATIENCE, kept=_USERS_FILES)[1]
    except GitError:
        return ()


def _as_variables(settings: list[tuple[str, str]]) -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables
