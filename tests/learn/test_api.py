"""Fits in the store: learned from outcomes, compared, applied and rolled back."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from howsure.errors import InputError, NotFoundError, StoreError
from howsure.formulas.chance import Chance
from howsure.learn.fit import FEWEST
from howsure.store.ledger_tables import fits as table
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock, Run
from tests.learn.simulation import World

if TYPE_CHECKING:
    from howsure.learn.api import FitSummary


def test_outcomes_of_a_known_truth_give_a_better_fit(sure: Sure, clock: Clock) -> None:
    World(sure).live(300)
    clock.now += 60.0
    fit = sure.fits.learn()
    assert (fit.kind, fit.status, fit.by, fit.created_at, fit.replaces) == (
        "response",
        "candidate",
        "tester",
        NOW + 60,
        None,
    )
    assert (fit.outcomes, fit.since, fit.until) == (300, NOW, NOW)
    assert fit.quality is not None
    assert fit.replaced is not None
    assert fit.better
    assert fit.quality.brier < fit.replaced.brier  # type: ignore[operator]
    assert fit.quality.auroc > fit.replaced.auroc  # type: ignore[operator]
    assert {"brier", "ece", "log_loss", "auroc"} <= set(fit.quality.intervals)
    assert sure.fits.list() == (fit,)
    details = sure.fits.get(fit.id)
    assert details.summary == fit
    groups = {group.path: group.offset for group in details.groups}
    assert groups["writer", "ann"] > groups["writer", "bob"] > groups["writer", "cy"]
    weights = {term.name: term.weight for term in details.terms}
    assert weights["rerank"] > 0.5, "a signal without a weight gets one from outcomes"
    assert details.promise(0.3).threshold is not None
    assert sure.fits.apply(fit.id).status == "active"
    assert sure.fits.apply(fit.id).status == "active", "applying it again changes nothing"


def test_a_fit_that_is_not_better_is_refused_unless_forced(sure: Sure) -> None:
    with pytest.raises(InputError, match="no outcome to learn from"):
        sure.fits.learn()
    World(sure).live(FEWEST - 1)
    few = sure.fits.learn(apply=True)
    assert (few.status, few.better) == ("candidate", False)
    with pytest.raises(InputError, match="19 outcomes are too few"):
        sure.fits.apply(few.id)
    assert sure.fits.apply(few.id, force=True).status == "active"
    same = sure.fits.learn(apply=True)
    assert (same.status, same.replaces) == ("candidate", few.id)
    World(sure, seed=2).live(300)
    better = sure.fits.learn(apply=True)
    assert (better.status, better.replaces) == ("active", few.id)
    with pytest.raises(InputError, match=f"it was compared with {few.id}, and {better.id} is active now"):
        sure.fits.apply(same.id)
    again = sure.fits.learn()
    assert not again.better
    with pytest.raises(InputError, match="not better beyond noise than what is in use: its Brier score differs by"):
        sure.fits.apply(again.id)
    with pytest.raises(NotFoundError, match="there is no fit 'f1'"):
        sure.fits.get("f1")


def test_rollback_returns_to_the_fit_before_and_then_to_none(sure: Sure) -> None:
    World(sure).live(30)
    first, second = sure.fits.learn(), sure.fits.learn()
    sure.fits.apply(first.id, force=True)
    sure.fits.apply(second.id, force=True)
    before = sure.fits.rollback()
    assert before is not None
    assert (before.id, before.status) == (first.id, "active")
    assert sure.fits.get(second.id).summary.status == "retired"
    assert sure.fits.rollback() is None
    assert [fit.status for fit in sure.fits.list()] == ["retired", "retired"]
    with pytest.raises(InputError, match="no fit of the kind response is active"):
        sure.fits.rollback()


def test_rollback_ends_even_if_an_old_fit_was_applied_again(sure: Sure) -> None:
    World(sure).live(30)
    first, second, third = (sure.fits.learn().id for _ in range(3))
    for fit in (first, second, first, third, second, first):
        sure.fits.apply(fit, force=True)
    rolled = [sure.fits.rollback() for _ in range(3)]
    assert [fit and fit.id for fit in rolled] == [second, third, None]


def test_only_decisions_that_the_threshold_decided_about_are_learned_from(sure: Sure, clock: Clock) -> None:
    check = sure.responses.check
    left_out = [
        check("It is so.", policy="nlnh", knowledge=0.9),
        check("I don't know.", knowledge=0.9),
        check("", knowledge=0.9),
        check("It is so.", stated=0.9),
    ]
    for decision in left_out:
        sure.ledger.outcome(decision.id, "right")
    with pytest.raises(InputError, match="4 are of another policy, or of responses that nothing supports"):
        sure.fits.learn()
    clock.now += 10.0
    for outcome in ("right", "wrong", "corrected"):
        sure.ledger.outcome(check("It is so.", knowledge=0.9).id, outcome)
    fit = sure.fits.learn()
    assert (fit.outcomes, fit.right, fit.since) == (3, 1, NOW + 10)
    clock.now += 10.0
    sure.ledger.outcome(check("It is so.", knowledge=0.9).id, "right")
    assert sure.fits.learn(since=clock.now).outcomes == 1


def test_investigations_have_fits_too(sure: Sure) -> None:
    for number in range(60):
        good = number % 2 == 0
        inquiry = sure.investigations.start("Where?", task_id=f"task-{number}")
        for place in range(3 if good else 12):
            inquiry.record("grep", {"pattern": f"p{place if good else place % 2}"}, 3 if good else 0)
        inquiry.close()
        sure.ledger.outcome(inquiry.state.id or "", "right" if good else "wrong")
    before = sure.investigations.assess("Where?", []).chance_basis
    assert before == "uncalibrated prior"
    fit = sure.fits.learn("investigation", apply=True)
    assert (fit.kind, fit.status, fit.outcomes, fit.right) == ("investigation", "active", 60, 30)
    assert sure.fits.list(kind="response") == ()
    after = sure.investigations.start("Where?", task_id="new")
    after.record("grep", {"pattern": "p"}, 3)
    after.close()
    assert (after.state.chance_basis, after.state.fit) == ("learned from 60 outcomes", fit.id)
    assert sure.ledger.get(after.id or "").answer["fit"] == fit.id
    assert sure.fits.rollback("investigation") is None
    assert sure.investigations.assess("Where?", []).chance_basis == before
    sure.investigations.chance = Chance(outcomes=7)
    assert sure.investigations.assess("Where?", []).chance_basis == "learned from 7 outcomes"
    assert sure.fits.apply(fit.id, force=True).status == "active"
    assert not sure.fits.learn("investigation").better


def test_a_fit_that_cannot_be_read_is_reported(howsure: Run, tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        World(sure).live(3)
        fit = sure.fits.learn()
        assert sure.fits.check() == ()
        with sure.session.write() as transaction:
            content = orjson.loads((table.get(transaction, fit.id) or _missing()).content)
            content["parameters"]["intercept"] += 1.0
            transaction.run("UPDATE fits SET content = ?", [orjson.dumps(content).decode()])
        with pytest.raises(StoreError, match=f"the fit {fit.id} cannot be read: .*do not match the fingerprint"):
            sure.fits.get(fit.id)
        other = sure.fits.learn()
        good, broken = sure.fits.list()
        assert (good.id, good.problem) == (other.id, "")
        assert (broken.id, broken.status, broken.quality) == (fit.id, "candidate", None)
        assert "do not match the fingerprint" in broken.problem
    listed = howsure("fits", "--store", address)
    assert (listed.returncode, b"broken" in listed.stdout, other.id.encode() in listed.stdout) == (0, True, True)
    checked = howsure("store", "check", "--store", address)
    assert (checked.returncode, b"cannot be read" in checked.stdout) == (1, True)
    with open_store(address) as sure, sure.session.write() as transaction:
        transaction.run("UPDATE fits SET watch = '[1]'")
        transaction.run("UPDATE fits SET content = 'no'")
    assert howsure("store", "check", "--store", address, "--json").returncode == 1


def _missing() -> table.FitRow:
    raise AssertionError


def test_learning_does_not_keep_decisions_waiting(sure: Sure) -> None:
    World(sure).live(120)
    learned: list[FitSummary] = []
    errors: list[BaseException] = []

    def learn() -> None:
        try:
            learned.extend(sure.fits.learn(apply=True) for _ in range(3))
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            errors.append(error)

    thread = threading.Thread(target=learn)
    thread.start()
    decided = World(sure, seed=3).live(40)
    thread.join()
    assert errors == []
    assert [fit.outcomes >= 120 for fit in learned] == [True] * 3
    assert len(decided) == 40
    assert [fit.status for fit in sure.fits.list()].count("active") == 1


def test_export_and_import_keep_fits(sure: Sure, tmp_path: Path) -> None:
    World(sure).live(60)
    fit = sure.fits.apply(sure.fits.learn().id, force=True)
    with open_store(str(tmp_path / "other.db")) as other:
        other.claims.import_(sure.claims.export())
        assert other.fits.list() == (fit,)
        assert other.fits.get(fit.id) == sure.fits.get(fit.id)
