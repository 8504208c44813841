"""The one protocol by which long work reports how far it has come."""

from collections.abc import Callable

Progress = Callable[[str, int, int], object]
"""Called now and then with the stage, how many things of it are done, and how many there are (0 if unknown).

The stage is a short phrase such as "reading files". Work that is measured in percent passes 100 as the total. The
callable is called from the thread that does the work, often, so it should return at once; what it returns is ignored.
If it raises, the work stops, which is how a caller can cancel it.
"""


def silent(_stage: str, _done: int, _total: int) -> None:
    """Report nothing: the default where no progress is asked for."""
