"""Numpy is imported late, and a missing one names its extra."""

import sys

import pytest

from howsure.errors import MissingExtraError


def test_a_missing_numpy_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "howsure.arrays", raising=False)
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match="measuring and learning needs the extra 'arrays'"):
        import howsure.arrays  # noqa: F401
