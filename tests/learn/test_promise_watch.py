"""Promises of the active fit are tested as outcomes arrive."""

import logging

import orjson
import pytest

from howsure.errors import StoreError
from howsure.formulas.learned import LearnedModel
from howsure.learn.api import summarize
from howsure.learn.fit import Fit
from howsure.learn.promise_watch import advance, load_watches, promised_risk
from howsure.store.ledger_tables import fits
from howsure.store.ledger_tables.fits import FitRow
from howsure.sure import Sure
from tests.conftest import NOW
from tests.learn.simulation import World

ROW = FitRow("f1", "response", "active", NOW, NOW, None, "ann", "{}")


def _advance(sure: Sure, outcomes: list[tuple[float, bool]], *, anew: bool = False) -> FitRow:
    with sure.session.write() as transaction:
        row = fits.get(transaction, "f1")
        if row is None:
            fits.insert(transaction, ROW)
        advance(transaction, row or ROW, outcomes, anew=anew)
        after = fits.get(transaction, "f1")
    assert after is not None
    return after


def test_promises_of_each_risk_are_tested_on_their_own(sure: Sure, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "howsure"):
        row = _advance(sure, [(0.05, False), (0.2, True)])
        row = _advance(sure, [(0.05, False)])
        assert [(one.risk, one.outcomes, one.wrong) for one in load_watches(row)] == [(0.05, 2, 0), (0.2, 1, 1)]
        assert (row.withdrawn, caplog.text) == (None, "")
        row = _advance(sure, [(0.05, number % 3 == 0) for number in range(60)])
    assert row.withdrawn == 0.05
    assert "the promise of at most 0.05 wrong is withdrawn: 20 of 62 responses that passed were wrong" in caplog.text
    with caplog.at_level(logging.WARNING, "howsure"):
        row = _advance(sure, [(0.2, True)] * 10)
    assert row.withdrawn == 0.2
    assert "the promise of at most 0.2 wrong is withdrawn: 11 of 11" in caplog.text
    row = _advance(sure, [(0.05, False)], anew=True)
    assert [(one.outcomes, one.broken) for one in load_watches(row)] == [(1, False)]
    assert row.withdrawn == 0.2, "until another fit is applied"


def test_a_promise_below_a_withdrawn_one_is_withdrawn_too(sure: Sure) -> None:
    row = _advance(sure, [(0.05, False), (0.2, True), (0.3, False)])._replace(withdrawn=0.2)
    fit = Fit("weights", "composite", 0, 0, LearnedModel())
    assert [(one.risk, one.broken) for one in summarize(row, fit).promises] == [(0.05, True), (0.2, True), (0.3, False)]
    assert not any(one.broken for one in summarize(row._replace(withdrawn=None), fit).promises)


def test_only_responses_that_passed_by_a_promise_count() -> None:
    answer = {"fit": "f1", "promise": 0.05, "decision": "pass", "deferral": None}
    assert promised_risk("f1", answer) == 0.05
    others = ({"fit": "f2"}, {"promise": None}, {"decision": "block"}, {"deferral": "question"}, {"promise": 0.0})
    assert [promised_risk("f1", answer | other) for other in others] == [None] * 5
    assert promised_risk("f1", {}) is None


@pytest.mark.parametrize("watch", ["{", "[1]", "7", '[{"risk": 2}]'])
def test_a_watch_that_cannot_be_read_is_an_error(watch: str) -> None:
    with pytest.raises(StoreError, match="the watch of the fit f1 cannot be read"):
        load_watches(ROW._replace(watch=watch))


def _passing(sure: Sure) -> str:
    """Return the id of a decision that passed by a promise of the active fit."""
    decision = sure.responses.check("It is so.", knowledge=1.0, history=0.9)
    detail = sure.ledger.get(decision.id).detail
    detail["answer"] |= {"fit": decision.fit, "promise": 0.05, "decision": "pass"}
    with sure.session.write() as transaction:
        changed = [orjson.dumps(detail).decode(), decision.id]
        transaction.run("UPDATE decisions SET detail = ?, decision = 'pass' WHERE id = ?", changed)
    return decision.id


def _promises(sure: Sure) -> list[tuple[float, int, int, bool]]:
    return [tuple(one) for one in sure.fits.list()[0].promises]  # type: ignore[misc]


def test_outcomes_advance_the_watch_and_a_changed_one_is_counted_once(sure: Sure) -> None:
    World(sure).live(30)
    sure.fits.apply(sure.fits.learn().id, force=True)
    first, second = _passing(sure), _passing(sure)
    sure.ledger.outcome(first, "right")
    sure.ledger.outcome(second, "corrected")
    assert _promises(sure) == [(0.05, 2, 1, False)]
    sure.ledger.outcome(first, "right", by="bob")
    assert _promises(sure) == [(0.05, 2, 1, False)]
    sure.ledger.outcome(first, "wrong")
    assert _promises(sure) == [(0.05, 2, 2, False)]
    sure.ledger.outcome(sure.responses.check("It is so.", knowledge=1.0).id, "wrong")
    assert _promises(sure) == [(0.05, 2, 2, False)], "no promise was made about it"


def test_a_broken_promise_is_withdrawn_until_another_fit_is_applied(
    sure: Sure, caplog: pytest.LogCaptureFixture
) -> None:
    World(sure).live(30)
    fit = sure.fits.apply(sure.fits.learn().id, force=True)
    with caplog.at_level(logging.WARNING, "howsure"):
        for number in range(24):
            sure.ledger.outcome(_passing(sure), "wrong" if number % 2 else "right")
    assert caplog.text.count("is withdrawn") == 1
    assert sure.fits.get(fit.id).summary.withdrawn
    found = sure.responses.check("It is so.", knowledge=1.0, promise=0.05)
    assert (found.decision, found.promise.kept) == ("review", False)  # type: ignore[union-attr]
    assert not sure.fits.apply(sure.fits.learn().id, force=True).withdrawn
    assert "withdrawn" not in sure.responses.check("It is so.", knowledge=1.0, promise=0.05).reason
