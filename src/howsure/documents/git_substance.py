"""Substance: when a file was last changed in more than its scoring header, as git tells it."""

import hashlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from os import fsdecode, fsencode
from pathlib import Path
from typing import IO, NamedTuple, cast

from howsure.documents.document import Kind
from howsure.documents.facts import style_of
from howsure.documents.git import run_git, start_git
from howsure.documents.headers import edit as headers

_FEW = 200
"""Files up to which git is asked for each by its name."""
_MOST_VERSIONS = 400
"""Versions of a file that are looked at: decades of a header a month."""
_RAW = (
    *("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--relative", "--no-ext-diff", "--no-textconv"),
    *("--no-show-signature", "--ignore-submodules=all", "--format=%x01%ct", "--date-order", "HEAD", "--"),
)


class Version(NamedTuple):
    """A file as one commit left it."""

    at: float
    blob: str


def settled(root: Path, files: Mapping[str, Kind]) -> dict[str, float]:
    """Return when each file became what the last commit holds, its header aside; files by path, with their kind.

    Only files whose last commits changed nothing but the header are among it. Commits are compared with each other, so
    that neither a change that is not committed nor another way to end lines makes a difference.
    """
    if not files:
        return {}
    versions = _versions(root, files)
    same = {path: made for path, made in versions.items() if len(made) > 1}
    newest = _hashes(root, {path: (files[path], made[0].blob) for path, made in same.items()})
    found: dict[str, float] = {}
    number = 1
    while same:
        hashes = _hashes(root, {path: (files[path], made[number].blob) for path, made in same.items()})
        same = {path: made for path, made in same.items() if hashes[path] == newest[path]}
        found |= {path: made[number].at for path, made in same.items()}
        number += 1
        same = {path: made for path, made in same.items() if len(made) > number}
    return {path: at for path, at in found.items() if at < versions[path][0].at}


def _versions(root: Path, files: Mapping[str, object]) -> dict[str, list[Version]]:
    """Return the versions of files, the newest first."""
    names = sorted(files) if len(files) <= _FEW else []
    found: dict[str, list[Version]] = {}
    at = 0.0
    fields = run_git(root, *_RAW, *names, environment={"GIT_LITERAL_PATHSPECS": "1"})
    for field in fields:
        told = field.lstrip(b"\n")
        if told.startswith(b"\1"):
            at = float(told[1:].strip() or 0)
        elif told.startswith(b":"):
            path = fsdecode(next(fields))
            if path in files and len(found.setdefault(path, [])) < _MOST_VERSIONS:
                found[path].append(Version(at, told.split()[3].decode("ascii")))
    return found


def _hashes(root: Path, wanted: Mapping[str, tuple[Kind, str]]) -> dict[str, str]:
    """Return the hash of each version without its header."""
    if not wanted:
        return {}
    found = {}
    for (path, (kind, _)), data in zip(
        wanted.items(), _blobs(root, [blob for _, blob in wanted.values()]), strict=True
    ):
        style = style_of(path, kind)
        body = data if style is None else headers.cut(data, style)
        found[path] = hashlib.sha256(body, usedforsecurity=False).hexdigest()
    return found


def _blobs(root: Path, names: list[str]) -> Iterator[bytes]:
    """Give what git has under some names; nothing at all for what is missing."""
    with tempfile.TemporaryFile() as asked:
        asked.write(b"".join(fsencode(name) + b"\n" for name in names))
        asked.seek(0)
        process = start_git(root, ("cat-file", "--batch"), {}, subprocess.DEVNULL, asked)
        output = cast("IO[bytes]", process.stdout)
        try:
            for _ in names:
                told = output.readline().split()
                if len(told) != 3:  # noqa: PLR2004 - name, type and size
                    yield b""
                    continue
                yield output.read(int(told[2]))
                output.read(1)
        finally:
            output.close()
            process.kill()
            process.wait()
