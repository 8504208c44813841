"""An open store with the actor, the clock and the formula to use it with."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from howsure.errors import InputError, StoreError, UnknownNameError
from howsure.shapes import Moment, Unit, decode_as
from howsure.store.backends.database import Database, Transaction

if TYPE_CHECKING:
    from howsure.formulas.claim import ClaimFormula
    from howsure.graph.sql import ReadOptions
    from howsure.settings import Settings


class Session:
    """An open store: its database, who writes, the formula that claims are read by, and the clock."""

    def __init__(
        self,
        database: Database,
        formula: "str | ClaimFormula",
        actor: str,
        clock: Callable[[], float] = time.time,
        settings: "Settings | None" = None,
    ) -> None:
        """Keep these. A formula given by name is looked up when it is first used, with the settings' parameters."""
        self.settings = settings
        """The settings; models take their parameters from them."""
        self.database = database
        self.actor = actor
        """The name that events are recorded under."""
        self.clock = clock
        self.outcomes_reported: int = 0
        """How many outcomes were reported in this session; what was computed from outcomes is then out of date."""
        self.follow: Callable[[Transaction, list[int]], None] | None = None
        """Told which claims were changed, while sources have learned weights; see `write_claims`."""
        self._formula = formula
        self._formula_noted = False
        self._accessed: dict[int, float] = {}
        self._lock = Lock()

    def signature(self, by: str | None) -> str:
        """Return who is recorded as having said something: who the caller names, or the actor."""
        return by or self.actor

    @cached_property
    def formula(self) -> "ClaimFormula":
        """The formula of claims, unless a query names another."""
        # late, since the gate uses no formula of claims
        from howsure.store.claim_tables.claim_formulas import warn_of_another

        formula = self._named(self._formula)
        with self.database.read() as transaction:
            warn_of_another(transaction, formula.spec)
        return formula

    def note_formula(self, transaction: Transaction, at: float) -> None:
        """Store that claims are added under the formula of this session, unless the last ones were."""
        if not self._formula_noted:  # asked once, since it takes a round trip to PostgreSQL
            from howsure.store.claim_tables.claim_formulas import note

            self._formula_noted = note(transaction, self.formula.spec, at)

    def _named(self, formula: "str | ClaimFormula") -> "ClaimFormula":
        return claim_formula(formula, self.settings) if isinstance(formula, str) else formula

    def write(self, *, wait: bool = True, large: bool = False) -> AbstractContextManager[Transaction]:
        """Open a write transaction; it also stores which claims were read since the last one.

        See `Database.write` for `wait` and `large`.
        """
        transaction = self.database.write(wait=wait, large=large)
        return self._with_accesses(transaction) if self._accessed else transaction

    @contextmanager
    def write_claims(self, *, large: bool = False) -> Iterator[Transaction]:
        """Open a write transaction that changes claims.

        If weights of sources were learned, `follow` is told which claims were changed, within the same transaction.
        """
        # late, since the gate uses sessions but no claims
        from howsure.store.claim_tables.denormalized import has_weights

        with self.write(large=large) as transaction:
            if self.follow is None or not has_weights(transaction):
                yield transaction
                return
            from howsure.store.claim_tables.source_weights import changed_since, last_event

            before = last_event(transaction)
            yield transaction
            if changed := changed_since(transaction, before):
                self.follow(transaction, changed)

    def follow_removal(self, transaction: Transaction, key: int) -> None:
        """Tell `follow` that a claim is about to be deleted; its status must say that it no longer counts."""
        from howsure.store.claim_tables.denormalized import has_weights

        if self.follow is not None and has_weights(transaction):
            self.follow(transaction, [key])

    @contextmanager
    def _with_accesses(self, opening: AbstractContextManager[Transaction]) -> Iterator[Transaction]:
        with opening as transaction:
            self._store_accesses(transaction)
            yield transaction

    def read_options(
        self,
        now: float | None = None,
        as_of: float | None = None,
        formula: "str | ClaimFormula | None" = None,
        trust: float = 1.0,
    ) -> "ReadOptions":
        """Return the options of a query: `now` ages the evidence, `as_of` uses only what was recorded by then."""
        from howsure.graph.sql import ReadOptions

        recorded = None if as_of is None else decode_as(Moment, as_of, "as_of")
        moment = recorded if now is None and recorded is not None else self.at(now)
        return ReadOptions(self.chosen(formula), moment, decode_as(Unit, trust, "trust"), recorded)

    def at(self, now: float | None) -> float:
        """Return `now` if it is given, else the time of the clock."""
        return self.clock() if now is None else decode_as(Moment, now, "now")

    def chosen(self, formula: "str | ClaimFormula | None") -> "ClaimFormula":
        """Return a formula, by name or as it is; the session's own if None."""
        if formula is None:
            return self.formula
        try:
            return self._named(formula)
        except UnknownNameError as error:
            error.field = "formula"
            raise

    def accessed(self, keys: list[int]) -> None:
        """Remember that claims were read; the next write stores it, so that reading stays cheap."""
        with self._lock:
            self._accessed |= dict.fromkeys(keys, self.clock())

    def last_read(self, key: int) -> float:
        """Return when a claim was last read, if that is not stored yet; else minus infinity."""
        return self._accessed.get(key, -math.inf)

    def _store_accesses(self, transaction: Transaction) -> None:
        # late, since the gate uses sessions but no claims
        from howsure.store.claim_tables.claim_lifetime import set_accessed

        with self._lock:
            accessed, self._accessed = self._accessed, {}
        if accessed:
            set_accessed(transaction, accessed)

    def close(self) -> None:
        """Close the store. Pending accesses are dropped if another process is writing: a reader does not wait."""
        try:
            if self._accessed:
                with suppress(StoreError), self.write(wait=False):
                    pass
        finally:
            self.database.close()


def claim_formula(name: str, settings: "Settings | None" = None) -> "ClaimFormula":
    """Return a claim formula by name, with the parameters of the settings; `with_parameters` changes them."""
    from howsure.formulas import MODELS  # late, since the gate uses sessions but no formula of claims
    from howsure.formulas.claim import ClaimFormula

    try:
        model = MODELS.find(name)
    except UnknownNameError:
        from howsure.formulas.catalog import formulas

        raise UnknownNameError("claim formula", name, formulas()) from None
    if not issubclass(model, ClaimFormula):
        from howsure.formulas.catalog import formulas

        raise InputError(f"{name} is not a claim formula", field="formula", hint=f"one of {', '.join(formulas())}")
    if settings is None or not settings.sets_parameters:
        return model()
    from howsure.parameters import configured

    return configured(model, settings)
