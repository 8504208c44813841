"""Which reader is used by default."""

import sys

import pytest

from howsure.reader import CombinedReader, RulesReader, default_reader, small_reader
from tests.conftest import require_package


@pytest.fixture(autouse=True)
def _choose_again() -> None:
    default_reader.cache_clear()


def test_without_the_small_reader_the_rules_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "howsure_reader", None)
    assert small_reader() is None
    assert isinstance(default_reader(), RulesReader)


def test_with_the_small_reader_both_are_combined(monkeypatch: pytest.MonkeyPatch) -> None:
    require_package("howsure_reader")
    assert isinstance(default_reader(), CombinedReader)
