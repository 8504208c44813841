"""The evidence model: unknown is left out, words only lower, outcomes make history, and nothing good ever lowers."""

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.formulas.evidence import Evidence, ramp
from howsure.formulas.evidence_case import EvidenceCase
from howsure.formulas.response_case import FACTORS
from howsure.shapes import decode
from tests.conftest import close
from tests.formulas.evidence_oracle import judge, random_case

MODEL = Evidence()
unit = st.floats(0.0, 1.0)
seeds = st.integers(0, 2**32).map(random.Random)


def _score(**case: Any) -> Any:
    return MODEL.score(case)


def _composite(case: dict[str, Any]) -> float:
    return float(MODEL.score(case)["composite"])


@given(seeds)
def test_the_model_agrees_with_the_oracle(dice: random.Random) -> None:
    case = random_case(dice)
    found, expected = MODEL.score(case), judge(case)
    assert close({name: found[name] for name in expected}, expected), case


def test_plain_words_with_good_retrieval_pass_and_praise_without_evidence_does_not() -> None:
    assert _score(response="Paris is the capital of France.", similarities=[0.91])["decision"] == "pass"
    praise = _score(response="Definitely verified, tested, proven cheese.", history=1.0, stated=1.0, threshold=0.1)
    assert praise["decision"] == "review"
    assert "nothing supports the response" in praise["reason"]


def test_unknown_inputs_are_left_out() -> None:
    found = _score(response="It works.", knowledge_base=0.9)
    assert (found["composite"], found["certainty"], found["history"]) == (pytest.approx(0.9), None, None)
    assert _score(code_validation=0.7)["composite"] == pytest.approx(0.7)
    nothing = _score()
    assert (nothing["composite"], nothing["decision"]) == (0.5, "review")


def test_signals_that_say_what_the_agent_thinks_of_itself_support_nothing() -> None:
    assert _score(samples=1.0, logprobs=1.0, stated=1.0, signals={"rerank": 1.0})["decision"] == "review"
    for name in ("grounding", "judge"):
        assert _score(**{name: 0.9})["decision"] == "pass"


def test_knowledge_has_no_cliff() -> None:
    steps = [_composite({"similarities": [place / 1000]}) for place in range(1001)]
    assert steps == sorted(steps)
    assert max(b - a for a, b in pairwise(steps)) < 0.005
    assert _score(similarities=[])["knowledge_base"] == 0.0
    assert ramp(-1.0, 1.0, 1e-9) == pytest.approx(0.0)
    assert (ramp(0.7, 0.7, 0.0), ramp(0.69, 0.7, 0.0)) == (1.0, 0.0)
    wide = Evidence(relevant_centre=0.4, relevant_width=0.1)
    assert wide.score({"similarities": [0.6]})["decision"] == "pass"
    assert _score(similarities=[0.6])["decision"] == "block"


@given(st.lists(st.floats(-1.0, 1.0), max_size=6), st.floats(-1.0, 1.0))
def test_another_document_never_lowers(similarities: list[float], another: float) -> None:
    assert _composite({"similarities": [*similarities, another]}) >= _composite({"similarities": similarities}) - 1e-12


@given(seeds, st.sampled_from(["right", "type_right", "all_right"]), st.booleans())
def test_a_right_outcome_never_lowers_and_a_wrong_one_never_raises(dice: random.Random, of: str, right: bool) -> None:
    case = random_case(dice)
    if not isinstance(case.get("history"), dict):
        case["history"] = {}
    before = _composite(case)
    history = dict(case["history"])
    groups = {"right": ("", "type_", "all_"), "type_right": ("type_", "all_"), "all_right": ("all_",)}[of]
    for group in groups:
        history[f"{group}outcomes"] = history.get(f"{group}outcomes", 0) + 1
        history[f"{group}right"] = history.get(f"{group}right", 0) + right
    after = _composite(case | {"history": history})
    assert (after - before) * (1 if right else -1) >= -1e-12


@given(seeds, st.integers(0, 50))
def test_blocks_never_change_a_score(dice: random.Random, blocked: int) -> None:
    case = random_case(dice)
    if not isinstance(case.get("history"), dict):
        case["history"] = {"right": 1, "outcomes": 2}
    passed = case["history"] | {"met": 50, "total": 50}
    sent_back = case["history"] | {"met": 50 - blocked, "total": 50}
    assert _composite(case | {"history": passed}) == _composite(case | {"history": sent_back})


@given(seeds, st.sampled_from(["exists", "syntax_valid", "types_valid", "tests_exist", "tests_pass"]))
def test_a_check_that_now_holds_never_lowers(dice: random.Random, check: str) -> None:
    case = random_case(dice)
    case.pop("code_validation", None)
    case.setdefault("code", {"exists": True})
    if not case["code"]:
        case["code"] = {"exists": True}
    order = [case | {"code": case["code"] | {check: state}} for state in (False, None, True)]
    scores = [_composite(one) for one in order if any(state is not None for state in one["code"].values())]
    assert scores == sorted(scores)


@given(seeds, st.sampled_from(["exists", "syntax_valid", "types_valid", "tests_exist", "tests_pass"]))
def test_a_first_check_that_holds_never_lowers_what_is_known(dice: random.Random, check: str) -> None:
    case = random_case(dice) | {"code": {}}
    for name in ("code_validation", "history", "lookups"):
        case.pop(name, None)
    support = ("similarities", "knowledge_base", "grounding", "judge")
    if any(case.get(name) is not None for name in support):
        assert _composite(case | {"code": {check: True}}) >= _composite(case) - 1e-12


@given(unit, seeds)
def test_a_lookup_that_finds_something_never_lowers_what_checks_have_shown(lookups: float, dice: random.Random) -> None:
    case = random_case(dice)
    for name in ("similarities", "knowledge_base", "code_validation", "lookups", "history"):
        case.pop(name, None)
    case["code"] = {"exists": True, "tests_pass": dice.choice([True, False]), "types_valid": dice.choice([True, None])}
    if lookups >= MODEL.lookup_centre:
        assert _composite(case | {"lookups": lookups}) >= _composite(case) - 1e-12


@given(seeds, unit, unit)
def test_words_and_stated_confidence_only_lower(dice: random.Random, certainty: float, stated: float) -> None:
    case = random_case(dice)
    case.pop("certainty", None)
    case.pop("stated", None)
    plain = _composite(case)
    for more in ({"certainty": certainty}, {"stated": stated}, {"certainty": certainty, "stated": stated}):
        assert _composite(case | more) <= plain
    assert _composite(case | {"response": "Definitely, certainly, absolutely proven and verified."}) <= plain


@given(seeds)
def test_weights_add_up_to_the_composite(dice: random.Random) -> None:
    case = random_case(dice)
    found = MODEL.score(case)
    scores = {name: found[name] for name in FACTORS if found[name] is not None} | found["signals"]
    weights = MODEL.weights(scores)
    assert weights.keys() == scores.keys()
    if scores.keys() - {"certainty", "stated", "rerank"}:
        assert sum(weights.values()) == pytest.approx(1.0)
        assert sum(weight * scores[name] for name, weight in weights.items()) == pytest.approx(found["composite"])


def test_hedges_lower_and_marks_of_certainty_do_nothing() -> None:
    plain = _score(response="The cache is safe. It is fast.", knowledge_base=0.95)["composite"]
    hedged = _score(response="The cache is probably safe. It is fast.", knowledge_base=0.95)["composite"]
    doubt = _score(response="The cache is probably safe. I think it is fast.", knowledge_base=0.95)["composite"]
    praised = _score(response="The cache is definitely safe. It is proven.", knowledge_base=0.95)["composite"]
    assert plain == praised > hedged > doubt
    assert hedged == pytest.approx(0.6 * 0.95 + 0.4 * 0.875), "probably: 0.25 in one of two sentences"


def test_tests_that_pass_imply_that_the_code_exists_and_parses() -> None:
    assert _score(code={"tests_pass": True})["code_validation"] == pytest.approx(0.88)
    assert _score(code={"exists": True})["code_validation"] == pytest.approx(0.58)
    assert _score(code={"exists": True, "syntax_valid": True, "tests_exist": True, "tests_pass": False})[
        "code_validation"
    ] == pytest.approx(0.4)
    assert _score(code={})["code_validation"] is None


def test_a_named_signal_counts_only_with_a_weight() -> None:
    given_ = {"knowledge_base": 0.9, "signals": {"rerank": 0.1}}
    assert _composite(given_) == pytest.approx(0.9)
    learned = Evidence(signal_weights={"rerank": 0.3, "other": 9.0}).score(given_)
    assert learned["composite"] == pytest.approx(0.5)
    assert learned["signals"] == {"rerank": 0.1}


@pytest.mark.parametrize(
    ("text", "deferral"),
    [("Which version do you mean?", "question"), ("I don't know.", "unknown"), ("Yes.", None)],
)
def test_a_response_that_answers_nothing_passes(text: str, deferral: str | None) -> None:
    found = _score(response=text)
    assert (found["deferral"], found["decision"]) == (deferral, "pass" if deferral else "review")
    assert found["composite"] <= 0.5
    assert not found.steps.reached


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u2060 ", "\u00ad"])
def test_an_empty_response_is_not_sent(text: str) -> None:
    found = _score(response=text, knowledge_base=1.0)
    assert (found["decision"], found.steps.reached) == ("review", 1.0)
    assert "the response is empty" in found["reason"]


def test_uncalibrated_scores_say_so() -> None:
    for case in ({}, {"knowledge_base": 0.9}, {"knowledge_base": 0.1}, {"response": "I don't know."}):
        found = MODEL.score(case)
        assert found["calibrated"] is False
        assert "uncalibrated" in found["reason"]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"history": {"met": 2, "total": 1}}, "history.met: 2 is more than total, 1"),
        ({"history": {"type_right": 2, "type_outcomes": 1}}, "history.type_right: 2 is more than type_outcomes, 1"),
        ({"knowledge_base": 0.5, "similarities": []}, "knowledge_base: this factor is given by similarities too"),
        ({"lookups": 0.5, "similarities": []}, "lookups: this factor is given by similarities too"),
        ({"signals": {"x": 2.0}}, "signals.x: 2.0 is not between 0 and 1"),
    ],
)
def test_contradictory_inputs_are_refused(case: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        MODEL.score(case)
    assert message in str(caught.value)


def test_thresholds_go_by_type() -> None:
    assert _score(agent_type="DGTS Enforcer")["threshold"] == 0.9
    assert Evidence(thresholds={"My Agent": 0.3}).score({"agent_type": "my_agent"})["threshold"] == 0.3


def test_phrases_of_doubt_are_marked() -> None:
    found = MODEL.marks(decode(EvidenceCase, {"response": "I think it may work."}))
    assert ([mark.phrase for mark in found.uncertain], found.certain) == (["i think", "may"], [])
