"""The gate with an active fit: probabilities, promises, and what would change a decision."""

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from howsure.errors import InputError, StoreError
from howsure.formulas.evidence import Evidence
from howsure.formulas.evidence_case import Row
from howsure.formulas.ops import FLOATS
from howsure.formulas.scoring import build
from howsure.learn.api import FitSummary, read_content
from howsure.learn.evaluation import evaluate
from howsure.responses.fitted import answer_values, group_path
from howsure.responses.gate import ResponseDecision
from howsure.responses.quality import quality_gate
from howsure.store.ledger_tables import fits as table
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock, Run
from tests.learn.simulation import World


def _learned(sure: Sure, count: int = 300) -> FitSummary:
    World(sure).live(count)
    return sure.fits.apply(sure.fits.learn().id, force=True)


def _set_levels(sure: Sure, fit: FitSummary, levels: list[dict[str, float]]) -> None:
    """Replace the outcomes that promises of a fit are made from."""
    with sure.session.write() as transaction:
        row = table.get(transaction, fit.id)
        assert row is not None
        content = orjson.loads(row.content) | {"levels": levels}
        transaction.run("UPDATE fits SET content = ? WHERE id = ?", [orjson.dumps(content).decode(), fit.id])


def test_fresh_decisions_are_calibrated(sure: Sure) -> None:
    before, _ = World(sure, seed=5).decide()
    assert (before.calibrated, before.probability, before.fit, before.promise) == (False, None, None, None)
    assert "uncalibrated" in before.reason
    fit = _learned(sure)
    assert fit.better
    lived = [World.decide(world) for world in [World(sure, seed=9)] for _ in range(200)]
    decisions = [one for one, _ in lived]
    assert {(one.calibrated, one.fit) for one in decisions} == {(True, fit.id)}
    assert all(one.lower <= one.probability <= one.upper for one in decisions)  # type: ignore[operator]
    assert all("learned from 300 outcomes" in one.reason for one in decisions)
    assert all(one.threshold_met == (one.probability >= one.threshold) for one in decisions)  # type: ignore[operator]
    assert {one.decision for one in decisions} == {"pass", "block"}
    frame = [{"p": one.probability, "c": one.composite, "y": right} for one, right in lived]
    found = evaluate(frame, score="c", outcome="y", compare=["p"], draws=10)
    assert found.others[0].ece < found.ece  # type: ignore[operator]
    assert found.others[0].brier < found.brier  # type: ignore[operator]
    stored = sure.ledger.get(decisions[0].id)
    assert (stored.score, stored.met) == (decisions[0].probability, decisions[0].threshold_met)


def test_a_decision_can_be_computed_again_from_its_spec_and_its_fit(sure: Sure) -> None:
    fit = _learned(sure, 60)
    with sure.session.database.read() as transaction:
        stored_fit = read_content(table.get(transaction, fit.id) or pytest.fail("there is no fit"))
    for _ in range(20):
        decision, _ = World(sure, seed=11).decide()
        stored = sure.ledger.get(decision.id)
        model = build(stored.spec["name"], stored.spec["parameters"])
        assert isinstance(model, Evidence)
        steps = model.formula(Row(**stored.detail["row"]), FLOATS)
        assert steps.composite == stored.answer["composite"]
        again = stored_fit.estimate(answer_values(stored.answer), group_path(stored.agent_type, stored.agent))
        assert again == (decision.probability, decision.lower, decision.upper)
        assert stored.answer["fit"] == fit.id


def test_evidence_rules_hold_with_a_fit(sure: Sure) -> None:
    _learned(sure, 60)
    check = sure.responses.check
    assert check("It is so.", stated=1.0).decision == "review"
    assert check("", knowledge=1.0).decision == "review"
    assert check("I don't know.").decision == "pass"
    old = check("It is so.", knowledge=0.9, policy="nlnh")
    assert (old.calibrated, old.fit, old.probability) == (False, None, None)


def test_another_fit_is_noticed_and_rollback_restores(sure: Sure) -> None:
    fit = _learned(sure, 60)

    def decide() -> ResponseDecision:
        return sure.responses.check("It is so.", agent="ann", agent_type="writer", knowledge=0.8, history=0.5)

    first = decide()
    second = sure.fits.apply(sure.fits.learn().id, force=True)
    assert (first.fit, decide().fit) == (fit.id, second.id)
    sure.fits.rollback()
    again = decide()
    assert (again.fit, again.probability) == (fit.id, first.probability)
    sure.fits.rollback()
    assert decide().probability is None


def test_lifts_reach_the_threshold_by_the_fit(sure: Sure, tmp_path: Path) -> None:
    _learned(sure)
    options = {"agent": "ann", "agent_type": "writer", "history": 0.7, "signals": {"rerank": 0.6}}
    low = sure.responses.check("It is so.", knowledge=0.5, threshold=0.75, **options)  # type: ignore[arg-type]
    assert low.decision == "block"
    assert "my confidence is" in low.message
    lift = next(one for one in low.lifts if one.factor == "knowledge_base")
    explained = sure.ledger.explain(low.id)
    assert explained.lifts == low.lifts
    (confidence,) = [one for one in quality_gate(sure, folder=tmp_path, agent="ann").checks if low.id in one.message]
    assert all(one.words in confidence.message for one in low.lifts)
    for knowledge, decision in ((lift.needed, "pass"), (lift.needed - 1e-3, "block")):
        found = sure.responses.check("It is so.", knowledge=knowledge, threshold=0.75, **options)  # type: ignore[arg-type]
        assert found.decision == decision


def test_a_promise_without_a_fit_is_for_review_and_says_what_is_missing(sure: Sure) -> None:
    found = sure.responses.check("It is so.", knowledge=1.0, promise=0.05)
    assert (found.decision, found.threshold_met, found.lifts) == ("review", False, ())
    assert found.promise == (0.05, 0.95, False, 0, 69)
    assert found.reason == (
        "a promise of at most 0.05 wrong cannot be made: nothing was learned yet, and at least 69 outcomes are needed "
        "(uncalibrated)"
    )
    assert "too little is known" in found.message
    assert sure.responses.check("I don't know.", promise=0.05).decision == "pass"
    assert "nothing supports" in sure.responses.check("It is so.", promise=0.05).reason


def test_a_promise_sets_the_threshold(sure: Sure) -> None:
    fit = _learned(sure, 60)
    _set_levels(sure, fit, [{"score": 0.6, "outcomes": 200, "wrong": 1}, {"score": 0.2, "outcomes": 200, "wrong": 90}])
    world = World(sure, seed=4)
    found = [world.decide(promise=0.05)[0] for _ in range(40)]
    assert {(one.threshold, one.threshold_from) for one in found} == {(0.6, "the promise")}
    assert {one.promise for one in found} == {(0.05, 0.95, True, 400, 0)}
    assert {one.decision for one in found} == {"pass", "block"}
    assert all((one.decision == "pass") == (one.probability >= 0.6) for one in found)  # type: ignore[operator]
    assert all("at most 0.05 of what passes is wrong, with 0.95 confidence" in one.reason for one in found)
    assert sure.fits.get(fit.id).promise(0.05).threshold == 0.6
    with sure.session.write() as transaction:
        table.set_watch(transaction, fit.id, "", 0.05)
    assert world.decide(promise=0.05)[0].reason.startswith("the promise of at most 0.05 wrong was withdrawn")
    stricter = world.decide(promise=0.03)[0]
    assert (stricter.decision, stricter.promise) == ("review", (0.03, 0.95, False, 400, 0)), "it is withdrawn too"
    assert stricter.reason.startswith(
        "a promise of at most 0.03 wrong cannot be made: the one of at most 0.05 wrong was withdrawn, because more "
        "were: it can be tested again with a new fit"
    )
    impossible = world.decide(promise=0.001)[0]
    assert impossible.promise is not None
    assert impossible.promise.missing > 1000, "what was withdrawn does not hide what is missing"
    assert impossible.reason.startswith(
        f"a promise of at most 0.001 wrong cannot be made: 1 of the best 200 outcomes were wrong, and at least "
        f"{impossible.promise.missing:,} more outcomes are needed"
    )
    assert world.decide(promise=0.2)[0].promise.kept  # type: ignore[union-attr]


def test_a_promise_that_outcomes_do_not_allow_is_for_review(sure: Sure) -> None:
    fit = _learned(sure, 60)
    _set_levels(sure, fit, [{"score": 0.6, "outcomes": 60, "wrong": 10}])
    found = World(sure, seed=4).decide(promise=0.05)[0]
    assert (found.decision, found.promise.kept) == ("review", False)  # type: ignore[union-attr]
    assert found.promise.missing > 200  # type: ignore[union-attr]
    assert "10 of the best 60 outcomes were wrong, and at least" in found.reason


def test_promises_that_make_no_sense_are_refused(sure: Sure) -> None:
    check = sure.responses.check
    for risk in (0.0, 1.0, -1, "x"):
        with pytest.raises(InputError, match="promise"):
            check("It is so.", knowledge=1.0, promise=risk)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the policy nlnh cannot promise anything"):
        check("It is so.", knowledge=1.0, promise=0.05, policy="nlnh")
    with pytest.raises(InputError, match="a promise sets its own threshold"):
        check("It is so.", knowledge=1.0, promise=0.05, threshold=0.5)


def test_the_setting_and_the_option_promise(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    gate = ("gate", "--knowledge", "1", "--json", "--store", store, "-")
    by_option = howsure(*gate, "--promise", "0.05", stdin=b"It is so.")
    by_setting = howsure(*gate, stdin=b"It is so.", HOWSURE_GATE_PROMISE="0.05")
    for found in (by_option, by_setting):
        assert found.returncode == 1, found.stderr
        assert orjson.loads(found.stdout)["promise"]["missing"] == 69
    overridden = howsure(*gate, "--threshold", "0.5", stdin=b"It is so.", HOWSURE_GATE_PROMISE="0.05")
    assert overridden.returncode == 0, "a threshold that is given applies"


def test_a_fit_that_cannot_be_read_stops_the_gate_loudly(sure: Sure) -> None:
    fit = _learned(sure, 30)
    with sure.session.write() as transaction:
        transaction.run("UPDATE fits SET content = ?", ['{"version": 9}'])
    with pytest.raises(StoreError, match=f"the fit {fit.id} cannot be read: its version is 9"):
        World(sure).decide()
    found = sure.responses.check("It is so.", knowledge=1.0, on_ledger_error="allow")
    assert (found.recorded, found.calibrated) == (False, False)


def test_a_one_shot_gate_applies_a_fit_without_numpy(tmp_path: Path, clock: Clock) -> None:
    store = str(tmp_path / "store.db")
    with open_store(store, clock=clock) as sure:
        fit = _learned(sure, 60)
    code = (
        "import sys, os; os._exit = lambda code: (print(*sys.modules, file=sys.stderr), sys.exit(code));"
        f"sys.argv = ['howsure', 'gate', '--agent', 'ann', '--knowledge', '0.9', '--store', {store!r}, {__file__!r}];"
        "from howsure.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    loaded = set(done.stderr.split())
    assert "howsure.responses.fitted" in loaded, done.stderr
    assert not loaded & {"numpy", "orjson", "howsure.learn.fit", "howsure.learn.learning", "howsure.learn.promise"}
    assert "Probability: " in done.stdout
    assert "learned from 60 outcomes" in done.stdout
    assert fit.id not in done.stdout


def test_a_promise_is_kept_and_withdrawn_when_the_world_gets_worse(sure: Sure) -> None:
    world = World(sure, shift=2.5)
    world.live(500)
    fit = sure.fits.learn(apply=True)
    assert fit.status == "active"
    lived = world.live(300, promise=0.1)
    passed = [(one, right) for one, right in lived if one.decision == "pass"]
    assert all(one.promise is not None and one.promise.kept for one, _ in lived)
    assert len(passed) > 60
    assert sum(not right for _, right in passed) <= 0.1 * len(passed)
    (watched,) = sure.fits.get(fit.id).summary.promises
    assert (watched.outcomes, watched.broken) == (len(passed), False)
    world.shift = -1.0
    for _ in range(10):
        lived = world.live(40, promise=0.1)
    assert sure.fits.get(fit.id).summary.withdrawn
    assert {one.decision for one, _ in lived} == {"review"}
    assert all("withdrawn" in one.reason for one, _ in lived)
    assert world.decide()[0].decision != "review", "without a promise, the probability decides"
