"""What the tests of the web share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.serve.serving import Client, serving
from tests.serve.story import judge


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Sure]:
    """Give an open store in a file."""
    with open_store(str(tmp_path / "web.db"), actor="owner") as found:
        yield found


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Give a client of a server that asks for no token, for tests that change nothing."""
    path = tmp_path_factory.mktemp("shared") / "web.db"
    with open_store(str(path), actor="owner") as sure, serving(sure) as found:
        yield found


@pytest.fixture
def client(store: Sure) -> Iterator[Client]:
    """Give a client of a server that asks for no token."""
    with serving(store) as found:
        yield found


@pytest.fixture
def told(address: str) -> Iterator[Client]:
    """Give a client of a server on each kind of store, with a judge."""
    with open_store(address, actor="owner", judge=judge()) as sure, serving(sure) as found:
        yield found
