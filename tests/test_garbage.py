"""The garbage collector pauses, and goes on as it was."""

import gc

import pytest

from howsure.garbage import garbage_collection_paused


def test_the_collector_is_off_within_the_block_and_as_before_after_it() -> None:
    assert gc.isenabled()
    with garbage_collection_paused():
        assert not gc.isenabled()
        with garbage_collection_paused():
            pass
        assert not gc.isenabled(), "the inner block leaves it as it was"
    assert gc.isenabled()


def test_the_collector_is_on_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="invalid literal"), garbage_collection_paused():
        int("x")
    assert gc.isenabled()
