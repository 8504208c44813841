"""What the tests of faults run as processes of their own, since one that is killed or starved cannot run tests.

python -m tests.store.children TASK ADDRESS ... does a task, and writes what came of it as JSON.
"""

import ctypes
import errno
import faulthandler
import itertools
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from howsure.errors import StoreError
from howsure.store import check as upkeep
from howsure.sure import Sure
from howsure.sure import open as open_store

Say = Callable[..., None]
ROOT = Path(__file__).parent.parent.parent
SHARED = "Everyone says so"


def started(task: str, *arguments: object, **environment: str) -> "subprocess.Popen[bytes]":
    """Start a task."""
    command = [sys.executable, "-m", "tests.store.children", task, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=ROOT, env=os.environ | environment, stdout=pipe, stderr=pipe, start_new_session=True
    )


def result(task: str, *arguments: object, timeout: float = 120.0, **environment: str) -> Any:
    """Do a task, and return what came of it."""
    with started(task, *arguments, **environment) as process:
        try:
            out, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # its children, too
            raise
    assert process.returncode == 0, errors.decode()
    return json.loads(out)


def sound(address: str) -> dict[str, str]:
    """Check a store, and return the statement of each claim in it."""
    with open_store(address) as sure:
        assert upkeep.check(sure.session) == []
        return {claim.id: claim.statement for claim in sure.claims.find(limit=None).claims}


def storm(address: str, folder: str, writers: str, rounds: str, seed: str) -> Any:
    """Start writers and kill them at random moments, again and again. What they acknowledged is in the folder."""
    dice = random.Random(int(seed))
    if "://" in address:
        import howsure.store.backends.postgres  # noqa: F401 - once, before the writers are forked
    for turn in range(int(rounds)):
        processes = []
        for number in range(int(writers)):
            process = os.fork()
            if not process:
                _write(address, folder, f"{turn}.{number}")
                os._exit(0)
            processes.append(process)
        if turn % 3:  # else they are killed before they have written anything
            _wait_for(Path(folder), f"{turn}.*", 10, processes)
        for process in processes:
            time.sleep(dice.choice([0.001, 0.03, 0.1]) * dice.random() * 2)
            os.kill(process, signal.SIGKILL)
        for process in processes:
            os.waitpid(process, 0)


def _wait_for(folder: Path, names: str, lines: int, processes: list[int]) -> None:
    """Wait until so many lines are in some files, for a busy machine may be slow to begin.

    An error of a writer, or a writer that is stuck, is raised with what it says or where it is.
    """
    deadline = time.monotonic() + 180
    while True:
        written = b"".join(path.read_bytes() for path in folder.glob(names))
        if b'["error"' in written:
            raise RuntimeError(f"a writer failed: {written.decode()}")
        if written.count(b"\n") >= lines:
            return
        if time.monotonic() > deadline:
            for process in processes:
                os.kill(process, signal.SIGUSR1)  # writes where it is to stderr
            time.sleep(2)
            raise TimeoutError("nobody writes")
        time.sleep(0.002)


def _begun(work: Callable[[], Any], count: int) -> list[int]:
    """Begin the same work in several processes at the same moment; return where they will tell what came of it."""
    moment = time.time() + 0.1
    ends = []
    for _ in range(count):
        reader, writer = os.pipe()
        if not os.fork():
            time.sleep(max(moment - time.time(), 0.0))
            os.write(writer, json.dumps(_outcome(work)).encode())
            os._exit(0)
        os.close(writer)
        ends.append(reader)
    return ends


def _outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells
        return repr(error)


def _ended(ends: list[int]) -> list[Any]:
    return [json.loads(os.fdopen(end, "rb").read() or b'"nothing"') for end in ends]


def _write(address: str, folder: str, name: str) -> None:
    """Write without end, and note what was acknowledged: a small write to a file outlives the process."""
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    file = os.open(Path(folder) / name, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def say(*words: Any) -> None:
        os.write(file, json.dumps(words).encode() + b"\n")

    try:
        with open_store(address, actor=name) as sure:
            for number in itertools.count():
                _act(sure, name, number, say)
    except Exception as error:  # noqa: BLE001 - whatever it is, the test tells
        say("error", repr(error))


def _act(sure: Sure, name: str, number: int, say: Say) -> None:
    first, second = f"first {name} {number}", f"second {name} {number}"
    both = [{"source_type": "agent", "source_id": name}, {"source_type": "log", "source_id": name}]
    one = sure.claims.add(first, sources=both).id
    say("add", one, first)
    two = sure.claims.add_many([{"statement": second, "sources": both}])[0].id
    say("add", two, second)
    shared = sure.claims.add(SHARED, sources=[{"source_type": "agent", "source_id": f"{name} {number}"}]).id
    say("corroborate", shared, f"{name} {number}")
    sure.claims.relate(str(one), "supports", str(shared))
    say("relate", one, shared)
    challenge = sure.claims.challenge(str(two), statement=f"third {name} {number}", source=f"agent:{name}")
    say("challenge", challenge.claim.id, challenge.challenger.id)


def syncs(address: str, times: str) -> Any:
    """Return how many times the disk was told to keep what it has, for each of some adds. Needs faults.c loaded."""
    library = ctypes.CDLL(None)
    found = []
    with open_store(address) as sure:
        for number in range(int(times)):
            before = library.faults_syncs()
            sure.claims.add(f"claim {number}")
            found.append(library.faults_syncs() - before)
    return found


def fail_power(address: str, folder: str, times: str) -> Any:
    """Write by several threads, and copy what is surely on the disk at some moments. Needs faults.c loaded.

    Returns what was acknowledged before each copy.
    """
    library = ctypes.CDLL(None)
    library.faults_keep_synced()
    said: list[tuple[str, str]] = []
    copies: list[tuple[str, int]] = []
    with open_store(address) as sure:

        def write(thread: int) -> None:
            for number in range(int(times)):
                said.append(("claim", str(sure.claims.add(f"claim {thread} {number}", source="log:a").id)))
                said.append(("decision", sure.responses.check("It is so.", agent=f"a{thread}", knowledge=0.9).id))

        with ThreadPoolExecutor(6) as pool:
            writers = [pool.submit(write, thread) for thread in range(6)]
            while not all(writer.done() for writer in writers):
                time.sleep(0.1)
                acknowledged = len(said)
                library.faults_lock()
                copy = Path(folder) / f"{len(copies)}.db"
                for end in ("", "-wal"):
                    shutil.copyfile(f"{address}{end}.synced", f"{copy}{end}")
                library.faults_unlock()
                copies.append((str(copy), acknowledged))
        for writer in writers:
            writer.result()
    return {"said": said, "copies": copies}


def stop_in_a_write(address: str) -> Any:
    """Begin a write and wait in it until stopped or killed."""
    with open_store(address) as sure, sure.session.database.write():
        print("begun", flush=True)  # noqa: T201
        time.sleep(600)


def broken(address: str, times: str) -> Any:
    """Let the 1st, 2nd, 3rd, ... write or sync from now on fail, each with three errors. Needs faults.c loaded."""
    library = ctypes.CDLL(None)
    said, refused, raised = [], [], []
    with open_store(address) as sure:
        for number, kind in itertools.product(range(1, int(times) + 1), (errno.EIO, errno.ENOSPC, errno.EROFS)):
            statement, nothing_done = f"claim {number} {kind}", False
            library.faults_fail(number, kind, 0)
            try:
                said.append([sure.claims.add(statement, source="log:a").id, statement])
            except StoreError as error:
                refused.append(str(error))
                nothing_done = error.done == "nothing"
            except Exception as error:  # noqa: BLE001 - whatever it is, the test tells
                raised.append(repr(error))
            finally:
                library.faults_fail(0, 0, 0)
            with sure.session.database.write():
                pass  # the disk is well again, so that the log can be started afresh
            if nothing_done and any(claim.statement == statement for claim in sure.claims.find(limit=None).claims):
                raised.append(f"{statement} was done: {refused[-1]}")
    return {"said": said, "refused": refused, "raised": raised}


def unreadable(address: str, times: str) -> Any:
    """Let the 1st, 2nd, 3rd, ... read from now on fail, while a store is opened and used. Needs faults.c loaded."""
    library = ctypes.CDLL(None)
    read, refused, raised = [], [], []
    for number in range(int(times) + 1):  # at first, none fails
        library.faults_fail(number, errno.EIO, 1)
        try:
            with open_store(address) as sure:
                read.append(len(sure.claims.find("claim", limit=None).claims))
                sure.claims.add(f"added {number}", source="log:a")
        except StoreError as error:
            refused.append(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the test tells
            raised.append(repr(error))
        finally:
            library.faults_fail(0, 0, 0)
    return {"read": read, "refused": refused, "raised": raised}


def fill(address: str, limit: str) -> Any:
    """Add claims until the files may not grow any more."""
    with open_store(address) as sure:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
        return fill_up(sure)


def fill_up(sure: Sure) -> Any:
    """Add claims until it fails; return the acknowledged ids and the error."""
    said: list[str | None] = []
    dice = random.Random(0)
    try:
        while True:
            text = " ".join(f"word{dice.randrange(500)}" for _ in range(200))
            said.append(sure.claims.add(f"claim {len(said)} {text}", source="log:a").id)
    except StoreError as error:
        return {"said": said, "error": str(error)}


def hold(address: str, seconds: str) -> Any:
    """Hold the right to write in a SQLite file, tell so, and let go after a while."""
    connection = sqlite3.connect(address, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE howsure_schema SET version = version")
    print(json.dumps("held"), flush=True)  # noqa: T201
    time.sleep(float(seconds))
    connection.execute("COMMIT")
    connection.close()


def migrate(address: str, processes: str) -> Any:
    """Open a store that is not there yet, and write in it, in several processes at once."""

    def work() -> str:
        with open_store(address) as sure:
            return sure.claims.add(SHARED, source=f"agent:{os.getpid()}").outcome

    return _ended(_begun(work, int(processes)))


def clean(address: str, processes: str, now: str) -> Any:
    """Let several janitors loose at once; return what each did."""

    def work() -> list[Any]:
        with open_store(address) as sure:
            return [[one.action, one.id, one.reason] for one in sure.clean(now=float(now))]

    return _ended(_begun(work, int(processes)))


def fork(address: str, processes: str, times: str) -> Any:
    """Open a store, fork, and use it in all processes at once; return what came of it and what is wrong."""
    with open_store(address) as sure:

        def work() -> int:
            for number in range(int(times)):
                sure.claims.add(f"claim {os.getpid()} {number}")
            return int(times)

        sure.claims.add("before")
        ends = _begun(work, int(processes))
        done = [work(), *_ended(ends)]
        return {"done": done, "claims": upkeep.stats(sure.session).claims, "wrong": upkeep.check(sure.session)}


TASKS: dict[str, Callable[..., Any]] = {
    task.__name__: task
    for task in (storm, syncs, fail_power, stop_in_a_write, broken, unreadable, fill, hold, migrate, clean, fork)
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))  # noqa: T201
