"""Fixtures of the charts' tests: a store with data for every chart."""

from collections.abc import Iterator

import pytest

from howsure.sure import open as open_store
from tests.charts.story import Opened, tell
from tests.conftest import Clock


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Yield an open store and the ids of its data. All tests of charts share it, so none may change it."""
    folder, clock = tmp_path_factory.mktemp("charts"), Clock()
    with open_store(str(folder / "story.db"), actor="tester", clock=clock) as sure:
        yield sure, tell(sure, clock, folder)
