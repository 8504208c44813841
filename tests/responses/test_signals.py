"""Signals about a response: each is optional, checked, recorded and shown with its reason."""

import math
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.judge.question import Answer, Failure
from howsure.judge.scripted import ScriptedJudge
from howsure.responses.grounding import measure_grounding
from howsure.responses.knowledge import find_texts
from howsure.sure import Sure
from howsure.sure import open as open_store
from howsure.text.agreement import measure_agreement
from tests.conftest import Clock

CONTEXT = ["The gateway listens on port 8443. Idle connections are closed after 90 seconds."]
GIVEN: dict[str, Any] = {
    "knowledge": [0.92],
    "context": CONTEXT,
    "samples": ["It listens on port 8443.", "Port 8443"],
    "logprobs": [-0.1, -0.3],
    "stated": 0.8,
    "judge": 0.9,
    "signals": {"rerank": 0.7, "my.own-signal_2": 0},
}
TEXT = "The gateway listens on port 8443."


def scores(found: Any) -> dict[str, float | None]:
    return {factor.name: factor.score for factor in found.factors}


def test_every_signal_is_recorded_and_shown_with_its_reason(sure: Sure) -> None:
    found = sure.responses.check(TEXT, agent="a", **GIVEN)
    known = scores(found)
    assert known["logprobs"] == pytest.approx(math.exp(-0.2))
    assert (known["stated"], known["judge"], known["rerank"], known["my.own-signal_2"]) == (0.8, 0.9, 0.7, 0.0)
    assert known["samples"] == 1.0
    assert (known["grounding"] or 0.0) > 0.8
    why = {factor.name: factor.why for factor in found.factors}
    assert why["samples"] == "agreement with 2 other answers"
    assert why["logprobs"] == "mean probability of 2 tokens"
    assert why["grounding"] == "every sentence is found in what was retrieved"
    assert "counts for nothing until outcomes give it a weight" in why["rerank"]
    assert sum(factor.weight * (factor.score or 0.0) for factor in found.factors) == pytest.approx(found.composite)
    kept = sure.ledger.explain(found.id)
    assert {factor.name: factor.score for factor in kept.factors} == known
    assert [factor.weight for factor in kept.factors] == pytest.approx([factor.weight for factor in found.factors])


def test_named_signals_change_nothing(sure: Sure) -> None:
    plain = sure.responses.check(TEXT, agent="a", knowledge=0.9)
    named = sure.responses.check(TEXT, agent="a", knowledge=0.9, signals={"rerank": 0.0})
    assert named.composite == plain.composite


def test_the_source_document_uses_none_of_them(sure: Sure) -> None:
    plain = sure.responses.check(TEXT, agent="a", knowledge=[0.92], history=0.5, policy="nlnh")
    found = sure.responses.check(TEXT, agent="a", **GIVEN, history=0.5, policy="nlnh")
    assert (found.composite, found.reason) == (plain.composite, plain.reason)
    assert scores(found)["rerank"] == 0.7
    assert {factor.weight for factor in found.factors[4:]} == {0.0}
    assert [one.score for one in sure.ledger.explain(found.id).factors] == [one.score for one in found.factors]


def test_an_answer_that_is_not_in_the_context_does_not_pass(sure: Sure) -> None:
    passed = sure.responses.check(TEXT, agent="a", knowledge=[0.95], context=CONTEXT)
    assert passed.decision == "pass"
    made_up = sure.responses.check(
        "Definitely 12 Martian harbours, verified.", agent="a", knowledge=[0.95], context=CONTEXT
    )
    assert made_up.decision == "block"
    assert made_up.lifts[0].factor == "grounding"
    by_result = sure.responses.check("Twelve Martian harbours.", knowledge=[{"similarity": 0.95, "text": CONTEXT[0]}])
    assert by_result.decision == "block"


def test_texts_are_found_in_results_of_many_shapes() -> None:
    pair = (SimpleNamespace(page_content="one"), 0.9)
    node = SimpleNamespace(node=SimpleNamespace(text="two"), score=0.9)
    results = [0.5, pair, node, {"content": "three", "score": 1}, ("four", 0.2), {"text": "..."}, {"text": 5}]
    assert find_texts(results) == ["one", "two", "three", "four"]
    assert find_texts([0.5]) is None


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"logprobs": 0.5}, "logprobs: 0.5 is not between"),
        ({"logprobs": []}, "logprobs: 0 tokens"),
        ({"logprobs": [-0.1, "x"]}, r"logprobs\[1\]"),
        ({"samples": "one"}, "samples: .* is not a list of texts"),
        ({"samples": [5]}, r"samples\[0\]: 5 is not a text"),
        ({"samples": ["x"] * 101}, "samples: 101 texts"),
        ({"context": 5}, "context: 5 is not a list"),
        ({"stated": 2}, "stated: 2 is not between 0 and 1"),
        ({"grounding": -1}, "grounding: -1 is not between"),
        ({"judge": "maybe"}, "judge: .*maybe"),
        ({"judge": "ask"}, "judge: no judge is configured"),
        ({"signals": {"Rerank": 0.5}}, "signals: invalid name"),
        ({"signals": {"grounding": 0.5}}, "signals: grounding is not a named signal .*pass it as `grounding`"),
        ({"signals": {"knowledge_base": 0.5}}, "knowledge_base is not a named signal .*pass it as `knowledge`"),
        ({"signals": {"composite": 0.5}}, "composite is not a named signal .*it is computed"),
        ({"signals": {"x": 1.5}}, "signals.x: 1.5 is not between"),
        ({"signals": {f"s{n}": 0.5 for n in range(21)}}, "signals: 21 signals"),
        ({"signals": [1]}, "signals: .* is not a mapping"),
        ({"policy": "evidense"}, "unknown policy .*did you mean"),
    ],
)
def test_what_is_wrong_is_told(sure: Sure, option: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sure.responses.check(TEXT, agent="a", **option)
    assert sure.ledger.find().decisions == []


def test_the_judge_is_asked_only_on_request(tmp_path: Any, clock: Clock) -> None:
    asked: list[Any] = []

    def reply(question: Any) -> Any:
        asked.append(question.content)
        return {"probability": 0.25 if len(asked) == 1 else None}

    with open_store(str(tmp_path / "s.db"), clock=clock, judge=ScriptedJudge(reply)) as sure:
        sure.responses.check(TEXT, agent="a", knowledge=0.9)
        assert asked == []
        found = sure.responses.check(TEXT, agent="a", judge="ask", question="Which port?", context=CONTEXT)
        assert scores(found)["judge"] == 0.25
        assert asked[0] == {"question": "Which port?", "response": TEXT, "background 1": CONTEXT[0]}
        silent = sure.responses.check(TEXT, agent="a", knowledge=0.9, judge="ask")
        assert (scores(silent).get("judge"), silent.warnings) == (None, ("the judge cannot say",))
        with pytest.raises(InputError, match="there is no text to ask about"):
            sure.responses.check(agent="a", judge="ask")


def test_a_judge_that_fails_is_a_warning(tmp_path: Any, clock: Clock) -> None:
    class Broken:
        model = "broken"

        def ask(self, question: Any) -> Answer | Failure:
            raise OSError("no line")

        async def aask(self, question: Any) -> Answer | Failure:
            raise OSError

    with open_store(str(tmp_path / "s.db"), clock=clock, judge=Broken()) as sure:
        found = sure.responses.check(TEXT, agent="a", knowledge=0.9, judge="ask")
        assert found.decision == "pass"
        assert found.warnings[0].startswith("the judge could not be asked: ")


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=4))
def test_agreement_and_grounding_of_any_texts_are_shares(text: str, others: list[str]) -> None:
    agreement, grounding = measure_agreement(text, others), measure_grounding(text, others)
    assert agreement is None if not others else agreement is not None and 0.0 <= agreement <= 1.0
    assert grounding is None or 0.0 <= grounding[0] <= 1.0
    assert measure_agreement(text, [text]) == 1.0


@pytest.mark.parametrize(
    ("context", "response"),
    [
        ("Never store the key in the repository.", "Store the key in the repository."),
        ("Latency must be less than 50 ms.", "Latency must be more than 50 ms."),
        ("The gateway listens on port 8443.", "The gateway listens on port 8443. Turn off encryption in production."),
        ("The gateway listens on port 8443.", "Der Port ist die 8443. The gateway listens on port 8443."),
    ],
)
def test_what_the_context_denies_or_does_not_say_does_not_pass(sure: Sure, context: str, response: str) -> None:
    decision = sure.responses.check(response, agent="a", context=[context])
    assert decision.decision == "block"
    assert "every sentence is found" not in decision.reason


@pytest.mark.parametrize(
    ("context", "response"),
    [
        ("Das Gateway lauscht auf Port 8443 und nicht auf 9443.", "Das Gateway lauscht nicht auf Port 8443."),
        ("Run `rm -rf build` to clean.", "```sh\nrm -rf /\n```"),
    ],
)
def test_what_cannot_be_judged_is_for_review(sure: Sure, context: str, response: str) -> None:
    assert measure_grounding(response, [context]) is None
    assert sure.responses.check(response, agent="a", context=[context]).decision == "review"


def test_words_of_another_language_still_tell_that_a_text_is_about_something_else() -> None:
    found = measure_grounding(
        "Die Katze ist nicht auf dem Dach.", ["Das Gateway lauscht auf Port 8443 und nicht auf 9443."]
    )
    assert found is not None
    assert found.score < 0.2


def test_an_answer_with_citations_passes(sure: Sure) -> None:
    found = sure.responses.check(
        "The gateway listens on port 8443 [1]. TLS 1.3 is required.[2]",
        agent="a",
        context=["The gateway listens on port 8443. TLS 1.3 is required."],
    )
    assert found.decision == "pass"
