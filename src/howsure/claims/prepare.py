"""Preparing many claims to be written: in this process, or in one beside it while this one waits for the database."""

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from howsure.claims.add import DEFAULT_CONTRIBUTION, ClaimInput, prepared
from howsure.datafiles import parsed
from howsure.errors import InputError
from howsure.formulas.claim import ClaimFormula
from howsure.shapes import decode
from howsure.store.claims import Ready

Numbered = tuple[int, Any]
"""A record with its number."""


@dataclass(frozen=True)
class Preparation:
    """How records become claims that are ready to be written."""

    formula: ClaimFormula
    """Gives the base interval and the default stale date."""
    trust: float = 1.0
    """Scales every contribution."""

    def read(self, record: Any) -> ClaimInput:
        """Return the claim that a record hands in."""
        given = decode(ClaimInput, parsed(record))
        if self.trust >= 1.0:
            return given
        entries = tuple(replace(entry, contribution=self._scaled(entry.contribution)) for entry in given.provenance)
        return replace(
            given,
            provenance=entries,
            contribution=self._scaled(given.contribution) if given.source else given.contribution,
        )

    def _scaled(self, contribution: float | None) -> float:
        return (DEFAULT_CONTRIBUTION if contribution is None else contribution) * self.trust

    def ready(self, records: Sequence[Numbered], at: float) -> list[Ready | str]:
        """Return for each record the claim that is ready to be written, or what is wrong with it."""
        made: list[Ready | str] = []
        for number, record in records:
            try:
                made.append(prepared(self.read(record), at, self.formula).ready())
            except InputError as error:
                error.line = number
                made.append(str(error))
        return made


class Here:
    """Prepares in this process."""

    def __init__(self, preparation: Preparation) -> None:
        """Take how to prepare."""
        self.preparation = preparation
        self._given: tuple[Sequence[Numbered], float] = ((), 0.0)

    def hand_in(self, records: Sequence[Numbered], at: float) -> None:
        """Take records to be prepared."""
        self._given = (records, at)

    def fetch(self) -> list[Ready | str]:
        """Return what became of the records handed in last."""
        return self.preparation.ready(*self._given)

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""


class Beside(Here):
    """Prepares in a process of its own, so that a second processor has something to do.

    What is handed in must be fetched before more is handed in. If the process dies, its work is done here.
    """

    def __init__(self, preparation: Preparation) -> None:
        """Start the process."""
        super().__init__(preparation)
        self._process: Any = subprocess.Popen(
            [sys.executable, "-P", "-c", "from howsure.claims.prepare import work; work()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},  # noqa: PTH109
            start_new_session=True,  # Ctrl-C is for this process; the other ends when its input does
        )
        self._send(replace(preparation, formula=replace(preparation.formula)))  # without what it has worked out

    def hand_in(self, records: Sequence[Numbered], at: float) -> None:
        """Take records to be prepared."""
        super().hand_in(records, at)
        self._send(self._given)

    def _send(self, what: Any) -> None:
        try:
            self._process.stdin.write(pickle.dumps(what))
            self._process.stdin.flush()
        except Exception:  # noqa: BLE001 - a record may be of any kind; what cannot be sent is done here
            self._process.kill()

    def fetch(self) -> list[Ready | str]:
        """Return what became of the records handed in last."""
        try:
            found: list[Ready | str] = pickle.load(self._process.stdout)  # noqa: S301 - from our own process
        except Exception:  # noqa: BLE001 - the process has died, or something else has written to its output
            self._process.kill()
            return super().fetch()
        return found

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def preparing(preparation: Preparation, *, large: bool) -> Here:
    """Return where to prepare: beside this process, if there is large to do and a processor to do it."""
    known = type(preparation.formula).__module__ != "__main__"  # else the other process could not import it
    if large and known and sys.executable and (os.cpu_count() or 1) > 1:
        with suppress(OSError):
            return Beside(preparation)
    return Here(preparation)


def work() -> None:
    """Prepare what comes on stdin until it ends."""
    preparation: Preparation = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    gc.disable()  # nothing here refers to itself, and looking for it costs a fifth
    with suppress(EOFError, BrokenPipeError):
        while True:
            records, at = pickle.load(sys.stdin.buffer)  # noqa: S301
            pickle.dump(preparation.ready(records, at), sys.stdout.buffer)
            sys.stdout.buffer.flush()
