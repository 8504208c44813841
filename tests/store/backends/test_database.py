"""Databases are opened by address; connections belong to one thread of one process."""

import sys
import threading
from pathlib import Path

import pytest

from howsure.errors import HowsureError
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.store.children import result


def test_a_store_without_a_name_is_refused() -> None:
    """SQLite would make a file that is gone when it is closed, and with it what was acknowledged."""
    with pytest.raises(HowsureError):
        open_store("").close()


def test_a_forked_process_gets_connections_of_its_own(address: str) -> None:
    found = result("fork", address, 2, 20)
    assert found == {"done": [20, 20, 20], "claims": 61, "wrong": []}


def test_threads_that_have_ended_leave_no_connections_behind(sure: Sure) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0

    before = open_files()
    problems: list[BaseException] = []

    def use() -> None:
        try:
            sure.claims.find()
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is told below
            problems.append(error)

    for _ in range(120):  # more than PostgreSQL allows connections
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert problems == []
    assert open_files() - before < 50
