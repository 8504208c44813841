"""Git, asked safely: nothing that a repository's own settings name is run, and nothing is fetched."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from threading import Timer
from time import monotonic
from typing import IO, cast

from howsure.errors import shown

TIME_LIMIT = 120.0
"""Seconds that git may take for one answer."""

_CHUNK = 1 << 18
_KEPT = {"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM"}
_OWN = {"LC_ALL": "C", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
_SAFE = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "diff.orderFile=/dev/null",
    "log.follow=false",
    "log.showRoot=true",
    "safe.bareRepository=explicit",
)
_REASONS = {
    "not a git repository": "it is not in a git repository",
    "safe.bareRepository": "it is not in a git repository",
    "dubious ownership": "the repository belongs to another user, and git does not trust it (safe.directory)",
    "Needed a single revision": "nothing is committed yet",
}


class GitError(Exception):
    """Git has no answer, for a reason that can be told."""


class GitTimeoutError(GitError):
    """Git has no answer in time."""


def run_git(root: Path | str, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Run git and give the parts of its output as they come."""
    with tempfile.TemporaryFile() as errors:
        process = start_git(root, arguments, environment or {}, errors)
        output = cast("IO[bytes]", process.stdout)
        began = monotonic()
        timer = Timer(TIME_LIMIT, _end, (process,))
        timer.daemon = True  # whoever is interrupted does not wait for it
        try:
            timer.start()
            rest = b""
            while chunk := output.read(_CHUNK):
                *parts, rest = (rest + chunk).split(b"\0")
                yield from parts
            if rest:
                yield rest
            failed = process.wait() != 0
        finally:
            timer.cancel()
            _end(process)
            output.close()
            process.wait()
        if failed and monotonic() - began >= TIME_LIMIT:
            raise GitTimeoutError(f"git took longer than {TIME_LIMIT:g} s")
        if failed:
            errors.seek(0)
            said = errors.read(2000).decode("utf-8", "replace").strip()
            known = (why for words, why in _REASONS.items() if words in said)
            raise GitError(next(known, f"git failed: {shown(said)}"))


def start_git(
    root: Path | str,
    arguments: tuple[str, ...],
    environment: Mapping[str, str],
    errors: IO[bytes] | int,
    asked: IO[bytes] | int = subprocess.DEVNULL,
) -> "subprocess.Popen[bytes]":
    """Start git, so that nothing which the repository's own settings name is run."""
    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed")
    settings = [word for setting in _SAFE for word in ("-c", setting)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    try:
        return subprocess.Popen(  # noqa: S603 - nothing in it is another's word but a commit's name
            [program, "--no-pager", "--no-optional-locks", *settings, *arguments],
            cwd=root,
            env={**inherited, **_OWN, **environment},
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be run: {error}") from None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End git and whatever it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, SIGKILL)
