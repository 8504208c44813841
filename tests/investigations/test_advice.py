"""Advice which evidence to collect next."""

import itertools

import pytest

from howsure.formulas.investigation import Investigation
from howsure.formulas.tool_calls import Tally, ToolCall
from howsure.investigations.inquiry import Inquiry
from howsure.sure import Sure


@pytest.fixture
def inquiry(sure: Sure) -> Inquiry:
    return sure.investigations.start("Where is the leak?", agent="a", trace_id="t")


def test_the_most_helpful_evidence_is_advised_first(inquiry: Inquiry) -> None:
    inquiry.record("grep", target="Parser", results=3)
    advice = inquiry.advice()
    assert [one.what for one in advice[:2]] == ["search for parser in another way", "read what was found for parser"]
    assert [one.gain for one in advice] == sorted((one.gain for one in advice), reverse=True)
    inquiry.record("read", target="Parser.py", results=1)
    assert inquiry.score["score"] == pytest.approx(advice[1].score)
    assert inquiry.state.advice[0].gain > 0


def test_advice_is_to_mend_what_failed(inquiry: Inquiry) -> None:
    inquiry.record("grep", {"pattern": "Parser"}, ["parser.py"])
    inquiry.record("read", {"path": "parser.py"}, "class Parser")
    inquiry.record("Bash", {"command": "pytest"}, "1 failed")
    assert "fix the failed tests: pytest" in [one.what for one in inquiry.advice()]
    inquiry.record("ctest", passed=False)
    inquiry.record("make", passed=False)
    advice = {one.what: one for one in inquiry.advice()}
    assert advice.keys() >= {"fix the failed build: make"}
    assert "run the tests" not in advice
    inquiry.record("make", passed=True)
    (mended,) = (one for one in inquiry.advice() if one.what == "fix the failed tests: pytest, ctest")
    inquiry.record("pytest", passed=True)
    assert inquiry.record("ctest", passed=True)["score"] == pytest.approx(mended.score)


def test_advice_uses_the_tools_that_the_model_has(sure: Sure) -> None:
    own = Investigation(tools={"srch": "search", "look": "read", "check": "verification.test"})
    one = sure.investigations.start("q", model=own)
    one.record("srch", target="Parser", results=0)
    advice = {advice.what: advice for advice in one.advice()}
    assert advice.keys() == {
        "search for parser in another way", "read what was found for parser", "run the tests",
    }  # fmt: skip
    assert one.record("look", target="parser", results=1)["score"] == pytest.approx(
        advice["read what was found for parser"].score
    )


def test_advice_after_every_step_costs_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    added = itertools.count()
    plain = Tally.add

    def counting(self: Tally, call: ToolCall) -> None:
        next(added)
        plain(self, call)

    one = Inquiry("q")
    for number in range(1000):
        one.record("grep", target=f"t{number}", results=1)
        one.record("read", target=f"t{number}", results=1)
    monkeypatch.setattr(Tally, "add", counting)
    one.advice()
    assert next(added) < 50
    small = one._all.around("t7")
    assert max(len(small.kinds), len(small.paths), len(small.confirmed), len(small.agreed)) <= 2
