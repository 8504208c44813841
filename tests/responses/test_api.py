"""The gate for answers: what is decided, why, and what is written down of it."""

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from howsure.errors import InputError, StoreError
from howsure.formulas.ops import FLOATS
from howsure.formulas.scoring import build
from howsure.settings import POLICIES, Policy, Settings
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock


def settings(**values: Any) -> Settings:
    """Return settings as a file would give them."""
    return Settings({}, (("howsure.toml", {name.replace("__", "."): value for name, value in values.items()}),))


def opened(address: str, clock: Clock, **values: Any) -> Sure:
    return open_store(address, clock=clock, settings=settings(**values))


@pytest.fixture
def nlnh(address: str, clock: Clock) -> Iterator[Sure]:
    """Give a store whose gate decides by the source document."""
    with opened(address, clock, gate__policy="nlnh") as sure:
        yield sure


def test_the_example_of_the_source_document(nlnh: Sure) -> None:
    found = nlnh.responses.check(
        agent="archon-planner-1", agent_type="planner", knowledge=0.8, code=0.9, certainty=0.7, history=0.75
    )
    assert found.composite == pytest.approx(0.80)
    assert (found.level, found.threshold, found.decision) == ("MODERATE", 0.75, "pass")
    assert {factor.name: factor.score for factor in found.factors} == {
        "knowledge_base": 0.8,
        "code_validation": 0.9,
        "certainty": 0.7,
        "history": 0.75,
    }
    assert sum(factor.weight for factor in found.factors) == pytest.approx(1)
    assert found.message == ""


@pytest.mark.parametrize("policy", POLICIES)
def test_a_decision_is_written_down_before_it_is_returned(sure: Sure, clock: Clock, policy: Policy) -> None:
    found = sure.responses.check(
        "It is confirmed.", agent="a", agent_type="clerk", knowledge=[0.9], task_id="t1", trace_id="x", policy=policy
    )
    kept = sure.ledger.get(found.id)
    assert (kept.agent, kept.agent_type, kept.task_id, kept.trace_id, kept.at) == ("a", "clerk", "t1", "x", NOW)
    assert (kept.score, kept.threshold, kept.decision, kept.met) == (found.composite, 0.7, found.decision, True)
    assert (kept.content, kept.model, kept.outcome) == ("It is confirmed.", "response", None)
    assert (found.policy, kept.spec["name"]) == (policy, {"evidence": "evidence", "nlnh": "response"}[policy])
    model = build(kept.spec["name"], kept.spec["parameters"])
    again = model.formula(type(found.score.row)(**kept.detail["row"]), FLOATS)
    assert again.composite == found.composite


def test_every_factor_says_why(nlnh: Sure) -> None:
    found = nlnh.responses.check(
        "I think it works, but it is not verified.",
        agent="a",
        knowledge=[{"similarity": 0.92}, {"score": 0.85}, 0.65],
        code={"exists": True, "syntax_valid": False},
    )
    why = {factor.name: factor.why for factor in found.factors}
    assert why["knowledge_base"] == "2 of 3 retrieved are relevant, the best 0.92"
    assert why["code_validation"].startswith("exists: yes, syntax valid: no, types valid: not checked")
    assert why["certainty"] == "2 uncertain (I think, verified)"
    assert why["history"] == "no records in the look-back window: neutral"
    assert [(marker.phrase, marker.start, marker.negated) for marker in found.markers] == [
        ("I think", 0, False),
        ("verified", 32, True),
    ]


@pytest.mark.parametrize("name", ["knowledge", "code", "certainty", "history", "threshold"])
def test_errors_name_the_parameter(sure: Sure, name: str) -> None:
    given: dict[str, Any] = {name: 93}
    with pytest.raises(InputError, match=f"^{name}: 93 is not between 0 and 1"):
        sure.responses.check("It is so.", agent="ann", **given)


def test_without_a_text_certainty_is_left_out(nlnh: Sure) -> None:
    found = nlnh.responses.check(agent="a", knowledge=[0.95, 0.9], code=1.0)
    assert found.factors[2].score is None
    assert found.factors[2].why == "there is no text yet: left out"
    assert found.composite == pytest.approx((0.3 + 0.3 + 0.2 * 0.5) / 0.8)


@pytest.mark.parametrize(
    "text", ["", " ", None, "Certainly. Definitely. Absolutely confirmed, verified, tested, proven." * 9]
)
def test_wording_alone_never_passes(sure: Sure, text: str | None) -> None:
    for threshold in (None, 0.0, 0.5):
        found = sure.responses.check(text, agent="a", history=1.0, threshold=threshold)
        assert found.decision in ("block", "review")
        assert found.message.startswith("I don't know: ")


LIFTED = {"nlnh": ["knowledge_base", "certainty"], "evidence": ["knowledge_base"]}


@pytest.mark.parametrize("policy", POLICIES)
def test_the_listed_changes_just_reach_the_threshold(sure: Sure, policy: Policy) -> None:
    given: dict[str, Any] = {"agent": "a", "knowledge": 0.7, "code": 0.9, "certainty": 0.7, "history": 0.7}
    given["policy"] = policy
    found = sure.responses.check("x", **given)
    assert found.decision == "block"
    assert [lift.factor for lift in found.lifts] == LIFTED[policy]
    names = {"knowledge_base": "knowledge", "certainty": "certainty", "code_validation": "code"}
    for lift in found.lifts:
        assert sure.responses.check("x", **{**given, names[lift.factor]: lift.needed}).decision == "pass"
        assert sure.responses.check("x", **{**given, names[lift.factor]: lift.needed - 1e-6}).decision == "block"
    review = sure.responses.check("x", agent="a", certainty=1.0, history=0.9, policy=policy)
    assert review.decision == "review"
    assert {lift.factor for lift in review.lifts} == {"knowledge_base", "code_validation"}
    for lift in review.lifts:
        more: dict[str, Any] = {names[lift.factor]: lift.needed}
        lifted = sure.responses.check("x", agent="a", certainty=1.0, history=0.9, policy=policy, **more)
        assert lifted.decision == "pass"


def test_history_is_the_share_that_met_the_threshold(nlnh: Sure, clock: Clock) -> None:
    for number in range(20):
        nlnh.responses.check(
            agent="a", knowledge=1.0 if number < 18 else 0.0, code=1.0 if number < 18 else 0.0, history=1.0
        )
    clock.now += 3600
    found = nlnh.responses.check(agent="a", knowledge=1.0)
    assert (found.factors[3].score, found.factors[3].why) == (0.9, "18 of 20 answers met their threshold")
    assert nlnh.responses.check(agent="b", knowledge=1.0).factors[3].score == 0.5
    clock.now = NOW + 86400.5
    assert nlnh.responses.check(agent="a", knowledge=1.0).factors[3].why.startswith("1 of 1")


def test_known_outcomes_take_the_place_of_passing(address: str, clock: Clock) -> None:
    for use in (True, False):
        with opened(f"{address}", clock, responses__outcomes=use, gate__policy="nlnh") as sure:
            agent = f"agent {use}"
            ids = [sure.responses.check(agent=agent, knowledge=1.0, code=1.0).id for _ in range(20)]
            for place, one in enumerate(ids[:19]):
                sure.ledger.outcome(one, "right" if place < 5 else "wrong" if place < 15 else "corrected", by="ann")
            assert sure.responses.check(agent=agent, knowledge=1.0).factors[3].score == 1.0
            sure.ledger.outcome(ids[19], "wrong")
            sure.ledger.outcome(ids[0], "wrong", note="on second thought")
            score = sure.responses.check(agent=agent, knowledge=1.0, code=1.0).factors[3].score
            assert score == (pytest.approx(4 / 20) if use else 1.0)


def test_retrieval_results_of_many_shapes(nlnh: Sure) -> None:
    node = SimpleNamespace(node="...", score=0.9)
    results = [0.9, {"similarity": 0.9}, {"score": 0.9}, (SimpleNamespace(page_content="..."), 0.9), node]
    assert nlnh.responses.check(agent="a", knowledge=results).factors[0].score == 1.0
    assert nlnh.responses.check(agent="a", knowledge=[]).factors[0].score == 0.0
    assert nlnh.responses.check(agent="a", knowledge=iter([0.8])).factors[0].score == pytest.approx(0.85)
    distance = [{"distance": 0.1}]
    with pytest.raises(InputError, match=r"knowledge\[0\]: a distance is not a similarity"):
        nlnh.responses.check(agent="a", knowledge=distance)
    found = nlnh.responses.check(agent="a", knowledge=distance, from_distance=lambda d: 1 - d)
    assert found.factors[0].score == pytest.approx(0.95)
    for wrong in ("text", {"similarity": 1}, [{"text": "x"}], [None], [float("nan")], [1.5]):
        with pytest.raises(InputError, match="knowledge"):
            nlnh.responses.check(agent="a", knowledge=wrong)
    assert nlnh.responses.check(agent="a", knowledge=0.8).factors[0].score == 0.8
    with pytest.raises(InputError, match="'text' is neither a number nor a list of results"):
        nlnh.responses.check(agent="a", knowledge="text")
    with pytest.raises(InputError, match=r"knowledge\[1\]"):
        nlnh.responses.check(agent="a", knowledge=[0.9, 10**400])


def test_numbers_of_numpy_are_knowledge_and_may_be_rounded(sure: Sure) -> None:
    np = pytest.importorskip("numpy")
    for number in (np.float32(0.75), np.array(0.75)):
        assert sure.responses.check(knowledge=number, policy="nlnh").factors[0].score == 0.75
    equal = sure.responses.check(knowledge=np.array([1.0000001, 0.5], dtype=np.float32), policy="nlnh")
    assert equal.factors[0].score == sure.responses.check(knowledge=[1.0, 0.5], policy="nlnh").factors[0].score


BLOCKS = {
    "```python\nx = 1\n```": True,
    "```python\nx = (\n```": False,
    '~~~json\n{"a": 1}\n~~~': True,
    "```json\n{a}\n```": False,
    "```toml\na = 1\n```\n```yaml\na: [1\n```": False,
    "```yaml\na: 1\n---\nb: 2\n```": True,
    "```haskell\nx = (\n```": None,
    "```x```\nUse this:\n```python\nx = (\n```": False,
    "It goes on:\n```python\nx = (\n": False,
}


@pytest.mark.parametrize("text", BLOCKS)
def test_the_code_in_an_answer_is_checked(sure: Sure, text: str) -> None:
    found = sure.responses.check(text, agent="a", code="answer")
    checks = found.score["code_checks"]
    assert checks["exists"] is True
    assert checks["syntax_valid"] == ("not checked" if BLOCKS[text] is None else BLOCKS[text])
    assert sure.responses.check("No code.", agent="a", code="answer").factors[1].score is None


def test_a_folder_of_code_is_checked(address: str, clock: Clock, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "main.py").write_text("x = 1\n")
    python = sys.executable
    with opened(address, clock, code__types=f"{python} -c 'raise SystemExit(0)'", gate__policy="nlnh") as sure:
        assert sure.responses.check(agent="a", code=folder).factors[1].score == pytest.approx(0.7)
        (folder / "tests" / "test_main.py").write_text("def test_x():\n    assert True\n")
        assert sure.responses.check(agent="a", code=str(folder)).factors[1].score == pytest.approx(0.85)
        passing, failing = (f"{python} -c 'raise SystemExit({code})'" for code in (0, 1))
        assert sure.responses.check(agent="a", code=folder, run_tests=passing).factors[1].score == pytest.approx(1.0)
        assert sure.responses.check(agent="a", code=folder, run_tests=failing).factors[1].score == pytest.approx(0.85)
        (folder / "broken.py").write_text("def x(:\n")
        assert sure.responses.check(agent="a", code=folder).score["code_checks"]["syntax_valid"] is False
        assert sure.responses.check(agent="a", code=tmp_path / "nothing").score["code_checks"]["exists"] is False
        with pytest.raises(InputError, match="cannot run"):
            sure.responses.check(agent="a", code=folder, run_tests="no-such-command-at-all")
        with pytest.raises(InputError, match="run_tests"):
            sure.responses.check(agent="a", run_tests="true")
        with pytest.raises(InputError, match="run_tests"):
            sure.responses.check("```py\n1\n```", agent="a", code="answer", run_tests="true")


def test_a_test_run_that_takes_too_long_has_failed_and_leaves_nothing_running(
    address: str, clock: Clock, tmp_path: Path
) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.py").write_text("")
    late = "import time, pathlib; time.sleep(2); pathlib.Path('late').touch()"
    script = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {late!r}]); time.sleep(60)"
    (tmp_path / "run.py").write_text(script)
    with opened(address, clock, code__time_limit=0.5) as sure:
        found = sure.responses.check(
            agent="a", code=tmp_path / "p", run_tests=f"{sys.executable} {tmp_path / 'run.py'}"
        )
    assert found.score["code_checks"]["tests_pass"] is False
    time.sleep(2.5)
    assert not (tmp_path / "p" / "late").exists()


def test_a_decision_that_cannot_be_written_is_not_returned(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise StoreError("the disk is full")

    monkeypatch.setattr(sure.session, "write", fail)
    with pytest.raises(StoreError, match="full"):
        sure.responses.check(agent="a", knowledge=1.0, code=1.0)
    found = sure.responses.check(agent="a", knowledge=1.0, code=1.0, on_ledger_error="allow")
    assert (found.decision, found.recorded) == ("pass", False)
    assert found.warnings == ("the decision could not be recorded: the disk is full",)
    with pytest.raises(InputError, match="on_ledger_error"):
        sure.responses.check(agent="a", on_ledger_error="never")  # type: ignore[arg-type]


def test_responses_can_be_checked_asynchronously(sure: Sure) -> None:
    async def ask() -> list[str]:
        found = await asyncio.gather(*(sure.responses.acheck("x", agent="a", knowledge=0.9) for _ in range(8)))
        return [one.id for one in found]

    ids = asyncio.run(ask())
    assert {record.id for record in sure.ledger.find().decisions} == set(ids)


NAMES = [
    "",
    " ",
    'ann\'s "agent"',
    "x'; DROP TABLE decisions; --",
    "агент",
    "\u202eagent",
    "a" * 600,
    "a/b\\c\n\t",
    "%s :x ?",
]


@pytest.mark.parametrize("name", NAMES)
def test_agents_may_have_odd_names(sure: Sure, name: str) -> None:
    for _ in range(2):
        found = sure.responses.check(
            "It is tested.", agent=name, agent_type=name, task_id=name, knowledge=1.0, code=1.0
        )
        sure.ledger.outcome(found.id, "right")
    assert found.factors[3].why == "1 of 1 answers with a known outcome were right"
    assert sure.ledger.get(found.id).agent == name


@pytest.mark.parametrize("name", ["a\x00b", "a" * 601, "\ud800", 5])
def test_names_that_cannot_be_kept_are_refused(sure: Sure, name: Any) -> None:
    with pytest.raises(InputError, match="agent"):
        sure.responses.check(agent=name)


@pytest.mark.parametrize(
    "text", ["\x00" * 300, "Ответ подтверждён", "🤷" * 500, "\ud800 lone", "答えは確認済みです" * 100]
)
def test_any_text_can_be_judged(sure: Sure, text: str) -> None:
    found = sure.responses.check(text, agent="a", knowledge=1.0, code=1.0)
    assert found.decision == "pass"
    assert len(sure.ledger.get(found.id).content or "") <= 200


def test_a_huge_answer_is_judged(sure: Sure) -> None:
    text = ("This is definitely a long answer, maybe. " + "It goes on. " * 300) * (50_000_000 // 3641)
    found = sure.responses.check(text, agent="a", knowledge=1.0, code=1.0)
    assert len(found.markers) <= 200
    assert len(sure.ledger.get(found.id).content or "") == 200


@pytest.fixture(params=["nothing", "start", "all"])
def keeping(request: pytest.FixtureRequest, address: str, clock: Clock) -> Iterator[tuple[str, Sure]]:
    with opened(address, clock, ledger__keep=request.param, ledger__redact=[r"Project \w+"]) as sure:
        yield request.param, sure


def test_responses_are_stored_as_the_settings_say(keeping: tuple[str, Sure]) -> None:
    keep, sure = keeping
    text = (
        "Project Apollo uses api_key=abcdef123456 and sk-abcdefghijklmnopqrstuvwx at https://ann:pw@host. " + "x" * 300
    )
    kept = sure.ledger.get(sure.responses.check(text, agent="a").id)
    if keep == "nothing":
        assert (kept.digest, kept.content) == (None, None)
        return
    assert kept.digest is not None
    assert kept.content is not None
    for secret in ("Apollo", "abcdef123456", "sk-abc", "ann:pw"):
        assert secret not in kept.content
    assert kept.content.startswith("[redacted] uses [redacted] and [redacted] at https://[redacted]@host. xxx")
    assert len(kept.content) == (200 if keep == "start" else len(kept.content.rstrip("x")) + 300)
    assert text not in str(kept.detail)


def test_an_agent_type_must_be_a_text(sure: Sure) -> None:
    with pytest.raises(InputError, match="agent_type: null is not a text"):
        sure.responses.check("x", agent_type=None)  # type: ignore[arg-type]
    assert sure.ledger.find().decisions == []


def test_a_trace_without_tool_calls_is_named(sure: Sure) -> None:
    found = sure.responses.check("It is so.", agent="a", trace_id="brand-new", from_trace=True)
    assert found.warnings == ("there are no tool calls of the trace 'brand-new'",)
    sure.investigations.record("known", "grep", {"pattern": "Parser"}, 3)
    assert sure.responses.check("It is so.", agent="a", trace_id="known", from_trace=True).warnings == ()


def test_what_is_explained_later_claims_no_more_than_is_stored(sure: Sure) -> None:
    found = sure.responses.check("It is so.", agent="a", knowledge=0.9, code=0.5, history=0.9)
    assert [one.why for one in sure.ledger.explain(found.id).factors if one.score is not None] == [
        "given, retrieved or looked up",
        "given or checked",
        "given, or how the agent had done before",
    ]
