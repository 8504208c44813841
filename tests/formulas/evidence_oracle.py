"""An independent evidence model: 60 decimal digits, written from the description in docs/responses.md, for one case.

Run `python -m tests.formulas.evidence_oracle` to write the golden cases.
"""

import json
import random
from decimal import Decimal, getcontext
from pathlib import Path
from typing import Any

getcontext().prec = 60
D = Decimal
GOLDEN = Path(__file__).parent.parent / "golden" / "evidence.json"
THRESHOLDS = {"planner": "0.75", "patcher": "0.80", "validator": "0.85", "dgts_enforcer": "0.90", "clerk": "0.70"}
POINTS = {"exists": "0.30", "syntax_valid": "0.20", "types_valid": "0.20", "tests_exist": "0.15", "tests_pass": "0.15"}
WEIGHTS = {
    "knowledge": "0.30", "code": "0.30", "grounding": "0.30", "judge": "0.20", "samples": "0.10", "logprobs": "0.05",
}  # fmt: skip


def _ramp(x: float, centre: str, width: str) -> Decimal:
    return 1 / (1 + ((D(centre) - D(repr(x))) / D(width)).exp())


def _number(x: float | None) -> Decimal | None:
    return None if x is None else D(repr(float(x)))


def earned(case: dict[str, Any]) -> tuple[Decimal | None, bool]:
    """Return what the checks earn, and whether all that were made hold."""
    checks = case.get("code")
    if checks is None:
        return _number(case.get("code_validation")), False
    made = {name: checks.get(name) for name in POINTS}
    if set(made.values()) == {None}:
        return None, False
    total = D(0)
    for name, points in POINTS.items():
        result = made[name]
        if result is None and made["tests_pass"] and name in ("exists", "syntax_valid", "tests_exist"):
            result = True  # tests that pass have run code that exists and parses
        total += D(points) * (D("0.4") if result is None else D(int(result)))
    return (min(total, D("0.4")), False) if False in made.values() else (total, True)


def relevance_of(case: dict[str, Any]) -> Decimal | None:
    if case.get("lookups") is not None:
        return _ramp(case["lookups"], "0.5", "0.1")
    if case.get("similarities") is None:
        return _number(case.get("knowledge_base"))
    relevance = sorted((_ramp(one, "0.7", "0.06") for one in case["similarities"]), reverse=True)
    if not relevance:
        return D(0)
    best, others = relevance[0], sum(relevance[1:], D(0))
    return best + (1 - best) * D("0.2") * best * others / (1 + others)


def mean_with(case: dict[str, Any], **factors: Decimal) -> Decimal:
    signals = {name: _number(case.get(name)) for name in ("grounding", "judge", "samples", "logprobs")}
    known = factors | {name: value for name, value in signals.items() if value is not None}
    weight = sum((D(WEIGHTS[name]) for name in known), D(0))
    return sum((D(WEIGHTS[name]) * value for name, value in known.items()), D(0)) / weight


def both_factors(case: dict[str, Any]) -> tuple[Decimal | None, Decimal | None]:
    """Return knowledge and code. What holds or found something never lowers the mean of the rest."""
    code, holds = earned(case)
    knowledge = relevance_of(case)
    if holds and code is not None and (case.get("grounding") is not None or case.get("judge") is not None):
        code = max(code, mean_with(case))
    lifted_knowledge, lifted_code = knowledge, code
    if case.get("lookups") is not None and case["lookups"] >= 0.5 and code is not None and knowledge is not None:
        lifted_knowledge = max(knowledge, mean_with(case, code=code))
    if holds and code is not None and knowledge is not None and case.get("lookups") is None:
        lifted_code = max(code, mean_with(case, knowledge=knowledge))
    return lifted_knowledge, lifted_code


def judge(case: dict[str, Any]) -> dict[str, Any]:
    """Return composite, decision and factors of a case without hedged words."""
    knowledge, code = both_factors(case)
    values = {"knowledge": knowledge, "code": code}
    values |= {name: _number(case.get(name)) for name in ("grounding", "judge", "samples", "logprobs")}
    known = {name: value for name, value in values.items() if value is not None}
    weight = sum((D(WEIGHTS[name]) for name in known), D(0))
    mean = sum((D(WEIGHTS[name]) * value for name, value in known.items()), D(0)) / weight if known else D("0.5")
    record = None
    history = case.get("history")
    if isinstance(history, dict):
        counts = [(history.get(f"{of}right", 0), history.get(f"{of}outcomes", 0)) for of in ("all_", "type_", "")]
        if any(outcomes for _, outcomes in counts):
            record = mean
            for right, outcomes in counts:
                record = (right + 10 * record) / (outcomes + 10)
    elif history is not None:
        record = _number(history)
    score = mean if record is None else (weight * mean + D("0.2") * record) / (weight + D("0.2"))
    certainty, stated = _number(case.get("certainty")), _number(case.get("stated"))
    if certainty is not None and certainty < score:
        score = D("0.6") * score + D("0.4") * certainty
    if stated is not None and stated < score:
        score = D("0.85") * score + D("0.15") * stated
    given = case.get("threshold")
    needed = D(THRESHOLDS.get(case.get("agent_type", ""), "0.80")) if given is None else D(repr(given))
    supported = bool(known.keys() & {"knowledge", "code", "grounding", "judge"})
    decision = "review" if not supported else "pass" if score >= needed - D("5e-10") else "block"
    levels = [("HIGH", score > D("0.9") + D("5e-10")), ("MODERATE", score >= D("0.75") - D("5e-10"))]
    levels += [("LOW", score >= D("0.5") - D("5e-10")), ("VERY_LOW", True)]
    return {
        "knowledge_base": _float(values["knowledge"]),
        "code_validation": _float(code),
        "certainty": _float(certainty),
        "history": _float(record),
        "composite": float(score),
        "level": next(name for name, holds in levels if holds),
        "threshold": float(needed),
        "decision": decision,
    }


def _float(x: Decimal | None) -> float | None:
    return None if x is None else float(x)


def _unit(dice: random.Random) -> float:
    return dice.choice([0.0, 1.0, 0.5, round(dice.random(), 3), round(dice.random(), 3)])


def random_case(dice: random.Random) -> dict[str, Any]:  # noqa: C901 - one plain pass over the fields
    """Return a random case; every field is missing in some."""
    case: dict[str, Any] = {"agent_type": dice.choice([*THRESHOLDS, "", "poet"])}
    kind = dice.choice(["similarities", "similarities", "lookups", "knowledge_base", ""])
    if kind == "similarities":
        case[kind] = [round(dice.uniform(-0.2, 1.0), 3) for _ in range(dice.choice([0, 1, 2, 3, 8]))]
    elif kind:
        case[kind] = _unit(dice)
    if dice.random() < 0.5:
        case["code"] = {
            name: result for name in POINTS if (result := dice.choice([True, True, False, None])) is not None
        }
    elif dice.random() < 0.4:
        case["code_validation"] = _unit(dice)
    if dice.random() < 0.6:
        case["response"] = dice.choice(
            ["The parser reads the file.", "Paris is the capital of France.", "It is tested."]
        )
    for name in ("grounding", "judge", "samples", "logprobs", "certainty", "stated"):
        if dice.random() < 0.25:
            case[name] = _unit(dice)
    if dice.random() < 0.5:
        own, more, others = (dice.choice([0, 1, 5, 40]) for _ in range(3))
        right = dice.randint(0, own)
        type_right = right + dice.randint(0, more)
        case["history"] = {
            "right": right, "outcomes": own, "type_right": type_right, "type_outcomes": own + more,
            "all_right": type_right + dice.randint(0, others), "all_outcomes": own + more + others,
            "met": dice.randint(0, 9), "total": 9,
        }  # fmt: skip
    elif dice.random() < 0.2:
        case["history"] = _unit(dice)
    if dice.random() < 0.1:
        case["threshold"] = _unit(dice)
    if dice.random() < 0.2:
        case["signals"] = {"rerank": _unit(dice)}
    return case


if __name__ == "__main__":
    chosen = random.Random(16)
    cases = [random_case(chosen) for _ in range(60)]
    GOLDEN.write_text(json.dumps([case | {"expect": judge(case)} for case in cases], indent=1) + "\n")
