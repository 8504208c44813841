"""Throw random inputs at every door of howsure, and print what came of it.

python -m tests.fuzz COUNT [SEED [DOOR...]] exits 1 if there was a traceback. An input is an example of the door with
some of its parts replaced by odd ones. Good answers are a result, an error of howsure, and an HTTP status below 500 (or
503 and 504, which say that the server is busy). Errors with a traceback in the log count as tracebacks.
"""

import logging
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from howsure.errors import HowsureError
from tests.fuzz import commands, files, library, network
from tests.fuzz.door import Door, House

DOORS: dict[str, type[Door]] = {
    door.name: door for door in (*network.DOORS, *library.DOORS, *files.DOORS, *commands.DOORS)
}
ROUND = 20_000
"""Inputs to one store: many add to it, and it would be slower and slower."""
SHOWN = 40
"""Different tracebacks that are printed."""


class Tracebacks(logging.Handler):
    """Collects errors in the log that have a traceback: doors that never raise write them there."""

    def __init__(self) -> None:
        """Start without errors."""
        super().__init__(logging.ERROR)
        self.found: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Note the exception of a record."""
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_info[1].add_note(f"logged by {record.name}: {record.getMessage()[:200]}")
            self.found.append(record.exc_info[1])


class Tally:
    """What came of the inputs."""

    def __init__(self) -> None:
        """Start without inputs."""
        self.taken: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.longest: dict[str, float] = {}
        self.bugs: Counter[str] = Counter()
        self.log = Tracebacks()

    def throw(self, name: str, door: Door) -> None:
        """Throw one input at a door."""
        began = time.process_time()
        try:
            door.throw()
        except HowsureError:
            self.refused[name] += 1
        except Exception as error:  # noqa: BLE001 - any other error is what is looked for
            self.note(name, error)
        for logged in self.log.found:
            self.note(name, logged)
        self.log.found.clear()
        took = time.process_time() - began
        self.taken[name] += 1
        self.seconds[name] += took  # type: ignore[assignment]
        self.longest[name] = max(took, self.longest.get(name, 0.0))

    def note(self, name: str, error: BaseException) -> None:
        """Count a traceback, by the place where it was raised."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "howsure" in frame.filename] or frames
        where = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "?"
        bug = f"{name}: {type(error).__name__} at {where}"
        self.bugs[bug] += 1
        if self.bugs[bug] == 1 and len(self.bugs) <= SHOWN:
            notes = " ".join(getattr(error, "__notes__", ()))
            print(f"{bug}: {str(error)[:700]!r} {notes[:700]!r}", flush=True)  # noqa: T201

    def print(self, seed: int) -> None:
        """Print a line for each door, and the sum."""
        for name, count in self.taken.items():
            speed = count / max(1e-9, self.seconds[name])
            print(  # noqa: T201
                f"{name:10} {count:>9,} inputs, {self.refused[name]:>9,} refused, {speed:>7,.0f} per second of CPU time"
                f", longest {self.longest[name] * 1e3:,.0f} ms"
            )
        print(f"{self.taken.total():,} inputs (seed {seed})")  # noqa: T201
        for bug, times in self.bugs.most_common(SHOWN):
            print(f"{times} x {bug}")  # noqa: T201
        print(f"{self.bugs.total()} tracebacks", flush=True)  # noqa: T201


def throw_round(tally: Tally, chosen: list[type[Door]], count: int, seed: str) -> None:
    """Throw some inputs at the doors of a new store."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        share = sum(door.share for door in chosen)
        try:
            for kind in chosen:
                door = kind(house, random.Random(f"{seed} {kind.name}"))
                try:
                    for _ in range(max(1, round(count * kind.share / share))):
                        tally.throw(kind.name, door)
                finally:
                    door.close()
        finally:
            house.close()


def throw_all(count: int, seed: int, names: list[str]) -> Tally:
    """Throw inputs at these doors, or at all; return what came of it."""
    tally = Tally()
    logging.getLogger().addHandler(tally.log)
    chosen = [DOORS[name] for name in names or DOORS]
    number = 0
    try:
        while tally.taken.total() < count:
            number += 1
            throw_round(tally, chosen, min(ROUND, count - tally.taken.total()), f"{seed} {number}")
            so_far = f"{tally.taken.total():,} inputs, {tally.bugs.total()} tracebacks"
            print(so_far, file=sys.stderr, flush=True)  # noqa: T201
    finally:
        logging.getLogger().removeHandler(tally.log)
    return tally


def main(count: int, seed: int, names: list[str]) -> int:
    """Throw inputs, and print what came of it; return the exit code."""
    warnings.simplefilter("ignore")
    logging.getLogger("howsure").setLevel(logging.ERROR)
    tally = throw_all(count, seed, names)
    tally.print(seed)
    return 1 if tally.bugs else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1, sys.argv[3:]))
