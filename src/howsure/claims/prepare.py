"""Decode and prepare the records of a bulk load, in this process or in a second one beside it."""

import gc
import marshal
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from howsure.claims.add import DEFAULT_CONTRIBUTION, ClaimRecord, new_claim
from howsure.datafiles import parse_record
from howsure.errors import InputError
from howsure.files import new_ids
from howsure.formulas.claim import ClaimFormula
from howsure.shapes import decode
from howsure.store.claim_tables.claims import ClaimRows

NumberedRecord = tuple[int, Any]
"""A record with its line number."""


_MARSHAL, _PICKLE = b"m", b"p"
"""How the second process has written its results."""
_LENGTH = 8
"""Bytes that say how long the results are."""


@dataclass(frozen=True)
class Preparation:
    """How records become rows to insert."""

    formula: ClaimFormula
    """Computes the base interval and the default stale date."""
    trust: float = 1.0
    """Scales every contribution."""

    def read(self, record: Any) -> ClaimRecord:
        """Decode a record; scale its contributions."""
        claim = decode(ClaimRecord, parse_record(record))
        if self.trust >= 1.0:
            return claim
        sources = tuple(replace(source, contribution=self._scaled(source.contribution)) for source in claim.sources)
        return replace(
            claim,
            sources=sources,
            contribution=self._scaled(claim.contribution) if claim.source else claim.contribution,
        )

    def _scaled(self, contribution: float | None) -> float:
        return (DEFAULT_CONTRIBUTION if contribution is None else contribution) * self.trust

    def rows(self, records: Sequence[NumberedRecord], at: float) -> list[ClaimRows | str]:
        """Return for each record the rows to insert, or what is wrong with it."""
        results: list[ClaimRows | str] = []
        for (number, record), id_ in zip(records, new_ids("c", at, len(records)), strict=True):
            try:
                results.append(new_claim(self.read(record), at, self.formula, id_).rows())
            except InputError as error:
                error.line = number
                results.append(str(error))
        return results


class Worker:
    """Prepares records in this process."""

    def __init__(self, preparation: Preparation) -> None:
        """Keep how to prepare."""
        self.preparation = preparation
        self._submitted: tuple[Sequence[NumberedRecord], float] = ((), 0.0)

    def submit(self, records: Sequence[NumberedRecord], at: float) -> None:
        """Take a batch to prepare."""
        self._submitted = (records, at)

    def results(self) -> list[ClaimRows | str]:
        """Return the results of the last batch."""
        return self.preparation.rows(*self._submitted)

    def __enter__(self) -> Self:
        """Return the worker."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""


class ProcessWorker(Worker):
    """Prepares records in a second process, while this one waits for the database.

    Take the results of a batch before submitting the next. If the process dies, its work is done in this one.
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
        self._send(replace(preparation, formula=replace(preparation.formula)))  # without its cached values

    def submit(self, records: Sequence[NumberedRecord], at: float) -> None:
        """Send a batch to the process."""
        super().submit(records, at)
        self._send(self._submitted)

    def _send(self, value: Any) -> None:
        try:
            self._process.stdin.write(pickle.dumps(value))
            self._process.stdin.flush()
        except Exception:  # noqa: BLE001 - records may be anything; what cannot be pickled is prepared here
            self._process.kill()

    def results(self) -> list[ClaimRows | str]:
        """Return the results of the last batch."""
        try:
            output = self._process.stdout  # of our own process, so that it can be trusted
            how, size = output.read(1), int.from_bytes(output.read(_LENGTH), "big")
            # At once: `marshal.load` asks a pipe for each value on its own, which takes 19 us for a claim instead of 2.
            content = output.read(size)
            results: list[ClaimRows | str] = (marshal if how == _MARSHAL else pickle).loads(content)
        except Exception:  # noqa: BLE001 - the process has died, or wrote something else to its output
            self._process.kill()
            return super().results()
        return results

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def start_worker(preparation: Preparation, *, large: bool) -> Worker:
    """Return a worker: a second process if the load is large and there is a processor for it."""
    importable = type(preparation.formula).__module__ != "__main__"  # the second process has another __main__
    if large and importable and sys.executable and (os.cpu_count() or 1) > 1:
        with suppress(OSError):
            return ProcessWorker(preparation)
    return Worker(preparation)


def work() -> None:
    """Run as the second process: prepare the batches that come on stdin until it ends."""
    preparation: Preparation = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    gc.disable()  # claims hold no cycles, and looking for them costs a fifth of the time
    with suppress(EOFError, BrokenPipeError):
        while True:
            records, at = pickle.load(sys.stdin.buffer)  # noqa: S301
            sys.stdout.buffer.write(_dump(preparation.rows(records, at)))
            sys.stdout.buffer.flush()


def _dump(results: list[ClaimRows | str]) -> bytes:
    try:
        how, content = _MARSHAL, marshal.dumps(results)  # takes 1 us for a claim instead of 5
    except ValueError:  # a subclass of str or float
        how, content = _PICKLE, pickle.dumps(results)
    return how + len(content).to_bytes(_LENGTH, "big") + content
