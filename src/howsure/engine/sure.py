"""The open store: where every use case starts."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from howsure.core.claim import ClaimFormula
from howsure.engine import janitor
from howsure.engine.claims import Claims
from howsure.engine.janitor import Action
from howsure.engine.notebook import Notebook, claim_formula
from howsure.engine.tiers import Gatekeeper, by_bounds
from howsure.errors import InputError, shown
from howsure.settings import ACTOR, FORMULA, STORE
from howsure.store.database import Database
from howsure.store.schema import migrate


class Sure:
    """An open store. Safe to share between threads; close it when done, or use it as a context manager."""

    def __init__(self, notebook: Notebook, gatekeeper: Gatekeeper = by_bounds) -> None:
        """Take the notebook that everything is written in."""
        self.notebook = notebook
        self.claims = Claims(notebook, gatekeeper)
        """What is believed."""

    def clean(self, *, dry_run: bool = False, now: float | None = None) -> list[Action]:
        """Let the janitor do what is due, or only tell what it would do."""
        return janitor.clean(self.notebook, dry_run=dry_run, now=now)

    def close(self) -> None:
        """Let go of the store."""
        self.notebook.close()

    def __enter__(self) -> Self:
        """Give the open store."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


def connect(address: str) -> Database:
    """Return the database at a path or a postgresql:// address."""
    if not address.strip() or address == ":memory:":
        raise InputError(f"{shown(address)} is no store", field="store", hint="a file, or a postgresql:// address")
    if address.startswith(("postgresql://", "postgres://")):
        from howsure.store.postgres import PostgresDatabase

        return PostgresDatabase(address)
    from howsure.store.sqlite import SqliteDatabase

    return SqliteDatabase(address)


def open(  # noqa: A001 - howsure.open() is what one expects to write
    store: str | None = None,
    *,
    formula: str | ClaimFormula | None = None,
    actor: str | None = None,
    gatekeeper: Gatekeeper = by_bounds,
    clock: Callable[[], float] = time.time,
) -> Sure:
    """Open a store: a file (made if it is not there) or a postgresql:// address; by default the user's own.

    `formula` is how claims are read unless a query names another; `actor` is who the history says has written.
    """
    database = connect(str(store) if store is not None else STORE.value())
    try:
        migrate(database)
        chosen = formula if isinstance(formula, ClaimFormula) else claim_formula(formula or FORMULA.value())
    except BaseException:
        database.close()
        raise
    return Sure(Notebook(database, chosen, actor or ACTOR.value(), clock), gatekeeper)
