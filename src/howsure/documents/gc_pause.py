"""Building much that stays, without being asked again and again whether it is garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Keep the garbage collector away meanwhile: it would go through all that was built so far, and find nothing.

    A scan that has nothing to read takes half as long without it.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
