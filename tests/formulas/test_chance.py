"""The chance of success: its numbers by an independent oracle, its words, and what parameters it takes."""

import json
import random
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import pytest

from howsure.checks import check
from howsure.errors import InputError
from howsure.formulas.chance import Chance

GOLDEN = Path(__file__).parents[1] / "golden" / "chance.json"
D = Decimal
TABLE = {  # centre, spread, weight; as docs/investigations.md and the decision list them
    "steps": ("3.2", "0.8", "-0.3"),
    "late_errors": ("0.13", "0.25", "-0.2"),
    "repeats": ("0.07", "0.1", "-0.2"),
    "late_news": ("0.8", "0.25", "0.2"),
    "check_passed": ("0.5", "0.5", "0.2"),
    "finished": ("0.9", "0.3", "0.2"),
    "detail": ("4.4", "0.6", "0.12"),
    "late_changes": ("0.3", "0.3", "0"),
    "refusals": ("0.2", "0.25", "0"),
    "questions": ("0.3", "0.25", "0"),
}


def oracle(case: dict[str, Any]) -> float:
    """Return the chance of a case in 50-digit decimals, straight from the table."""
    with localcontext() as context:
        context.prec = 50
        odds = D("-1.1")
        for name, (centre, spread, weight) in TABLE.items():
            if case.get(name) is None:
                continue
            value = D(float(case[name]))
            if name == "steps":
                value = max(value, D(1)).ln() / D(2).ln()
            odds += D(weight) * min(max((value - D(centre)) / D(spread), D(-2)), D(2))
        return float(1 / (1 + (-odds).exp()))


def cases(count: int = 60, seed: int = 7) -> list[dict[str, Any]]:
    """Return cases in which features are often missing or at the ends of their range."""
    dice = random.Random(seed)
    made: list[dict[str, Any]] = [{}, {"steps": 0}, {"steps": 10**6}]
    while len(made) < count:
        case: dict[str, Any] = {}
        for name in TABLE:
            if dice.random() < 0.35:
                continue
            if name == "steps":
                case[name] = dice.choice([1, 2, 5, 9, 12, 30, 200])
            elif name in ("check_passed", "finished"):
                case[name] = dice.random() < 0.5
            elif name == "detail":
                case[name] = round(dice.uniform(0, 6), 3)
            else:
                case[name] = dice.choice([0.0, 1.0, round(dice.random(), 3)])
        made.append(case)
    return made


def test_the_model_passes_every_check() -> None:
    check(Chance)


def test_the_model_agrees_with_the_oracle() -> None:
    for case in cases(400, seed=1):
        assert Chance().score(case)["chance"] == pytest.approx(oracle(case), abs=1e-12), case


def test_the_golden_cases_are_those_of_the_oracle() -> None:
    golden = json.loads(GOLDEN.read_text())
    assert [case | {"expect": {"chance": oracle(case)}} for case in cases()] == golden


def test_unknown_inputs_change_nothing() -> None:
    nothing = Chance().score({})
    assert nothing["chance"] == pytest.approx(0.2497398944)
    assert nothing["reasons"] == []
    assert nothing["reason"] == "nothing is known about the run: 0.25, uncalibrated prior"


def test_reasons_are_in_words_the_strongest_first() -> None:
    case = {
        "steps": 1,
        "late_errors": 0.25,
        "repeats": 0.07,
        "late_news": 0.6,
        "check_passed": False,
        "finished": False,
        "detail": 3.0,
        "late_changes": 0.5,
        "refusals": 0.25,
        "questions": 0.0,
    }
    learned = Chance(weights=Chance().weights | {"late_changes": 0.05, "refusals": 0.02, "questions": -0.04})
    reasons = learned.score(case)["reasons"]
    assert [reason["words"] for reason in reasons] == [
        "1 step",
        "it did not end by itself",
        "its arguments are 8 characters long on average",
        "the last check failed",
        "60% of its late calls returned something new",
        "25% of its late calls failed or found nothing",
        "0% of its messages end with a question",
        "50% of its late calls change something",
        "25% of its messages decline something",
        "7% of its calls are repetitions",
    ]
    assert [abs(reason["adds"]) for reason in reasons] == sorted((abs(r["adds"]) for r in reasons), reverse=True)
    good = Chance().score({"check_passed": True, "finished": True})
    assert [reason["words"] for reason in good["reasons"]] == ["the last check passed", "it ended by itself"]


def test_a_fit_says_how_many_outcomes_it_was_learned_from() -> None:
    assert Chance(outcomes=1200).score({})["basis"] == "learned from 1,200 outcomes"
    assert Chance(weights={}).score({"steps": 50})["chance"] == pytest.approx(0.2497398944)


def test_extreme_weights_stay_within_bounds() -> None:
    sure = Chance(intercept=20.0, weights={"steps": -20.0, "repeats": -20.0})
    assert 0.0 < sure.score({"steps": 10**9, "repeats": 1.0})["chance"] < 1e-12
    assert 1.0 - 1e-12 < sure.score({"steps": 1, "repeats": 0.0})["chance"] <= 1.0


@pytest.mark.parametrize(
    ("parameters", "hint"),
    [
        ({"weights": {"step": 1.0}}, "steps"),
        ({"weights": {"steps": 21.0}}, None),
        ({"intercept": float("inf")}, None),
        ({"outcomes": -1}, None),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], hint: str | None) -> None:
    with pytest.raises(InputError) as raised:
        Chance(**parameters)
    assert hint is None or hint in str(raised.value.hint)
    assert str(raised.value.field).partition(".")[0] in parameters
