"""A session: the store with all that reading and writing claims needs besides it."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from howsure.errors import InputError, NotFoundError, StoreError, shown
from howsure.shapes import Moment, Unit, decode_as
from howsure.store.database import Database, Transaction

if TYPE_CHECKING:
    from howsure.formulas.claim import ClaimFormula
    from howsure.graph.sql import ReadOptions


class Session:
    """The store, who writes in it, by which formula it is read, and what the time is."""

    def __init__(
        self, database: Database, formula: "str | ClaimFormula", actor: str, clock: Callable[[], float] = time.time
    ) -> None:
        """Take all of these. A formula given by name is looked up when it is used."""
        self.database = database
        self.actor = actor
        """Who writes, as history shows it."""
        self.clock = clock
        self._wanted = formula
        self._accessed: dict[int, float] = {}
        self._lock = Lock()

    @cached_property
    def formula(self) -> "ClaimFormula":
        """The formula by which claims are read unless a query names another."""
        return claim_formula(self._wanted) if isinstance(self._wanted, str) else self._wanted

    def write(self, *, wait: bool = True, large: bool = False) -> AbstractContextManager[Transaction]:
        """Write, and note on the occasion which claims were read since the last time."""
        writing = self.database.write(wait=wait, large=large)
        return self._noting(writing) if self._accessed else writing

    @contextmanager
    def _noting(self, writing: AbstractContextManager[Transaction]) -> Iterator[Transaction]:
        with writing as transaction:
            self._note_accesses(transaction)
            yield transaction

    def read_options(
        self,
        now: float | None = None,
        as_of: float | None = None,
        formula: "str | ClaimFormula | None" = None,
        trust: float = 1.0,
    ) -> "ReadOptions":
        """Return how to read: now, or at another moment; by all that is known, or as of a moment in the past."""
        from howsure.graph.sql import ReadOptions

        past = None if as_of is None else decode_as(Moment, as_of, "as_of")
        moment = past if now is None and past is not None else self.at(now)
        return ReadOptions(self.chosen(formula), moment, decode_as(Unit, trust, "trust"), past)

    def at(self, now: float | None) -> float:
        """Return the moment at which something happens: the one given, or what the clock says."""
        return self.clock() if now is None else decode_as(Moment, now, "now")

    def chosen(self, formula: "str | ClaimFormula | None") -> "ClaimFormula":
        """Return a formula by name, or the store's own."""
        if formula is None:
            return self.formula
        return claim_formula(formula) if isinstance(formula, str) else formula

    def accessed(self, keys: list[int]) -> None:
        """Remember that claims were read. It is written down with the next change, since reading must stay cheap."""
        with self._lock:
            self._accessed |= dict.fromkeys(keys, self.clock())

    def last_read(self, key: int) -> float:
        """Return when a claim was read last, where that is not written down yet."""
        return self._accessed.get(key, -math.inf)

    def _note_accesses(self, transaction: Transaction) -> None:
        with self._lock:
            noted, self._accessed = self._accessed, {}
        if noted:
            changes = [(at, key) for key, at in noted.items()]
            transaction.many("UPDATE claims SET accessed_at = ? WHERE key = ?", changes)

    def close(self) -> None:
        """Let go of the store. That claims were read is noted if that can be had at once: a reader waits for nobody."""
        try:
            if self._accessed:
                with suppress(StoreError), self.write(wait=False):
                    pass
        finally:
            self.database.close()


def claim_formula(name: str, parameters: Mapping[str, Any] | None = None) -> "ClaimFormula":
    """Return a claim formula by name, with its default parameters where no others are given."""
    from howsure.formulas import catalog
    from howsure.formulas.claim import ClaimFormula
    from howsure.formulas.scoring import build

    found = build(name, parameters)
    if not isinstance(found, ClaimFormula):
        hint = f"there are: {', '.join(catalog.formulas())}"
        raise InputError(f"{name} is not a claim formula", field="formula", hint=hint)
    return found


def key_of(transaction: Transaction, claim: str) -> int:
    """Return the key of a claim, or say that there is none of that id."""
    plain = claim.isascii() and "\x00" not in claim  # as all ids are
    found = transaction.value("SELECT key FROM claims WHERE id = ?", [claim]) if plain else None
    if found is None:
        raise NotFoundError(f"there is no claim {shown(claim)}", field="id", hint="howsure claim find lists claims")
    return int(found)
