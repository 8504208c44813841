"""Learning by itself when enough new outcomes were reported."""

import logging
import threading

import pytest

from howsure.errors import InputError
from howsure.learn.api import Fits
from howsure.learn.auto import FEWEST_NEW, AutoLearner
from howsure.serve.desk import Desk
from howsure.settings import Settings
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.learn.simulation import World

AUTO = Settings({"HOWSURE_LEARN_AUTO": "true"}, ())


def test_it_learns_after_enough_new_outcomes_and_applies_what_is_better(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock, settings=AUTO) as sure:
        world = World(sure)
        world.live(FEWEST_NEW - 1)
        assert sure.fits.list() == ()
        world.live(1)
        assert [fit.outcomes for fit in sure.fits.list()] == [FEWEST_NEW]
        world.live(FEWEST_NEW - 1)
        assert len(sure.fits.list()) == 1
        world.live(250)
        newest = sure.fits.list()[0]
        assert (newest.outcomes, newest.status) == (289, "active")
        world.live(28)
        assert sure.fits.list()[0] == newest, "10 % of 289 are more than 28"
        world.live(1)
        assert sure.fits.list()[0].outcomes == 318
        decision, _ = world.decide()
        assert decision.calibrated


def test_it_is_off_by_default(sure: Sure) -> None:
    World(sure).live(60)
    assert sure.learning is None
    assert sure.fits.list() == ()


def test_nothing_to_learn_from_is_not_tried_again_at_once(sure: Sure, caplog: pytest.LogCaptureFixture) -> None:
    learner = AutoLearner(sure.session, lambda: sure.fits, {"response": "response"})
    for _ in range(FEWEST_NEW):
        sure.ledger.outcome(sure.responses.check("It is so.", policy="nlnh", knowledge=0.9).id, "right")
    with caplog.at_level(logging.INFO, "howsure.learn"):
        learner.check()
        learner.check()
    assert caplog.text.count("nothing was learned from new outcomes") == 1


def test_a_server_learns_in_the_background_one_fit_at_a_time(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock, settings=AUTO) as sure:
        desk = Desk(sure, requires_tokens=False)
        assert sure.learning is not None
        assert sure.learning.background
        begun, go_on = threading.Event(), threading.Event()
        calls = []

        class Slow(Fits):
            def learn(self, *arguments: object, **options: object) -> object:  # type: ignore[override]
                calls.append(threading.current_thread().name)
                begun.set()
                assert go_on.wait(30)
                return super().learn(*arguments, **options)  # type: ignore[arg-type]

        sure.fits = Slow(sure.session, sure.fits._learners)
        world = World(sure)
        world.live(40)
        assert begun.wait(30)
        world.live(40)
        assert world.decide()[0].recorded, "decisions go on"
        go_on.set()
        sure.learning.close()
        assert calls == ["howsure-learn"]
        assert [fit.outcomes for fit in sure.fits.list()] == [80]
        caller = desk.owner._replace(name="bob")
        assert desk.store_as(caller).learning is sure.learning


def test_a_failure_is_logged_and_the_outcome_is_safe(address: str, caplog: pytest.LogCaptureFixture) -> None:
    with open_store(address, settings=AUTO) as sure:
        World(sure).live(FEWEST_NEW)
        sure.fits.apply(sure.fits.list()[0].id, force=True)
        world = World(sure, seed=2)
        lived = [world.decide() for _ in range(FEWEST_NEW)]
        with sure.session.write() as transaction:
            transaction.run("UPDATE fits SET content = '{}'")
        with caplog.at_level(logging.WARNING, "howsure.learn"):
            for decision, _ in lived:
                sure.ledger.outcome(decision.id, "right")
        assert caplog.text.count("cannot learn from new outcomes") == 1
        assert sure.ledger.stats().calibration.outcomes == 2 * FEWEST_NEW


def test_an_unexpected_error_is_logged_too(sure: Sure, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Fits:
        raise ArithmeticError("no convergence")

    learner = AutoLearner(sure.session, broken, {"response": "response"})
    World(sure).live(FEWEST_NEW)
    learner.check()
    assert "no convergence" in caplog.text
    assert not learner._busy.locked(), "the next outcome tries again"


def test_an_invalid_setting_is_reported_before_an_outcome_is_stored(address: str) -> None:
    with open_store(address, settings=Settings({"HOWSURE_LEARN_AUTO": "maybe"}, ())) as sure:
        decision = sure.responses.check("It is so.", knowledge=0.9)
        with pytest.raises(InputError, match="maybe"):
            sure.ledger.outcome(decision.id, "right")
    with open_store(address) as sure:
        assert sure.ledger.stats().calibration.outcomes == 0
