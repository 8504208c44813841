"""Investigations: how sure, while tools are still at work."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from howsure.agents.tool_calls import build_model
from howsure.errors import InputError
from howsure.formulas.investigation import Case, Investigation
from howsure.formulas.tool_calls import Tally, ToolCall
from howsure.investigations.inquiry import Inquiry
from howsure.store.ledger_tables import tool_calls
from howsure.sure import Sure

STRONG = [
    ("find", "MemoryManager"),
    ("read", "MemoryManager.h"),
    ("grep", "MemoryManager"),
    ("read", "MemoryManager.cpp"),
]
SIMPLE = [("find", "Config"), ("read", "settings.py")]


tools = st.sampled_from(["find", "grep", "references", "read", "git", "gh", "cmake", "ctest", "discovery"])
steps = st.builds(
    ToolCall,
    tool=tools,
    target=st.sampled_from(["", "a", "b.py", "src/a.h"]),
    results=st.integers(0, 2),
    passed=st.sampled_from([None, True, False]),
    factors=st.sampled_from([None, 0, 2, 4]),
    error=st.sampled_from([None, None, "x"]),
    recovery=st.booleans(),
)


@pytest.fixture
def inquiry(sure: Sure) -> Inquiry:
    return sure.investigations.start("Where is the leak?", agent="a", trace_id="t")


def test_the_profile_of_the_source_document(sure: Sure) -> None:
    scores, bands, recover = [], [], 0
    for profile, count in ((STRONG, 38), (SIMPLE, 11), ([], 1)):
        for _ in range(count):
            with sure.investigations.start("q", agent="a") as one:
                for tool, target in profile:
                    one.record(tool, target=target, results=1)
            scores.append(one.score["score"])
            bands.append(one.score["band"])
            recover += one.score["recover"]
    assert 0.76 <= sum(scores) / 50 <= 0.82
    assert {band: bands.count(band) for band in set(bands)} == {"strong": 38, "adequate": 11, "failed": 1}
    assert recover / 50 <= 0.20
    assert sure.ledger.stats(model="investigation").all.total == 50


def test_an_inquiry_can_be_scored_at_any_time(inquiry: Inquiry) -> None:
    assert (inquiry.score["score"], inquiry.score["decision"]) == (0.0, "stop")
    inquiry.record("Grep", {"pattern": "class Parser"}, {"filenames": ["parser.py"], "numFiles": 1})
    inquiry.record("Read", {"file_path": "src/parser.py"}, "class Parser: ...")
    found = inquiry.record("Bash", {"command": "cd app && uv run pytest -q"}, "2 failed, 3 passed")
    assert (found["converging_target"], found["through"], found["decision"]) == ("parser", [1, 2], "proceed")
    assert found["warnings"] == ["the latest tests failed: pytest"]
    assert found["categories"].keys() == {"search", "read", "verification"}
    better = inquiry.record("Bash", {"command": "pytest"}, "5 passed")
    assert better["score"] > found["score"]
    assert better["warnings"] == []


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        [],
        {},
        "No matches found",
        "No files found",
        {"numFiles": 0, "filenames": []},
        "grep: x: No such file or directory",
        0,
    ],
)
def test_irrelevant_output_is_not_evidence(inquiry: Inquiry, nothing: Any) -> None:
    found = inquiry.record("Grep", {"pattern": "x"}, nothing)
    assert found["categories"] == {"search": 0.0}


def test_an_overview_counts_by_what_it_shows(inquiry: Inquiry) -> None:
    found = inquiry.record("Bash", {"command": "ls -la"}, "README.md\npyproject.toml\nsrc\ntests\n")
    assert (found["categories"], found["score"]) == ({"discovery": 0.85}, 0.54)
    named = inquiry.record("discovery", factors=["build system", "tests"])
    assert named["categories"] == {"discovery": 0.85}


def test_recovery_calls_are_scored_separately(inquiry: Inquiry) -> None:
    before = inquiry.record("grep", target="x", results=0)["score"]
    found = inquiry.record("find", target="x", results=2, recovery=True)
    assert found["recovery_change"] == pytest.approx(found["score"] - before)
    assert (found["recovery_change"] > 0, found["recoveries"]) == (True, 1)
    again = inquiry.record("find", target="y", results=0, recovery=True)
    assert (again["score"], again["recoveries"]) == (found["score"], 2)
    failed = inquiry.record("ctest", passed=False, recovery=True)
    assert failed["score"] < found["score"]


def test_an_inquiry_is_recorded_once(sure: Sure, inquiry: Inquiry) -> None:
    with inquiry:
        inquiry.record("find", target="x", results=1)
    inquiry.close()
    (record,) = sure.ledger.find().decisions
    assert (record.id, record.model, record.agent, record.trace_id, record.content) == (
        inquiry.id,
        "investigation",
        "a",
        "t",
        "Where is the leak?",
    )
    assert record.detail["answer"]["recoveries"] == 0
    with pytest.raises(RuntimeError), sure.investigations.start("q"):
        raise RuntimeError
    assert len(sure.ledger.find().decisions) == 1


def test_an_inquiry_continues_until_it_is_sure_enough(sure: Sure) -> None:
    used = []

    def vain(one: Inquiry) -> None:
        used.append("vain")
        one.record("grep", target="x", results=0)

    def broken(_: Inquiry) -> None:
        used.append("broken")
        raise OSError("no network")

    def finds(one: Inquiry) -> None:
        used.append("finds")
        one.record("find", target="x", results=1)
        one.record("read", target="x.py", results=1)

    one = sure.investigations.start("q")
    found = one.investigate_until(0.5, [vain, broken, finds, vain])
    assert used == ["vain", "broken", "finds"]
    assert (found["decision"], one.recoveries, one.failures) == ("proceed", 2, ["broken: no network"])
    other = sure.investigations.start("q")
    assert other.investigate_until(lambda score: score["band"] == "strong", [vain] * 9)["score"] == 0.0
    assert len(other.calls) == 4
    with pytest.raises(InputError, match="tools"):
        other.investigate_until(0.5, [])


def test_own_tools_get_a_category_by_settings(sure: Sure) -> None:
    own = build_model({"get_reservation": "read", "check": "verification.test"})
    one = sure.investigations.start("q", model=own)
    one.record("get_reservation", {"id": "R1"}, {"content": "Ann, two seats"})
    found = one.record("check", None, "3 passed")
    assert found["categories"] == {"read": 0.55, "verification": 0.8}
    with pytest.raises(InputError, match="tools"):
        build_model({"x": "magic"})


def test_unknown_tools_are_reported_and_ignored(sure: Sure) -> None:
    one = sure.investigations.start("q")
    told: list[dict[str, Any]] = [{"target": "x", "results": 1}, {"arguments": {"query": "x"}, "results": "a.py:1: x"}]
    for fields in told:
        found = one.record("unheard of", **fields)
        assert (found["categories"], found["warnings"]) == ({}, ["unknown tools are ignored: unheard of"])
    for known in ("Edit", "TodoWrite", "Bash"):
        one.record(known, {"command": "ls | wc -l"}, "done")
    assert one.score["warnings"] == ["unknown tools are ignored: unheard of"]
    assert (one.calls, one.unknown) == ([], 2)
    own = sure.investigations.start("q", model=Investigation(tools={"srch": "search"}))
    assert own.record("Bash", {"command": "pytest"}, "3 passed")["warnings"] == ["unknown tools are ignored: pytest"]


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("gh", {"results": 1, "complete": 2}, "complete: 2 is not between 0 and 1"),
    ("gh", {"results": 1, "complete": float("nan")}, "complete: nan is not a finite number"),
    ("gh", {"results": float("nan")}, "results: nan is not a finite number"),
    ("gh", {"results": float("inf")}, "results: inf is not a finite number"),
    ("grep", {"results": -1}, "results: -1 is not between"),
    ("grep", {"results": 1.5}, "results: 1.5 is not a whole number"),
    ("discovery", {"factors": 9}, "factors: 9 is not between 0 and 4"),
    ("discovery", {"factors": 2.5}, "factors: 2.5 is not a whole number"),
    ("discovery", {"factors": "tests"}, "factors: 'tests' is not a whole number"),
    ("discovery", {"factors": ["tests", "nonsense"]}, "factors: unknown factor 'nonsense'"),
    ("discovery", {"factors": [5]}, "factors: unknown factor 5"),
    ("pytest", {"passed": "yes"}, "passed: 'yes' is neither true nor false"),
    ("grep", {"recovery": "no"}, "recovery: 'no' is neither true nor false"),
    ("grep", {"target": 5}, "target: 5 is not a text"),
    ("grep", {"error": 5}, "error: 5 is not a text"),
    ("unheard of", {"complete": 2}, "complete: 2 is not between 0 and 1"),
    ("", {}, "tool: the name of the tool is empty"),
]


@pytest.mark.parametrize(("tool", "given", "message"), BAD)
def test_invalid_values_are_refused(tool: str, given: dict[str, Any], message: str) -> None:
    one = Inquiry("q")
    with pytest.raises(InputError) as caught:
        one.record(tool, **given)
    assert message in str(caught.value)
    assert (one.calls, one.score["score"]) == ([], 0.0)


def test_invalid_tools_and_calls_are_refused() -> None:
    one = Inquiry("q")
    for tool in (None, 5, ["grep"]):
        with pytest.raises(InputError, match="tool: .* is not a text"):
            one.record(tool)  # type: ignore[arg-type]
    for call in (
        ToolCall("gh", results=1, complete=2.0),
        ToolCall("grep", results=-1),
        ToolCall("discovery", factors=9),
    ):
        with pytest.raises(InputError, match="is not between"):
            one.add(call)
    assert one.calls == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sure_enough": "0.5"}, "sure_enough: '0.5' is not a number"),
        ({"sure_enough": float("nan")}, "sure_enough: nan is not a finite number"),
        ({"sure_enough": 2}, "sure_enough: 2 is not between 0 and 1"),
        ({"max_recoveries": -2}, "max_recoveries: -2 is not between"),
        ({"max_recoveries": 1.5}, "max_recoveries: 1.5 is not a whole number"),
        ({"tools": ["grep"]}, "tools[0]: 'grep' cannot be called"),
        ({"tools": []}, "tools: there is no tool to use"),
    ],
)
def test_a_search_for_certainty_needs_bounds_that_can_be(given: dict[str, Any], message: str) -> None:
    used: list[Inquiry] = []
    wanted: dict[str, Any] = {"sure_enough": 0.5, "tools": [used.append]} | given
    with pytest.raises(InputError) as caught:
        Inquiry("q").investigate_until(**wanted)
    assert message in str(caught.value)
    assert used == []


def test_recovery_may_be_ruled_out() -> None:
    used: list[Inquiry] = []
    Inquiry("q").investigate_until(0.5, [used.append] * 4, max_recoveries=0)
    assert len(used) == 1


def test_without_a_ledger_nothing_is_recorded() -> None:
    with Inquiry("q") as one:
        one.record("discovery", factors=4, recovery=True)
        one.record("grep", target="x", results=1)
    assert (one.id, one.recoveries) == (None, 1)
    assert one.about.trace_id == ""


def test_a_recovery_is_counted_by_what_it_found(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sure.ledger.metrics, "add", lambda _metric, **given: told.append(given["outcome"]))
    one = sure.investigations.start("q")
    made: list[dict[str, Any]] = [{"factors": 4}, {"factors": 0}, {"factors": None}, {"error": "x", "factors": 4}]
    for fields in made:
        one.record("discovery", recovery=True, **fields)
    for passed in (True, False, None):
        one.record("ctest", passed=passed, recovery=True)
    assert told == ["found", "nothing", "nothing", "error", "found", "found", "nothing"]


def test_a_score_stays_what_it_was(inquiry: Inquiry) -> None:
    inquiry.record("grep", target="Parser", results=1)
    first = inquiry.record("read", target="parser.py", results=1)
    inquiry.record("find", target="parser", results=1)
    assert (first["through"], inquiry.score["through"]) == ([1, 2], [1, 2, 3])


def test_every_target_with_agreeing_evidence_is_listed(inquiry: Inquiry) -> None:
    for target in ("Lexer", "Parser"):
        inquiry.record("grep", target=target, results=1)
        inquiry.record("read", target=f"src/{target}.py", results=1)
    inquiry.record("grep", target="Tokens", results=1)
    found = inquiry.record("git", target="parser.py", results=1)
    assert (found["converging_target"], found["converging_targets"]) == ("parser", ["lexer", "parser"])
    assert inquiry.agreements() == [
        ("parser", ("git", "read", "search"), (3, 4, 6)),
        ("lexer", ("read", "search"), (1, 2)),
    ]


@hypothesis_settings(deadline=None)
@given(st.data())
def test_advice_foretells_the_score(data: st.DataObject) -> None:
    one = Inquiry("q", model=build_model())
    for call in data.draw(st.lists(steps, max_size=12)):
        one.add(call)
    target = one._all.best_target or next(reversed(one._calls_by_target), "") or one._last_target or "it"
    ways = [[ToolCall(tool, target, results=1)] for tool in ("find", "references", "grep", "web", "read", "git", "gh")]
    ways += [[ToolCall("discovery", factors=4)], [ToolCall("npm", passed=True)], [ToolCall("pytest", passed=True)]]
    for runs in (one._all.tests, one._all.builds):
        ways.append([ToolCall(name, passed=True) for name, passed in runs.items() if not passed])
    scores = []
    for way in ways:
        fresh = Inquiry("q", model=build_model())
        for call in (*one.calls, *way):
            fresh.add(call)
        scores.append(fresh.score["score"])
    for advice in one.advice():
        assert any(score == pytest.approx(advice.score) for score in scores), advice


@hypothesis_settings(deadline=None)
@given(st.lists(steps, max_size=25))
def test_call_by_call_gives_what_all_at_once_gives(calls: list[ToolCall]) -> None:
    one = Inquiry("q", model=build_model())
    for number, call in enumerate(calls, start=1):
        one.add(call)
        whole = one.model.score(Case(tuple(calls[:number])))
        found = one.score
        assert {name: found[name] for name in whole.answer} == whole.answer
        assert found.row == whole.row


def test_a_thousand_steps_cost_a_thousand_times_one(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    added = itertools.count()
    plain = Tally.add

    def counting(self: Tally, call: ToolCall) -> None:
        next(added)
        plain(self, call)

    monkeypatch.setattr(Tally, "add", counting)
    one = sure.investigations.start("q")
    for number in range(1000):
        one.record("grep", target=f"t{number}", results=1)
    assert next(added) == 2000


def test_stored_edits_are_part_of_the_course_but_no_evidence(sure: Sure) -> None:
    edit = {"tool": "Edit", "category": "edit", "kind": "edit", "target": "a.py", "path": "a.py", "ok": True}
    sure.investigations.record("s", "grep", {"pattern": "x"}, 2)
    before = sure.investigations.get("s")
    with sure.session.write() as transaction:
        tool_calls.insert(transaction, "s", 1.0, [edit, edit | {"ok": False}])
    after = sure.investigations.get("s")
    assert (before.calls, after.calls) == (1, 1)
    assert after.score == before.score
    assert after.chance < before.chance, "more steps, the last of which failed"
    words = [reason.words for reason in after.chance_reasons]
    assert "3 steps" in words
    assert "100% of its late calls failed or found nothing" in words


@hypothesis_settings(deadline=None)
@given(st.lists(steps, max_size=25), st.integers(1, 4))
def test_the_standing_is_that_of_the_score_after_each_call(calls: list[ToolCall], enough: int) -> None:
    inquiry = Inquiry("", model=Investigation(enough_paths=enough))
    for call in calls:
        inquiry.add(call)
        score = inquiry.score
        assert tuple(inquiry.standing) == (score["score"], score["band"], score["decision"])
        assert inquiry.standing.score == Investigation(enough_paths=enough).score(Case(tuple(inquiry.calls)))["score"]
