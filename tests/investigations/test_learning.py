"""Learning the chance of success from the outcomes of a ledger."""

import random
from pathlib import Path
from typing import Any

import pytest

import howsure
from howsure.errors import InputError
from howsure.formulas.chance import PRIOR, Case, Chance
from howsure.investigations.api import ToolCallInput
from howsure.investigations.learning import LabelledRun, assign_folds, fit_chance, judge, learn_chance, read_run
from howsure.ledger.decision import Decision


def _decision(**changes: Any) -> Decision:
    fields: dict[str, Any] = {
        "id": "a1", "at": 5.0, "model": "investigation", "agent": "", "agent_type": "", "project": "", "task_id": "",
        "trace_id": "", "score": 0.5, "threshold": None, "decision": "proceed", "met": True, "digest": None,
        "content": None, "detail": {"answer": {"course": {"steps": 4}}}, "outcome": "right",
    }  # fmt: skip
    return Decision(**fields | changes)


def _runs(count: int, seed: int = 1) -> list[LabelledRun]:
    """Return runs that succeed if they are short, two for each task."""
    dice = random.Random(seed)
    runs = []
    for number in range(count):
        steps = dice.randrange(2, 40)
        features = Case(steps=steps, late_errors=round(dice.random(), 2), finished=True)
        runs.append(LabelledRun(features, dice.random() < 4 / (steps + 3), f"task-{number // 2}", float(number)))
    return runs


def test_outcomes_of_the_ledger_move_the_weights(tmp_path: Path) -> None:
    crash = "Traceback (most recent call last):\n  File x\nKeyError: 1"
    with howsure.open(f"{tmp_path}/store.db") as sure:
        for number in range(40):
            good = number % 2 == 0
            calls = [ToolCallInput("bash", {"command": f"python a{number}.py"}, "fine" if good else crash)]
            state = sure.investigations.assess("q", calls, record=True, task_id=f"t{number // 4}")
            assert state.id is not None
            assert state.chance_basis == "uncalibrated prior"
            sure.ledger.outcome(state.id, "right" if good else "wrong")
        sure.investigations.assess("not known yet", calls, record=True)
        fit = learn_chance(sure.ledger.stream(model="investigation"))
        assert fit.model.outcomes == 40
        assert fit.model.weights["check_passed"] > PRIOR["check_passed"] + 0.2
        assert fit.model.weights["finished"] == pytest.approx(PRIOR["finished"]), "it was never known"
        assert fit.model.intercept > Chance().intercept
        assert len(fit.held_out) == 40
        assert fit.since <= fit.until

        sure.investigations.chance = fit.model
        passed = sure.investigations.assess("q", [ToolCallInput("bash", {"command": "python b.py"}, "fine")])
        failed = sure.investigations.assess("q", [ToolCallInput("bash", {"command": "python b.py"}, crash)])
        assert passed.chance > 0.5 > failed.chance
        assert passed.chance_basis == "learned from 40 outcomes"


def test_a_decision_holds_what_its_chance_was_made_of(tmp_path: Path) -> None:
    with howsure.open(f"{tmp_path}/store.db") as sure:
        sure.investigations.record("s", "grep", {"pattern": "a"}, 2)
        sure.investigations.record("s", "pytest", None, "1 passed in 0.1s")
        closed = sure.investigations.close("s", task_id="t")
        assert closed.id is not None
        answer = sure.ledger.get(closed.id).answer
    assert answer["chance"] == closed.chance == judge(Chance(), Case(**answer["course"]))
    assert answer["course"]["steps"] == 2
    assert answer["course"]["check_passed"] is True


def test_runs_of_one_task_are_never_on_both_sides() -> None:
    fit = fit_chance(_runs(60), folds=5)
    assert len(fit.held_out) == 60
    folds: dict[str, set[int]] = {}
    for one in fit.held_out:
        folds.setdefault(one.task, set()).add(one.fold)
    assert all(len(of_task) == 1 for of_task in folds.values())
    assert len(set.union(*folds.values())) == 5
    runs = _runs(60)
    target = fit.held_out[0]
    others = [run for run in runs if folds[run.task] != {target.fold}]
    model = fit_chance(others).model
    same = [run for run in runs if run.task == target.task]
    assert any(judge(model, run.features) == pytest.approx(target.learned, abs=1e-9) for run in same)


def test_folds_do_not_depend_on_the_order_and_are_of_equal_size() -> None:
    tasks = [f"t{number}" for number in range(23)]
    folds = assign_folds(tasks, 5)
    assert folds == assign_folds(reversed(tasks), 5)
    sizes = [list(folds.values()).count(fold) for fold in range(5)]
    assert max(sizes) - min(sizes) <= 1


def test_learned_weights_do_better_on_tasks_that_were_not_seen() -> None:
    fit = fit_chance(_runs(600))
    brier = [sum((chance - one.good) ** 2 for one, chance in pairs) / 600 for pairs in (
        [(one, one.before) for one in fit.held_out],
        [(one, one.learned) for one in fit.held_out],
    )]  # fmt: skip
    assert brier[1] < brier[0]
    assert fit.model.weights["steps"] < PRIOR["steps"]
    assert fit.errors["steps"] < 0.26


def test_one_task_alone_gives_a_fit_without_validation() -> None:
    fit = fit_chance([LabelledRun(Case(steps=3), True, "t")] * 3)
    assert fit.held_out == ()
    assert fit.model.outcomes == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "response"},
        {"outcome": None},
        {"detail": {}},
        {"detail": {"answer": {"course": "none"}}},
        {"detail": {"answer": {"course": {"steps": -1}}}},
        {"detail": {"answer": {"course": {"of another version": 1}}}},
    ],
)
def test_decisions_that_teach_nothing_are_left_out(changes: dict[str, Any]) -> None:
    assert read_run(_decision(**changes)) is None


def test_the_task_of_a_run_is_its_task_trace_or_id() -> None:
    assert read_run(_decision()) == LabelledRun(Case(steps=4), True, "a1", 5.0)
    corrected = read_run(_decision(trace_id="s", outcome="corrected"))
    assert corrected == LabelledRun(Case(steps=4), False, "s", 5.0)
    assert read_run(_decision(trace_id="s", task_id="t")) == LabelledRun(Case(steps=4), True, "t", 5.0)


def test_errors_say_what_is_missing() -> None:
    with pytest.raises(InputError, match="no investigation with a known outcome.*`howsure outcome ID right`"):
        learn_chance([_decision(outcome=None)])
    with pytest.raises(InputError, match="no runs"):
        fit_chance([])
    with pytest.raises(InputError, match="1 folds are too few"):
        fit_chance(_runs(4), folds=1)
