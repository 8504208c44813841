"""A process that has imported the libraries of the command line, and forks for every command that tests run.

Most of the time of a command is spent on importing typer and rich. A forked process has them, and imports howsure.
"""

import array
import json
import os
import random
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

LIBRARIES = (
    *("typer", "typer.rich_utils", "typer._click.decorators", "rich.console", "rich.progress", "rich.table"),
    *("ahocorasick_rs", "asyncio", "concurrent.futures", "gzip", "importlib.metadata", "orjson", "sqlite3", "tomllib"),
)
_READ_AT_START = ("PYTHON", "LC_", "LANG", "TERM", "FORCE_", "PY_", "TYPER", "GITHUB_ACTIONS", "LD_")
"""Variables that the interpreter or a library reads once."""


class Request(NamedTuple):
    """What to run."""

    arguments: list[str]
    environment: dict[str, str]
    folder: str


class ForkServer:
    """Runs commands of howsure, each in a process of its own."""

    def __init__(self) -> None:
        """Start the process that forks."""
        self._variables = _read_at_start(os.environ)
        self._folder = tempfile.TemporaryDirectory(prefix="howsure-fork-", ignore_cleanup_errors=True)
        self._path = str(Path(self._folder.name) / "socket")
        command = [sys.executable, "-m", "tests.fork_server", self._path]
        self._process = subprocess.Popen(command, cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def close(self) -> None:
        """End the process that forks."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Return whether a command would run as in a new process with this environment."""
        return _read_at_start(environment) == self._variables

    def run(
        self, arguments: Sequence[str], stdin: bytes, environment: dict[str, str], timeout: float
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a command as `subprocess.run` would do."""
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = os.pipe(), os.pipe(), os.pipe()
        printed: dict[int, bytes] = {}

        def write() -> None:
            with suppress(BrokenPipeError), os.fdopen(write_in, "wb") as pipe:  # the command may read less
                pipe.write(stdin)

        def read(handle: int) -> None:
            with os.fdopen(handle, "rb") as pipe:
                printed[handle] = pipe.read()

        threads = [threading.Thread(target=write)]
        threads += [threading.Thread(target=read, args=[handle]) for handle in (read_out, read_err)]
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout)
            connection.connect(self._path)
            content = json.dumps(Request(list(arguments), environment, str(Path.cwd()))).encode()
            streams = array.array("i", [read_in, write_out, write_err])
            socket.send_fds(connection, [len(content).to_bytes(4, "big")], streams)
            connection.sendall(content)
            for handle in streams:
                os.close(handle)
            for thread in threads:
                thread.start()
            with connection.makefile() as lines:
                process = int(lines.readline())
                try:
                    status = int(lines.readline())
                except TimeoutError:
                    os.kill(process, signal.SIGKILL)
                    raise
        for thread in threads:
            thread.join()
        command = [sys.executable, "-m", "howsure", *arguments]
        return subprocess.CompletedProcess(command, status, printed[read_out], printed[read_err])


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_READ_AT_START)}


def _receive(connection: socket.socket) -> tuple[Request, list[int]]:
    """Return what to run, and its standard streams."""
    size, streams, _, _ = socket.recv_fds(connection, 4, 3)
    content = b""
    while len(content) < int.from_bytes(size, "big"):
        content += connection.recv(1 << 20)
    return Request(*json.loads(content)), list(streams)


def _serve(path: str) -> Request:
    """Fork for every request. Return only in the process of a command."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for commands
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    listening.settimeout(10)
    parent = os.getppid()
    print("ready", flush=True)  # noqa: T201
    while True:
        try:
            connection, _ = listening.accept()
        except TimeoutError:
            if os.getppid() != parent:  # the tests were killed
                sys.exit()
            continue
        if os.fork():
            connection.close()
            continue
        listening.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        request, streams = _receive(connection)
        process = os.fork()
        if not process:
            connection.close()
            for number, handle in enumerate(streams):
                os.dup2(handle, number)
                os.close(handle)
            return request
        for handle in streams:
            os.close(handle)
        connection.sendall(f"{process}\n".encode())
        connection.sendall(f"{os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])}\n".encode())
        os._exit(0)


def _renew(request: Request) -> None:
    """Make this process what a new one would be."""
    os.environ.clear()
    os.environ.update(request.environment)
    time.tzset()
    random.seed()
    os.chdir(request.folder)
    sys.path[0] = request.folder
    sys.argv = ["howsure", *request.arguments]
    # The streams so far remember whether they could seek.
    streams: list[Any] = [os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rw")]
    sys.stdin, sys.stdout = streams
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


if __name__ == "__main__":
    for library in LIBRARIES:
        __import__(library)
    _renew(_serve(sys.argv[1]))
    runpy.run_module("howsure", run_name="__main__", alter_sys=True)
