"""Responses: the factors, the threshold and the reasons."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.formulas.response import Response
from howsure.formulas.response_case import apart


def _score(**case: Any) -> Any:
    return Response().score(case)


def test_the_example_of_the_source_document_is_eighty_percent() -> None:
    found = _score(agent_type="planner", knowledge_base=0.8, code_validation=0.9, certainty=0.7, history=0.75)
    assert (found["composite"], found["level"], found["decision"]) == (pytest.approx(0.8), "MODERATE", "pass")


def test_the_example_sentence_has_three_markers() -> None:
    found = _score(response="I definitely tested this and it's confirmed working")
    assert found["certainty"] == pytest.approx(0.8)
    assert found["markers"]["certain"] == ["definitely", "tested", "confirmed"]


def test_words_and_history_alone_never_pass() -> None:
    praise = "Definitely certainly absolutely confirmed verified tested proven documented. " * 9
    found = _score(response=praise, history=1.0)
    assert (found["composite"], found["decision"]) == (1.0, "review")
    assert "neither knowledge nor code was looked at" in found["reason"]


def test_an_empty_answer_is_a_text_and_does_not_pass() -> None:
    found = _score(response="", history=1.0)
    assert (found["certainty"], found["decision"]) == (0.5, "block")


def test_before_anything_is_generated_certainty_is_left_out() -> None:
    found = _score(similarities=[0.95], history=0.9)
    assert found["certainty"] is None
    assert found["composite"] == pytest.approx((0.3 * 1.0 + 0.2 * 0.9) / 0.5)


def test_retrieval_that_found_nothing_is_not_no_retrieval() -> None:
    assert _score(similarities=[])["knowledge_base"] == 0.0
    assert _score(similarities=[0.69, -1.0])["knowledge_base"] == 0.0
    assert _score(similarities=None)["knowledge_base"] is None
    assert _score(similarities=[0.7])["knowledge_base"] == pytest.approx(0.75)


def test_code_checks_that_were_not_made_earn_nothing() -> None:
    found = _score(code={"exists": True, "tests_pass": False})
    assert found["code_validation"] == pytest.approx(0.3)
    assert found["code_checks"] == {
        "exists": True,
        "syntax_valid": "not checked",
        "types_valid": "not checked",
        "tests_exist": "not checked",
        "tests_pass": False,
    }
    assert _score(code={})["code_validation"] is None


def test_history_counts_right_answers_once_enough_are_known() -> None:
    assert _score(history={"met": 9, "total": 10, "right": 1, "outcomes": 19})["history"] == 0.9
    assert _score(history={"met": 9, "total": 10, "right": 5, "outcomes": 20})["history"] == 0.25
    assert _score(history={"met": 0, "total": 0})["history"] == 0.5
    assert _score()["history"] == 0.5


def test_thresholds_go_by_type_and_can_be_given() -> None:
    assert _score(agent_type="DGTS_Enforcer")["threshold"] == 0.9
    assert _score(agent_type="poet")["threshold"] == 0.8
    assert _score(agent_type="planner", threshold=0.1)["threshold"] == 0.1


def test_a_type_may_be_written_as_the_source_document_does() -> None:
    for name in ("DGTS Enforcer", "dgts-enforcer", " dgts_enforcer "):
        assert _score(agent_type=name)["threshold"] == 0.9
    assert Response(thresholds={"My Agent": 0.3}).score({"agent_type": "my_agent"})["threshold"] == 0.3


def test_exactly_the_threshold_passes() -> None:
    assert _score(knowledge_base=0.8, history=0.8, threshold=0.8)["decision"] == "pass"


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"history": {"met": 2, "total": 1}}, "history.met: 2 is more than total, 1"),
        ({"history": {"right": 2, "outcomes": 1}}, "history.right: 2 is more than outcomes, 1"),
        ({"knowledge_base": 0.5, "similarities": []}, "knowledge_base: this factor is given by similarities too"),
        ({"similarities": [1.5]}, "similarities[0]: 1.5 is not between -1 and 1"),
    ],
)
def test_contradictory_inputs_are_refused(case: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Response().score(case)
    assert message in str(caught.value)


def test_numbers_that_do_not_differ_are_shown_as_short_as_others() -> None:
    assert apart(0.5, 0.5) == ("0.50", "0.50")
    assert apart(0.5, 0.5 + 1e-14, 100.0) == ("50", "50")


def test_a_factor_of_nothing_is_a_number_like_others() -> None:
    found = Response().score({"code": {"exists": False}, "knowledge_base": -0.0})
    assert [repr(found.row.knowledge_base), repr(found.row.code_validation)] == ["0.0", "0.0"]
