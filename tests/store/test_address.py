"""Addresses of stores."""

import pytest

from howsure.errors import HowsureError
from howsure.sure import open as open_store


def test_a_store_without_a_name_is_refused() -> None:
    """SQLite would make a file that is gone when it is closed, and with it what was acknowledged."""
    with pytest.raises(HowsureError):
        open_store("").close()
