"""Fixtures of the store's tests."""

from pathlib import Path

import pytest

from howsure.sure import open as open_store
from tests.conftest import NOW


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    """Give the content of a good store."""
    address = tmp_path / "good.db"
    with open_store(str(address), clock=lambda: NOW) as sure:
        sure.claims.add_many([{"statement": f"claim number {n}", "source": "log:a"} for n in range(150)])
    return address.read_bytes()
