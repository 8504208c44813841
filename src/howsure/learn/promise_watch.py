"""Watch the promises of the active fit as outcomes arrive, and withdraw those that are broken."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from howsure.errors import InputError, StoreError
from howsure.learn.promise import Share, Watch
from howsure.shapes import decode, decode_as
from howsure.shapes.encode import encode
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables import fits as table
from howsure.store.ledger_tables import outcomes
from howsure.store.ledger_tables.decisions import DecisionFilter
from howsure.store.ledger_tables.fits import FitKind, FitRow

log: logging.Logger = logging.getLogger(__name__)

KIND: FitKind = "response"
"""The kind of fits with which promises are made."""


def load_watches(row: FitRow) -> list[Watch]:
    """Return the running tests of a fit's promises, one for each risk.

    Raises:
        StoreError: if they cannot be read.
    """
    if not row.watch:
        return []
    import orjson

    try:
        return [decode(Watch, one) for one in orjson.loads(row.watch)]
    except (orjson.JSONDecodeError, InputError, TypeError) as error:
        raise StoreError(f"the watch of the fit {row.id} cannot be read: {error}") from None


def promised_risk(fit: str, answer: Mapping[str, Any]) -> float | None:
    """Return the risk of the promise by which a response passed, or None if it did not pass by one of this fit."""
    if answer.get("fit") != fit or answer.get("decision") != "pass" or answer.get("deferral"):
        return None
    try:
        risk: float = decode_as(Share, answer.get("promise"), "promise")
    except InputError:  # no promise, or one that was edited and imported
        return None
    return risk


def watch_outcome(transaction: Transaction, decision: int, *, replaced: bool) -> bool:
    """Test the promises of the active fit by an outcome that was just stored; return whether one is withdrawn now.

    The first outcome of a decision is one more step of the test. If a later one says otherwise, the test is made again
    from all outcomes.

    Args:
        transaction: A write transaction.
        decision: Key of the decision.
        replaced: Whether an earlier outcome of it was deleted.
    """
    active = table.read_active(transaction, KIND)
    if active is None:
        return False
    import orjson

    risk = promised_risk(active.id, orjson.loads(outcomes.read_detail(transaction, decision)).get("answer") or {})
    row = None if risk is None else table.get(transaction, active.id)
    if row is None or risk is None:
        return False
    said = [one.outcome != "right" for one in outcomes.list_outcomes(transaction, decision)]
    if len(said) == 1 and not replaced:
        return advance(transaction, row, [(risk, said[0])], anew=False)
    if replaced or said[0] != said[1]:
        return advance(transaction, row, _all_outcomes(transaction, row), anew=True)
    return False


def _all_outcomes(transaction: Transaction, row: FitRow) -> list[tuple[float, bool]]:
    """Return promised risk and whether it was wrong of every response that passed by a promise, in order of time."""
    import orjson

    found = []
    wanted = DecisionFilter(model="response", decision="pass", since=row.activated_at)
    for known in outcomes.stream_known(transaction, wanted):
        risk = promised_risk(row.id, orjson.loads(known.detail).get("answer") or {})
        if risk is not None:
            found.append((known.outcome_at, risk, known.outcome != "right"))
    return [(risk, wrong) for _, risk, wrong in sorted(found, key=lambda one: one[0])]


def advance(transaction: Transaction, row: FitRow, reported: Iterable[tuple[float, bool]], *, anew: bool) -> bool:
    """Test the promises of a fit by further outcomes, and store the result; return whether one is withdrawn now.

    Args:
        transaction: A write transaction.
        row: The active fit.
        reported: The promised risk, and whether the response was wrong.
        anew: Begin again: these are all outcomes, because one of them has changed.
    """
    import orjson

    watches = {} if anew else {watch.risk: watch for watch in load_watches(row)}
    for risk, wrong in reported:
        watches[risk] = watches.get(risk, Watch(risk)).add(wrong)
    broken = max((watch.risk for watch in watches.values() if watch.broken), default=None)
    # A withdrawn promise stays withdrawn until another fit is applied, even if an outcome is corrected.
    withdrawn = max((risk for risk in (broken, row.withdrawn) if risk is not None), default=None)
    content = orjson.dumps([encode(watch) for _, watch in sorted(watches.items())]).decode()
    table.set_watch(transaction, row.id, content, withdrawn)
    if broken is None or withdrawn == row.withdrawn:
        return False
    log.warning(
        "the promise of at most %g wrong is withdrawn: %d of %d responses that passed were wrong; learn again "
        "and apply the new fit (howsure learn --apply)",
        *(broken, watches[broken].wrong, watches[broken].outcomes),
    )
    return True
