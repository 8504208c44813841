"""Files: read as they are, many at once, and whatever happens to them meanwhile."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import NamedTuple

from howsure.engine.documents.document import Kind
from howsure.engine.documents.reading import Facts, Reader
from howsure.engine.documents.tree import Found
from howsure.text.headers import SIDECAR
from howsure.text.patterns import Pack

_BATCH_FILES, _BATCH_BYTES = 64, 4_000_000
_FEW_BYTES, _FEW_FILES = 20_000_000, 1500
"""Up to this much, other processes would take longer to start than the work itself."""


class Read(NamedTuple):
    """A file that was read, or why it was not."""

    path: str
    facts: Facts | None
    why: str = ""
    stamp: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Size, time, inode, and the time of the file beside it, as they were when it was read."""


class Wanted(NamedTuple):
    """A file to be read."""

    path: str
    place: str
    kind: Kind


def read_all(
    files: list[Found], pack: Pack, largest: int, jobs: int, progress: Callable[[int], None]
) -> Iterator[Read]:
    """Read files, on all cores where there is enough to do; give each as soon as it is there."""
    batches = list(_batches(files))
    size = sum(file.size for file in files)
    done = 0
    if jobs <= 1 or (size < _FEW_BYTES and len(files) < _FEW_FILES):
        reader = Reader(pack)
        for batch in batches:
            for wanted in batch:
                yield read_one(reader, wanted, largest)
                done += 1
            progress(done)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (pack, largest))
    try:
        with _without_main():
            futures = {pool.submit(_read_batch, batch): batch for batch in batches}
        for future in as_completed(futures):
            try:
                found = future.result()
            except BrokenProcessPool:  # somebody has ended the others: what they had to do is done here
                reader = Reader(pack)
                found = [read_one(reader, wanted, largest) for wanted in futures[future]]
            done += len(found)
            progress(done)
            yield from found
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _without_main() -> Iterator[None]:
    """Let processes be started that do not run the user's own program once more: they need nothing of it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _batches(files: list[Found]) -> Iterator[list[Wanted]]:
    batch: list[Wanted] = []
    size = 0
    for file in files:
        batch.append(Wanted(file.path, file.place, file.kind))
        size += file.size
        if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


_WORKER: list[tuple[Reader, int]] = []


def _begin(pack: Pack, largest: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started the work ends it
    _WORKER[:] = [(Reader(pack), largest)]


def _read_batch(batch: list[Wanted]) -> list[Read]:
    ((reader, largest),) = _WORKER
    return [read_one(reader, wanted, largest) for wanted in batch]


def read_one(reader: Reader, wanted: Wanted, largest: int) -> Read:
    """Read one file; what is not there any more, or may not be read, is told and no obstacle."""
    try:
        data, stamp = content(wanted.place, largest)
        if data is None:
            return Read(wanted.path, None, f"larger than {largest:,} bytes")
        beside, beside_at = None, 0
        if held_beside(wanted.path, wanted.kind):
            beside, beside_at = _beside(wanted.place, largest)
        facts = reader.read(wanted.path, wanted.kind, data, beside)
    except FileNotFoundError:
        return Read(wanted.path, None, "it vanished while the tree was scanned")
    except OSError as error:
        return Read(wanted.path, None, f"it cannot be read: {error.strerror}")
    except RecursionError:
        return Read(wanted.path, None, "it is nested too deeply to be read")
    return Read(wanted.path, facts, "", (*stamp, beside_at))


def content(place: str, largest: int) -> tuple[bytes | None, tuple[int, int, int]]:
    """Return a file's content and what it looked like then; no content, where it is too large."""
    for _ in range(3):
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            before = os.fstat(handle)
            if before.st_size > largest:
                return None, (0, 0, 0)
            with os.fdopen(handle, "rb", buffering=0, closefd=False) as file:
                data = file.read(largest + 1) if before.st_size else file.read()
                while data and len(data) < before.st_size:
                    more = file.read(before.st_size - len(data))
                    if not more:
                        break
                    data += more
            after = os.fstat(handle)
        finally:
            os.close(handle)
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            break  # else it was written to while it was read: once more
    if len(data or b"") > largest:
        return None, (0, 0, 0)
    return data or b"", (after.st_size, after.st_mtime_ns, after.st_ino)


def _beside(place: str, largest: int) -> tuple[bytes | None, int]:
    """Return the file that holds another's header, if there is one, and when it was changed."""
    try:
        data, (_, changed, _) = content(place + SIDECAR, largest)
    except OSError:
        return None, 0
    return data, changed


def held_beside(path: str, kind: Kind) -> bool:
    """Say whether a file's header, or what is told about it, may lie beside it."""
    return kind == "data" or path.endswith((".csv", ".tsv", ".CSV", ".TSV"))


def beside_time(path: str, kind: Kind, place: str) -> int:
    """Return when the file beside a file was changed; 0, where there is none."""
    if not held_beside(path, kind):
        return 0
    try:
        return os.stat(place + SIDECAR, follow_symlinks=False).st_mtime_ns  # noqa: PTH116 - names may be odd bytes
    except OSError:
        return 0
