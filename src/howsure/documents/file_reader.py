"""Files: read as they are, many at once, and whatever happens to them meanwhile."""

import gc
import os
import signal
import sys
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.documents.document import Kind
from howsure.documents.facts import Facts, Reader
from howsure.documents.headers.edit import SIDECAR
from howsure.documents.tree import DocumentFile
from howsure.progress import Progress
from howsure.text.patterns import Pack

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

_BATCH_FILES, _BATCH_BYTES = 64, 4_000_000
_PIECE = 1 << 20
_FEW_BYTES, FEW_FILES = 20_000_000, 1500
"""Up to this much, other processes would take longer to start than the work itself."""


class Read(NamedTuple):
    """A file that was read, or why it was not."""

    path: str
    facts: Facts | None
    why: str = ""
    stamp: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Size, time, inode, and the time of the file beside it, as they were when it was read."""


class FileToRead(NamedTuple):
    """A file to be read."""

    path: str
    place: str
    kind: Kind


class ReaderPool:
    """Those who read the files: this process, and where there is enough to do, others on the other cores."""

    def __init__(self, pack: Pack, largest: int, jobs: int) -> None:
        """Take what is looked for, how large a file may be, and how many processes there may be; none is started."""
        self._pack = pack
        self._largest = largest
        self._others = (jobs or os.cpu_count() or 1) - 1
        self._pool: ProcessPoolExecutor | None = None

    def start(self) -> None:
        """Start the others. They need a while, so whoever knows early that there is much to do says so."""
        if self._pool is not None or not self._others:
            return
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        self._pool = ProcessPoolExecutor(self._others, get_context("spawn"), _begin, (self._pack, self._largest))
        with _without_main():
            self._pool.submit(_nothing)

    def read(self, files: list[DocumentFile], progress: Progress) -> Iterator[Read]:
        """Read files; give each as soon as it is there."""
        if sum(file.size for file in files) >= _FEW_BYTES or len(files) >= FEW_FILES:
            self.start()
        done = 0
        try:
            for some in self._read(deque(_batches(files))):
                yield from some
                done += len(some)
                progress("reading files", done, len(files))
        finally:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None

    def _read(self, batches: deque[list[FileToRead]]) -> Iterator[list[Read]]:
        """Hand out batches as fast as the others read them, and read the rest here."""
        reader = Reader(self._pack)
        given: dict[Future[list[Any]], list[FileToRead]] = {}
        while batches or given:
            if self._pool is not None:
                self._hand_out(batches, given)
            if batches:
                yield [read_one(reader, wanted, self._largest) for wanted in batches.popleft()]
            for future in _finished(given, wait=not batches):
                batch = given.pop(future)
                try:
                    yield [_unpacked(row) for row in future.result()]
                except RuntimeError:  # somebody has ended the others: what they had to do is done here
                    batches.append(batch)
                    self._pool = None

    def _hand_out(self, batches: deque[list[FileToRead]], given: "dict[Future[list[Any]], list[FileToRead]]") -> None:
        try:
            while self._pool is not None and batches and len(given) < 2 * self._others:
                given[self._pool.submit(_read_batch, batches[0])] = batches[0]
                batches.popleft()
        except RuntimeError:
            self._pool = None


def _finished(given: "Collection[Future[list[Any]]]", *, wait: bool) -> "list[Future[list[Any]]]":
    """Return what the others have finished; if asked to, wait until there is something."""
    if not given:
        return []
    if not wait:
        return [future for future in given if future.done()]
    from concurrent.futures import FIRST_COMPLETED
    from concurrent.futures import wait as wait_for

    return list(wait_for(given, return_when=FIRST_COMPLETED).done)


@contextmanager
def _without_main() -> Iterator[None]:
    """Let processes be started that do not run the user's own program once more: they need nothing of it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _batches(files: list[DocumentFile]) -> Iterator[list[FileToRead]]:
    batch: list[FileToRead] = []
    size = 0
    for file in files:
        batch.append(FileToRead(file.path, file.place, file.kind))
        size += file.size
        if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


_WORKER: list[tuple[Reader, int]] = []


def _begin(pack: Pack, largest: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started the work ends it
    gc.freeze()
    gc.set_threshold(100_000)  # what is read holds no cycles
    _WORKER[:] = [(Reader(pack), largest)]


def _nothing() -> None:
    """Be there."""


def _read_batch(batch: list[FileToRead]) -> list[Any]:
    ((reader, largest),) = _WORKER
    return [_packed(read_one(reader, wanted, largest)) for wanted in batch]


def _packed(read: Read) -> tuple[Any, ...]:
    """Return plain tuples, which pass from process to process much faster than those with names."""
    return read if read.facts is None else (read.path, tuple(read.facts), read.why, read.stamp)


def _unpacked(row: tuple[Any, ...]) -> Read:
    path, facts, why, stamp = row
    return Read(path, None if facts is None else Facts._make(facts), why, stamp)


def read_one(reader: Reader, wanted: FileToRead, largest: int) -> Read:
    """Read one file; what is not there any more, or may not be read, is told and no obstacle."""
    try:
        data, stamp = content(wanted.place, largest)
        if data is None:
            return Read(wanted.path, None, f"larger than {largest:,} bytes")
        beside, beside_at = None, 0
        if has_sidecar(wanted.path, wanted.kind):
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
            data = os.read(handle, before.st_size + 1)
            wanted = before.st_size or largest + 1  # some files do not tell their size
            while data and len(data) < wanted and (more := os.read(handle, min(wanted - len(data), _PIECE))):
                data += more
            after = os.fstat(handle)
        finally:
            os.close(handle)
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            break  # else it was written to while it was read: once more
    if len(data) > largest:
        return None, (0, 0, 0)
    return data, (after.st_size, after.st_mtime_ns, after.st_ino)


def _beside(place: str, largest: int) -> tuple[bytes | None, int]:
    """Return the file that holds another's header, if there is one, and when it was changed."""
    try:
        data, (_, changed, _) = content(place + SIDECAR, largest)
    except OSError:
        return None, 0
    return data, changed


def has_sidecar(path: str, kind: Kind) -> bool:
    """Say whether a file's header, or what is told about it, may lie beside it."""
    return kind == "data" or path.endswith((".csv", ".tsv", ".CSV", ".TSV"))


def sidecar_mtime(place: str) -> int:
    """Return when the file beside a file was changed; 0, where there is none."""
    try:
        return os.stat(place + SIDECAR, follow_symlinks=False).st_mtime_ns  # noqa: PTH116 - names may be odd bytes
    except OSError:
        return 0
